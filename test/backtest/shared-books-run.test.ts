// A run whose venue shares its books with the engine equals the run whose venue keeps them all, to the last line: on
// random tapes with every event that can affect a book, while orders, reads and the feed need the book at any moment.
import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SharedBooks } from '../../backtest/shared-books.ts';
import type { FeedCommand } from '../../src/domain/venue-command.ts';
import type { MarketIndex } from '../../src/domain/ids.ts';
import { VenueMids } from '../../src/report/record/venue-mids.ts';
import { BookState, RecordedDepth } from '../../src/venues/simulated/matching/recorded-depth.ts';
import { TapeFillSimulator } from '../../src/venues/simulated/matching/fill-simulator.ts';
import { MarketReads } from '../../src/venues/simulated/feed/market-reads.ts';
import { SimulatedFeed } from '../../src/venues/simulated/feed/simulated-feed.ts';
import { runCount } from '../support/runner/property-runs.ts';
import { type WildCase, runWildCase, runOutcome, wildCases, wildRun } from '../support/tapes/wild-run.ts';
import type { WildStep } from '../support/tapes/wild-tape.ts';

afterEach(() => void vi.restoreAllMocks());

/** The number of times each cause reclaimed a book; `shared` counts the times one was shared. */
type Causes = Map<string, number>;

/**
 * Records the causes that reclaim books; a book that is copied back without a named cause is one that the engine loses.
 */
class ReclaimCauses {
  readonly causes: Causes = new Map();
  #cause: string | null = null;

  record(cause: string): void {
    this.causes.set(cause, (this.causes.get(cause) ?? 0) + 1);
  }

