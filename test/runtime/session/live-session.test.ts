// A live session with a venue in this process: it begins, trades, ends with the venue's figures, and ends in order when
// something fails.
import { describe, expect, it, vi } from 'vitest';
import { type BotConfig, botConfigSchema } from '../../../src/config/bot-config.ts';
import { parseYaml } from '../../../src/config/yaml.ts';
import type { RequestCommand } from '../../../src/domain/venue-command.ts';
import { cents, contracts, fromMillis } from '../../../src/domain/units.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { logTo } from '../../../src/log.ts';
import { accountSummary } from '../../../src/report/account/account-summary.ts';
import { type LiveSessionOptions, type SessionEnd, LiveSession } from '../../../src/runtime/session/live-session.ts';
import type { Input } from '../../../src/venue.ts';
import { M0, MAKER, aHalt } from '../../support/engine/builders.ts';
import { aQuote, aStrategy, quoter } from '../../support/engine/engine-harness.ts';
import { Latch } from '../../../src/runtime/saved/latch.ts';
import type { Storage } from '../../../src/tape/journal/storage.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';
import { LiveVenue } from '../../support/sessions/live-venue.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

const CONFIG: BotConfig = parseYaml(
  `venue: { url: http://localhost }
markets: { events: [EVENT] }
limits:
  { orderQtyMax: 20, orderCostMax: 20, positionQtyMax: 60, marketCostMax: 60, accountCostMax: 400,
    workingOrdersMax: 40, priceMin: 0.02, priceMax: 0.98, bookAgeMax: 60s, closeGuard: 2s, groupCostMax: 100,
    dailyLossMax: 100, drawdownMax: 200, ordersPerSecondMax: 50, priceDistanceMax: 0.6 }
log: { file: a.log }
orders: { grace: 60ms, stopWithin: 20s }
`,
  { file: 'bot.yaml', schema: botConfigSchema },
);

/** A session, its venue, and everything that was reported about it. */
class Bench {
  readonly venue: LiveVenue;
  readonly notices: Notice[] = [];
  readonly lines: string[] = [];
  readonly recorded: Input[] = [];
  readonly session: LiveSession;

  constructor(hasKey = true, options: Partial<LiveSessionOptions> = {}, venue = new LiveVenue()) {
    this.venue = venue;
    this.session = new LiveSession({
      config: CONFIG,
      venue: this.venue,
      clock: this.venue.clock,
      strategies: [aStrategy(quoter())],
      hasKey,
      log: logTo({ write: (line) => this.lines.push(line) }, 'debug'),
      observe: (notice) => this.notices.push(notice),
      journal: {
        writeInput: (input) => this.recorded.push(input),
        writeNotices: () => undefined,
        writeCommands: () => undefined,
      },
      ...options,
    });
  }

  /** Starts, and waits until both quotes rest. */
  async quoting(): Promise<this> {
    await this.session.start();
    await waitFor(() => expect(this.session.engine.session.phase).toBe('trading'));
    this.touch();
    await waitFor(() => expect(this.working()).toBe(2));
    return this;
  }

  touch(): void {
    this.venue.changeVenue((venue) => venue.changeLevel(M0, 'bid', { price: cents(45), change: 100 }));
  }

  working(): number {
    return this.session.engine.state.orders.allOpen().filter(({ state }) => state === 'working').length;
  }

  /** The decision about each leap of the machine's clock. */
  verdicts(): string[] {
    return this.recorded.flatMap((input) =>
      input.type === 'event' && input.event.kind === 'clock-leapt' ? [input.event.verdict] : [],
    );
  }

  async fill(): Promise<void> {
    const { scripted } = this.venue;
    const order = scripted.resting(M0)[0];
    if (order) this.venue.changeVenue((venue) => venue.tradeOrder(order, 200));
    await waitFor(() => expect(this.session.tally.strategies()[0]?.fills).toBe(1));
  }
}

const isInFlight = ({ state }: { readonly state: string }): boolean => state === 'in-flight';

/** Waits until a condition holds, however slow the machine is. */
const waitFor = (claim: () => void): Promise<void> => vi.waitFor(claim, { timeout: PATIENCE_MS, interval: 2 });

/** Longer than a test may take: a session that ends earlier was not ended by this. */
const WITHIN_MS = 600_000;
const stopped = (session: LiveSession): Promise<SessionEnd> => session.stop('test', WITHIN_MS);

