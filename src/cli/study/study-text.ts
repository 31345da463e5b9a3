// Studies as text: their state, their best trials, their result. Pure text.
import { MINUS } from '../../domain/amounts.ts';
import { countedNoun, exactDollars, summedContracts } from '../../report/text/figure-text.ts';
import { verdictSentences } from '../../research/statistics/verdict-text.ts';
import type { StudyJudgement } from '../../research/study/study-judgement.ts';
import type { StudyState } from '../../research/study/study-state.ts';
import { type Constraint, objectiveFigures, unitOf } from '../../research/trial/trial-figures.ts';
import type { TrialParams } from '../../research/trial/study-trial.ts';
import { columns } from '../output/text-format.ts';

/** Counts of trials by their end. */
export interface TrialCounts {
  readonly trials: number;
  readonly finished: number;
  readonly pruned: number;
  readonly failed: number;
  /** Trials with the parameters of an earlier one, which were not run again. */
  readonly again: number;
  readonly open: number;
}

/** Counts the trials of a study. */
export function countTrials(state: StudyState): TrialCounts {
  const counts = { trials: 0, finished: 0, pruned: 0, failed: 0, again: 0, open: 0 };
  for (const row of state.schedule.rows) {
    const line = state.endOf(row);
    counts.trials += 1;
    if (row.of !== null) counts.again += 1;
    else if (line === null) counts.open += 1;
    else counts[line.kind] += 1;
  }
  return counts;
}

/** Counts in words. */
export function countsText({ trials, finished, pruned, failed, again, open }: TrialCounts): string {
  const parts = [`${finished} finished`, `${pruned} pruned`, `${failed} failed`, `${open} open`];
  return `${countedNoun(trials, 'trial')}: ${parts.join(', ')}${again > 0 ? `, ${again} with known parameters` : ''}`;
}

/** The value of an objective as a reader sees it. */
export function objectiveText({ head }: StudyState, values: readonly number[]): string {
  const figures = objectiveFigures(head.objectives, values);
  return head.objectives.map(({ figure }, index) => `${figure} ${figureText(figure, figures[index] ?? 0)}`).join(', ');
}

/** Writes a figure in its unit. Numbers that are not whole have six digits. */
function figureText(figure: string, value: number): string {
  switch (unitOf(figure)) {
    case 'money':
      return exactDollars(Math.round(value));
    case 'qty':
      return summedContracts(Math.round(value));
    case 'number':
      return (Number.isInteger(value) ? String(value) : value.toPrecision(6)).replace('-', MINUS);
  }
}

/** Parameters as `name=value`. */
export const paramsText = (params: TrialParams): string =>
  Object.entries(params)
    .map(([name, value]) => `${name}=${typeof value === 'number' ? Number(value.toPrecision(8)) : String(value)}`)
    .join(' ');

/** Parameters are text: a conditional one that is absent must not move the others. */
const PARAMS_COLUMN = 2;

/** A table of the best trials. */
export function bestText(state: StudyState, top: number): string[] {
  const best = state.bestRows().slice(0, top);
  if (best.length === 0) return ['no trial has finished within the constraints'];
  const rows = best.map(({ row, line }) => [`#${row.n}`, objectiveText(state, line.values), paramsText(row.params)]);
  return columns([['trial', 'value', 'parameters'], ...rows], [0, PARAMS_COLUMN]);
}

/** Failures by their error, the most frequent first. */
export function failureText(state: StudyState): string[] {
  const counts = new Map<string, number>();
  for (const row of state.schedule.rows) {
    const line = state.endOf(row);
    if (row.of !== null || line?.kind !== 'failed') continue;
    const text = `${line.reason}: ${line.error}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([text, count]) => `${countedNoun(count, 'trial')} failed, ${text}`);
}

/** Constraints that finished trials break, and in how many; nothing when all keep them. */
export function violationText(state: StudyState, constraints: readonly Constraint[]): string[] {
  const ends = state.schedule.rows.flatMap((row) => (row.of === null ? (state.endOf(row) ?? []) : []));
  const finished = ends.filter((end) => end.kind === 'finished');
  const broken = finished.filter(({ violations }) => violations.some((violation) => violation > 0)).length;
  if (broken === 0) return [];
  const parts = constraints.flatMap((constraint, at) => {
    const count = finished.filter(({ violations }) => (violations[at] ?? 0) > 0).length;
    return count === 0 ? [] : [`${boundText(constraint)} by ${count}`];
  });
  return [
    `${broken} of ${countedNoun(finished.length, 'finished trial')} outside the constraints: ${parts.join(', ')}`,
  ];
}

function boundText({ figure, atMost, atLeast }: Constraint): string {
  return `${figure} ${atMost === null ? 'at least' : 'at most'} ${figureText(figure, atMost ?? atLeast ?? 0)}`;
}

/** The verdict on the best trial, one sentence in each line, and an empty line. */
export function verdictText(judgement: StudyJudgement | null): string[] {
  if (judgement === null) return [];
  const { n, verdict, unsettled } = judgement;
  const left = unsettled === 0 ? [] : [`${countedNoun(unsettled, 'event group')} without a result: not counted.`];
  return [`Trial #${n} is the best.`, ...verdictSentences(verdict), ...left, ''];
}