  restored(): void {
    this.record(this.#cause ?? 'loss');
  }

  count(cause: string): number {
    return this.causes.get(cause) ?? 0;
  }

  during<Result>(cause: string, act: () => Result): Result {
    const before = this.#cause;
    this.#cause = before ?? cause;
    try {
      return act();
    } finally {
      this.#cause = before;
    }
  }
}

/** Wraps a method: `act` receives the original call, the object, and the first argument. */
function wrap(
  prototype: object,
  name: string,
  act: (real: () => unknown, self: unknown, first: unknown) => unknown,
): void {
  const real: unknown = Reflect.get(prototype, name);
  if (typeof real !== 'function') throw new Error(`${name} is no method`);
  const methods = prototype as Record<string, (...args: unknown[]) => unknown>;
  vi.spyOn(methods, name).mockImplementation(function (this: unknown, ...args) {
    return act(() => Reflect.apply(real, this, args) as unknown, this, args[0]);
  });
}

/** Shares books at every turn, and records the causes that reclaim them. */
function shareAlways(causes: ReclaimCauses): void {
  wrap(SharedBooks.prototype, 'shareBooks', (shareBooks, self) => {
    shareBooks();
    (self as SharedBooks).searchDueAt = 0;
    (self as SharedBooks).rowsUnshared = 0;
  });
  let depth: RecordedDepth | null = null;
  wrap(RecordedDepth.prototype, 'openMarket', (openMarket, self) => {
    depth = self as RecordedDepth;
    openMarket();
  });
  wrap(TapeFillSimulator.prototype, 'shareBook', (shareBook, _self, market) => {
    const isShared = shareBook();
    if (isShared === true) causes.record('shared');
    if (isShared === true && depth?.stateOf(market as MarketIndex) === BookState.sharedWatched)
      causes.record('shared with orders');
    return isShared;
  });
  wrap(TapeFillSimulator.prototype, 'restoreBook', (restoreBook) => {
    causes.restored();
    restoreBook();
  });
  wrap(TapeFillSimulator.prototype, 'applyDelta', (delta) => causes.during('change', delta));
  wrap(TapeFillSimulator.prototype, 'applyPrint', (print) => causes.during('print', print));
  wrap(TapeFillSimulator.prototype, 'cancelOrder', (cancel) => causes.during('cancel', cancel));
  wrap(TapeFillSimulator.prototype, 'amendOrder', (amend) => causes.during('amend', amend));
  wrap(TapeFillSimulator.prototype, 'placeOrder', (place) => causes.during('order', place));
  wrap(VenueMids.prototype, 'onArrival', (onArrival) => causes.during('mid', onArrival));
  wrap(MarketReads.prototype, 'answerRead', (answer) => causes.during('read', answer));
  wrap(SimulatedFeed.prototype, 'handleCommand', (handle, _self, command) =>
    causes.during((command as FeedCommand).type, handle),
  );
}

/** The outcome of a case, with books shared whenever possible, or never. */
function outcome(wild: WildCase, causes: ReclaimCauses | null): readonly string[] {
  if (causes === null) vi.spyOn(TapeFillSimulator.prototype, 'shareBook').mockReturnValue(false);
  else shareAlways(causes);
  try {
    const run = wildRun(wild);
    runWildCase(run, wild);
    return causes === null ? runOutcome(run) : causes.during('end', () => runOutcome(run));
  } finally {
    vi.restoreAllMocks();
  }
}

/** Number of cases per kind of feed. */
const CASES = runCount(120);
const slow = { model: 'log-normal', median: '50ms', p99: '2s' };
const fast = { model: 'constant', delay: '2ms' };
const feedKinds = [
  ['as recorded', [{}, { order: fast }, { order: fast, answer: fast }]],
  [
    'always as late',
    [
      { feed: { model: 'constant', delay: '70ms' } },
      { feed: { model: 'constant', delay: '3s' }, order: fast },
      { feed: { model: 'constant', delay: '0ms' } },
    ],
  ],
  [
    'drawn',
    [
      { feed: slow, order: slow, answer: slow },
      { feed: slow, order: fast, answer: fast },
    ],
  ],
] as const;

const QUIET: WildStep = { after: 500_000, late: 0, market: 0, what: 'print', isBid: true, away: 4, qty: 1, pick: 90 };
/** A run over these steps alone, with a bot that does nothing. */
const idle = (steps: readonly Partial<WildStep>[]): WildCase => ({
  steps: [
    ...Array.from({ length: 8 }, () => QUIET),
    ...steps.map((step) => ({ ...QUIET, ...step })),
    ...Array.from({ length: 3 }, () => QUIET),
  ],
  blockRows: 5,
  actions: [],
  feedCommands: [],
  turn: 7,
  endsAfter: null,
  simulation: {},
  isExplained: false,
});

describe('a shared book', () => {
  it('a book is not shared while the bot does not know its market’s new grid', () => {
    // A new description, which the feed does not send; then a change at a price that is no longer on the grid.
    const steps = [
      { market: 1, what: 'describe', pick: 1 },
      { market: 1, what: 'off-grid', away: 1, pick: 40 },
    ] as const;
    const causes = new ReclaimCauses();
    const unsharedRun = outcome(idle(steps), null);
    expect(unsharedRun.at(-1)).toBe('faults: 1');
    expect(outcome(idle(steps), causes)).toEqual(unsharedRun);
    expect(causes.causes.get('shared')).toBeGreaterThan(0);
  });

  it('keeps the fault of a shared book whatever happens before the engine sees it', () => {
    for (const what of ['snapshot', 'gap', 'status', 'grid'] as const) {
      const wild = idle([
        { what: 'below-nothing', late: 90_000, after: 10 },
        { what, late: 90_000, after: 10, pick: 3 },
      ]);
      const unsharedRun = outcome(wild, null);
      expect(unsharedRun.at(-1)).toBe('faults: 1');
      expect(outcome(wild, new ReclaimCauses())).toEqual(unsharedRun);
    }
  });

  it.each(['unsubscribe', 'subscribe', 'resync', 'renew', 'reconnect'] as const)(
    'a shared book is copied back before a %s takes effect',
    (type) => {
      // Changes in flight at the time of the request never reach the bot: they are in the snapshot that answers it.
      const changes = Array.from({ length: 40 }, (_, pick) => ({ what: 'delta', after: 200_000, pick }) as const);
      const simulation = { latency: { feed: { model: 'constant', delay: '1500ms' } } };
      const wild = { ...idle(changes), feedCommands: [{ wait: 62, type, market: 0 }], simulation };
      const causes = new ReclaimCauses();
      expect(outcome(wild, causes)).toEqual(outcome(wild, null));
      expect(causes.causes.get(type)).toBeGreaterThan(0);
    },
  );

  it('a shared book that a change comes to cross is copied back with that change in it, once', () => {
    const wild = idle([{ what: 'crossing', away: 1 }]);
    const causes = new ReclaimCauses();
    expect(outcome(wild, causes)).toEqual(outcome(wild, null));
    expect(causes.causes.get('loss')).toBeGreaterThan(0);
  });

  it('a snapshot that names a price twice gives both sides the same book', () => {
    const wild = idle([{ what: 'wrong-snapshot', pick: 4 }]);
    expect(outcome(wild, new ReclaimCauses())).toEqual(outcome(wild, null));
  });
});

describe.each(feedKinds)('a run whose feed is %s', (_name, latencies) => {
  it('the run is the same whether its books are shared or not', () => {
    const causes = new ReclaimCauses();
    fc.assert(
      fc.property(wildCases(latencies), (wild) => {
        const [sharedRun, unsharedRun] = [outcome(wild, causes), outcome(wild, null)];
        const at = sharedRun.findIndex((line, index) => line !== unsharedRun[index]);
        expect(sharedRun.slice(Math.max(0, at), at + 1)).toEqual(unsharedRun.slice(Math.max(0, at), at + 1));
      }),
      // A failure is found by its seed: shrinking a case would take too long.
      { numRuns: CASES, endOnFailure: true },
    );
    for (const [cause, least] of [
      ['shared', 5],
      ['shared with orders', 1],
      ['change', 1 / 20],
      ['print', 1 / 20],
      ['cancel', 1 / 10],
      ['order', 1 / 20],
      ['read', 2],
      ['loss', 1 / 5],
      ['resync', 1 / 20],
      ['end', 1 / 5],
    ] as const)
      expect(causes.count(cause), cause).toBeGreaterThanOrEqual(CASES * least);
  });
});
