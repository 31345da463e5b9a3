// The space of a study: what each parameter may be, and when it applies. Must never hold a parameter whose condition
// names a later one: values are drawn in the listed sequence.
import type { ParamValue } from '../trial/study-trial.ts';

/** A range of whole numbers, both ends included. */
export interface IntRange {
  readonly kind: 'int';
  readonly low: number;
  readonly high: number;
  /** Distance between values. @default 1 */
  readonly step?: number;
  /** True: equal ratios are equally likely. @default false */
  readonly log?: boolean;
}

/** A range of numbers. Without a step it is continuous. */
export interface FloatRange {
  readonly kind: 'float';
  readonly low: number;
  readonly high: number;
  readonly step?: number;
  readonly log?: boolean;
}

/** A choice without an order. */
export interface Choice {
  readonly kind: 'choice';
  readonly options: readonly ParamValue[];
}

export type Domain = IntRange | FloatRange | Choice;

/** A parameter of the space. */
export interface SpaceParam {
  readonly name: string;
  readonly domain: Domain;
  /** The parameter applies only when each named parameter, all of them earlier in the list, has this value. */
  readonly when?: Readonly<Record<string, ParamValue>>;
}

/** Parameters in the sequence in which they are drawn. */
export type SearchSpace = readonly SpaceParam[];
