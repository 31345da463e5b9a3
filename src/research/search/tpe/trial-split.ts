// Splits trials in the best tenth and the others, which TPE compares. Must never count a trial that has not ended as good.
import type { EndedTrial, TrialParams } from '../../trial/study-trial.ts';
import { rankTrials } from '../trial-ranking.ts';

/** Parameters of good trials and of the others, each oldest first. */
export interface TrialSplit {
  readonly below: readonly TrialParams[];
  readonly above: readonly TrialParams[];
}

const GOOD_SHARE = 0.1;
const GOOD_MAX = 25;

/** Number of good trials among `count`. The source is `default_gamma` of Optuna's `samplers/_tpe/sampler.py`. */
export const goodTrials = (count: number): number => Math.min(Math.ceil(GOOD_SHARE * count), GOOD_MAX);

/**
 * Splits trials. Open ones count as bad: the constant liar (Ginsbourger, Le Riche, Carraro 2010), so that trials side by side
 * differ. Failed ones are bad, too, and do not count for the number of good ones.
 */
export function splitTrials(ended: readonly EndedTrial[], open: readonly TrialParams[]): TrialSplit {
  const valued = ended.filter(({ end }) => end !== 'failed');
  const good = new Set(rankTrials(valued).slice(0, goodTrials(valued.length)));
  return {
    below: ended.filter((trial) => good.has(trial)).map(({ params }) => params),
    above: [...ended.filter((trial) => !good.has(trial)).map(({ params }) => params), ...open],
  };
}
