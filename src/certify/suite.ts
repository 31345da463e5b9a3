// Makes every check of a strategy, in their order, over streams by a seed, and makes what fails as small as it can.
// Must never let one check's failure be another's.
import type { CheckContext } from './check.ts';
import { CHECKS } from './checks/all.ts';
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
  const { selector } = bindSubject(subject);
  const names = namesOf(selector);
  const survey = new Survey({ subject, names, seed, effort, clock });
  const context: CheckContext = { subject, names, selector, sourceFaults, seed, effort, survey, clock };
  const verdicts = CHECKS.filter(({ name }) => only.includes(name)).map((check) => {
    options.onCheck?.(check.name);
    const begun = clock();
    const verdict = check.run(context);
    options.onVerdict?.(verdict, clock() - begun);
    return verdict;
  });
  return { verdicts, seen: survey.isBegun ? survey.seen : null };
}
