// Measures a strategy's time for each call, and compares it with a plain strategy in the same process. The lesser time
// of two runs counts: other work of the machine then matters less.
import { defineStrategy } from '../../strategy/define-strategy.ts';
import { qty } from '../../domain/units.ts';
import { z } from 'zod';
import type { Stream } from '../streams/stream.ts';
import type { Judge } from './judges.ts';
import { runJudgedTrial } from './judged-trial.ts';
import type { Subject } from './trial.ts';
import { wrapHandlers } from './call-observers.ts';

/** Times of calls. Milliseconds. */
export interface CallTimes {
  readonly calls: number;
  readonly median: number;
  /** 99 of 100 calls are faster. */
  readonly p99: number;
  readonly worst: number;
}

/** Reads the touch and its orders, and bids now and then: about the least that any strategy does. */
const PLAIN = defineStrategy({
  name: 'plain',
  params: z.strictObject({}),
  setup: () => ({
    onBook({ market, isTouch }, view) {
      const { bestBid } = view.book(market);
      if (!isTouch || bestBid === null || view.orders(market).length > 0) return;
      return [{ type: 'place', market, side: 'buy', price: bestBid, qty: CONTRACT, postOnly: true }];
    },
  }),
});
const CONTRACT = qty(100);

const timePlain = ({ subject: { limits }, stream, clock }: TimingInput): CallTimes =>
  timeCalls({ subject: { strategy: PLAIN, params: {}, limits }, stream, clock });

export interface TimingInput {
  readonly subject: Subject;
  readonly stream: Stream;
  readonly clock: () => number;
  /** Judges of the first run. Each judge looks for one kind of fault. */
  readonly judges?: readonly Judge[];
}

/** Measures the calls of a run. */
export function timeCalls(timed: TimingInput): CallTimes {
  const first = durations(timed);
  const second = durations({ ...timed, judges: [] });
  const sorted = first.map((duration, call) => Math.min(duration, second[call] ?? duration)).sort((a, b) => a - b);
  const quantile = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { calls: sorted.length, median: quantile(0.5), p99: quantile(0.99), worst: sorted.at(-1) ?? 0 };
}

function durations({ subject, stream, clock, judges = [] }: TimingInput): number[] {
  const times: number[] = [];
  runJudgedTrial(subject, stream, {
    judges,
    wrap: (bound) =>
      wrapHandlers(bound, (_, ask) => {
        const startedAt = clock();
        try {
          return ask();
        } finally {
          times.push(clock() - startedAt);
        }
      }),
  });
  return times;
}

/** Maximum time of a call as a multiple of the plain strategy's median: for the median, and for the slowest call. */
const TIMES_MEDIAN_MAX = 50;
const TIMES_WORST_MAX = 2000;
/** Bound of the p99 time, relative to the bound of the median. */
const P99_TIMES = 40;
/** Times below these are always accepted. Milliseconds. */
const MEDIAN_FLOOR_MS = 0.05;
const WORST_FLOOR_MS = 20;

/** Maximum time that a strategy may take. Milliseconds. */
export interface TimeBounds {
  readonly median: number;
  readonly p99: number;
  readonly worst: number;
}

/** Returns the bounds, from the plain strategy's time in the same process. */
export function boundsFrom(timed: TimingInput): TimeBounds {
  const plain = timePlain(timed);
  const median = Math.max(MEDIAN_FLOOR_MS, plain.median * TIMES_MEDIAN_MAX);
  const worst = Math.max(WORST_FLOOR_MS, plain.median * TIMES_WORST_MAX);
  return { median, p99: median * P99_TIMES, worst };
}

/** Returns the bounds with many markets, from the same strategy's time with few. */
export function boundsForMany({ median, p99, worst }: CallTimes, markets: number): TimeBounds {
  const floor = MEDIAN_FLOOR_MS + markets * READ_MS;
  return {
    median: Math.max(floor, median * TIMES_MANY_MAX),
    p99: Math.max(floor * P99_TIMES, p99 * TIMES_MANY_MAX),
    worst: Math.max(WORST_FLOOR_MS, floor * P99_TIMES, worst * TIMES_MANY_MAX),
  };
}

/** Time to read one market: a timer may read every market. Milliseconds. */
const READ_MS = 0.0005;

/** Maximum time with very many markets, as a multiple of the time with few. */
const TIMES_MANY_MAX = 10;

/** Fewest calls that allow a verdict. */
const CALLS_MIN = 50;

/** Measures the times. Slow times are measured again, because a disturbance of the machine is rarely repeated. */
export function timeCallsWithin(timed: TimingInput, bounds: TimeBounds): CallTimes {
  const times = timeCalls(timed);
  return describeSlowness(times, bounds) === null ? times : timeCalls({ ...timed, judges: [] });
}

/** Describes what is too slow, or returns `null`. */
export function describeSlowness(times: CallTimes, bounds: TimeBounds): string | null {
  if (times.calls < CALLS_MIN) return null;
  if (times.median > bounds.median)
    return `the median of its calls takes ${durationText(times.median)}, at most ${durationText(bounds.median)} is allowed`;
  if (times.p99 > bounds.p99)
    return `one call in a hundred takes ${durationText(times.p99)} or more, at most ${durationText(bounds.p99)} is allowed`;
  return times.worst > bounds.worst
    ? `its slowest call takes ${durationText(times.worst)}, at most ${durationText(bounds.worst)} is allowed`
    : null;
}

const durationText = (ms: number): string => (ms < 1 ? `${Math.ceil(ms * 1000)} µs` : `${ms.toFixed(1)} ms`);

/** Describes the times. */
export const timesText = ({ median, worst }: CallTimes): string =>
  `a call takes ${durationText(median)}, at most ${durationText(worst)}`;
