// A run whose venue lends its books to the bot is the run whose venue keeps them all, to the last line: on tapes on which
// everything happens that may befall a book, while orders, reads and the feed ask for it at any moment.
import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LentBooks } from '../../backtest/lent-books.ts';
import type { FeedCommand } from '../../src/domain/command.ts';
import type { MarketIndex } from '../../src/domain/ids.ts';
import { VenueMids } from '../../src/report/keeping/venue-mids.ts';
import { BookState, Depth } from '../../src/venues/simulated/depth.ts';
import { SimulatedFloor } from '../../src/venues/simulated/floor.ts';
import { MarketReads } from '../../src/venues/simulated/market-reads.ts';
import { News } from '../../src/venues/simulated/news.ts';
import { runs } from '../support/runs.ts';
import { type WildCase, goThrough, outcomeOf, wildCases, wildRun } from '../support/wild-run.ts';
import type { WildStep } from '../support/wild-tape.ts';

afterEach(() => void vi.restoreAllMocks());

/** What books were wanted back for, how often; `lent` is how often one was lent. */
type Causes = Map<string, number>;

/** Whoever asks for a book, as far as it has a name; a book that comes back by itself is one that the bot loses. */
class Watch {
  readonly causes: Causes = new Map();
  #cause: string | null = null;

  note(cause: string): void {
    this.causes.set(cause, (this.causes.get(cause) ?? 0) + 1);
  }

