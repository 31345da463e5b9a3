// The decision list: nineteen checks. The first check that fails is the cause, and the rest are not reached.
import {
  checkAnswer,
  checkAsked,
  checkChange,
  checkDenial,
  checkFill,
  checkLane,
  checkLatch,
  checkRest,
  checkVenue,
} from './answer-checks.ts';
import {
  checkBook,
  checkFeed,
  checkHalt,
  checkJournal,
  checkMarket,
  checkPhase,
  checkSelection,
  checkSession,
  checkStatus,
  checkStrategy,
} from './session-checks.ts';
import { countedNoun } from '../../report/text/figure-text.ts';
import type { WhyStep } from '../why-answer.ts';
import { type Verdict, type WhyMoment, evidenceOf } from '../why-moment.ts';

/** Every check by name, the first to be made first. */
const CHECKS: readonly (readonly [string, (moment: WhyMoment) => Verdict])[] = [
  ['session', checkSession],
  ['journal', checkJournal],
  ['phase', checkPhase],
  ['halt', checkHalt],
  ['strategy', checkStrategy],
  ['market', checkMarket],
  ['selection', checkSelection],
  ['status', checkStatus],
  ['feed', checkFeed],
  ['book', checkBook],
  ['asked', checkAsked],
  ['answer', checkAnswer],
  ['change', checkChange],
  ['denial', checkDenial],
  ['lane', checkLane],
  ['latch', checkLatch],
  ['venue', checkVenue],
  ['rest', checkRest],
  ['fill', checkFill],
];

/** The names of all checks, the first to be made first. */
export const CHECK_NAMES: readonly string[] = CHECKS.map(([name]) => name);

/** The result of the decision list. */
export interface Judgment {
  readonly steps: readonly WhyStep[];
  /** Name of the check that decided. */
  readonly check: string;
  readonly verdict: Verdict;
}

/** Makes the checks of a moment until one decides. */
export function judgeMoment(moment: WhyMoment): Judgment {
  if (isOnRecordOnly(moment)) return judgeRecord(moment);
  const steps: WhyStep[] = [];
  for (const [check, make] of CHECKS) {
    const verdict = make(moment);
    const { text, figures = {} } = verdict;
    steps.push({ check, result: verdict.result === 'fail' ? 'fail' : 'pass', text, figures });
    if (verdict.result !== 'pass') return { steps: [...steps, ...notReached(check)], check, verdict };
  }
  // The last check always decides.
  return { steps, check: 'fill', verdict: { result: 'fail', text: 'no cause was found' } };
}

const notReached = (check: string): WhyStep[] =>
  CHECK_NAMES.slice(CHECK_NAMES.indexOf(check) + 1).map((name) => ({
    check: name,
    result: 'not reached',
    text: '',
    figures: {},
  }));

/** True when the replay differed from the journal before the moment. */
export const isOnRecordOnly = ({ session: { difference }, atUs }: WhyMoment): boolean =>
  difference !== null && atUs >= difference.atUs;

/** Answers from the recorded commands alone. The replay differed, so its strategy is no evidence. */
function judgeRecord(moment: WhyMoment): Judgment {
  const { session, store, pair, atUs, endUs } = moment;
  const sent = [...store.factsBackwards('sent', pair, { fromUs: atUs, toUs: endUs })];
  const found =
    sent.length === 0
      ? 'the journal has no order of it then'
      : `the journal has ${countedNoun(sent.length, 'order')} of it then`;
  const at = session.difference === null ? '' : moment.clock(session.difference.atUs);
  const text = `${found}; the replay differs from the journal since ${at}, so its reasons are not known: ${session.difference?.text ?? ''}`;
  const verdict: Verdict = {
    result: sent.length > 0 ? 'traded' : 'fail',
    text,
    sinceUs: session.difference?.atUs ?? null,
    evidence: sent.map((fact) => evidenceOf(fact, `order ${fact.order} is sent`)),
  };
  const first: WhyStep = { check: 'session', result: 'pass', text: checkSession(moment).text, figures: {} };
  const second: WhyStep = { check: 'journal', result: sent.length > 0 ? 'pass' : 'fail', text, figures: {} };
  return { steps: [first, second, ...notReached('journal')], check: 'journal', verdict };
}
