// The verdict on a study from its files and the ledger. Must never judge by fewer trials than were tried on its event
// groups.
import type { TrialLedger } from '../ledger/trial-ledger.ts';
import { type SplitResults, splitResults } from '../splits/split-results.ts';
import { adjustForLooks, signFlipTest } from '../statistics/sign-flips.ts';
import { type SealedResult, type StudyVerdict, judgeStudy } from '../statistics/study-verdict.ts';
import { tableOf } from '../statistics/trial-matrix.ts';
import { readSealedGroups, readTrialGroups } from './group-files.ts';
import { trialEntry } from './ledger-entries.ts';
import type { GroupResult } from '../trial/study-trial.ts';
import type { StudyState } from './study-state.ts';

/** Everything that the verdict on a study needs. */
export interface JudgedStudy {
  readonly state: StudyState;
  /** The study's folder. */
  readonly folder: string;
  readonly ledger: TrialLedger;
  /** Seed of resamples. */
  readonly seed: number;
}

/** A verdict, and the trial that it is about. */
export interface StudyJudgement {
  /** Number of the best trial by the first objective, within the constraints. */
  readonly n: number;
  readonly verdict: StudyVerdict;
  /** Event groups that are left out: their results are unknown at the end of the tape. */
  readonly unsettled: number;
  /** `null` for a study without a split. */
  readonly split: SplitResults | null;
}

/** Judges the best trial of a study by its profits. Returns `null` when no trial has finished within the constraints. */
export async function judgeBestTrial({ state, folder, ledger, seed }: JudgedStudy): Promise<StudyJudgement | null> {
  const [best] = state.bestRows();
  if (best === undefined) return null;
  const own = state.schedule.rows.filter((row) => row.of === null && state.endOf(row) !== null);
  const finished = own.filter((row) => state.endOf(row)?.kind === 'finished');
  const results = await Promise.all(finished.map(({ hash }) => readTrialGroups(folder, hash)));
  const matrix = tableOf(results);
  const sharpeOf = new Map<string, number | null>();
  for (const { trial, returns } of ledger.trialsOn(results.flat().map(({ cluster }) => cluster)))
    sharpeOf.set(trial, returns?.sharpe ?? null);
  // A study of an earlier version, or one that was copied here, has trials that the ledger does not have.
  for (const row of own) {
    const line = state.endOf(row);
    const entry = line && trialEntry(state.head.hash, line, results[finished.indexOf(row)] ?? []);
    if (entry?.kind === 'trial') sharpeOf.set(entry.trial, entry.returns?.sharpe ?? null);
  }
  const [objective] = state.head.objectives;
  const trials = state.bestRows().map(({ row }) => ({ n: row.n, groups: results[finished.indexOf(row)] ?? [] }));
  const split = state.head.split && objective ? splitResults({ split: state.head.split, trials, objective }) : null;
  const verdict = judgeStudy({
    matrix,
    chosen: finished.indexOf(best.row),
    trials: own.length,
    trialsEver: sharpeOf.size,
    sharpes: [...sharpeOf.values()].filter((sharpe) => sharpe !== null),
    split: sharesOf(split),
    sealed: sealedResult(await readSealedGroups(folder, best.row.hash), ledger, seed),
    seed,
  });
  return { n: best.row.n, verdict, unsettled: matrix.unsettled.length, split };
}

/** The winners' profit by event group in and out of sample; `null` when they have none. */
function sharesOf(split: SplitResults | null): { readonly inside: number; readonly outside: number } | null {
  if (split === null || split.inside === null || split.outside === null) return null;
  return { inside: split.inside, outside: split.outside };
}

/** The result of a trial in the sealed test; `null` before a look with this trial. */
function sealedResult(groups: readonly GroupResult[], ledger: TrialLedger, seed: number): SealedResult | null {
  const looks = ledger.looksAt(groups.map(({ cluster }) => cluster));
  if (groups.length === 0 || looks === 0) return null;
  const profits = groups.flatMap(({ profit, known }) => (known === null ? [] : [profit]));
  return { looks, p: adjustForLooks(signFlipTest(profits, { seed }).oneSided, looks) };
}
