// What a check of a strategy is, and what it works with. No value here does anything.
import type { BoundStrategy } from '../strategy/strategy.ts';
import type { CheckName, Effort, Verdict } from './finding.ts';
import type { Names } from './generate-markets.ts';
import type { Survey } from './survey.ts';
import type { Subject } from './trial.ts';

/** What a check works with. */
export interface CheckContext {
  readonly subject: Subject;
  /** What its selector asks for. */
  readonly names: Names;
  readonly selector: BoundStrategy['selector'];
  /** What a look at its code found. */
  readonly sourceFaults: readonly string[];
  readonly seed: number;
  readonly effort: Effort;
  /** Runs over mixed streams that several checks look at. */
  readonly survey: Survey;
  /** Milliseconds that go on by themselves. */
  readonly clock: () => number;
}

/** One check. */
export interface Check {
  readonly name: CheckName;
  /** What is checked, in a line. */
  readonly meaning: string;
  run(context: CheckContext): Verdict;
}
