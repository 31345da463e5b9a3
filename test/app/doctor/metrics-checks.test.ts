// The doctor's check of the metrics: it refuses what a session refuses, reports a port in use, and leaves a free port free.
import { type Server, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ConfigValueFault } from '../../../src/base/config-value-fault.ts';
import { checkMetrics } from '../../../src/app/doctor/metrics-checks.ts';

const taken: Server[] = [];
afterEach(() => {
  for (const server of taken.splice(0)) server.close();
});

async function takePort(): Promise<number> {
  const server = createServer();
  taken.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const check = (listen: string) => checkMetrics({ dataFolder: 'data', metrics: { listen, gc: false } });

describe('the check of metrics', () => {
  it('returns nothing without an address', async () => {
    expect(await checkMetrics({ metrics: { gc: false } })).toEqual([]);
  });

  it('refuses what a session refuses: an open address without a token, and no data folder', async () => {
    await expect(check('0.0.0.0:0')).rejects.toThrow(
      new ConfigValueFault(
        { place: 'metrics.listen', value: '0.0.0.0:0' },
        'metrics.tokenFile, or an address of this machine alone, such as 127.0.0.1:9464',
      ),
    );
    await expect(checkMetrics({ metrics: { listen: '127.0.0.1:0', gc: false } })).rejects.toThrow(
      'metrics.listen: expected dataFolder in the config, found "127.0.0.1:0"',
    );
  });

  it('warns of a port in use, and leaves a free port free', async () => {
    const port = await takePort();
    const listen = `127.0.0.1:${port}`;
    expect(await check(listen)).toMatchObject([{ state: 'warn', words: `${listen} is in use` }]);
    await new Promise((resolve) => taken.pop()?.close(resolve));
    const free = [{ name: 'metrics', state: 'ok', words: `${listen} is free`, remedy: null }];
    expect(await check(listen)).toEqual(free);
    expect(await check(listen)).toEqual(free);
  });
});
