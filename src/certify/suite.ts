// Makes every check of a strategy, in their order, over streams by a seed, and makes what fails as small as it can.
// Must never let one check's failure be another's.
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
  /** What a look at its code found; nothing where nobody looked. */
  readonly sourceFaults?: readonly string[];
  readonly seed: number;
  readonly effort: Effort;
  /** Only these; all without it. */
  readonly only?: readonly CheckName[];
  readonly clock: () => number;
  /** Told of each check as it begins, and of what it found. */
  readonly onCheck?: (name: CheckName) => void;
  readonly onVerdict?: (verdict: Verdict, elapsedMs: number) => void;
}

/** All verdicts, and what was seen in the runs that several checks look at; `null` where none of those was made. */
export interface Certified {
  readonly verdicts: readonly Verdict[];
  readonly seen: Seen | null;
}

/** Makes the checks. */
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
    const begun = clock();
    const verdict = verdictOf(check, context);
    options.onVerdict?.(verdict, clock() - begun);
    return verdict;
  });
  return { verdicts, seen: survey.isBegun ? survey.seen : null };
}

/** The strategy, made for the second time at least; or that it cannot be, and then there is nothing else to be checked. */
function boundOrVerdict(subject: Subject): BoundStrategy | Verdict {
  try {
    bindSubject(subject);
    return bindSubject(subject);
  } catch (fault) {
    const isAsking = fault instanceof OwnCodeFault && fault.cause instanceof WallClockError;
    return faultVerdict(isAsking ? 'isolation' : 'loads', fault);
  }
}

function verdictOf(check: Check, context: CheckContext): Verdict {
  try {
    return check.run(context);
  } catch (fault) {
    return faultVerdict(check.name, fault);
  }
}

/** What its own code threw is the strategy's; anything else is a fault of this program, and goes on. */
function faultVerdict(check: CheckName, fault: unknown): Verdict {
  if (!(fault instanceof OwnCodeFault)) throw fault;
  const remedy =
    'it is made many times, and asked what it keeps at any time: neither may throw, or know of other instances';
  return { check, isPassed: false, words: fault.message, remedy, stream: null };
}
