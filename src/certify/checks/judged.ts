// The checks whose verdict comes from the judged runs over mixed streams, and what would help whoever fails one.
import type { Verdict } from '../finding.ts';
import type { JudgeName } from '../judges.ts';
import type { Check, CheckContext } from '../check.ts';
import type { Seen } from '../survey.ts';

interface Judged {
  readonly meaning: string;
  readonly holds: (seen: Seen) => string;
  readonly remedy: string;
}

const count = (value: number): string => value.toLocaleString('en-US');

const TABLE: Readonly<Record<JudgeName, Judged>> = {
  isolation: {
    meaning: 'asks for no clock, chance, network, file or process',
    holds: ({ calls }) => `nothing asked for in ${count(calls)} calls`,
    remedy: 'time is view.now and timers are intents; chance needs a seed of its own among the params',
  },
  throws: {
    meaning: 'no handler throws, whatever happens',
    holds: ({ calls, streams }) => `${count(calls)} calls in ${streams} streams`,
    remedy: 'a strategy that throws is halted alone and its orders are withdrawn: look at what may be absent',
  },
  numbers: {
    meaning: 'every figure of every intent is one',
    holds: ({ intents }) => `${count(intents)} intents`,
    remedy: 'mid, spread and the best prices are null on a one-sided book; floorToGrid and ceilToGrid make prices',
  },
  limits: {
    meaning: 'keeps within the limits by itself',
    holds: ({ approved }) => `${count(approved)} orders`,
    remedy: 'bound the size of an order and of a position by params of your own',
  },
  denials: {
    meaning: 'does not ask again and again for what is denied',
    holds: ({ denied }) => `${count(denied)} denials`,
    remedy: 'listen to onIntentOutcome, and wait until what the denial names has changed',
  },
  gaps: {
    meaning: 'prices nothing off a book that is not live',
    holds: ({ events, streams }) => `${count(events)} events with gaps in ${streams} streams`,
    remedy: 'look at view.book(market).isLive first: other handlers than onBook are called while a book is not',
  },
  settlement: {
    meaning: 'wants nothing in a market that is settled',
    holds: ({ streams }) => `closes, disputes and settlements in ${streams} streams`,
    remedy: 'let go of a market in onMarket once its status is finalized, and stop its timers',
  },
};

/** What would help whoever a judge has found something of. */
export const judgedRemedy = (name: JudgeName): string => TABLE[name].remedy;

/** Whether the run itself may be looked at for it; what else the check of that name knows is added. */
function judgedVerdict(name: JudgeName, { survey }: CheckContext): Verdict {
  const { holds, remedy } = TABLE[name];
  const found = survey.found(name);
  if (found === null) return { check: name, isPassed: true, words: holds(survey.seen), remedy: null, stream: null };
  return { check: name, isPassed: false, ...found, remedy };
}

/** A check that is nothing but the judge's. */
export const judgedCheck = (name: JudgeName): Check => ({
  name,
  meaning: TABLE[name].meaning,
  run: (context) => judgedVerdict(name, context),
});

/** That it asks for nothing of the world: neither by its code nor in any run. */
export const isolationCheck: Check = {
  name: 'isolation',
  meaning: TABLE.isolation.meaning,
  run(context) {
    const [first, ...others] = context.sourceFaults;
    if (first === undefined) return judgedVerdict('isolation', context);
    const words = others.length === 0 ? first : `${first} (and ${others.length} more)`;
    return { check: 'isolation', isPassed: false, words, remedy: TABLE.isolation.remedy, stream: null };
  },
};
