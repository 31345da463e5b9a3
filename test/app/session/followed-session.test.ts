// A live session that consoles follow over its control socket: what they see, and how many there may be.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Supervision } from '../../../src/app/session/supervision.ts';
import { cents } from '../../../src/domain/units.ts';
import { logTo } from '../../../src/log.ts';
import { FollowClient } from '../../../src/runtime/follow/follow-client.ts';
import type { FollowedBot } from '../../../src/runtime/follow/followed-bot.ts';
import { controlPath } from '../../../src/runtime/operator/control-path.ts';
import { LiveSession } from '../../../src/runtime/session/live-session.ts';
import { systemScheduler } from '../../../src/transport/scheduler.ts';
import { M0 } from '../../support/engine/builders.ts';
import { aStrategy, quoter } from '../../support/engine/engine-harness.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';
import { LiveVenue } from '../../support/sessions/live-venue.ts';
import { configIn, makeDataFolder, removeDataFolder } from '../../support/sessions/supervised-folder.ts';

const waitFor = (claim: () => void): Promise<void> => vi.waitFor(claim, { timeout: PATIENCE_MS, interval: 2 });

let folder = '';
let closings: (() => unknown)[] = [];
beforeEach(() => {
  folder = makeDataFolder();
});
afterEach(async () => {
  for (const close of closings.reverse()) await close();
  closings = [];
  removeDataFolder(folder);
});

/** Starts a supervised session and waits until it quotes in every market. */
async function startSession(markets = 2) {
  const venue = new LiveVenue(markets);
  const config = configIn(folder);
  const log = logTo({ write: () => undefined }, 'silent');
  const supervision = await Supervision.openDataFolder({
    openSecond: null,
    account: null,
    config,
    file: 'bot.yaml',
    log,
    clock: venue.clock,
  });
  if (supervision === null) throw new Error('a data folder is configured');
  const strategies = [aStrategy(quoter())];
  const observe = supervision.onNotice.bind(supervision);
  const session = new LiveSession({ config, venue, clock: venue.clock, strategies, hasKey: true, log, observe });
  const startedAt = venue.clock.now();
  supervision.attachSession(
    session,
    () => {
      throw new Error('no status is requested');
    },
    {
      facts: { profile: 'test', isPaper: false, hasKey: true, startedAt, params: { maker: { width: 3 } } },
      journalBytes: () => 7,
    },
  );
  await session.start();
  await waitFor(() => expect(session.engine.session.phase).toBe('trading'));
  venue.changeVenue((scripted) => scripted.changeLevel(M0, 'bid', { price: cents(45), change: 100 }));
  await waitFor(() => expect(session.engine.state.orders.openCount).toBeGreaterThanOrEqual(2));
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await supervision.close(await session.stop('test', 20_000));
  };
  closings.push(close);
  return { venue, session, close };
}

function startClient(hz = 10): FollowClient {
  const client = new FollowClient({
    path: controlPath(folder, 'control'),
    scheduler: systemScheduler,
    random: () => 0,
    hz,
  });
  client.start();
  closings.push(() => client.stop());
  return client;
}

/** The figures of a client that do not depend on the moment. */
const stateOf = ({ facts, rows, orders, events }: FollowedBot) => ({
  facts: [...facts].sort(([a], [b]) => a - b),
  rows: [...rows].sort(([a], [b]) => a - b),
  orders: [...orders.values()].sort((a, b) => (a.clientOrderId < b.clientOrderId ? -1 : 1)),
  events,
});

describe('a client that follows a live session', () => {
  it('has its account, markets, orders and parameters, sees a fill, and sees the session end', async () => {
    const { venue, session, close } = await startSession();
    Object.assign(venue.gateway, { remarks: () => ['an empty order group may stand there'] });
    const client = startClient();
    await waitFor(() => expect(client.bot.isComplete).toBe(true));
    expect(client.presence).toBe('connected');
    expect(client.bot.session?.remarks).toEqual(['an empty order group may stand there']);
    expect(client.bot.hello).toMatchObject({ session: session.sessionName, pid: process.pid, profile: 'test' });
    expect(client.bot.session).toMatchObject({ account: { isOpen: true }, journalBytes: 7, marketCount: 2 });
    expect(client.bot.session?.strategies).toMatchObject([{ name: 'maker', params: '{"width":3}' }]);
    const limits = client.bot.session?.limits.map(({ limit }) => limit);
    expect(limits).toEqual(expect.arrayContaining(['positionQtyMax', 'groupCostMax', 'workingOrdersMax']));
    client.watchMarkets(['M-0']);
    await waitFor(() => expect(client.bot.details.get('M-0')?.market.orders.length).toBe(2));
    const [order] = venue.scripted.resting(M0);
    if (order) venue.changeVenue((scripted) => scripted.tradeOrder(order, 200));
    await waitFor(() => expect(client.bot.events.some(({ kind }) => kind === 'fill')).toBe(true));
    await waitFor(() => expect(client.bot.session?.strategies[0]?.fills).toBe(1));
    await close();
    await waitFor(() => expect(client.bot.session?.phase).toBe('stopped'));
    expect(client.bot.events.at(-1)?.text).toMatch(/^session stopped/);
    await waitFor(() => expect(client.presence).toBe('absent'));
  });

  it('is refused before the session has started, and connects by itself once it has', async () => {
    const client = startClient();
    await waitFor(() => expect(client.fault).toBe('no process listens'));
    expect(client.presence).toBe('absent');
    await startSession();
    await waitFor(() => expect(client.presence).toBe('connected'));
    expect(client.fault).toBe(null);
  });

  it('equals another client that comes later', async () => {
    const { venue } = await startSession(5);
    const first = startClient();
    await waitFor(() => expect(first.bot.isComplete).toBe(true));
    for (let change = 1; change < 30; change++) {
      venue.changeVenue((scripted) => scripted.changeLevel(M0, 'bid', { price: cents(40 + (change % 7)), change }));
      await new Promise((resolve) => setTimeout(resolve, change));
    }
    const second = startClient();
    await waitFor(() => expect(second.bot.isComplete).toBe(true));
    await waitFor(() => expect(stateOf(first.bot)).toEqual(stateOf(second.bot)));
  });

  it('is one of at most four: the others of twenty connections are refused, and the session trades on', async () => {
    const { session } = await startSession();
    const clients = Array.from({ length: 20 }, () => startClient());
    const connected = (): number => clients.filter(({ presence }) => presence === 'connected').length;
    await waitFor(() => expect(clients.filter(({ fault }) => fault?.includes('4 consoles')).length).toBe(16));
    expect(connected()).toBe(4);
    const leaving = clients.find(({ presence }) => presence === 'connected');
    leaving?.stop();
    await waitFor(() => expect(connected()).toBe(4));
    expect(session.engine.session.phase).toBe('trading');
  });
});
