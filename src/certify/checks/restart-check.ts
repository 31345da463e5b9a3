// Checks a strategy across a restart. It must restore its saved state, and decide the same as without a restart. Market
// indexes change in the next session, and must not matter.
import { must } from '../../base/assert.ts';
import { handlerOf } from '../../strategy/handler-names.ts';
import type { BoundStrategy, Intents, StatePersistence } from '../../strategy/strategy-definition.ts';
import type { StrategyView } from '../../state/strategy-view.ts';
import { canonicalJson } from '../../tape/format/canonical-json.ts';
import type { StrategyCheck, CheckInput } from '../strategy-check.ts';
import { OwnCodeFault } from '../runs/own-code-fault.ts';
import { type DecisionText, firstDifference } from '../runs/decision-difference.ts';
import type { Finding, CheckVerdict } from '../check-verdict.ts';
import { mixedStream } from '../streams/stream-generator.ts';
import { shrinkFor } from '../streams/stream-shrinker.ts';
import { type Stream, shiftStream } from '../streams/stream.ts';
import { millisOf } from '../streams/stream-rows.ts';
import { type Decision, type Subject, bindSubject, decisionsOf, runTrial } from '../runs/trial.ts';
import { type HandlerCall, wrapHandlers } from '../runs/call-observers.ts';

const REMEDY =
  'read positions and orders from the view, and save the rest: saved, save and restore, with markets by their tickers';
/** Shares of a run after which a new strategy takes over. */
const PARTS = [0.35, 0.7] as const;

export const restartCheck: StrategyCheck = {
  name: 'restart',
  meaning: 'decides the same after a restart',
  runCheck(context) {
    const { subject, seed, effort, names } = context;
    let compared = 0;
    for (let turn = 0; turn < effort.repetitions; turn++) {
      const stream = mixedStream(effort, seed + turn, names);
      const decided = decisionsOf(subject, stream);
      compared += decided.length;
      for (const part of PARTS) {
        const atMs = Math.round(stream.untilMs * part);
        const difference = differenceAfter(subject, { stream, decided, atMs });
        if (difference !== null) return failed(context, { stream, found: difference, atMs });
      }
      const renumbered = renumberedFinding(context, stream, seed + turn + SECOND);
      if (renumbered !== null) return verdict(renumbered.words, null);
    }
    const stateText = bindSubject(subject).persistence === undefined ? 'no state saved' : 'its saved state is enough';
    return {
      ...verdict(`${compared} decisions, ${PARTS.length * effort.repetitions} restarts: ${stateText}`, null),
      ...PASSED,
    };
  },
};

const PASSED = { isPassed: true, remedy: null } as const;
const verdict = (words: string, stream: Stream | null): CheckVerdict => ({
  check: 'restart',
  isPassed: false,
  words,
  remedy: REMEDY,
  stream,
});

interface RestartFault {
  readonly stream: Stream;
  readonly found: Finding;
  readonly atMs: number;
}

function failed(context: CheckInput, { stream, found: difference, atMs }: RestartFault): CheckVerdict {
  const { subject } = context;
  const shows = (smaller: Stream): Finding | null =>
    differenceAfter(subject, { stream: smaller, decided: decisionsOf(subject, smaller), atMs });
  const smallest = shrinkFor(stream, { finding: difference, findFault: shows }, context);
  return verdict(`restarted at ${(atMs / 1000).toFixed(1)}s, ${smallest.finding.words}`, smallest.stream);
}

interface OriginalRun {
  readonly stream: Stream;
  readonly decided: readonly Decision[];
  readonly atMs: number;
}

function differenceAfter(subject: Subject, { stream, decided, atMs }: OriginalRun): Finding | null {
  const replaced = new ReplacedInstance(subject, atMs);
  const decisions = decisionsOf(subject, stream, { wrap: (bound) => replaced.around(bound) });
  if (replaced.fault !== null) return replaced.fault;
  const difference = firstDifference(decided, decisions);
  return difference === null
    ? null
    : { words: `it decides differently than it would have: ${difference.words}`, atMs: millisOf(difference.at) };
}

/** A strategy that is replaced at a time by a new one with only the saved state. */
class ReplacedInstance {
  readonly #subject: Subject;
  readonly #atMs: number;
  #fresh: BoundStrategy | null = null;
  fault: Finding | null = null;

  constructor(subject: Subject, atMs: number) {
    this.#subject = subject;
    this.#atMs = atMs;
  }

  around(bound: BoundStrategy): BoundStrategy {
    return wrapHandlers(bound, (call, ask) => {
      if (this.#fresh === null && millisOf(call.view.now) >= this.#atMs) this.#replaceOrReport(bound, call.view);
      return this.#fresh === null ? ask() : callOn(this.#fresh, call);
    });
  }

  #replaceOrReport(bound: BoundStrategy, view: StrategyView): void {
    try {
      this.#replace(bound, view);
    } catch (fault) {
      if (fault instanceof OwnCodeFault) this.fault ??= { words: fault.message, atMs: millisOf(view.now) };
      throw fault;
    }
  }

