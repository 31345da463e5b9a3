// What a strategy remembers over a restart: what it saves it restores; a fresh instance with what was saved, put in the
// place of the running one, decides the same from there on; and a second session may number the markets otherwise.
import { must } from '../../domain/assert.ts';
import { handlerOf } from '../../strategy/handler-names.ts';
import type { BoundStrategy, Intents, Keeping } from '../../strategy/strategy.ts';
import type { StrategyView } from '../../state/view.ts';
import { canonicalJson } from '../../tape/canonical.ts';
import type { Check, CheckContext } from '../check.ts';
import { OwnCodeFault } from '../own-code-fault.ts';
import { type TextOf, firstDifference } from '../difference.ts';
import type { Finding, Verdict } from '../finding.ts';
import { mixedStream } from '../generate.ts';
import { shrinkFor } from '../shrink.ts';
import { type Stream, shifted } from '../stream.ts';
import { millisOf } from '../stream-rows.ts';
import { type Decision, type Subject, bindSubject, decisionsOf, runTrial } from '../trial.ts';
import { type Call, surrounded } from '../watched.ts';

const REMEDY =
  'read positions and orders from the view, and keep the rest: saved, save and restore, markets by their tickers';
/** Instances are changed at these parts of a stream. */
const PARTS = [0.35, 0.7] as const;

export const restartCheck: Check = {
  name: 'restart',
  meaning: 'decides the same after a restart',
  run(context) {
    const { subject, seed, effort, names } = context;
    let compared = 0;
    for (let turn = 0; turn < effort.turns; turn++) {
      const stream = mixedStream(effort, seed + turn, names);
      const decided = decisionsOf(subject, stream);
      compared += decided.length;
      for (const part of PARTS) {
        const atMs = Math.round(stream.untilMs * part);
        const found = differenceAfter(subject, { stream, decided, atMs });
        if (found !== null) return failed(context, { stream, found, atMs });
      }
      const renumbered = renumberedFinding(context, stream, seed + turn + SECOND);
      if (renumbered !== null) return verdict(renumbered.words, null);
    }
    const kept = bindSubject(subject).keeping === undefined ? 'nothing kept' : 'what it keeps is enough';
    return { ...verdict(`${compared} decisions, ${PARTS.length * effort.turns} restarts: ${kept}`, null), ...PASSED };
  },
};

const PASSED = { isPassed: true, remedy: null } as const;
const verdict = (words: string, stream: Stream | null): Verdict => ({
  check: 'restart',
  isPassed: false,
  words,
  remedy: REMEDY,
  stream,
});

interface Restarted {
  readonly stream: Stream;
  readonly found: Finding;
  readonly atMs: number;
}

function failed(context: CheckContext, { stream, found, atMs }: Restarted): Verdict {
  const { subject } = context;
  const shows = (smaller: Stream): Finding | null =>
    differenceAfter(subject, { stream: smaller, decided: decisionsOf(subject, smaller), atMs });
  const smallest = shrinkFor(stream, { finding: found, shows }, context);
  return verdict(`restarted at ${(atMs / 1000).toFixed(1)}s, ${smallest.finding.words}`, smallest.stream);
}

interface Before {
  readonly stream: Stream;
  readonly decided: readonly Decision[];
  readonly atMs: number;
}

/** What another instance in its place, from a time on, does otherwise. */
function differenceAfter(subject: Subject, { stream, decided, atMs }: Before): Finding | null {
  const changing = new Changing(subject, atMs);
  const decisions = decisionsOf(subject, stream, { wrap: (bound) => changing.around(bound) });
  if (changing.fault !== null) return changing.fault;
  const found = firstDifference(decided, decisions);
  return found === null
    ? null
    : { words: `it decides otherwise than it would have: ${found.words}`, atMs: millisOf(found.at) };
}

/** A strategy whose instance is another one from a time on, and that knows of the first only what it saved. */
class Changing {
  readonly #subject: Subject;
  readonly #atMs: number;
  #fresh: BoundStrategy | null = null;
  fault: Finding | null = null;

  constructor(subject: Subject, atMs: number) {
    this.#subject = subject;
    this.#atMs = atMs;
  }

  around(bound: BoundStrategy): BoundStrategy {
    return surrounded(bound, (call, ask) => {
      if (this.#fresh === null && millisOf(call.view.now) >= this.#atMs) this.#changeOrSay(bound, call.view);
      return this.#fresh === null ? ask() : askOf(this.#fresh, call);
    });
  }

  #changeOrSay(bound: BoundStrategy, view: StrategyView): void {
    try {
      this.#change(bound, view);
    } catch (fault) {
      if (fault instanceof OwnCodeFault) this.fault ??= { words: fault.message, atMs: millisOf(view.now) };
      throw fault;
    }
  }

