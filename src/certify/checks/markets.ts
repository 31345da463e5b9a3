// Very many markets join and leave: nothing breaks, no figure is wrong, and a call costs what it costs with few.
import type { Check } from '../check.ts';
import { mixedStream } from '../generate.ts';
import { JUDGES } from '../judges.ts';
import { judgedRemedy } from './judged.ts';
import { manyMarkets } from '../many-markets.ts';
import { boundsBeside, timeCalls, timeWithin, timesText, tooSlow } from '../timing.ts';

const LOOKED_FOR = ['throws', 'numbers'] as const;
const CHANGES = 3000;
const SLOW = 'look at the market that an event is about, not at all of view.markets';

export const marketsCheck: Check = {
  name: 'markets',
  meaning: 'bears 10,000 markets that join and leave',
  run({ subject, seed, effort, names, clock }) {
    const stream = manyMarkets({ seed, markets: effort.markets, changes: CHANGES, names });
    const looking = LOOKED_FOR.map((name) => ({ name, judge: JUDGES[name]() }));
    const bounds = boundsBeside(
      timeCalls({ subject, stream: mixedStream(effort, seed, names), clock }),
      effort.markets,
    );
    const judges = looking.map(({ judge }) => judge);
    const times = timeWithin({ subject, stream, clock, judges }, bounds);
    const found = looking.find(({ judge }) => judge.finding !== null);
    const wrong = found?.judge.finding?.words ?? tooSlow(times, bounds);
    const many = effort.markets.toLocaleString('en-US');
    const words = wrong === null ? `${many} markets: ${timesText(times)}` : `with ${many} markets, ${wrong}`;
    const remedy = wrong === null ? null : found === undefined ? SLOW : judgedRemedy(found.name);
    return { check: 'markets', isPassed: wrong === null, words, remedy, stream: null };
  },
};
