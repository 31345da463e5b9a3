// The type of a check of a strategy, and its input.
import type { BoundStrategy } from '../strategy/strategy-definition.ts';
import type { CheckName, Effort, CheckVerdict } from './check-verdict.ts';
import type { RequestedNames } from './streams/generated-markets.ts';
import type { JudgedRuns } from './runs/judged-runs.ts';
import type { Subject } from './runs/trial.ts';

/** The input of a check. */
export interface CheckInput {
  readonly subject: Subject;
  /** The names that the strategy's selector asks for. */
  readonly names: RequestedNames;
  readonly selector: BoundStrategy['selector'];
  readonly sourceFaults: readonly string[];
  readonly seed: number;
  readonly effort: Effort;
  /** Runs over generated markets, shared by several checks. */
  readonly survey: JudgedRuns;
  /** Monotonic time in milliseconds. */
  readonly clock: () => number;
}

/** A check of a strategy. */
export interface StrategyCheck {
  readonly name: CheckName;
  /** One line for the user. */
  readonly meaning: string;
  runCheck(context: CheckInput): CheckVerdict;
}
