// Compares a strategy's time per call with that of a plain one on the same stream.
import type { Check } from '../check.ts';
import { mixedStream } from '../generate.ts';
import { boundsFrom, timeWithin, timesText, tooSlow } from '../timing.ts';

export const timeCheck: Check = {
  name: 'time',
  meaning: 'answers fast enough, always',
  run({ subject, seed, effort, names, clock }) {
    const stream = mixedStream(effort, seed, names);
    const bounds = boundsFrom({ subject, stream, clock });
    const times = timeWithin({ subject, stream, clock }, bounds);
    const slow = tooSlow(times, bounds);
    const remedy = slow === null ? null : 'compute only what has changed, and keep sums rather than lists';
    const words = slow ?? `${times.calls.toLocaleString('en-US')} calls: ${timesText(times)}`;
    return { check: 'time', isPassed: slow === null, words, remedy, stream: null };
  },
};
