// The interval that leads beside a figure, chosen by the number of groups and by their dependence. Must never let a
// bootstrap lead below 30 groups: its intervals are too narrow there.
import { dependsOnNeighbor, meanBlockLength } from './block-length.ts';
import {
  type BootstrapValues,
  type Bounds,
  bcaInterval,
  percentileInterval,
  resampleFigure,
  studentInterval,
} from './bootstrap.ts';
import { type GroupFigure, figureValue, influencesOf, movingGroups } from './group-figures.ts';
import { type DrawOptions, independentPlan, stationaryPlan } from './resampling.ts';

/** The number of groups that move a figure from which a bootstrap leads. */
export const MANY_GROUPS = 30;
const USUAL_CONFIDENCE = 0.95;

/** How an interval was made: by Student's t over groups, or by a bootstrap. */
export type IntervalMethod = 'student' | 'percentile' | 'bca' | 'stationary';

/** An interval and how it was made. */
export interface MadeInterval extends Bounds {
  readonly method: IntervalMethod;
}

/** A figure with its intervals. */
export interface IntervalFigure {
  readonly value: number;
  readonly groups: number;
  readonly confidence: number;
  readonly lead: MadeInterval;
  /** The interval to show beside the one that leads. */
  readonly beside: MadeInterval;
  /** Share of resamples in which the figure is 0 or less. */
  readonly shareAtMostZero: number;
  readonly resamples: number;
  readonly isExact: boolean;
  readonly seed: number;
  /** Mean number of groups in a block; 1 when neighbors do not depend on each other. */
  readonly blockLength: number;
}

/** How to make intervals. */
export interface IntervalOptions extends DrawOptions {
  /** @default 0.95 */
  readonly confidence?: number;
}

/**
 * Makes the intervals of a figure. Below 30 groups that move it Student's t leads, and the percentile bootstrap is shown
 * beside it. From 30 on BCa leads, and Student's t is shown beside it. Where neighbors depend on each other, the stationary
 * bootstrap takes the place of the other bootstraps. BCa is used in place of bootstrap-t, which is up to twice as wide
 * at 30 groups. At 60 groups BCa holds the true value of skewed bets in 94 to 95 of 100 samples.
 * @returns `null` for fewer than two groups, or when the figure has no value.
 */
export function intervalOf(figure: GroupFigure, options: IntervalOptions): IntervalFigure | null {
  if (figure.groups < 2 || !Number.isFinite(figureValue(figure))) return null;
  const confidence = options.confidence ?? USUAL_CONFIDENCE;
  const influences = influencesOf(figure);
  const blockLength = dependsOnNeighbor(influences) ? meanBlockLength(influences) : 1;
  const plan =
    blockLength > 1
      ? stationaryPlan(figure.groups, { ...options, restart: 1 / blockLength })
      : independentPlan(figure.groups, options);
  const values = resampleFigure(figure, plan);
  const student: MadeInterval = { method: 'student', ...studentInterval(figure, confidence) };
  const isFew = movingGroups(figure) < MANY_GROUPS;
  const bootstrap = bootstrapInterval({ figure, values, confidence, blockLength, isFew });
  const [lead, beside] = isFew ? [student, bootstrap] : [bootstrap, student];
  const { shareAtMostZero, isExact } = values;
  const resamples = values.sorted.length;
  const made = { value: values.value, groups: figure.groups, confidence, lead, beside };
  return { ...made, shareAtMostZero, resamples, isExact, seed: options.seed, blockLength };
}

interface Drawn {
  readonly figure: GroupFigure;
  readonly values: BootstrapValues;
  readonly confidence: number;
  readonly blockLength: number;
  readonly isFew: boolean;
}

function bootstrapInterval({ figure, values, confidence, blockLength, isFew }: Drawn): MadeInterval {
  if (blockLength > 1) return { method: 'stationary', ...percentileInterval(values, confidence) };
  if (isFew) return { method: 'percentile', ...percentileInterval(values, confidence) };
  return { method: 'bca', ...bcaInterval(figure, values, confidence) };
}
