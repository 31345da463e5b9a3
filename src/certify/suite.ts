// Runs every check of a strategy, in their order, over streams from a seed, and shrinks the streams of those that fail.
// Must never let the failure of one check affect another.
import type { BoundStrategy } from '../strategy/strategy.ts';
import type { Check, CheckContext } from './check.ts';
import { CHECKS } from './checks/all.ts';
import { WallClockError } from '../../backtest/wall-clock.ts';
import { OwnCodeFault } from './own-code-fault.ts';
import { CHECK_NAMES, type CheckName, type Effort, type Verdict } from './finding.ts';
import { namesOf } from './generate-markets.ts';
import { type Subject, bindSubject } from './trial.ts';
import { type Seen, Survey } from './survey.ts';

export interface SuiteOptions {
  readonly subject: Subject;
  /** Faults found in its source code. Default none. */
  readonly sourceFaults?: readonly string[];
  readonly seed: number;
  readonly effort: Effort;
  /** The checks to run. Default all. */
  readonly only?: readonly CheckName[];
  readonly clock: () => number;
  /** Called when a check starts, and with its verdict. */
  readonly onCheck?: (name: CheckName) => void;
  readonly onVerdict?: (verdict: Verdict, elapsedMs: number) => void;
}

/** All verdicts, and the totals of the runs that several checks share; `null` when none of those ran. */
export interface Certified {
  readonly verdicts: readonly Verdict[];
  readonly seen: Seen | null;
}

/** Runs the checks. */
export function certify(options: SuiteOptions): Certified {
  const { subject, sourceFaults = [], seed, effort, only = CHECK_NAMES, clock } = options;
  const bound = boundOrVerdict(subject);
  if ('check' in bound) {
    options.onVerdict?.(bound, 0);
    return { verdicts: [bound], seen: null };
  }
  const { selector } = bound;
  const names = namesOf(selector);
  const survey = new Survey({ subject, names, seed, effort, clock });
  const context: CheckContext = { subject, names, selector, sourceFaults, seed, effort, survey, clock };
  const verdicts = CHECKS.filter(({ name }) => only.includes(name)).map((check) => {
    options.onCheck?.(check.name);
    const startedAt = clock();
    const verdict = verdictOf(check, context);
    options.onVerdict?.(verdict, clock() - startedAt);
    return verdict;
  });
  return { verdicts, seen: survey.isBegun ? survey.seen : null };
}

/**
 * Makes the strategy twice, so that state shared between instances shows. Returns a verdict when that fails; no other
 * check can then run.
 */
function boundOrVerdict(subject: Subject): BoundStrategy | Verdict {
  try {
    bindSubject(subject);
    return bindSubject(subject);
  } catch (fault) {
    const isIsolationFault = fault instanceof OwnCodeFault && fault.cause instanceof WallClockError;
    return faultVerdict(isIsolationFault ? 'isolation' : 'loads', fault);
  }
}

function verdictOf(check: Check, context: CheckContext): Verdict {
  try {
    return check.run(context);
  } catch (fault) {
    return faultVerdict(check.name, fault);
  }
}

/**
 * An error of the strategy's own code becomes a verdict. Any other error is a fault of this program and is thrown on.
 */
function faultVerdict(check: CheckName, fault: unknown): Verdict {
  if (!(fault instanceof OwnCodeFault)) throw fault;
  const remedy =
    'it is created many times, and `save` is called at any time: neither may throw or depend on other instances';
  return { check, isPassed: false, words: fault.message, remedy, stream: null };
}
