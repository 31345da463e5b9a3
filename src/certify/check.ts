// The type of a check of a strategy, and its input. Types only.
import type { BoundStrategy } from '../strategy/strategy.ts';
import type { CheckName, Effort, Verdict } from './finding.ts';
import type { Names } from './generate-markets.ts';
import type { Survey } from './survey.ts';
import type { Subject } from './trial.ts';

/** The input of a check. */
export interface CheckContext {
  readonly subject: Subject;
  /** The names that the strategy's selector asks for. */
  readonly names: Names;
  readonly selector: BoundStrategy['selector'];
  /** Faults found in its source code. */
  readonly sourceFaults: readonly string[];
  readonly seed: number;
  readonly effort: Effort;
  /** Runs over mixed streams, shared by several checks. */
  readonly survey: Survey;
  /** Monotonic time in milliseconds. */
  readonly clock: () => number;
}

/** One check. */
export interface Check {
  readonly name: CheckName;
  /** One line that says what is checked. */
  readonly meaning: string;
  run(context: CheckContext): Verdict;
}