describe('a machine’s clock that leaps two hours ahead and comes back', () => {
  it('blocks orders until an answer shows the venue’s time, and has no effect once it is back', async () => {
    const bench = await new Bench().quoting();
    const { venue, session } = bench;
    const before = venue.clock.now();
    const fault = (): string => (venue.clock.now(), session.engine.feedWatch.blockingFault() ?? '');
    const isStatusRead = (command: RequestCommand): boolean =>
      command.type === 'read' && command.target.what === 'status';
    const asked = venue.requests.filter(isStatusRead).length;
    venue.wallAheadMs = 7_200_000;
    // Two clocks are read one after the other, and the machine may be busy in between.
    await waitFor(() => expect(fault()).toMatch(/^the machine’s clock leapt ahead by 7(?:199|200)\d{3} ms/));
    await waitFor(() => expect(venue.requests.filter(isStatusRead).length).toBeGreaterThan(asked));
    venue.reportsTime = true;
    await waitFor(() => expect(fault()).toBe(''));
    venue.wallAheadMs = 0;
    await waitFor(() => expect([fault(), bench.verdicts()]).toEqual(['', ['unknown', 'ours', 'over']]));
    expect(venue.clock.now() - before).toBeLessThan(3_600_000_000);
    expect(await stopped(session)).toMatchObject({ type: 'stopped', isReconciled: true });
  });

  it('the session’s clock follows the leap once the venue agrees with it, as after a sleep of the machine', async () => {
    const bench = await new Bench().quoting();
    const { venue, session } = bench;
    venue.reportsTime = true;
    const before = venue.clock.now();
    const wall = vi.spyOn(Date, 'now');
    wall.mockImplementation(() => Math.round(performance.timeOrigin + performance.now()) + 60_000);
    try {
      await waitFor(() => expect(venue.clock.now() - before).toBeGreaterThan(60_000_000));
    } finally {
      wall.mockRestore();
    }
    const kinds = bench.recorded.flatMap((input) => (input.type === 'event' ? [input.event.kind] : []));
    expect(kinds.filter((kind) => kind.startsWith('clock'))).toEqual(['clock-leapt', 'clock-stepped']);
    await stopped(session);
  });
});

describe('a live session', () => {
  it('starts, quotes, is filled, stops, and ends with the venue’s cash and positions', async () => {
    const bench = await new Bench().quoting();
    await bench.fill();
    const end = await stopped(bench.session);
    expect(end).toEqual({ type: 'stopped', isReconciled: true, hadAccount: true });
    const { scripted } = bench.venue;
    expect(scripted.resting()).toEqual([]);
    const account = accountSummary(bench.session.engine.state);
    expect(account.cash).toBe(scripted.cash);
    expect(account.positions[0]?.qty).toBe(scripted.position(M0).qty);
    expect(scripted.position(M0).qty).toBe(contracts(2));
  });

  it('cancels what rests when another part of the process fails, and reports the fault', async () => {
    const bench = await new Bench().quoting();
    bench.session.failWith(new Error('the screen burst'));
    await bench.session.mustStop;
    expect(bench.venue.scripted.resting()).toEqual([]);
    const end = await stopped(bench.session);
    expect(end).toMatchObject({ type: 'fault', ordersLeft: 0, fault: new Error('the screen burst') });
  });

  it('reports its phases in order to the observer and to the log', async () => {
    const bench = await new Bench().quoting();
    await stopped(bench.session);
    const phases = ['discovering', 'clearing', 'loading', 'trading', 'stopping', 'closing', 'stopped'];
    expect(bench.notices.flatMap((notice) => (notice.type === 'phase' ? [notice.phase] : []))).toEqual(phases);
    const logged = bench.lines.map((line) => JSON.parse(line) as { phase?: string });
    expect(logged.flatMap(({ phase }) => (phase === undefined ? [] : [phase]))).toEqual(phases);
  });

  it('records every input before handling it, its own start first', async () => {
    const bench = await new Bench().quoting();
    await stopped(bench.session);
    const [first] = bench.recorded;
    expect(first).toMatchObject({ type: 'event', event: { kind: 'start' } });
    const kinds = new Set(bench.recorded.map((input) => (input.type === 'event' ? input.event.kind : input.type)));
    expect([...kinds]).toEqual(expect.arrayContaining(['start', 'frame', 'answer', 'stop']));
  });

  it('closes feed and gateway once, and sends nothing afterwards', async () => {
    const bench = await new Bench().quoting();
    await stopped(bench.session);
    const asked = bench.venue.requests.length;
    expect(bench.venue.stops).toEqual({ feed: 1, gateway: 1 });
    bench.touch();
    await new Promise((resolve) => setImmediate(resolve));
    expect(bench.venue.requests).toHaveLength(asked);
  });

  it('only watches without a key, and reports nothing about an account at its end', async () => {
    const bench = new Bench(false);
    await bench.session.start();
    await waitFor(() => expect(bench.session.engine.state.books.isLive(M0)).toBe(true));
    bench.touch();
    const end = await stopped(bench.session);
    expect(end).toEqual({ type: 'stopped', isReconciled: true, hadAccount: false });
    expect(bench.venue.requests.every(({ type }) => type === 'read')).toBe(true);
    expect(bench.session.tally.strategies()[0]?.denials.get('not-ready')).toBeGreaterThan(0);
  });

  it('reports a difference when the venue’s cash is not ours', async () => {
    const bench = await new Bench().quoting();
    bench.venue.scripted.cash = contracts(5) as never;
    expect(await stopped(bench.session)).toMatchObject({ type: 'stopped', isReconciled: false });
    expect(bench.session.tally.drifts).toBeGreaterThan(0);
  });

  it('reports how many orders it leaves when stopping takes too long', async () => {
    const bench = await new Bench().quoting();
    bench.venue.isUnanswered = ({ type }) => type === 'cancel';
    expect(await bench.session.stop('test', 30)).toEqual({ type: 'timed-out', ordersLeft: 2 });
    expect(bench.venue.stops).toEqual({ feed: 1, gateway: 1 });
  });
});