  #replace(bound: BoundStrategy, view: StrategyView): void {
    const fresh = bindSubject(this.#subject);
    this.#fresh = fresh;
    if (bound.persistence !== undefined)
      this.#passState(bound.persistence, must(fresh.persistence, 'keeping of the new instance'), view);
    // The new strategy is called as at the start of a session. Its answers are dropped: the first strategy's answers
    // are already in effect.
    void fresh.handlers.onStart?.({ at: view.now }, view);
    for (const index of view.markets)
      void fresh.handlers.onMarket?.({ market: view.market(index), before: null }, view);
  }

  /** The state is passed as text, as a file would hold it. */
  #passState(from: StatePersistence<unknown>, to: StatePersistence<unknown>, view: StrategyView): void {
    const text = savedText(from);
    const savedAgain = savedText(from);
    restoreText(to, text, view);
    const restoredText = savedText(to);
    if (savedAgain !== text)
      this.#report(`it saves ${excerpt(savedAgain)} where it saved ${excerpt(text)} just before`, view);
    if (restoredText !== text)
      this.#report(`it restores ${excerpt(restoredText)} of what it saved as ${excerpt(text)}`, view);
  }

  #report(words: string, view: StrategyView): void {
    this.fault ??= { words, atMs: millisOf(view.now) };
  }
}

const excerpt = (text: string): string => text.slice(0, 60);

function savedText(keeping: StatePersistence<unknown>): string {
  try {
    return canonicalJson(keeping.save());
  } catch (fault) {
    throw new OwnCodeFault('save', fault);
  }
}

function restoreText(keeping: StatePersistence<unknown>, text: string, view: StrategyView): void {
  try {
    keeping.restore(JSON.parse(text), view);
  } catch (fault) {
    throw new OwnCodeFault('restore', fault);
  }
}

const callOn = ({ handlers }: BoundStrategy, { handler, event, view }: HandlerCall): Intents =>
  handlerOf(handlers, handler)?.(event, view);

/** Difference between the seeds of the first and the second session. */
const SECOND = 1_000_003;

/** Finds a decision of a second session that depends on market indexes. */
function renumberedFinding({ subject, names, effort }: CheckInput, first: Stream, seed: number): Finding | null {
  const saved = savedBy(subject, first);
  const stream = shiftStream(mixedStream(effort, seed, names), first.untilMs);
  const faults: Finding[] = [];
  const wrap = (bound: BoundStrategy): BoundStrategy => restoredFrom(bound, saved, faults);
  const [inOrder, reversed] = [false, true].map((isReversed) =>
    sortedOrders(decisionsOf(subject, stream, { wrap, isReversed, isUnlimited: true })),
  );
  if (faults[0] !== undefined) return faults[0];
  const difference = firstDifference(must(inOrder, 'decisions'), must(reversed, 'decisions'), textWithoutIndexes);
  return difference === null
    ? null
    : { words: `market indexes decide in the next session: ${difference.words}`, atMs: millisOf(difference.at) };
}

function savedBy(subject: Subject, stream: Stream): string | null {
  const { bound } = runTrial(subject, stream);
  return bound.persistence === undefined ? null : savedText(bound.persistence);
}

function restoredFrom(bound: BoundStrategy, saved: string | null, faults: Finding[]): BoundStrategy {
  const { persistence } = bound;
  if (saved === null || persistence === undefined) return bound;
  let isRestored = false;
  return wrapHandlers(bound, (call, ask) => {
    const isFirst = !isRestored;
    isRestored = true;
    if (isFirst) restoreOrReport(persistence, saved, { view: call.view, faults });
    return ask();
  });
}

interface RestoreReport {
  readonly view: StrategyView;
  readonly faults: Finding[];
}

function restoreOrReport(keeping: StatePersistence<unknown>, saved: string, { view, faults }: RestoreReport): void {
  try {
    restoreText(keeping, saved, view);
  } catch (fault) {
    if (fault instanceof OwnCodeFault)
      faults.push({ words: `in the next session, ${fault.message}`, atMs: millisOf(view.now) });
    throw fault;
  }
}

/** Returns placed orders only, in a sequence that does not depend on market indexes. */
function sortedOrders(decisions: readonly Decision[]): Decision[] {
  const orders = decisions.filter(({ command }) => command.type === 'place');
  return orders.sort((a, b) => a.at - b.at || (textWithoutIndexes(a) < textWithoutIndexes(b) ? -1 : 1));
}

const textWithoutIndexes: DecisionText = ({ at, command }) =>
  command.type === 'place'
    ? `${at} ${command.ticker} ${command.side} ${command.price} ${command.qty} ${command.timeInForce}`
    : '';
