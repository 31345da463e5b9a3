// The share of time that a tape covers.
import { ratio } from './intervals.ts';
import type { CoverageFigures } from './report.ts';
import type { CoverageNote } from '../record/run-record.ts';

/** Only the longest gaps are listed, at most this many. */
const GAPS_MAX = 300;

/** Overlapping gaps count once. */
export function coverageOf(note: CoverageNote): CoverageFigures {
  const { source, from, to, rows } = note;
  const all = note.gaps.filter(({ tickers = [] }) => tickers.length === 0);
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
    partialGaps: note.gaps.length - all.length,
    gaps: longest
      .sort((a, b) => a.from - b.from)
      .map(({ from: start, to: end, reason }) => ({ from: start, to: end, reason })),
  };
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

function unionOf(stretches: readonly Stretch[], within: Stretch): number {
  let covered = 0;
  let reached = within.from;
  for (const { from, to } of [...stretches].sort((a, b) => a.from - b.from)) {
    const start = Math.max(from, reached);
    const end = Math.min(to, within.to);
    if (end <= start) continue;
    covered += end - start;
    reached = end;
  }
  return covered;
}