  restored(): void {
    this.note(this.#cause ?? 'loss');
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

/** Puts something around a method: it is given the method as it is called, whom of, and with what first. */
function around(
  whose: object,
  name: string,
  act: (real: () => unknown, self: unknown, first: unknown) => unknown,
): void {
  const real: unknown = Reflect.get(whose, name);
  if (typeof real !== 'function') throw new Error(`${name} is no method`);
  const methods = whose as Record<string, (...args: unknown[]) => unknown>;
  vi.spyOn(methods, name).mockImplementation(function (this: unknown, ...args) {
    return act(() => Reflect.apply(real, this, args) as unknown, this, args[0]);
  });
}

/** Lends at every turn, and notes for what books are wanted back. */
function lendAlways(watch: Watch): void {
  around(LentBooks.prototype, 'lend', (look, self) => {
    look();
    (self as LentBooks).dueAt = 0;
    (self as LentBooks).rowsKept = 0;
  });
  let depth: Depth | null = null;
  around(Depth.prototype, 'open', (open, self) => {
    depth = self as Depth;
    open();
  });
  around(SimulatedFloor.prototype, 'lend', (lend, _self, market) => {
    const isLent = lend();
    if (isLent === true) watch.note('lent');
    if (isLent === true && depth?.stateOf(market as MarketIndex) === BookState.sharedWatched)
      watch.note('lent with orders');
    return isLent;
  });
  around(SimulatedFloor.prototype, 'restore', (restore) => {
    watch.restored();
    restore();
  });
  around(SimulatedFloor.prototype, 'delta', (delta) => watch.during('change', delta));
  around(SimulatedFloor.prototype, 'print', (print) => watch.during('print', print));
  around(SimulatedFloor.prototype, 'cancel', (cancel) => watch.during('cancel', cancel));
  around(SimulatedFloor.prototype, 'amend', (amend) => watch.during('amend', amend));
  around(SimulatedFloor.prototype, 'place', (place) => watch.during('order', place));
  around(VenueMids.prototype, 'arriving', (arriving) => watch.during('mid', arriving));
  around(MarketReads.prototype, 'answer', (answer) => watch.during('read', answer));
  around(News.prototype, 'take', (take, _self, command) => watch.during((command as FeedCommand).type, take));
}

/** What came of a case, with books lent whenever they may be, or never. */
function outcome(wild: WildCase, watch: Watch | null): readonly string[] {
  if (watch === null) vi.spyOn(SimulatedFloor.prototype, 'lend').mockReturnValue(false);
  else lendAlways(watch);
  try {
    const run = wildRun(wild);
    goThrough(run, wild);
    return watch === null ? outcomeOf(run) : watch.during('end', () => outcomeOf(run));
  } finally {
    vi.restoreAllMocks();
  }
}

/** How many cases are tried of each kind of feed. */
const CASES = runs(120);
const slow = { model: 'log-normal', median: '50ms', p99: '2s' };
const fast = { model: 'constant', delay: '2ms' };
const ways = [
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
/** A run over these steps alone, of a bot that does nothing. */
const idle = (steps: readonly Partial<WildStep>[]): WildCase => ({
  steps: [
    ...Array.from({ length: 8 }, () => QUIET),
    ...steps.map((step) => ({ ...QUIET, ...step })),
    ...Array.from({ length: 3 }, () => QUIET),
  ],
  blockRows: 5,
  acts: [],
  asks: [],
  turn: 7,
  endsAfter: null,
  simulation: {},
  isTold: false,
});

describe('a book', () => {
  it('is not lent to a bot that has not been told of its market’s new grid', () => {
    // Described anew, which the feed does not tell; and then a change at a price that the grid has no more.
    const steps = [
      { market: 1, what: 'describe', pick: 1 },
      { market: 1, what: 'off-grid', away: 1, pick: 40 },
    ] as const;
    const watch = new Watch();
    const kept = outcome(idle(steps), null);
    expect(kept.at(-1)).toBe('faults: 1');
    expect(outcome(idle(steps), watch)).toEqual(kept);
    expect(watch.causes.get('lent')).toBeGreaterThan(0);
  });

  it('that was lent while it was told wrong is known to have been, whatever comes before the bot is told', () => {
    for (const what of ['snapshot', 'gap', 'status', 'grid'] as const) {
      const wild = idle([
        { what: 'below-nothing', late: 90_000, after: 10 },
        { what, late: 90_000, after: 10, pick: 3 },
      ]);
      const kept = outcome(wild, null);
      expect(kept.at(-1)).toBe('faults: 1');
      expect(outcome(wild, new Watch())).toEqual(kept);
    }
  });

  it.each(['unsubscribe', 'subscribe', 'resync', 'renew', 'reconnect'] as const)(
    'is back before a %s is done',
    (type) => {
      // Changes that are on their way when the venue is asked never reach the bot: they are in the book that it is told.
      const changes = Array.from({ length: 40 }, (_, pick) => ({ what: 'delta', after: 200_000, pick }) as const);
      const simulation = { latency: { feed: { model: 'constant', delay: '1500ms' } } };
      const wild = { ...idle(changes), asks: [{ wait: 62, type, market: 0 }], simulation };
      const watch = new Watch();
      expect(outcome(wild, watch)).toEqual(outcome(wild, null));
      expect(watch.causes.get(type)).toBeGreaterThan(0);
    },
  );

  it('that a change comes to cross is given back with that change in it, once', () => {
    const wild = idle([{ what: 'crossing', away: 1 }]);
    const watch = new Watch();
    expect(outcome(wild, watch)).toEqual(outcome(wild, null));
    expect(watch.causes.get('loss')).toBeGreaterThan(0);
  });

  it('of which a snapshot tells a price twice is the same to both', () => {
    const wild = idle([{ what: 'wrong-snapshot', pick: 4 }]);
    expect(outcome(wild, new Watch())).toEqual(outcome(wild, null));
  });
});

describe.each(ways)('a run whose feed is %s', (_name, latencies) => {
  it('is the same whether its books are lent or not', () => {
    const watch = new Watch();
    fc.assert(
      fc.property(wildCases(latencies), (wild) => {
        const [lent, kept] = [outcome(wild, watch), outcome(wild, null)];
        const at = lent.findIndex((line, index) => line !== kept[index]);
        expect(lent.slice(Math.max(0, at), at + 1)).toEqual(kept.slice(Math.max(0, at), at + 1));
      }),
      // What fails is found by its seed: to make a case smaller takes longer than anybody waits.
      { numRuns: CASES, endOnFailure: true },
    );
    for (const [cause, least] of [
      ['lent', 5],
      ['lent with orders', 1],
      ['change', 1 / 20],
      ['print', 1 / 20],
      ['cancel', 1 / 10],
      ['order', 1 / 20],
      ['read', 2],
      ['loss', 1 / 5],
      ['resync', 1 / 20],
      ['end', 1 / 5],
    ] as const)
      expect(watch.count(cause), cause).toBeGreaterThanOrEqual(CASES * least);
  });
});
