// A bot in a process of its own, followed over its control socket: what a console sees of its trading, of a halt by the
// command, and of a process that is stopped, goes on, and is killed.
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FollowClient } from '../../src/runtime/follow/follow-client.ts';
import { controlPath } from '../../src/runtime/operator/control-path.ts';
import { systemScheduler } from '../../src/transport/scheduler.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { Site } from './site.ts';

let closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.reverse()) await close();
  closings = [];
});

const waitFor = (claim: () => void): Promise<void> => vi.waitFor(claim, { timeout: PATIENCE_MS, interval: 20 });

describe('a bot that a console follows', () => {
  it('is seen trading, halted, hanging, back, and dead', async () => {
    const site = await Site.open();
    closings.push(() => site.close());
    const client = new FollowClient({
      path: controlPath(join(site.folder, 'local'), 'control'),
      scheduler: systemScheduler,
      random: () => 0,
    });
    closings.push(() => client.stop());
    client.start();
    await waitFor(() => expect(client.fault).toBe('no process listens'));
    expect(client.presence).toBe('absent');

    const bot = site.run();
    await waitFor(() => expect(client.bot.session?.phase).toBe('trading'));
    await waitFor(() => expect(client.bot.session?.orders.working).toBeGreaterThan(0));
    expect(client.bot.hello).toMatchObject({ bot: 'local', profile: 'service', isPaper: false, hasKey: true });
    expect(client.bot.session).toMatchObject({
      account: { isOpen: true },
      feed: { isUp: true },
      strategies: [{ name: 'nasty', params: '{"resting":4}' }],
    });
    expect(client.bot.session?.journalBytes).toBeGreaterThan(0);
    const ordersUsed = (): number | undefined =>
      client.bot.session?.limits.find(({ limit }) => limit === 'workingOrdersMax')?.used;
    // Limits are measured once a second.
    await waitFor(() => expect(ordersUsed()).toBeGreaterThan(0));
    const quoted = (): readonly string[] =>
      [...client.bot.orders.values()].filter(({ isOpen }) => isOpen).map((order) => order.ticker);
    // The orders come in a message of their own.
    await waitFor(() => expect(quoted()).not.toEqual([]));
    const [ticker = ''] = quoted();
    client.watchMarkets([ticker]);
    await waitFor(() => expect(client.bot.details.get(ticker)?.market.orders.length).toBeGreaterThan(0));

    const halted = await site.order('halt', '--reason', 'test');
    expect(halted.exitCode).toBe(0);
    await waitFor(() => expect(client.bot.session?.halts).toMatchObject([{ scope: 'account', reason: 'test' }]));
    await waitFor(() =>
      expect(client.bot.session?.orders).toEqual({ working: 0, waiting: 0, inFlight: 0, unknown: 0 }),
    );
    expect([...client.bot.orders.values()].filter(({ isOpen }) => isOpen)).toEqual([]);
    const event = client.bot.events.find(({ kind }) => kind === 'halt');
    expect(event).toMatchObject({ severity: 'critical', text: 'account halted by operator: test' });

    bot.kill('SIGSTOP');
    await waitFor(() => expect(client.presence).toBe('silent'));
    expect(client.bot.session?.phase).toBe('trading');
    bot.kill('SIGCONT');
    await waitFor(() => expect(client.presence).toBe('connected'));
    bot.kill('SIGKILL');
    await waitFor(() => expect(client.presence).toBe('absent'));
    expect(client.bot.hello?.bot).toBe('local');
  });
});
