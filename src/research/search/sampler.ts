// Samplers propose the parameters of a study's next trial. A proposal is a pure function of the study's seed, the trial's
// number, and the trials that the study's lag lets it see. Must never depend on the clock or on who finished first.
import type { EndedTrial, TrialParams } from '../trial/study-trial.ts';

/** The facts that a proposal may depend on, besides the study's space and seed. */
export interface ProposalInput {
  /** Number of the trial, from 0. */
  readonly n: number;
  /** Trials 0 to n − lag, all of them ended, in ascending number. */
  readonly ended: readonly EndedTrial[];
  /** Parameters of the trials between those and this one, in ascending number. They may or may not have ended. */
  readonly open: readonly TrialParams[];
}

/** Proposes the parameters of trials. */
export interface Sampler {
  /** @returns `null` when the space has no further point: a grid ends. */
  propose(input: ProposalInput): TrialParams | null;
  /**
   * Returns how many trials, from 0 on, must have ended before trial `n` is proposed. It stands in place of the study's lag. A
   * sampler without it is content with any lag.
   */
  readonly countSeen?: (n: number) => number;
  /** Number of points of a space that ends, such as a grid. Absent for a sampler that never runs out. */
  readonly size?: bigint;
}

/** Decides whether a trial goes on, from trials that have ended. Values are those of the first objective, to be minimized. */
export interface Pruner {
  /**
   * The highest value with which a trial goes on; `null` where no trial is judged.
   * @param groups Event groups settled so far.
   * @param ended Trials that the lag lets this one see, in ascending number.
   */
  limitAt(groups: number, ended: readonly EndedTrial[]): number | null;
}

/** True when a trial ends with this value. A value that is no number is worse than any. */
export const isPruned = (value: number, limit: number | null): boolean => limit !== null && !(value <= limit);
