// The checks whose verdicts come from shared runs over generated markets. Each verdict is that of one judge: an
// observer that looks for one kind of fault.
import type { CheckVerdict, Finding } from '../check-verdict.ts';
import type { JudgeName } from '../runs/judges.ts';
import type { StrategyCheck, CheckInput } from '../strategy-check.ts';
import type { RunTotals } from '../runs/judged-runs.ts';

interface JudgedCheck {
  readonly meaning: string;
  readonly holds: (seen: RunTotals) => string;
  readonly remedy: string;
}

const count = (value: number): string => value.toLocaleString('en-US');

const TABLE: Readonly<Record<JudgeName, JudgedCheck>> = {
  isolation: {
    meaning: 'uses no clock, randomness, network, file or process',
    holds: ({ calls }) => `none used in ${count(calls)} calls`,
    remedy: 'the time is view.now and timers are intents; for randomness take a seed as a parameter',
  },
  throws: {
    meaning: 'no handler throws, whatever happens',
    holds: ({ calls, streams }) => `${count(calls)} calls in ${streams} streams`,
    remedy: 'a strategy that throws is halted alone and its orders are canceled: check values that may be absent',
  },
  numbers: {
    meaning: 'every figure of every intent is valid',
    holds: ({ intents }) => `${count(intents)} intents`,
    remedy: 'mid, spread and the best prices are null on a one-sided book; floorToGrid and ceilToGrid make prices',
  },
  limits: {
    meaning: 'keeps within the limits by itself',
    holds: ({ approved }) => `${count(approved)} orders`,
    remedy: 'bound the size of an order and of a position by your own params',
  },
  denials: {
    meaning: 'does not repeat a denied intent again and again',
    holds: ({ denied }) => `${count(denied)} denials`,
    remedy: 'handle onIntentOutcome, and wait until what the denial names has changed',
  },
  gaps: {
    meaning: 'prices no order from a book that is not live',
    holds: ({ events, streams }) => `${count(events)} events with gaps in ${streams} streams`,
    remedy:
      'check view.book(market).isLive first: other handlers than onBook and onOthersBest are called while a book is not live',
  },
  settlement: {
    meaning: 'wants no order in a settled market',
    holds: ({ streams }) => `closes, disputes and settlements in ${streams} streams`,
    remedy: 'drop a market in onMarket once its status is finalized, and stop its timers',
  },
};

/** Returns the advice for the finding of a judge. */
export const judgedRemedy = (name: JudgeName, finding: Finding | null): string => finding?.remedy ?? TABLE[name].remedy;

function judgedVerdict(name: JudgeName, { survey }: CheckInput): CheckVerdict {
  const { holds, remedy } = TABLE[name];
  const finding = survey.findingOf(name);
  if (finding === null) return { check: name, isPassed: true, words: holds(survey.totals), remedy: null, stream: null };
  return { check: name, isPassed: false, ...finding, remedy: finding.remedy ?? remedy };
}

/** A check whose verdict is the judge's alone. */
export const judgedCheck = (name: JudgeName): StrategyCheck => ({
  name,
  meaning: TABLE[name].meaning,
  runCheck: (context) => judgedVerdict(name, context),
});

/**
 * Checks that the strategy uses nothing outside itself, such as a clock or a file. Faults in the source come first,
 * then faults seen in runs.
 */
export const isolationCheck: StrategyCheck = {
  name: 'isolation',
  meaning: TABLE.isolation.meaning,
  runCheck(context) {
    const [first, ...others] = context.sourceFaults;
    if (first === undefined) return judgedVerdict('isolation', context);
    const words = others.length === 0 ? first : `${first} (and ${others.length} more)`;
    return { check: 'isolation', isPassed: false, words, remedy: TABLE.isolation.remedy, stream: null };
  },
};
