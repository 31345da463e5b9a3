// What a benchmark is: a name, what it measures, and a run in a process of its own.
import type { Stretch } from './stretches.ts';

/** Figures of one run, by metric: a number, or stretches of work that every run does alike, which are told as a rate. */
export type Figures = Readonly<Record<string, number | readonly Stretch[]>>;

/** One thing to be measured. */
export interface Scenario {
  readonly name: string;
  readonly what: string;
  /** The scenario that ratios are taken against, measured alternately with this one. */
  readonly baseline?: string;
  run(): Figures | Promise<Figures>;
}

/** One figure to be shown: where it comes from and what it should reach. */
export interface Row {
  readonly label: string;
  readonly scenario: string;
  readonly metric: string;
  readonly unit: string;
  /** Shown as so many times this scenario's same metric. */
  readonly against?: string;
  /** Whether a smaller figure is the better one. */
  readonly isLess?: boolean;
  /** The figure to reach on a quiet machine. */
  readonly target?: number;
  /** The ratio to reach. */
  readonly ratioTarget?: number;
}
