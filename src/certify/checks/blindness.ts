// Whether a strategy looks ahead: every market's outcome stands in its description from the beginning, as careless
// recordings have it. Turned over, and with all that comes later left out, nothing may be decided otherwise before.
import type { Check, CheckContext } from '../check.ts';
import { firstDifference } from '../difference.ts';
import type { Finding, Verdict } from '../finding.ts';
import { RECIPES, generate } from '../generate.ts';
import { shrinkFor } from '../shrink.ts';
import type { Happening, Stream, StreamMarket } from '../stream.ts';
import { atMillis, millisOf } from '../stream-rows.ts';
import { type Decision, type Subject, decisionsOf } from '../trial.ts';

const REMEDY = 'result and settlementValue mean something once the status is determined: decide nothing by them before';

export const blindnessCheck: Check = {
  name: 'blindness',
  meaning: 'decides nothing by what is not known yet',
  run(context) {
    const { subject, seed, effort, names } = context;
    const stream = generate(
      { ...RECIPES.mixed, seconds: effort.seconds, isToldEarly: true, name: 'told early' },
      seed,
      names,
    );
    const decided = decisionsOf(subject, stream);
    const times = timesOf(stream, effort.turns);
    let compared = 0;
    for (const untilMs of times) {
      const before = decided.filter(({ at }) => at < atMillis(untilMs));
      compared += before.length;
      for (const other of [turnedFrom(stream, untilMs), cutAt(stream, untilMs)]) {
        const found = difference(before, decidedBefore(subject, other, untilMs));
        if (found !== null) return failed(context, { stream, found, untilMs });
      }
    }
    const words = `${compared} decisions with ${times.length} times the outcomes turned over`;
    return { check: 'blindness', isPassed: true, words, remedy: null, stream: null };
  },
};

interface Peeked {
  readonly stream: Stream;
  readonly found: Finding;
  readonly untilMs: number;
}

function failed(context: CheckContext, { stream, found, untilMs }: Peeked): Verdict {
  const shows = (smaller: Stream): Finding | null => {
    const before = decidedBefore(context.subject, smaller, untilMs);
    return (
      difference(before, decidedBefore(context.subject, turnedFrom(smaller, untilMs), untilMs)) ??
      difference(before, decidedBefore(context.subject, cutAt(smaller, untilMs), untilMs))
    );
  };
  const smallest = shrinkFor(stream, { finding: found, shows }, context);
  return {
    check: 'blindness',
    isPassed: false,
    words: smallest.finding.words,
    remedy: REMEDY,
    stream: smallest.stream,
  };
}

const decidedBefore = (subject: Subject, stream: Stream, untilMs: number): Decision[] =>
  decisionsOf(subject, stream).filter(({ at }) => at < atMillis(untilMs));

function difference(before: readonly Decision[], other: readonly Decision[]): Finding | null {
  const found = firstDifference(before, other);
  if (found === null) return null;
  return { words: `with another future it decides otherwise before: ${found.words}`, atMs: millisOf(found.at) };
}

/** Times at which an outcome becomes known, evenly chosen, the first always. */
function timesOf({ happenings }: Stream, count: number): number[] {
  const known = happenings.flatMap((each) => (each.type === 'life' && each.status === 'determined' ? [each.atMs] : []));
  const chosen = Array.from({ length: count }, (_, i) => known[Math.floor((i * known.length) / count)]);
  return [...new Set(chosen.filter((time) => time !== undefined))];
}

/** How long before a time nothing can have come of it yet: what the venue does, the recorder learns a little later. */
const MARGIN_MS = 100;

/** The stream as it would be had every outcome that becomes known from then on been the other one. */
function turnedFrom(stream: Stream, fromMs: number): Stream {
  const known = new Set(
    stream.happenings.flatMap((each) =>
      each.type === 'life' && each.status === 'determined' && each.atMs < fromMs + MARGIN_MS ? [each.market] : [],
    ),
  );
  const isTurned = (market: string | null): boolean => market !== null && !known.has(market);
  const turned = (result: StreamMarket['result']): StreamMarket['result'] =>
    result === 'yes' ? 'no' : result === 'no' ? 'yes' : result;
  return {
    ...stream,
    markets: stream.markets.map((each) => (isTurned(each.ticker) ? { ...each, result: turned(each.result) } : each)),
    happenings: stream.happenings.map((each): Happening => {
      if (each.type !== 'life' || each.result === undefined || !isTurned(each.market)) return each;
      return { ...each, result: turned(each.result) };
    }),
  };
}

/** The stream without what happens later: markets that are described by then stay. */
const cutAt = (stream: Stream, atMs: number): Stream => ({
  ...stream,
  happenings: stream.happenings.filter((each) => each.atMs < atMs + MARGIN_MS),
});
