// A split at one moment. Must never put a unit on a side that knows something of the other side.
import type { SplitUnit } from './split-unit.ts';

/** Where to split. Microseconds. */
export interface TimeCut {
  readonly cut: number;
  /** Time after the cut in which no unit of the later side may begin. */
  readonly embargo: number;
}

/** The sides of a split at one moment. */
export interface TimeSides {
  /** Units whose results are known before the cut. */
  readonly before: readonly SplitUnit[];
  /** Settled units that begin after the cut and its embargo. */
  readonly after: readonly SplitUnit[];
  /** Units on neither side: they straddle the cut, begin within the embargo, or have no result. */
  readonly neither: readonly SplitUnit[];
}

/**
 * Splits units at a moment.
 * @see M. López de Prado, Advances in Financial Machine Learning, 2018, chapter 7: purging and embargo.
 */
export function splitAtTime(units: readonly SplitUnit[], { cut, embargo }: TimeCut): TimeSides {
  const before = units.filter(({ known }) => known !== null && known < cut);
  const after = units.filter(({ known, from }) => known !== null && from >= cut + embargo);
  const sides = new Set([...before, ...after]);
  return { before, after, neither: units.filter((unit) => !sides.has(unit)) };
}
