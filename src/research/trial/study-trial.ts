// Trials of a study as data: parameters, results by event group, and how a trial ended. Must never hold anything that depends
// on the clock or on the sequence in which trials end: the same study gives the same trials on any number of workers.
import type { Micros } from '../../domain/units.ts';

/** The value of one parameter. */
export type ParamValue = number | string | boolean;

/** Parameters by name. A conditional parameter that does not apply is absent. */
export type TrialParams = Readonly<Record<string, ParamValue>>;

/**
 * The result of one event group, the unit of every statistic: the markets of a group win and lose together. Money is in
 * whole millionths of a dollar, quantities are in hundredths of a contract.
 */
export interface GroupResult {
  /** Ticker of the event group. */
  readonly group: string;
  /** Groups with the same key have one underlying and one settlement time. They count as one when a tape is split. */
  readonly cluster: string;
  /** First moment at which a decision about the group is possible: its first row. */
  readonly from: Micros;
  /** The moment at which the result is known (determination, not payment); `null` when the tape ends before. */
  readonly known: Micros | null;
  /** Profit after fees. */
  readonly profit: number;
  readonly fees: number;
  /** Contracts traded. */
  readonly qty: number;
  readonly fills: number;
  /** Capital locked over time, in dollar-days. */
  readonly lockedDollarDays: number;
}

/** How a trial ended. A trial whose worker died has no end: it runs again under the same number. */
export type TrialEnd = 'finished' | 'pruned' | 'failed';

/** A value of the first objective after some event groups had settled. */
export interface IntermediateValue {
  /** The number of event groups settled by then. */
  readonly groups: number;
  readonly value: number;
}

/** A trial that has ended, as samplers and pruners see it. */
export interface EndedTrial {
  /** Number in the study, from 0. */
  readonly n: number;
  readonly params: TrialParams;
  readonly end: TrialEnd;
  /** Values of the objectives, to be minimized (a maximized figure is negated). Empty when the trial did not finish. */
  readonly values: readonly number[];
  /** By how much each constraint is violated; 0 or less when it holds. */
  readonly violations: readonly number[];
  /** In ascending number of groups. */
  readonly intermediate: readonly IntermediateValue[];
}
