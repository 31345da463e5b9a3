// The parts of a benchmark: a name, what it measures, and a run in a process of its own.
import type { Stretch } from './stretches.ts';

/**
 * Figures of one run, by metric: a number, or stretches of work that every run does alike, which are shown as a rate.
 */
export type Figures = Readonly<Record<string, number | readonly Stretch[]>>;

/** One thing to be measured. */
export interface Scenario {
  readonly name: string;
  readonly what: string;
  /** The baseline scenario of ratios, measured alternately with this one. */
  readonly baseline?: string;
  run(): Figures | Promise<Figures>;
}

/** One figure of the table: its source and its target. */
export interface Row {
  readonly label: string;
  readonly scenario: string;
  readonly metric: string;
  readonly unit: string;
  /** The baseline scenario: the figure is shown as a multiple of the baseline's same metric. */
  readonly against?: string;
  /** True when a smaller figure is better. */
  readonly isLess?: boolean;
  /** The target on a quiet machine. */
  readonly target?: number;
  /** The target ratio. */
  readonly ratioTarget?: number;
}
