// Rate budgets against the definition of each limit, counted by brute force over random takings.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionFault } from '../../src/base/assert.ts';
import { type Micros, micros } from '../../src/domain/units.ts';
import { RateBudget } from '../../src/domain/rate-budget.ts';
import { BEGIN, after } from '../support/engine/builders.ts';
import { runCount } from '../support/runner/property-runs.ts';

interface Taken {
  readonly at: number;
  readonly cost: number;
}

const window = (count: number, windowMs: number, guardMs = 0): RateBudget =>
  new RateBudget({ limit: { model: 'rolling-window', count, windowMs }, guardMs });
const bucket = (refillPerSecond: number, capacity: number): RateBudget =>
  new RateBudget({ limit: { model: 'token-bucket', refillPerSecond, capacity }, guardMs: 0 });

/** Gaps between takings in microseconds, and costs. */
const takings = fc.array(
  fc.record({ gap: fc.oneof(fc.nat(3000), fc.nat(300_000)), cost: fc.integer({ min: 1, max: 4 }) }),
  {
    minLength: 1,
    maxLength: 60,
  },
);

/** Takes greedily at random times. Returns what was taken, and every answer of the budget. */
function take(
  budget: RateBudget,
  steps: readonly { readonly gap: number; readonly cost: number }[],
  atEach: (now: Micros, cost: number, taken: readonly Taken[]) => void,
): Taken[] {
  const taken: Taken[] = [];
  let now: number = BEGIN;
  for (const { gap, cost } of steps) {
    now += gap;
    atEach(micros(now), cost, taken);
    if (!budget.canTake(cost, micros(now))) continue;
    budget.takeUnits(cost, micros(now));
    taken.push({ at: now, cost });
  }
  return taken;
}

const sumIn = (taken: readonly Taken[], from: number, to: number): number =>
  taken.reduce((sum, { at, cost }) => (at >= from && at <= to ? sum + cost : sum), 0);

describe('a rolling window', () => {
  it('a rolling window never lets out more than its count within any window, guard included', () => {
    fc.assert(
      fc.property(
        takings,
        fc.integer({ min: 4, max: 12 }),
        fc.integer({ min: 1, max: 50 }),
        (steps, count, windowMs) => {
          const guardMs = 5;
          const taken = take(window(count, windowMs, guardMs), steps, () => undefined);
          const length = (windowMs + guardMs) * 1000;
          for (const { at } of taken) expect(sumIn(taken, at, at + length)).toBeLessThanOrEqual(count);
        },
      ),
    );
  });

  it('a rolling window allows exactly what brute force counts as free', () => {
    fc.assert(
      fc.property(takings, fc.integer({ min: 4, max: 12 }), (steps, count) => {
        const budget = window(count, 20);
        take(budget, steps, (now, _, taken) => {
          expect(budget.available(now)).toBe(count - sumIn(taken, now - 20_000, now));
        });
      }),
    );
  });

  it('a rolling window says the earliest time at which a cost can be taken', () => {
    fc.assert(
      fc.property(takings, fc.integer({ min: 4, max: 12 }), (steps, count) => {
        const budget = window(count, 20);
        take(budget, steps, (now, cost, taken) => {
          const at = budget.availableAt(cost, now);
          const free = (time: number): number => count - sumIn(taken, time - 20_000, time);
          expect(free(at)).toBeGreaterThanOrEqual(cost);
          if (at > now) expect(free(at - 1)).toBeLessThan(cost);
        });
      }),
    );
  });
});

/** A bucket without rounding errors: levels in millionths, computed from the takings alone. */
function levelAt(
  taken: readonly Taken[],
  limit: { readonly rate: number; readonly capacity: number },
  now: number,
): number {
  const full = limit.capacity * 1_000_000;
  let level = full;
  let at = taken[0]?.at ?? now;
  for (const one of taken) {
    level = Math.min(full, level + (one.at - at) * limit.rate) - one.cost * 1_000_000;
    at = one.at;
  }
  return Math.min(full, level + (now - at) * limit.rate);
}

