// The share of time that a tape covers.
import { ratio } from './intervals.ts';
import type { CoverageFigures } from './report.ts';
import type { CoverageNote } from '../record/run-record.ts';

/** Only the longest gaps are listed, at most this many. */
const GAPS_MAX = 300;

/** Overlapping gaps count once. The note is of the range that the run read; gaps of the tape outside of it do not count. */
export function coverageOf(note: CoverageNote): CoverageFigures {
  const { source, from, to, rows } = note;
  const gaps = note.gaps.filter((gap) => isWithin(gap, note)).map((gap) => clipped(gap, note));
  const all = gaps.filter(({ tickers = [] }) => tickers.length === 0);
  const gapTime = unionOf(all, note);
  const longest = [...all].sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, GAPS_MAX);
  const share = ratio(to - from - gapTime, to - from);
  return {
    source,
    from,
    to,
    rows,
    share,
    gapTime,
    gapCount: all.length,
    partialGaps: gaps.length - all.length,
    gaps: longest
      .sort((a, b) => a.from - b.from)
      .map(({ from: start, to: end, reason }) => ({ from: start, to: end, reason })),
  };
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** True when the two overlap, or the gap has no length and is within the range. */
const isWithin = (gap: Stretch, range: Stretch): boolean =>
  Math.max(gap.from, range.from) < Math.min(gap.to, range.to) || (gap.from >= range.from && gap.to <= range.to);

const clipped = <Gap extends Stretch>(gap: Gap, range: Stretch): Gap => ({
  ...gap,
  from: Math.max(gap.from, range.from),
  to: Math.min(gap.to, range.to),
});

function unionOf(stretches: readonly Stretch[], within: Stretch): number {
  let covered = 0;
  let reached = within.from;
  for (const { from, to: end } of [...stretches].sort((a, b) => a.from - b.from)) {
    const start = Math.max(from, reached);
    if (end <= start) continue;
    covered += end - start;
    reached = end;
  }
  return covered;
}