describe('a halt that comes when the session handles nothing any more', () => {
  it('is saved for the next session, as one by a signal during the cancels after a fault', async () => {
    const venue = new LiveVenue();
    const storage = new MemoryDisk().open();
    const latch = new Latch(storage, () => venue.clock.now());
    const bench = await new Bench(true, { latch }, venue).quoting();
    bench.session.failWith(new Error('the screen burst'));
    const scope = { type: 'account' } as const;
    bench.session.submitOperatorOrder({ type: 'halt', scope, by: 'operator', reason: 'the signal SIGUSR1' });
    expect((await stopped(bench.session)).type).toBe('fault');
    const next = new Latch(storage, () => venue.clock.now());
    expect(next.readHalts()).toMatchObject([{ scope, by: 'operator', reason: 'the signal SIGUSR1' }]);
  });
});

describe('an amend of a quote', () => {
  /** A session that moves its quotes by amends, and whose halt files are in the given storage. */
  async function amending(storage: Storage) {
    const venue = new LiveVenue(1, { canAmend: true });
    let bid = 40;
    const onBook: Parameters<typeof aStrategy>[0]['onBook'] = ({ market }) => [
      aQuote({ market, bid: { price: cents(bid), qty: contracts(5) } }),
    ];
    const config = { ...CONFIG, orders: { ...CONFIG.orders, moveQuotesBy: 'amend' as const } };
    const latch = new Latch(storage, () => venue.clock.now());
    const bench = await new Bench(true, { config, latch, strategies: [aStrategy({ onBook })] }, venue).quoting();
    const moveBid = (): void => {
      bid += 1;
      bench.touch();
    };
    const amends = (): number => venue.requests.filter(({ type }) => type === 'amend').length;
    return { bench, moveBid, amends };
  }

  it('does not leave while a halt of its strategy is in the halt files alone', async () => {
    const storage = new MemoryDisk().open();
    const { bench, moveBid, amends } = await amending(storage);
    moveBid();
    await waitFor(() => expect([amends(), bench.working()]).toEqual([1, 2]));
    const scope = { type: 'strategy', strategy: MAKER } as const;
    // As another process does.
    new Latch(storage, () => bench.venue.clock.now()).writeHalt(aHalt({ scope, reason: 'odd' }));
    moveBid();
    await waitFor(() => expect(bench.session.engine.halts.listHalts()).toMatchObject([{ scope, reason: 'odd' }]));
    await waitFor(() => expect(bench.working()).toBe(0));
    expect(amends()).toBe(1);
    expect((await stopped(bench.session)).type).toBe('stopped');
  });
});