  #change(bound: BoundStrategy, view: StrategyView): void {
    const fresh = bindSubject(this.#subject);
    this.#fresh = fresh;
    if (bound.keeping !== undefined) this.#hand(bound.keeping, must(fresh.keeping, 'keeping of the fresh one'), view);
    // As at the start of a session; what it wants then is still wanted from the first instance's time.
    void fresh.handlers.onStart?.({ at: view.now }, view);
    for (const index of view.markets)
      void fresh.handlers.onMarket?.({ market: view.market(index), before: null }, view);
  }

  /** What the one saved, the other restores: as a file would hold it. */
  #hand(from: Keeping<unknown>, to: Keeping<unknown>, view: StrategyView): void {
    const text = savedText(from);
    const twice = savedText(from);
    restoreText(to, text, view);
    const again = savedText(to);
    if (twice !== text) this.#differs(`it saves ${shown(twice)} where it saved ${shown(text)} just before`, view);
    if (again !== text) this.#differs(`it restores ${shown(again)} of what it saved as ${shown(text)}`, view);
  }

  #differs(words: string, view: StrategyView): void {
    this.fault ??= { words, atMs: millisOf(view.now) };
  }
}

const shown = (text: string): string => text.slice(0, 60);

function savedText(keeping: Keeping<unknown>): string {
  try {
    return canonicalJson(keeping.save());
  } catch (fault) {
    throw new OwnCodeFault('save', fault);
  }
}

function restoreText(keeping: Keeping<unknown>, text: string, view: StrategyView): void {
  try {
    keeping.restore(JSON.parse(text), view);
  } catch (fault) {
    throw new OwnCodeFault('restore', fault);
  }
}

/** The same event for the same handler of another instance. */
const askOf = ({ handlers }: BoundStrategy, { handler, event, view }: Call): Intents =>
  handlerOf(handlers, handler)?.(event, view);

/** Added to the seed of a first session for the second. */
const SECOND = 1_000_003;

/** What a second session decides otherwise because its markets have other numbers. */
function renumberedFinding({ subject, names, effort }: CheckContext, first: Stream, seed: number): Finding | null {
  const saved = savedBy(subject, first);
  const stream = shifted(mixedStream(effort, seed, names), first.untilMs);
  const faults: Finding[] = [];
  const wrap = (bound: BoundStrategy): BoundStrategy => restored(bound, saved, faults);
  const [ours, theirs] = [false, true].map((isReversed) =>
    inOrder(decisionsOf(subject, stream, { wrap, isReversed, isUnhurried: true })),
  );
  if (faults[0] !== undefined) return faults[0];
  const found = firstDifference(must(ours, 'decisions'), must(theirs, 'decisions'), unnumbered);
  return found === null
    ? null
    : { words: `numbers of markets decide in the next session: ${found.words}`, atMs: millisOf(found.at) };
}

function savedBy(subject: Subject, stream: Stream): string | null {
  const { bound } = runTrial(subject, stream);
  return bound.keeping === undefined ? null : savedText(bound.keeping);
}

/** A strategy that begins with what another session saved. */
function restored(bound: BoundStrategy, saved: string | null, faults: Finding[]): BoundStrategy {
  const { keeping } = bound;
  if (saved === null || keeping === undefined) return bound;
  let isRestored = false;
  return surrounded(bound, (call, ask) => {
    const isFirst = !isRestored;
    isRestored = true;
    if (isFirst) restoreOrSay(keeping, saved, { view: call.view, faults });
    return ask();
  });
}

interface Saying {
  readonly view: StrategyView;
  readonly faults: Finding[];
}

function restoreOrSay(keeping: Keeping<unknown>, saved: string, { view, faults }: Saying): void {
  try {
    restoreText(keeping, saved, view);
  } catch (fault) {
    if (fault instanceof OwnCodeFault)
      faults.push({ words: `in the next session, ${fault.message}`, atMs: millisOf(view.now) });
    throw fault;
  }
}

/** Orders alone, in an order that no number of a market decides. */
function inOrder(decisions: readonly Decision[]): Decision[] {
  const orders = decisions.filter(({ command }) => command.type === 'place');
  return orders.sort((a, b) => a.at - b.at || (unnumbered(a) < unnumbered(b) ? -1 : 1));
}

const unnumbered: TextOf = ({ at, command }) =>
  command.type === 'place'
    ? `${at} ${command.ticker} ${command.side} ${command.price} ${command.qty} ${command.timeInForce}`
    : '';