describe('a token bucket', () => {
  it('a token bucket is never overdrawn, and holds exactly what brute force counts', () => {
    fc.assert(
      fc.property(
        takings,
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 4, max: 20 }),
        (steps, rate, capacity) => {
          const budget = bucket(rate, capacity);
          take(budget, steps, (now, _, taken) => {
            const level = levelAt(taken, { rate, capacity }, now);
            expect(level).toBeGreaterThanOrEqual(0);
            expect(budget.available(now)).toBe(Math.floor(level / 1_000_000));
          });
        },
      ),
    );
  });

  it('a token bucket says the earliest time at which a cost can be taken', () => {
    fc.assert(
      fc.property(
        takings,
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 4, max: 20 }),
        (steps, rate, capacity) => {
          const budget = bucket(rate, capacity);
          take(budget, steps, (now, cost, taken) => {
            const at = budget.availableAt(cost, now);
            expect(levelAt(taken, { rate, capacity }, at)).toBeGreaterThanOrEqual(cost * 1_000_000);
            if (at > now) expect(levelAt(taken, { rate, capacity }, at - 1)).toBeLessThan(cost * 1_000_000);
          });
        },
      ),
    );
  });

  it('a token bucket refills no time span twice when the clock steps back', () => {
    const budget = bucket(10, 10);
    budget.takeUnits(10, after(1000));
    expect(budget.available(after(500))).toBe(0);
    expect(budget.available(after(1000))).toBe(0);
    expect(budget.available(after(1100))).toBe(1);
  });
});

describe.each([
  ['a rolling window', (): RateBudget => window(10, 100)],
  ['a token bucket', (): RateBudget => bucket(10, 10)],
])('%s', (_, make) => {
  it('lets out nothing while paused, and everything it has at the end of the pause', () => {
    const budget = make();
    budget.pauseUntil(after(50));
    expect(budget.available(after(0))).toBe(0);
    expect(budget.canTake(1, after(49))).toBe(false);
    expect(budget.availableAt(1, after(0))).toBe(after(50));
    expect(budget.canTake(10, after(50))).toBe(true);
  });

  it('a shorter pause does not end a longer one early', () => {
    const budget = make();
    budget.pauseUntil(after(50));
    budget.pauseUntil(after(20));
    expect(budget.availableAt(1, after(0))).toBe(after(50));
  });

  it('keeps a reserve untouched', () => {
    const budget = make();
    expect(budget.canTake(7, after(0), 3)).toBe(true);
    expect(budget.canTake(8, after(0), 3)).toBe(false);
    budget.takeUnits(8, after(0));
    const at = budget.availableAt(1, after(0), 3);
    expect(at).toBeGreaterThan(after(0));
    expect(budget.canTake(1, micros(at - 1), 3)).toBe(false);
    expect(budget.canTake(1, at, 3)).toBe(true);
  });

  it('refuses to be overdrawn', () => {
    const budget = make();
    expect(() => budget.takeUnits(11, after(0))).toThrow(AssertionFault);
  });
});

/** Requests in flight: the gap before each, the time until it is counted, and the time until its answer. */
const requests = fc.array(
  fc.record({ gap: fc.nat(30_000), countedShare: fc.double({ min: 0, max: 1, noNaN: true }), takes: fc.nat(80_000) }),
  { minLength: 1, maxLength: 60 },
);

