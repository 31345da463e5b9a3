// The order of ended trials from best to worst, for one objective or several. Must never rank a trial that violates a constraint
// before one that holds them all.
import type { EndedTrial } from '../trial/study-trial.ts';
import { crowdingDistances, nonDominatedRanks } from './pareto-front.ts';

/** The sum of the violations of a trial's constraints; 0 when all hold. */
export const violationOf = ({ violations }: EndedTrial): number =>
  violations.reduce((sum, violation) => sum + Math.max(0, violation), 0);

/** True for a trial that finished and holds every constraint. */
export const isFeasible = (trial: EndedTrial): boolean => trial.end === 'finished' && violationOf(trial) === 0;

/** A value for sorting: one that is no number is worst. */
const sortable = (value: number | undefined): number => (value === undefined || Number.isNaN(value) ? Infinity : value);

/** Classes of trials from best to worst. A failed trial has no value, so it is last. */
function classOf(trial: EndedTrial): number {
  if (trial.end === 'failed') return 3;
  if (trial.end === 'pruned') return 1;
  return violationOf(trial) > 0 ? 2 : 0;
}

/** The keys by which trials of one class are sorted, most important first. */
function keysOf(trial: EndedTrial): readonly number[] {
  const last = trial.intermediate.at(-1);
  switch (trial.end) {
    case 'failed':
      return [];
    case 'pruned':
      return [-(last?.groups ?? 0), sortable(last?.value)];
    case 'finished':
      return [violationOf(trial), sortable(trial.values[0])];
  }
}

/**
 * Returns the trials from best to worst: feasible ones by value, pruned ones by how far they came and then by value, infeasible
 * ones by the sum of their violations, failed ones. Equal trials keep their sequence. Several objectives sort feasible trials by
 * non-dominated rank, then by crowding. The source is Optuna's `_split_trials` (`samplers/_tpe/sampler.py`), and Deb 2002 for several.
 */
export function rankTrials(trials: readonly EndedTrial[]): readonly EndedTrial[] {
  const places = objectiveKeys(trials.filter(isFeasible));
  const keyed = trials.map((trial) => ({ trial, keys: [classOf(trial), ...(places.get(trial) ?? keysOf(trial))] }));
  return keyed.sort((a, b) => compareKeys(a.keys, b.keys)).map(({ trial }) => trial);
}

function compareKeys(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) {
    const [left = 0, right = 0] = [a[i], b[i]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/** For several objectives, rank and crowding of each feasible trial; nothing for one objective. */
function objectiveKeys(feasible: readonly EndedTrial[]): ReadonlyMap<EndedTrial, readonly number[]> {
  const keys = new Map<EndedTrial, readonly number[]>();
  if ((feasible[0]?.values.length ?? 0) < 2) return keys;
  const points = feasible.map(({ values }) => values.map(sortable));
  const ranks = nonDominatedRanks(points);
  for (const rank of new Set(ranks)) {
    const members = feasible.flatMap((trial, i) => (ranks[i] === rank ? [{ trial, point: points[i] ?? [] }] : []));
    const distances = crowdingDistances(members.map(({ point }) => point));
    members.forEach(({ trial }, i) => keys.set(trial, [rank, -(distances[i] ?? 0)]));
  }
  return keys;
}

/** Returns the best feasible trial of one objective, or the Pareto front of several, in ascending number. */
export function paretoTrials(trials: readonly EndedTrial[]): readonly EndedTrial[] {
  const feasible = trials.filter(isFeasible);
  const ranks = nonDominatedRanks(feasible.map(({ values }) => values.map(sortable)));
  return feasible.filter((_, i) => ranks[i] === 0);
}
