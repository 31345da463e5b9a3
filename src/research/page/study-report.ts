// A study as its page shows it: trials, shades, importance, front, overfitting. Must never show a trial that broke a
// constraint as one of the best.
import { nonDominatedRanks } from '../search/pareto-front.ts';
import { type ParamImportance, paramImportances } from '../search/importance/ped-anova.ts';
import type { SearchSpace } from '../search/search-space.ts';
import {
  type Overfitting,
  type OverfittingGap,
  blockCount,
  measureOverfitting,
  overfittingGap,
} from '../statistics/overfitting/overfitting-probability.ts';
import { tableOf } from '../statistics/trial-matrix.ts';
import type { StudyJudgement } from '../study/study-judgement.ts';
import type { StudyState } from '../study/study-state.ts';
import type { TrialRow } from '../study/trial-schedule.ts';
import { type Objective, objectiveFigures } from '../trial/trial-figures.ts';
import type { GroupResult, TrialParams } from '../trial/study-trial.ts';

/** Number of shades: 0 is the worst sixth of the trials, 5 the best. */
export const SHADES = 6;

/** A trial of the page. */
export interface PageTrial {
  readonly n: number;
  readonly hash: string;
  readonly params: TrialParams;
  /** `again`: a trial with the parameters of an earlier one. */
  readonly end: 'finished' | 'pruned' | 'failed' | 'open' | 'again';
  /** Values of the objectives as figures, each with its own sign; empty when it did not finish. */
  readonly values: readonly number[];
  readonly isFeasible: boolean;
  /** Rank among the finished trials by the first objective, in sixths; `null` for a trial that is not among them. */
  readonly shade: number | null;
  /** Place among the trials that keep the constraints, from 0; `null` for another trial. */
  readonly place: number | null;
  readonly isOnFront: boolean;
  readonly figures: Readonly<Record<string, number | null>>;
  readonly error: string | null;
  /** Address of its own report; `null` without one. */
  readonly href: string | null;
}

/** Everything that a study's page shows. */
export interface StudyReport {
  readonly name: string;
  readonly hash: string;
  readonly lag: number;
  /** The study's file as the command names it. */
  readonly file: string;
  readonly objectives: readonly Objective[];
  readonly space: SearchSpace;
  readonly trials: readonly PageTrial[];
  /** Number of the best trial; `null` when none has finished within the constraints. */
  readonly best: number | null;
  readonly judgement: StudyJudgement | null;
  readonly importances: readonly ParamImportance[];
  /** `null` when it cannot be measured. */
  readonly overfitting: Overfitting | null;
  /** The study lacks it to measure overfitting; `null` when it is measured. */
  readonly overfittingGap: OverfittingGap | null;
}

/** The parts of a report that are read from elsewhere. */
export interface StudyReportParts {
  readonly state: StudyState;
  readonly space: SearchSpace;
  readonly file: string;
  readonly judgement: StudyJudgement | null;
  /** Results by event group of the finished trials. */
  readonly results: readonly (readonly GroupResult[])[];
  /** Addresses of the trials' own reports, by number. */
  readonly hrefs: ReadonlyMap<number, string>;
}

/** Makes a study's report. */
export function studyReport({ state, space, file, judgement, results, hrefs }: StudyReportParts): StudyReport {
  const { name, hash, lag, objectives } = state.head;
  const best = state.bestRows();
  const shades = new Map(best.map(({ row }, at) => [row.n, SHADES - 1 - Math.floor((at * SHADES) / best.length)]));
  const places = new Map(best.map(({ row }, at) => [row.n, at]));
  const ranks = nonDominatedRanks(best.map(({ line }) => line.values));
  const front = new Set(best.flatMap(({ row }, at) => (ranks[at] === 0 ? [row.n] : [])));
  const pageTrial = (row: TrialRow): PageTrial => ({
    ...endOf(state, row),
    n: row.n,
    hash: row.hash,
    params: row.params,
    shade: shades.get(row.n) ?? null,
    place: places.get(row.n) ?? null,
    isFeasible: shades.has(row.n),
    isOnFront: objectives.length > 1 && front.has(row.n),
    href: hrefs.get(row.n) ?? null,
  });
  const matrix = tableOf(results);
  const blocks = blockCount(matrix.groups);
  const gap = overfittingGap(matrix);
  return {
    name,
    hash,
    lag,
    file,
    objectives,
    space,
    trials: state.schedule.rows.map(pageTrial),
    best: best[0]?.row.n ?? null,
    judgement,
    importances: paramImportances(
      space,
      state.schedule.rows.flatMap(({ end, of }) => (of === null && end ? [end] : [])),
    ),
    overfitting: blocks === null || gap !== null ? null : measureOverfitting(matrix, 'sharpe', blocks),
    overfittingGap: gap,
  };
}

function endOf(state: StudyState, row: TrialRow): Pick<PageTrial, 'end' | 'values' | 'figures' | 'error'> {
  const line = state.endOf(row);
  const none = { values: [], figures: {}, error: null };
  if (row.of !== null) return { ...none, end: 'again' };
  if (line === null) return { ...none, end: 'open' };
  if (line.kind === 'failed') return { ...none, end: 'failed', error: line.error };
  if (line.kind === 'pruned') return { ...none, end: 'pruned' };
  const values = objectiveFigures(state.head.objectives, line.values);
  return { end: 'finished', values, figures: line.figures, error: null };
}
