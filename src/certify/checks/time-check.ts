// Compares a strategy's time per call with that of a plain strategy on the same stream (generated markets with their
// events).
import type { StrategyCheck } from '../strategy-check.ts';
import { mixedStream } from '../streams/stream-generator.ts';
import { boundsFrom, timeCallsWithin, timesText, describeSlowness } from '../runs/call-timing.ts';

export const timeCheck: StrategyCheck = {
  name: 'time',
  meaning: 'answers fast enough, always',
  runCheck({ subject, seed, effort, names, clock }) {
    const stream = mixedStream(effort, seed, names);
    const bounds = boundsFrom({ subject, stream, clock });
    const times = timeCallsWithin({ subject, stream, clock }, bounds);
    const slow = describeSlowness(times, bounds);
    const remedy = slow === null ? null : 'compute only what has changed, and keep sums rather than lists';
    const words = slow ?? `${times.calls.toLocaleString('en-US')} calls: ${timesText(times)}`;
    return { check: 'time', isPassed: slow === null, words, remedy, stream: null };
  },
};
