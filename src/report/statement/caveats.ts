// The assumptions and caveats of a report, in whole sentences. Must never be shortened to look better.
import { countText } from '../text/figure-text.ts';
import type { Expectancy, Report } from './report.ts';
import type { RunRecord } from '../record/run-record.ts';

/** Returns the assumptions behind the figures. */
export function assumptionsOf(record: RunRecord): string[] {
  const mids =
    record.mids === 'at-trade'
      ? 'The mid at a trade is from just before it: the venue’s own when our order arrived to cross, else the last one that the bot knew.'
      : 'The mid at a trade is the one that the bot knew when the trade was reported to it. Where the book changed first, the captured spread is smaller and the later move of the mid milder than at the venue. Their sum is right.';
  const lines = [
    mids,
    'Positions in markets that have not settled are valued at the mid of the last known book; with one side empty, at the other side; with both empty, at the last such price; at 50¢ if there was none.',
    'Locked capital is the cost of positions plus the collateral of unfinished orders. It is sampled on a time grid, and so is equity.',
    ...(record.coverage?.assumptions ?? []),
  ];
  return [...new Set(lines)];
}

/** Returns the caveats on the figures. */
export function caveatsOf(record: RunRecord, figures: Pick<Report, 'expectancy' | 'split' | 'coverage'>): string[] {
  return [
    ...SIMULATED[record.kind],
    expectancyCaveat(figures.expectancy),
    'Intervals hold if event groups are independent and alike. Groups of one series, or of one day, often are not.',
    'This is one run of one history. If the parameters were chosen by looking at the same history, every figure here is too good.',
    ...partsCaveats(figures),
  ];
}

const SIMULATED: Readonly<Record<RunRecord['kind'], readonly string[]>> = {
  backtest: [
    'The recorded market did not know of our orders. Live, others see them and react: quotes step back, queues grow, prices move away.',
    'The queue position of our orders is a model’s estimate. The fill ratio, and with it everything below, depends on it.',
  ],
  paper: [
    'The feed is real, the fills are not: no real order traded against these orders, and the market did not react to them.',
    'The queue position of our orders is a model’s estimate. The fill ratio, and with it everything below, depends on it.',
  ],
  live: ['This does not show what would have happened with other sizes: the market reacts to what it sees.'],
};

function expectancyCaveat({ verdict, settledMarkets, marketsMin }: Expectancy): string {
  if (verdict === 'proves-nothing' && settledMarkets >= marketsMin)
    return `All ${countText(settledMarkets)} settled markets are of one event group: their outcomes depend on each other, and prove nothing.`;
  if (verdict === 'proves-nothing')
    return `${settledMarkets} settled ${settledMarkets === 1 ? 'market' : 'markets'} of at least ${marketsMin} needed: the profit proves nothing, whatever its size.`;
  return 'An interval that excludes zero is evidence, not proof: it is one of many that could have been examined.';
}

function partsCaveats({ split, coverage }: Pick<Report, 'split' | 'coverage'>): string[] {
  const found: string[] = [];
  if (split.marked !== 0)
    found.push(
      'A part of the profit is from markets that have not settled: it is valued at the last mid, and cannot be realized at that price.',
    );
  if (split.unexplained !== 0)
    found.push(
      'The account changed by more than its trades, fees and settlements explain. In a backtest that is a fault of the program; live it may be a deposit.',
    );
  if (coverage !== null && coverage.gapCount + coverage.partialGaps > 0)
    found.push('Nothing is known of the time in the gaps of the tape: no order filled there, and none was missed.');
  return found;
}
