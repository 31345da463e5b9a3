// Runs the checks of a strategy one after another, over generated markets and events. Must never let the failure of one
// check affect another.
import type { BoundStrategy } from '../strategy/strategy-definition.ts';
import type { StrategyCheck, CheckInput } from './strategy-check.ts';
import { CHECKS } from './checks/all-checks.ts';
import { WallClockError } from '../../backtest/wall-clock-guard.ts';
import { OwnCodeFault } from './runs/own-code-fault.ts';
import { CHECK_NAMES, type CheckName, type Effort, type CheckVerdict } from './check-verdict.ts';
import { requestedNames } from './streams/generated-markets.ts';
import { type Subject, bindSubject } from './runs/trial.ts';
import { type RunTotals, JudgedRuns } from './runs/judged-runs.ts';

export interface SuiteOptions {
  readonly subject: Subject;
  /** Default none. */
  readonly sourceFaults?: readonly string[];
  readonly seed: number;
  readonly effort: Effort;
  /** Default all. */
  readonly only?: readonly CheckName[];
  readonly clock: () => number;
  readonly onCheck?: (name: CheckName) => void;
  readonly onVerdict?: (verdict: CheckVerdict, elapsedMs: number) => void;
}

/**
 * All verdicts, and the totals of the runs that several checks share. `seen` is `null` when no check needed these runs.
 */
export interface CertifyResult {
  readonly verdicts: readonly CheckVerdict[];
  readonly seen: RunTotals | null;
}

/** Runs the requested checks, in the sequence of `CHECKS`. */
export function certify(options: SuiteOptions): CertifyResult {
  const { subject, sourceFaults = [], seed, effort, only = CHECK_NAMES, clock } = options;
  const bound = boundOrVerdict(subject);
  if ('check' in bound) {
    options.onVerdict?.(bound, 0);
    return { verdicts: [bound], seen: null };
  }
  const { selector } = bound;
  const names = requestedNames(selector);
  const survey = new JudgedRuns({ subject, names, seed, effort, clock });
  const context: CheckInput = { subject, names, selector, sourceFaults, seed, effort, survey, clock };
  const verdicts = CHECKS.filter(({ name }) => only.includes(name)).map((check) => {
    options.onCheck?.(check.name);
    const startedAt = clock();
    const verdict = verdictOf(check, context);
    options.onVerdict?.(verdict, clock() - startedAt);
    return verdict;
  });
  return { verdicts, seen: survey.hasRun ? survey.totals : null };
}

/** Makes the strategy twice: state shared by both would show. Without the strategy no other check can run. */
function boundOrVerdict(subject: Subject): BoundStrategy | CheckVerdict {
  try {
    bindSubject(subject);
    return bindSubject(subject);
  } catch (fault) {
    const isIsolationFault = fault instanceof OwnCodeFault && fault.cause instanceof WallClockError;
    return faultVerdict(isIsolationFault ? 'isolation' : 'loads', fault);
  }
}

function verdictOf(check: StrategyCheck, context: CheckInput): CheckVerdict {
  try {
    return check.runCheck(context);
  } catch (fault) {
    return faultVerdict(check.name, fault);
  }
}

/** An error of the strategy's own code is a verdict. Any other error is a fault of this program. */
function faultVerdict(check: CheckName, fault: unknown): CheckVerdict {
  if (!(fault instanceof OwnCodeFault)) throw fault;
  const remedy =
    'it is created many times, and `save` is called at any time: neither may throw or depend on other instances';
  return { check, isPassed: false, words: fault.message, remedy, stream: null };
}
