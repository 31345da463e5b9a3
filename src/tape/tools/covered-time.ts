// Finds the time in which no tape recorded anything. Must never count time as covered in which the books of all markets
// are missing.
import { type Micros, micros } from '../../domain/units.ts';
import type { RowSource } from '../baked/tape-rows.ts';

/** A stretch of time. */
export interface Stretch {
  readonly from: Micros;
  readonly to: Micros;
}

/** Returns the stretches, between the first and the last moment of the tapes, in which none of them recorded. */
export function uncoveredStretches(sources: readonly RowSource[], whole: Stretch): readonly Stretch[] {
  return restOf(sources.flatMap(recordedStretches), whole);
}

/** Returns a tape's time without the stretches in which all of its markets have a gap. */
const recordedStretches = (source: RowSource): readonly Stretch[] => restOf(darkStretches(source), source.facts);

/** Returns the stretches in which every market of a tape has a gap. */
function darkStretches({ facts, tickers }: RowSource): readonly Stretch[] {
  const names = tickers.tickersByIndex().filter((name) => name !== undefined);
  const edges = facts.gaps.flatMap(({ from, to, tickers: own }) => {
    const affected = own.length === 0 ? names : own;
    return [{ at: from, step: 1, affected } as const, { at: to, step: -1, affected } as const];
  });
  // A gap that begins as another one ends continues it.
  edges.sort((a, b) => a.at - b.at || b.step - a.step);
  const open = new Map<string, number>();
  const dark: Stretch[] = [];
  let since: Micros | null = null;
  for (const { at, step, affected } of edges) {
    for (const name of affected) addTo(open, name, step);
    const isDark = open.size > 0 && open.size >= names.length;
    if (isDark) since ??= at;
    else if (since !== null) {
      dark.push({ from: since, to: at });
      since = null;
    }
  }
  return dark;
}

/** Counts the open gaps of a market. Removed at zero. */
function addTo(open: Map<string, number>, name: string, step: number): void {
  const count = (open.get(name) ?? 0) + step;
  if (count === 0) open.delete(name);
  else open.set(name, count);
}

/** Returns what remains of a whole without the stretches. */
function restOf(stretches: readonly Stretch[], whole: Stretch): readonly Stretch[] {
  const rest: Stretch[] = [];
  let reached: number = whole.from;
  for (const { from, to } of stretches.toSorted((a, b) => a.from - b.from)) {
    if (from > reached) rest.push({ from: micros(reached), to: micros(Math.min(from, whole.to)) });
    reached = Math.max(reached, to);
  }
  if (reached < whole.to) rest.push({ from: micros(reached), to: whole.to });
  return rest.filter(({ from, to }) => from < to);
}
