// Entries that a study adds to the ledger of trials. Must never leave out a trial that has ended, nor give one figures that it has
// not: a group whose result is unknown does not count.
import type { LedgerEntry } from '../ledger/ledger-lines.ts';
import type { TrialLedger } from '../ledger/trial-ledger.ts';
import { returnFigures } from '../statistics/sharpe-ratio.ts';
import { columnOf, tableOf } from '../statistics/trial-matrix.ts';
import type { GroupResult } from '../trial/study-trial.ts';
import { readTrialGroups } from './group-files.ts';
import type { StudyPlan } from './study-plan.ts';
import type { StudyState } from './study-state.ts';
import type { EndLine } from './trial-lines.ts';

/** The study itself, with the clusters of event groups on its tapes. */
export function studyEntry({ study, tapes, hash }: StudyPlan): LedgerEntry {
  const clusters = tapes.flatMap(({ spans }) => spans.map(({ cluster }) => cluster));
  return { kind: 'study', study: hash, name: study.study, clusters: [...new Set(clusters)].sort() };
}

/** A look at the sealed test. It is written before the trial runs, so that a look that is broken off counts too. */
export function lookEntry(
  { hash, tapes, split }: StudyPlan,
  of: { trial: string; by: string; id: string },
): LedgerEntry {
  const sealed = new Set(split?.sealed);
  const spans = tapes.flatMap((tape) => tape.spans).filter(({ group }) => sealed.has(group));
  return { kind: 'look', study: hash, ...of, clusters: [...new Set(spans.map(({ cluster }) => cluster))].sort() };
}

/** The end of a trial, with the figures of its profits by settled event group. */
export function trialEntry(study: string, line: EndLine, groups: readonly GroupResult[]): LedgerEntry {
  const figures = returnFigures(columnOf(tableOf([groups]), 0));
  const returns = figures && {
    groups: figures.groups,
    sharpe: figures.sharpe,
    skewness: figures.skewness,
    kurtosis: figures.kurtosis,
  };
  return { kind: 'trial', study, trial: line.hash, end: line.kind, returns };
}

/** The ended trials of a study that the ledger does not have. */
export async function missingEntries(state: StudyState, folder: string, ledger: TrialLedger): Promise<LedgerEntry[]> {
  const found: LedgerEntry[] = [];
  for (const row of state.schedule.rows) {
    const line = row.of === null ? state.endOf(row) : null;
    if (line === null || ledger.has(trialEntry(state.head.hash, line, []))) continue;
    found.push(trialEntry(state.head.hash, line, await readTrialGroups(folder, line.hash)));
  }
  return found;
}
