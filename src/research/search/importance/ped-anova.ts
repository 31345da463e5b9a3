// Importance of parameters: how much the values of the best trials differ from those of all, one parameter at a time. Must never be
// read as an effect on the figure: a study that sampled one region alone knows nothing of the others.
import type { EndedTrial } from '../../trial/study-trial.ts';
import { isFeasible } from '../trial-ranking.ts';
import type { SearchSpace, SpaceParam } from '../search-space.ts';
import { valueDensity } from './value-histogram.ts';

/** The importance of a parameter. */
export interface ParamImportance {
  readonly name: string;
  /**
   * Share of the importance of all parameters, from 0 to 1. `null` with fewer than 10 trials, which show nothing, and where no
   * parameter makes a difference.
   */
  readonly importance: number | null;
  /** Trials in which the parameter applied, on which the figure rests. */
  readonly trials: number;
}

/** How importance is measured. */
export interface ImportanceOptions {
  /** Number of the objective, from 0. @default 0 */
  readonly objective?: number;
  /** Share of the trials that count as best. @default 0.1 */
  readonly best?: number;
}

const BEST = 0.1;
/** With fewer trials, the best two decide all shares, and they may be the best by luck. */
export const IMPORTANCE_TRIALS_MIN = 10;
/** At least as many trials count as best. */
const BEST_MIN = 2;
/** Added to densities, so that none is 0. */
const FLOOR = 1e-12;

/**
 * Returns the importance of each parameter, most important first. Conditional parameters are judged by the trials in which
 * they apply. The source is PED-ANOVA (Watanabe, Bansal, Hutter, IJCAI 2023, arXiv:2304.10255, equation 12), as in Optuna's
 * `importance/_ped_anova/evaluator.py`.
 */
export function paramImportances(
  space: SearchSpace,
  trials: readonly EndedTrial[],
  { objective = 0, best = BEST }: ImportanceOptions = {},
): readonly ParamImportance[] {
  const valued = trials.filter((trial) => isFeasible(trial) && Number.isFinite(trial.values[objective]));
  const found = space.map((param) => {
    const own = valued.filter(({ params }) => params[param.name] !== undefined);
    const divergence = own.length < IMPORTANCE_TRIALS_MIN ? null : divergenceOf(param, bestFirst(own, objective), best);
    return { name: param.name, trials: own.length, divergence };
  });
  const total = found.reduce((sum, { divergence }) => sum + (divergence ?? 0), 0);
  return found
    .map(({ name, trials: count, divergence }) => ({
      name,
      importance: divergence === null || total === 0 ? null : divergence / total,
      trials: count,
    }))
    .sort((a, b) => (b.importance ?? -1) - (a.importance ?? -1));
}

const bestFirst = (trials: readonly EndedTrial[], objective: number): readonly RankedTrial[] =>
  trials
    .map(({ params, values }) => ({ params, value: values[objective] ?? Infinity }))
    .sort((a, b) => a.value - b.value);

interface RankedTrial {
  readonly params: EndedTrial['params'];
  readonly value: number;
}

/** Pearson's divergence between the values of the best trials and those of all. Trials equal to the worst of the best are best. */
function divergenceOf({ name, domain }: SpaceParam, ranked: readonly RankedTrial[], best: number): number {
  const cut = ranked[Math.max(BEST_MIN, Math.ceil(best * ranked.length)) - 1]?.value ?? Infinity;
  const valuesOf = (trials: readonly RankedTrial[]) => trials.flatMap(({ params }) => params[name] ?? []);
  const top = valueDensity(domain, valuesOf(ranked.filter(({ value }) => value <= cut)));
  const all = valueDensity(domain, valuesOf(ranked));
  return all.reduce((sum, density, cell) => {
    const ratio = ((top[cell] ?? 0) + FLOOR) / (density + FLOOR) - 1;
    return sum + (density + FLOOR) * ratio * ratio;
  }, 0);
}
