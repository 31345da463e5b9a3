// Checks that a strategy does not look ahead. Every market's description holds its outcome from the beginning, as
// careless recordings do. Other outcomes, or a lack of later events, must not change an earlier decision.
import type { StrategyCheck, CheckInput } from '../strategy-check.ts';
import { firstDifference } from '../runs/decision-difference.ts';
import type { Finding, CheckVerdict } from '../check-verdict.ts';
import { RECIPES, generateStream } from '../streams/stream-generator.ts';
import { shrinkFor } from '../streams/stream-shrinker.ts';
import type { Happening, Stream, StreamMarket } from '../streams/stream.ts';
import { atMillis, millisOf } from '../streams/stream-rows.ts';
import { type Decision, type Subject, decisionsOf } from '../runs/trial.ts';

const REMEDY = 'result and settlementValue are valid once the status is determined: decide nothing by them before';

export const blindnessCheck: StrategyCheck = {
  name: 'blindness',
  meaning: 'decides nothing by what is not known yet',
  runCheck(context) {
    const { subject, seed, effort, names } = context;
    const stream = generateStream(
      { ...RECIPES.mixed, seconds: effort.seconds, isToldEarly: true, name: 'early result' },
      seed,
      names,
    );
    const decided = decisionsOf(subject, stream);
    const times = timesOf(stream, effort.repetitions);
    let compared = 0;
    for (const untilMs of times) {
      const before = decided.filter(({ at }) => at < atMillis(untilMs));
      compared += before.length;
      for (const other of [withOtherOutcomes(stream, untilMs), withoutLater(stream, untilMs)]) {
        const finding = difference(before, decidedBefore(subject, other, untilMs));
        if (finding !== null) return failed(context, { stream, found: finding, untilMs });
      }
    }
    const words = `${compared} decisions with the outcomes changed ${times.length} times`;
    return { check: 'blindness', isPassed: true, words, remedy: null, stream: null };
  },
};

interface LookedAhead {
  readonly stream: Stream;
  readonly found: Finding;
  readonly untilMs: number;
}

function failed(context: CheckInput, { stream, found: finding, untilMs }: LookedAhead): CheckVerdict {
  const shows = (smaller: Stream): Finding | null => {
    const before = decidedBefore(context.subject, smaller, untilMs);
    return (
      difference(before, decidedBefore(context.subject, withOtherOutcomes(smaller, untilMs), untilMs)) ??
      difference(before, decidedBefore(context.subject, withoutLater(smaller, untilMs), untilMs))
    );
  };
  const smallest = shrinkFor(stream, { finding, findFault: shows }, context);
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
  const finding = firstDifference(before, other);
  if (finding === null) return null;
  return { words: `with another future it decides differently before: ${finding.words}`, atMs: millisOf(finding.at) };
}

/** Times at which an outcome becomes known, chosen evenly. The first is always chosen. */
function timesOf({ happenings }: Stream, count: number): number[] {
  const determined = happenings.flatMap((each) =>
    each.type === 'life' && each.status === 'determined' ? [each.atMs] : [],
  );
  const chosen = Array.from({ length: count }, (_, i) => determined[Math.floor((i * determined.length) / count)]);
  return [...new Set(chosen.filter((time) => time !== undefined))];
}

/**
 * Events this soon after the compared time stay as they are: they happened at the venue before they were recorded.
 * Milliseconds.
 */
const MARGIN_MS = 100;

/** Replaces each outcome that is not known yet by its opposite. */
function withOtherOutcomes(stream: Stream, fromMs: number): Stream {
  const determined = new Set(
    stream.happenings.flatMap((each) =>
      each.type === 'life' && each.status === 'determined' && each.atMs < fromMs + MARGIN_MS ? [each.market] : [],
    ),
  );
  const isChanged = (market: string | null): boolean => market !== null && !determined.has(market);
  const opposite = (result: StreamMarket['result']): StreamMarket['result'] =>
    result === 'yes' ? 'no' : result === 'no' ? 'yes' : result;
  return {
    ...stream,
    markets: stream.markets.map((each) => (isChanged(each.ticker) ? { ...each, result: opposite(each.result) } : each)),
    happenings: stream.happenings.map((each): Happening => {
      if (each.type !== 'life' || each.result === undefined || !isChanged(each.market)) return each;
      return { ...each, result: opposite(each.result) };
    }),
  };
}

/** The descriptions of markets stay. */
const withoutLater = (stream: Stream, atMs: number): Stream => ({
  ...stream,
  happenings: stream.happenings.filter((each) => each.atMs < atMs + MARGIN_MS),
});
