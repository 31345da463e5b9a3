// The shipped config for the `kalshi` dialect opens unchanged, and its books fill.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readExchangeConfig } from '../../../src/config/exchange-config.ts';
import { startExchange } from '../../../src/exchange/api/exchange-server.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { sendRequest } from './bare-client.ts';

describe('config/kalshi-exchange.yaml', () => {
  it('opens an exchange of two shards whose books fill', async () => {
    const config = readExchangeConfig(join(import.meta.dirname, '../../../config/kalshi-exchange.yaml'));
    const running = await startExchange({ config, profile: kalshiProfile, port: 0 });
    try {
      expect(config.profile).toBe(kalshiProfile.name);
      const { body } = await sendRequest(running.url, 'GET /markets');
      expect(body.rows('markets').map((row) => row.at('exchange_index'))).toEqual([2, 2, 0, 0, 0]);
      expect(running.exchange.balance('demo@2')?.cash).toBe(5_000_000_000);
      await new Promise<void>((resolve) => {
        const unsubscribe = running.session.onStep(({ facts }) => {
          if (!facts.some(({ type }) => type === 'book-delta')) return;
          unsubscribe();
          resolve();
        });
      });
    } finally {
      await running.stop();
    }
  });
});