describe('a session whose first requests the venue refuses', () => {
  const refusing = async (prepare: (bench: Bench) => void = () => {}): Promise<Bench> => {
    const bench = new Bench();
    bench.venue.scripted.script.read = ({ target }) => (target.what === 'status' ? 'refuse' : 'do');
    prepare(bench);
    await bench.session.start();
    await bench.session.mustStop;
    return bench;
  };

  it('can only be stopped, and reports the refusal', async () => {
    const bench = await refusing();
    expect(await stopped(bench.session)).toEqual({
      type: 'refused',
      reason: expect.stringMatching(/^the venue refused .+: by script$/),
    });
  });

  it('goes on when the venue has no book of one market, as of one that has just closed', async () => {
    const bench = new Bench(true, { config: { ...CONFIG, upkeep: { ...CONFIG.upkeep, audit: fromMillis(20) } } });
    bench.venue.scripted.script.read = ({ target }) => (target.what === 'book' ? 'refuse' : 'do');
    bench.venue.isUnanswered = (command) => command.type === 'read' && command.target.what === 'positions';
    await bench.session.start();
    const isRefusedBook = ({ type, what }: Notice & { readonly what?: string }): boolean =>
      type === 'read-failed' && what === 'book M-0';
    await waitFor(() => expect(bench.notices.some(isRefusedBook)).toBe(true));
    expect(bench.session.engine.session.phase).toBe('loading');
    expect((await bench.session.stop('test', 30)).type).not.toBe('refused');
  });

  it('reports orders from before that could not be canceled, rather than the refusal', async () => {
    const bench = await refusing(({ venue }) => {
      venue.scripted.foreignOrder(M0, 'buy', cents(30));
      venue.isUnanswered = ({ type }) => type === 'cancel';
    });
    await waitFor(() => expect(bench.venue.requests.some(({ type }) => type === 'cancel')).toBe(true));
    expect(await bench.session.stop('test', 30)).toEqual({ type: 'timed-out', ordersLeft: 1 });
  });
});

describe('a failed invariant', () => {
  it('cancels the known orders, is logged, and ends the session as a fault', async () => {
    const bench = await new Bench().quoting();
    bench.venue.sendBrokenFrame();
    await bench.session.mustStop;
    expect(bench.venue.scripted.resting()).toEqual([]);
    const end = await stopped(bench.session);
    const fault = { name: 'AssertionFault', message: 'an invariant failed' };
    expect(end).toMatchObject({ type: 'fault', fault, ordersLeft: 0 });
    const fatal = bench.lines.map((line) => JSON.parse(line) as { level: number; msg: string });
    expect(fatal.filter(({ level }) => level === 60).map(({ msg }) => msg)).toEqual([
      'an invariant failed: canceling every known order and stopping',
    ]);
  });

  it('cancels orders whose answers are still in flight, too', async () => {
    const bench = await new Bench().quoting();
    // The venue has the orders, but their answers never arrive.
    bench.venue.isAnswerLost = ({ type }) => type === 'place';
    bench.venue.changeVenue((venue) => {
      const order = venue.resting(M0)[0];
      if (order) venue.tradeOrder(order, 500);
    });
    bench.touch();
    await waitFor(() => expect(bench.session.engine.state.orders.allOpen().some(isInFlight)).toBe(true));
    await waitFor(() => expect(bench.venue.scripted.resting()).toHaveLength(2));
    bench.venue.sendBrokenFrame();
    await bench.session.mustStop;
    expect(bench.venue.scripted.resting()).toEqual([]);
    expect(await stopped(bench.session)).toMatchObject({ type: 'fault', ordersLeft: 0 });
  });

  it('ends all use of the engine', async () => {
    const bench = await new Bench().quoting();
    bench.venue.sendBrokenFrame();
    const placed = bench.venue.requests.filter(({ type }) => type === 'place').length;
    const recorded = bench.recorded.length;
    bench.touch();
    await bench.session.mustStop;
    expect(bench.recorded).toHaveLength(recorded);
    expect(bench.venue.requests.filter(({ type }) => type === 'place')).toHaveLength(placed);
    await stopped(bench.session);
  });

  it('ends the wait of a session that is stopping, but only after what rests is canceled', async () => {
    const bench = await new Bench().quoting();
    // The engine's own cancels hang; those sent after the fault do not.
    bench.venue.isUnanswered = ({ type }) => type === 'cancel';
    const ending = stopped(bench.session);
    await waitFor(() => expect(bench.venue.requests.filter(({ type }) => type === 'cancel')).toHaveLength(2));
    bench.venue.isUnanswered = () => false;
    bench.venue.sendBrokenFrame();
    expect(await ending).toMatchObject({ type: 'fault' });
    expect(bench.venue.scripted.resting()).toEqual([]);
    expect(bench.venue.stops).toEqual({ feed: 1, gateway: 1 });
  });
});
