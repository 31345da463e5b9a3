// The table of a study: one row for each event group in the sequence of settlement, one column for each trial. Must
// never hold a group whose result is unknown: its profit is a guess.
import { assert } from '../../base/assert.ts';
import type { GroupResult } from '../trial/study-trial.ts';

/** Values of trials by group. */
export interface TrialMatrix {
  /** Number of rows. */
  readonly groups: number;
  /** Number of columns. */
  readonly trials: number;
  /** Row after row. */
  readonly over: Float64Array;
  /** Values that a ratio divides by, such as dollar-days; `null` for sums of money. */
  readonly under: Float64Array | null;
}

/** A table of a study, and what it leaves out. */
export interface StudyTable extends TrialMatrix {
  /** Names of the rows. */
  readonly names: readonly string[];
  /** Groups whose results are unknown: the tape ends before. */
  readonly unsettled: readonly string[];
}

/** How to make a study's table. */
export interface TableOptions {
  /** @default profit after fees */
  readonly overOf?: (result: GroupResult) => number;
  /** Makes a table of ratios. @default none */
  readonly underOf?: (result: GroupResult) => number;
  /** `cluster`: groups with one underlying and one settlement are one row. @default group */
  readonly rows?: 'group' | 'cluster';
}

/** Compares results by the time at which they became known, then by name. Unknown ones are last. */
export function inSettlementSequence(a: GroupResult, b: GroupResult): number {
  const [first, second] = [a.known ?? Number.POSITIVE_INFINITY, b.known ?? Number.POSITIVE_INFINITY];
  if (first !== second) return first < second ? -1 : 1;
  return a.group < b.group ? -1 : a.group > b.group ? 1 : 0;
}

/** Makes a study's table from the results of its trials. A group that a trial did not trade counts 0. */
export function tableOf(trials: readonly (readonly GroupResult[])[], options: TableOptions = {}): StudyTable {
  const { overOf = ({ profit }: GroupResult) => profit, underOf, rows = 'group' } = options;
  const groups = new Map(trials.flat().map((result) => [result.group, result]));
  const settled = [...groups.values()].filter(({ known }) => known !== null).sort(inSettlementSequence);
  const names = [...new Set(settled.map((result) => result[rows]))];
  const rowOf = new Map(names.map((name, row) => [name, row]));
  const over = new Float64Array(names.length * trials.length);
  const under = underOf ? new Float64Array(over.length) : null;
  for (const [column, results] of trials.entries())
    for (const result of results) {
      const row = result.known === null ? undefined : rowOf.get(result[rows]);
      if (row === undefined) continue;
      const at = row * trials.length + column;
      over[at] = (over[at] ?? 0) + overOf(result);
      if (under && underOf) under[at] = (under[at] ?? 0) + underOf(result);
    }
  const unsettled = [...groups.values()].filter(({ known }) => known === null).map(({ group }) => group);
  return { groups: names.length, trials: trials.length, over, under, names, unsettled };
}

/**
 * Makes a table from rows.
 * @throws {AssertionFault} when a row has another length than the first.
 */
export function matrixOf(rows: readonly (readonly number[])[]): TrialMatrix {
  const trials = rows[0]?.length ?? 0;
  assert(
    rows.every((row) => row.length === trials),
    'every row needs a value for each trial',
  );
  return { groups: rows.length, trials, over: Float64Array.from(rows.flat()), under: null };
}

/** One trial's values, group after group. */
export function columnOf({ groups, trials, over }: TrialMatrix, trial: number): Float64Array {
  return Float64Array.from({ length: groups }, (_, group) => over[group * trials + trial] ?? 0);
}
