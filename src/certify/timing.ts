// How long a strategy takes for a call: the least of two runs of the same stream, call by call, so that what else the
// machine did in the meantime is not the strategy's. Compared with a plain strategy in the same process.
import { defineStrategy } from '../strategy/define.ts';
import { qty } from '../domain/units.ts';
import { z } from 'zod';
import type { Stream } from './stream.ts';
import { type Judge } from './judges.ts';
import { judgedTrial } from './judged-trial.ts';
import type { Subject } from './trial.ts';
import { surrounded } from './watched.ts';

/** Milliseconds a call. */
export interface CallTimes {
  readonly calls: number;
  readonly median: number;
  /** All but one in a hundred calls are faster. */
  readonly p99: number;
  readonly worst: number;
}

/** A strategy that looks at the touch and at its orders, and bids now and then: what any would cost at the least. */
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

/** What a plain strategy takes with the same limits. */
const timePlain = ({ subject: { limits }, stream, clock }: Timed): CallTimes =>
  timeCalls({ subject: { strategy: PLAIN, params: {}, limits }, stream, clock });

export interface Timed {
  readonly subject: Subject;
  readonly stream: Stream;
  readonly clock: () => number;
  /** Look on in the first of both runs. */
  readonly judges?: readonly Judge[];
}

/** How long the calls of a run take. */
export function timeCalls(timed: Timed): CallTimes {
  const first = durations(timed);
  const second = durations({ ...timed, judges: [] });
  const least = first.map((duration, call) => Math.min(duration, second[call] ?? duration)).sort((a, b) => a - b);
  const at = (share: number): number => least[Math.min(least.length - 1, Math.floor(share * least.length))] ?? 0;
  return { calls: least.length, median: at(0.5), p99: at(0.99), worst: least.at(-1) ?? 0 };
}

function durations({ subject, stream, clock, judges = [] }: Timed): number[] {
  const all: number[] = [];
  judgedTrial(subject, stream, {
    judges,
    wrap: (bound) =>
      surrounded(bound, (_, ask) => {
        const begun = clock();
        try {
          return ask();
        } finally {
          all.push(clock() - begun);
        }
      }),
  });
  return all;
}

/** So much of a plain strategy's time may a call take: half of the calls, and the slowest. */
const TIMES_MEDIAN_MAX = 50;
const TIMES_WORST_MAX = 2000;
/** The slow hundredth of all calls may take so much more than the median. */
const P99_TIMES = 40;
/** No machine is so fast that less than this would matter, milliseconds. */
const MEDIAN_FLOOR_MS = 0.05;
const WORST_FLOOR_MS = 20;

/** What a strategy may take. */
export interface TimeBounds {
  readonly median: number;
  /** All but one in a hundred calls. */
  readonly p99: number;
  readonly worst: number;
}

/** The bounds, from what the plain strategy takes in the same process. */
export function boundsFrom(timed: Timed): TimeBounds {
  const plain = timePlain(timed);
  const median = Math.max(MEDIAN_FLOOR_MS, plain.median * TIMES_MEDIAN_MAX);
  const worst = Math.max(WORST_FLOOR_MS, plain.median * TIMES_WORST_MAX);
  return { median, p99: median * P99_TIMES, worst };
}

/** The bounds for so many markets, from what the same strategy takes where there are few. */
export function boundsBeside({ median, p99, worst }: CallTimes, markets: number): TimeBounds {
  const floor = MEDIAN_FLOOR_MS + markets * LOOK_MS;
  return {
    median: Math.max(floor, median * TIMES_MUCH_MAX),
    p99: Math.max(floor * P99_TIMES, p99 * TIMES_MUCH_MAX),
    worst: Math.max(WORST_FLOOR_MS, floor * P99_TIMES, worst * TIMES_MUCH_MAX),
  };
}

/** A glance at a market: whoever has a timer may take one at each of all. Milliseconds. */
const LOOK_MS = 0.0005;

/** So much longer may a call take where there are very many markets. */
const TIMES_MUCH_MAX = 10;

/** Of fewer calls nothing can be said. */
const CALLS_MIN = 50;

/** The times, taken once more where they are too slow: what the machine did meanwhile seldom comes twice. */
export function timeWithin(timed: Timed, bounds: TimeBounds): CallTimes {
  const times = timeCalls(timed);
  return tooSlow(times, bounds) === null ? times : timeCalls({ ...timed, judges: [] });
}

/** What is too slow, in words; `null` when nothing is. */
export function tooSlow(times: CallTimes, bounds: TimeBounds): string | null {
  if (times.calls < CALLS_MIN) return null;
  if (times.median > bounds.median)
    return `the median of its calls takes ${text(times.median)}, at most ${text(bounds.median)} is borne`;
  if (times.p99 > bounds.p99)
    return `one call in a hundred takes ${text(times.p99)} or more, at most ${text(bounds.p99)} is borne`;
  return times.worst > bounds.worst
    ? `its slowest call takes ${text(times.worst)}, at most ${text(bounds.worst)} is borne`
    : null;
}

const text = (ms: number): string => (ms < 1 ? `${Math.ceil(ms * 1000)} µs` : `${ms.toFixed(1)} ms`);

/** Times in words. */
export const timesText = ({ median, worst }: CallTimes): string =>
  `a call takes ${text(median)}, at most ${text(worst)}`;
