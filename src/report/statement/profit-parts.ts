// The parts of the profit in the sequence of a report, each with its meaning.
import type { ProfitSplit, Report } from './report.ts';

export interface ProfitPart {
  readonly part: Exclude<keyof ProfitSplit, 'profit'>;
  readonly name: string;
  readonly means: string;
  /** True when even a zero is shown. */
  readonly isAlways: boolean;
}

export const PROFIT_PARTS: readonly ProfitPart[] = [
  { part: 'spread', name: 'Spread', means: 'traded better than the mid at that moment', isAlways: true },
  { part: 'adverse', name: 'Adverse selection', means: 'what the mid did in the minute after', isAlways: true },
  { part: 'settlement', name: 'Settlement', means: 'from then to settlement', isAlways: true },
  { part: 'marked', name: 'Not settled', means: 'from then to the last mark: not yet money', isAlways: false },
  { part: 'unsplit', name: 'Without a mid', means: 'trades without a known mid', isAlways: false },
  { part: 'carried', name: 'Held before', means: 'positions from before the run', isAlways: false },
  { part: 'fees', name: 'Fees', means: 'what the venue charged', isAlways: true },
  { part: 'unexplained', name: 'Unexplained', means: 'no trade, fee or settlement explains it', isAlways: false },
];

/** The profit without the unexplained part: a deposit is no gain, and a withdrawal no loss. */
export const explainedProfit = ({ split }: Pick<Report, 'split'>): number => split.profit - split.unexplained;

/** Name of the explained profit: that of the whole where nothing is unexplained. */
export const explainedName = ({ split }: Pick<Report, 'split'>): string =>
  split.unexplained === 0 ? 'Profit' : 'Explained profit';
