// Very many markets join and leave: nothing breaks, no figure is wrong, and a call costs what it costs with few.
import type { Check } from '../check.ts';
import { mixedStream } from '../generate.ts';
import { type Judge, JUDGES } from '../judges.ts';
import { manyMarkets } from '../many-markets.ts';
import { boundsBeside, timeCalls, timesText, tooSlow } from '../timing.ts';

const LOOKED_FOR = ['throws', 'numbers'] as const;
const CHANGES = 3000;

export const marketsCheck: Check = {
  name: 'markets',
  meaning: 'bears 10,000 markets that join and leave',
  run({ subject, seed, effort, names, clock }) {
    const stream = manyMarkets({ seed, markets: effort.markets, changes: CHANGES, names });
    const judges: Judge[] = LOOKED_FOR.map((name) => JUDGES[name]());
    const bounds = boundsBeside(timeCalls({ subject, stream: mixedStream(effort, seed, names), clock }));
    const times = timeCalls({ subject, stream, clock, judges });
    const found = judges.find(({ finding }) => finding !== null)?.finding?.words ?? null;
    const wrong = found ?? tooSlow(times, bounds);
    const many = effort.markets.toLocaleString('en-US');
    const words = wrong === null ? `${many} markets: ${timesText(times)}` : `with ${many} markets, ${wrong}`;
    const remedy = wrong === null ? null : 'look at the market that an event is about, not at all of view.markets';
    return { check: 'markets', isPassed: wrong === null, words, remedy, stream: null };
  },
};
