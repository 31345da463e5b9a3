// Runs very many markets that join and leave. Nothing may break, and a call may cost little more than with few markets.
import type { StrategyCheck } from '../strategy-check.ts';
import { mixedStream } from '../streams/stream-generator.ts';
import { JUDGES } from '../runs/judges.ts';
import { judgedRemedy } from './judged-checks.ts';
import { generateManyMarkets } from '../streams/many-markets.ts';
import { boundsForMany, timeCalls, timeCallsWithin, timesText, describeSlowness } from '../runs/call-timing.ts';

const JUDGED = ['throws', 'numbers'] as const;
const CHANGES = 3000;
const SLOW = 'read only the market of the event, not all of view.markets';

export const marketsCheck: StrategyCheck = {
  name: 'markets',
  meaning: 'handles 10,000 markets that join and leave',
  runCheck({ subject, seed, effort, names, clock }) {
    const stream = generateManyMarkets({ seed, markets: effort.markets, changes: CHANGES, names });
    const judged = JUDGED.map((name) => ({ name, judge: JUDGES[name]() }));
    const bounds = boundsForMany(
      timeCalls({ subject, stream: mixedStream(effort, seed, names), clock }),
      effort.markets,
    );
    const judges = judged.map(({ judge }) => judge);
    const times = timeCallsWithin({ subject, stream, clock, judges }, bounds);
    const failed = judged.find(({ judge }) => judge.finding !== null);
    const fault = failed?.judge.finding?.words ?? describeSlowness(times, bounds);
    const many = effort.markets.toLocaleString('en-US');
    const words = fault === null ? `${many} markets: ${timesText(times)}` : `with ${many} markets, ${fault}`;
    const remedy =
      fault === null ? null : failed === undefined ? SLOW : judgedRemedy(failed.name, failed.judge.finding);
    return { check: 'markets', isPassed: fault === null, words, remedy, stream: null };
  },
};
