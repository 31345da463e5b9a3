// Faults over real sockets: a plan in the config, an exchange that crashes and restarts, a log that cannot be written.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fromMillis } from '../../../src/domain/units.ts';
import { volatileStore } from '../../../src/exchange/store/input-store.ts';
import { openExchange, startFlow } from '../../../src/exchange/session/exchange-driver.ts';
import { type TestServer, startTestServer } from '../api/test-server.ts';
import { START, seconds } from '../exchange-harness.ts';
import { harnessConfig } from '../api/api-harness.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Repeats a request until the exchange answers again. */
async function untilBack(venue: TestServer): Promise<void> {
  for (;;) {
    const answer = await venue.requestAs('ann', 'GET /portfolio/balance').catch(() => null);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('a fault plan in the config', () => {
  it('applies to a real server, and is counted by kind', async () => {
    const extra = `
faults:
  requests:
    - { fault: drop-answer, on: [createOrder], nth: 1 }
    - { fault: delay, after: 30ms, on: [orders] }
  feed:
    - { fault: cut, on: [book], nth: 2 }
`;
    const venue = await startTestServer({ extra });
    const feed = await venue.openFeed('ann');
    await feed.reply(feed.send('subscribe', { channels: ['orderbook_delta'], market_ticker: 'RAIN-26-A' }));
    await expect(venue.placeOrder('ann')).rejects.toThrow('fetch failed');
    expect((await feed.closing()).code).toBe(1006);
    expect((await venue.requestAs('ann', 'GET /portfolio/orders')).body.rows('orders')).toHaveLength(1);
    expect(venue.running.summary().faultsByKind).toEqual({ 'drop-answer': 1, cut: 1, delay: 1 });
  });

  it('runs incidents', async () => {
    const venue = await startTestServer({ extra: 'faults: { incidents: [{ incident: pause, after: 0ms, for: 1h }] }' });
    await expect.poll(() => venue.running.exchange.isTrading).toBe(false);
    expect((await venue.placeOrder('ann')).text).toContain('trading_is_paused');
  });
});

describe('an exchange that crashes', () => {
  it.each(['in memory', 'on disk'])('breaks every connection, and restarts from its log %s', async (where) => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-crash-'));
    folders.push(folder);
    const crashes = 'faults: { incidents: [{ incident: crash, after: 1h, for: 50ms }] }';
    const venue = await startTestServer({ extra: where === 'on disk' ? `dataFolder: ${folder}` : crashes });
    const feed = await venue.openFeed('ann');
    await venue.placeOrder('ann', { client_order_id: 'before' });
    const before = venue.running.ledger();
    venue.running.crash(fromMillis(500));
    const refused = expect(venue.requestAs('ann', 'GET /portfolio/balance')).rejects.toThrow('fetch failed');
    expect((await feed.closing()).code).toBe(1006);
    await refused;
    await untilBack(venue);
    expect(venue.running.ledger()).toEqual(before);
    expect((await venue.placeOrder('ann', { client_order_id: 'before' })).status).toBe(409);
    expect((await venue.placeOrder('ann', { client_order_id: 'after' })).status).toBe(201);
    const again = await venue.openFeed('ann');
    expect((await again.reply(again.send('list_subscriptions'))).at('type')).toBe('ok');
  });

  it('reports an error when it cannot restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-crash-'));
    folders.push(folder);
    const venue = await startTestServer({ extra: `dataFolder: ${folder}` });
    venue.running.crash(fromMillis(10));
    writeFileSync(join(folder, 'inputs.jsonl'), '{"presageExchange":2,"salt":1}\n{"broken":1}\n');
    const failure = await venue.running.failed;
    expect(failure.message).toMatch(/inputs\.jsonl: line 2: expected an input/);
  });

  it('can be stopped while it is down', async () => {
    const venue = await startTestServer();
    venue.running.crash(fromMillis(60_000));
    await venue.stop();
    expect(venue.running.summary().feeds).toBe(0);
  });
});

describe('a log that cannot be written', () => {
  it('stops the exchange, reports the error once, and refuses everything afterwards', () => {
    let now = START;
    let isFull = false;
    const appendInput = (): void => {
      if (isFull) throw new Error('no space left');
    };
    const store = { ...volatileStore(1), appendInput };
    const session = openExchange(harnessConfig(), { store, clock: () => now });
    const failures: string[] = [];
    session.onFailure((failure) => failures.push(failure.message));
    let run = (): void => undefined;
    startFlow(session, harnessConfig(), (_delayMs, act) => {
      run = act;
      return () => undefined;
    });
    const { seq } = session.exchange;
    isFull = true;
    // Both markets close within two hours, which must be logged.
    now = seconds(7200);
    expect(run).not.toThrow();
    expect(failures).toEqual(['no space left']);
    isFull = false;
    expect(() => session.submit({ type: 'tick' })).toThrow('no space left');
    expect([session.failure?.message, session.exchange.seq, failures.length]).toEqual(['no space left', seq, 1]);
  });
});
