// Runs very many markets that join and leave: nothing may break, no figure may be wrong, and a call may cost little
// more than with few markets.
import type { Check } from '../check.ts';
import { mixedStream } from '../generate.ts';
import { JUDGES } from '../judges.ts';
import { judgedRemedy } from './judged.ts';
import { manyMarkets } from '../many-markets.ts';
import { boundsBeside, timeCalls, timeWithin, timesText, tooSlow } from '../timing.ts';

const JUDGED = ['throws', 'numbers'] as const;
const CHANGES = 3000;
const SLOW = 'read only the market of the event, not all of view.markets';

export const marketsCheck: Check = {
  name: 'markets',
  meaning: 'handles 10,000 markets that join and leave',
  run({ subject, seed, effort, names, clock }) {
    const stream = manyMarkets({ seed, markets: effort.markets, changes: CHANGES, names });
    const judged = JUDGED.map((name) => ({ name, judge: JUDGES[name]() }));
    const bounds = boundsBeside(
      timeCalls({ subject, stream: mixedStream(effort, seed, names), clock }),
      effort.markets,
    );
    const judges = judged.map(({ judge }) => judge);
    const times = timeWithin({ subject, stream, clock, judges }, bounds);
    const failed = judged.find(({ judge }) => judge.finding !== null);
    const fault = failed?.judge.finding?.words ?? tooSlow(times, bounds);
    const many = effort.markets.toLocaleString('en-US');
    const words = fault === null ? `${many} markets: ${timesText(times)}` : `with ${many} markets, ${fault}`;
    const remedy = fault === null ? null : failed === undefined ? SLOW : judgedRemedy(failed.name);
    return { check: 'markets', isPassed: fault === null, words, remedy, stream: null };
  },
};
