// What a session was told of its budgets is in its manifest: a replay has the very same.
import { describe, expect, it } from 'vitest';
import { readBotConfig } from '../../src/config/bot-config.ts';
import { TickerTable } from '../../src/domain/ids.ts';
import { manifestOf, remake } from '../../src/runtime/manifest.ts';
import { readHeader } from '../../src/tape/header.ts';
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi.ts';
import { tradeApiReading } from '../../src/venues/trade-api/venue.ts';
import { cancel, place } from '../venues/trade-api/input.ts';

const FOLDER = '/journal';
const LIMITS = { trade: { model: 'token-bucket', refillPerSecond: 300, capacity: 600 } } as const;

async function manifestFor(costs?: Readonly<Record<string, number>>) {
  const reading = tradeApiReading({
    profile: kalshiProfile,
    limits: LIMITS,
    ...(costs && { costs }),
    tickers: new TickerTable(),
  });
  const config = { ...readBotConfig('config/demo.yaml'), strategies: [] };
  return manifestOf({ config, venue: { name: 'kalshi', ...reading }, hasKey: true, version: '1', folder: FOLDER });
}

describe('a manifest', () => {
  it('holds the limits and the costs that the venue told, and a replay has them', async () => {
    const manifest = await manifestFor({ createOrder: 7, cancelOrder: 3 });
    const header = { form: 1, segment: 1, session: 's', of: 'journal', chain: 0, manifest };
    expect(readHeader(Buffer.from(JSON.stringify(header)))).toEqual(header);
    const { capabilities } = remake(manifest, FOLDER).venue;
    expect([capabilities.cost(place), capabilities.cost(cancel)]).toEqual([7, 3]);
    expect(capabilities.limits.trade).toEqual(LIMITS.trade);
  });

  it('says nothing of costs where the venue told none: those of the profile hold', async () => {
    const manifest = await manifestFor();
    expect(manifest.costs).toBeUndefined();
    const { capabilities } = remake(manifest, FOLDER).venue;
    expect([capabilities.cost(place), capabilities.cost(cancel)]).toEqual([10, 2]);
  });
});
