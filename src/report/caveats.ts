// What a report takes for granted and what it does not tell, in whole sentences: printed with the figures wherever they
// are printed. Must never be shortened to please.
import type { Expectancy, Report } from './report.ts';
import type { RunRecord } from './run-record.ts';

/** What was taken for granted. */
export function assumptionsOf(record: RunRecord): string[] {
  const mids =
    record.mids === 'at-trade'
      ? 'The mid at a trade is of just before it: the venue’s when our order arrived to cross, else the last that we had been told.'
      : 'The mid at a trade is the one that we knew when we were told of it: where the book was told of the trade first, what was captured of the spread shows smaller, and what the mid did afterwards shows milder, than at the venue. Their sum is right.';
  const lines = [
    mids,
    'Positions in markets that have not settled are worth the mid of the last book that was known; with one side empty, the other side; with none, 50¢.',
    'Locked capital is what positions cost plus what unfinished orders pledge. It is looked at on a grid of time, and so is equity.',
    ...(record.coverage?.assumptions ?? []),
  ];
  return [...new Set(lines)];
}

/** What the figures do not tell. */
export function caveatsOf(record: RunRecord, figures: Pick<Report, 'expectancy' | 'split' | 'coverage'>): string[] {
  return [
    ...SIMULATED[record.kind],
    expectancyCaveat(figures.expectancy),
    'Intervals hold if event groups are independent and alike. Groups of one series, or of one day, often are not.',
    'One run of one history. Parameters that were chosen by looking at the same history make every figure here too good.',
    ...partsCaveats(figures),
  ];
}

const SIMULATED: Readonly<Record<RunRecord['kind'], readonly string[]>> = {
  backtest: [
    'The recorded market did not know of our orders. Live, others see them, and react: quotes step back, queues grow, prices move away.',
    'The place of our orders in the queue is a model’s guess. The fill ratio, and with it everything below, stands on it.',
  ],
  paper: [
    'The feed is real, the fills are not: nobody traded against these orders, and nobody reacted to them.',
    'The place of our orders in the queue is a model’s guess. The fill ratio, and with it everything below, stands on it.',
  ],
  live: ['What would have happened with other sizes cannot be read from this: the market answers to what it sees.'],
};

function expectancyCaveat({ verdict, settledMarkets, marketsMin }: Expectancy): string {
  if (verdict === 'proves-nothing' && settledMarkets >= marketsMin)
    return `All ${settledMarkets} settled markets are of one event group: they stood and fell together, and prove nothing.`;
  if (verdict === 'proves-nothing')
    return `${settledMarkets} settled ${settledMarkets === 1 ? 'market' : 'markets'} of the ${marketsMin} that are the least: the profit proves nothing, whatever its size.`;
  return 'An interval that excludes zero is evidence, not proof: it is one of the many that could have been looked at.';
}

function partsCaveats({ split, coverage }: Pick<Report, 'split' | 'coverage'>): string[] {
  const found: string[] = [];
  if (split.marked !== 0)
    found.push(
      'A part of the profit is of markets that have not settled: it is worth what the last mid says, and cannot be taken out at that price.',
    );
  if (split.unexplained !== 0)
    found.push(
      'The account changed by more than its trades, fees and settlements explain. In a backtest that is a fault of the program; live it may be a deposit.',
    );
  if (coverage !== null && coverage.gapCount + coverage.partialGaps > 0)
    found.push('Nothing is known of the time in the gaps of the tape: no order filled there, and none was missed.');
  return found;
}