describe('units held until an answer', () => {
  interface Flight {
    readonly countedAt: number;
    readonly answeredAt: number;
  }

  /** Sends greedily; the venue counts each request at some moment before its answer. Returns when each was counted. */
  function fly(budget: RateBudget, steps: readonly { gap: number; countedShare: number; takes: number }[]): number[] {
    let now: number = BEGIN;
    const flights: Flight[] = [];
    const counted: number[] = [];
    for (const { gap, countedShare, takes } of steps) {
      now += gap;
      const back = flights.filter(({ answeredAt }) => answeredAt <= now).sort((a, b) => a.answeredAt - b.answeredAt);
      for (const flight of back) {
        flights.splice(flights.indexOf(flight), 1);
        budget.spendHeld(1, micros(flight.answeredAt));
      }
      if (!budget.canTake(1, micros(now))) continue;
      budget.holdUnits(1, micros(now));
      const countedAt = now + Math.floor(takes * countedShare);
      flights.push({ countedAt, answeredAt: now + takes });
      counted.push(countedAt);
    }
    return counted.sort((a, b) => a - b);
  }

  it('held units never exceed a window of the venue, however late a request is counted', () => {
    fc.assert(
      fc.property(requests, fc.integer({ min: 1, max: 6 }), (steps, count) => {
        const counted = fly(window(count, 20), steps).map((at) => ({ at, cost: 1 }));
        for (const { at } of counted) expect(sumIn(counted, at, at + 20_000 - 1)).toBeLessThanOrEqual(count);
      }),
      { numRuns: runCount(500) },
    );
  });

  it('held units never overdraw the venue’s bucket, however late a request is counted', () => {
    fc.assert(
      fc.property(requests, fc.integer({ min: 1, max: 6 }), (steps, capacity) => {
        const counted = fly(bucket(50, capacity), steps).map((at) => ({ at, cost: 1 }));
        counted.forEach(({ at }, index) => {
          const before = levelAt(counted.slice(0, index), { rate: 50, capacity }, at);
          expect(before).toBeGreaterThanOrEqual(1_000_000);
        });
      }),
      { numRuns: runCount(500) },
    );
  });

  it('waits without end for units that must be counted first', () => {
    const budget = window(1, 20);
    budget.holdUnits(1, after(0));
    expect(budget.availableAt(1, after(100))).toBe(Number.POSITIVE_INFINITY);
    budget.spendHeld(1, after(100));
    expect(budget.availableAt(1, after(100))).toBe(after(120) + 1);
  });
});

describe('reading a budget', () => {
  it.each([
    { kind: 'a rolling window', make: () => window(5, 20) },
    { kind: 'a token bucket', make: () => bucket(50, 5) },
  ])('a read of $kind reports what is free at any time, and changes no answer', ({ make }) => {
    fc.assert(
      fc.property(takings, fc.integer({ min: -50_000, max: 500_000 }), (steps, aside) => {
        const seen = make();
        const taken = take(seen, steps, (now) => {
          seen.peekAvailable(micros(now + aside));
          expect(seen.peekAvailable(now)).toBe(seen.available(now));
        });
        expect(take(make(), steps, () => undefined)).toEqual(taken);
      }),
      { numRuns: runCount(500) },
    );
  });

  it.each([
    { kind: 'a rolling window', make: () => window(5, 20) },
    { kind: 'a token bucket', make: () => bucket(50, 5) },
  ])('a read of $kind leaves out units held for requests in flight, and shows none during a pause', ({ make }) => {
    const budget = make();
    budget.holdUnits(2, micros(0));
    expect([budget.peekAvailable(micros(0)), budget.used]).toEqual([3, 2]);
    // A second later a full bucket or an empty window would show five; two units are still held.
    expect(budget.peekAvailable(micros(1_000_000))).toBe(3);
    budget.takeUnits(1, micros(1_000_000));
    expect(budget.used).toBe(3);
    budget.pauseUntil(micros(2_000_000));
    expect(budget.peekAvailable(micros(1_999_999))).toBe(0);
    expect(budget.peekAvailable(micros(2_000_000))).toBe(3);
  });

  it('counts a unit taken exactly one window ago, and no longer a microsecond later', () => {
    const budget = window(5, 20);
    budget.takeUnits(2, micros(0));
    const gone = budget.availableAt(5, micros(0));
    expect([budget.peekAvailable(micros(gone - 1)), budget.peekAvailable(gone)]).toEqual([3, 5]);
  });
});
