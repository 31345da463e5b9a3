// The score card: every check with its result, and each failed check with the smallest stream (generated markets with
// their events) that shows the failure.
import { wrappedText } from '../report/text/text-columns.ts';
import type { CheckName, CheckVerdict } from './check-verdict.ts';
import type { RunTotals } from './runs/judged-runs.ts';
import { streamText } from './streams/stream.ts';

export interface ScoreCard {
  readonly strategy: string;
  readonly place: string;
  /** Flags with the strategy's parameters, as words for a shell. Another run without them would be of other parameters. */
  readonly paramFlags: readonly string[];
  readonly seed: number;
  readonly effort: string;
  readonly verdicts: readonly CheckVerdict[];
  readonly elapsedMs: ReadonlyMap<CheckName, number>;
  readonly seen: RunTotals | null;
}

/** Maximum number of printed lines of a stream. */
const LINES_MAX = 40;
const NAME_WIDTH = 13;
const ROOM_MIN = 30;

/** True when at least one check ran and all have passed. */
export const isCertified = ({ verdicts }: Pick<ScoreCard, 'verdicts'>): boolean =>
  verdicts.length > 0 && verdicts.every(({ isPassed }) => isPassed);

/** Returns the card as lines that fit the terminal. */
export function scoreCardText(card: ScoreCard, width: number): string[] {
  const { strategy, place, seed, effort, verdicts } = card;
  const failed = verdicts.filter(({ isPassed }) => !isPassed);
  return [
    ...wrappedText(`${strategy} (${place}), seed ${seed}, ${effort}`, width),
    '',
    ...verdicts.flatMap((verdict) => verdictText(verdict, width)),
    '',
    ...(hasNoOrders(card) ? [...wrappedText(NO_ORDERS, width), ''] : []),
    ...failed.flatMap((verdict) => streamLines(verdict, card, width)),
    resultText(failed.length, verdicts.length),
  ];
}

const resultText = (failed: number, checks: number): string =>
  failed === 0 ? `certified: ${checks} of ${checks} checks` : `NOT certified: ${failed} of ${checks} checks failed`;

const NO_ORDERS =
  'Beware: it wanted no order in any stream, so its handling of orders was not tested. Try other --param values.';

const hasNoOrders = ({ seen }: ScoreCard): boolean => seen !== null && seen.approved + seen.denied === 0;

function verdictText({ check, isPassed, words, remedy }: CheckVerdict, width: number): string[] {
  const margin = ' '.repeat(NAME_WIDTH + 6);
  const room = Math.max(ROOM_MIN, width - margin.length);
  const head = `${isPassed ? 'ok  ' : 'FAIL'}  ${check.padEnd(NAME_WIDTH)}`;
  const help =
    remedy === null ? [] : wrappedText(remedy, room - 2).map((line, index) => `${index === 0 ? '→' : ' '} ${line}`);
  return [...wrappedText(words, room), ...help].map((line, at) => `${at === 0 ? head : margin}${line}`.trimEnd());
}

function streamLines({ check, stream }: CheckVerdict, card: ScoreCard, width: number): string[] {
  const { paramFlags, seed, effort } = card;
  // The effort decides how long the streams are.
  const flags = [...paramFlags, '--check', check, '--seed', seed, '--effort', effort];
  const rerun = `again: ${flags.join(' ')}`;
  if (stream === null) return [`${check}: ${rerun}`, ''];
  const lines = streamText(stream);
  const shown = lines.slice(0, LINES_MAX).map((line) => `  ${line}`.slice(0, width));
  const rest = lines.length > LINES_MAX ? [`  … and ${lines.length - LINES_MAX} more lines (--json has all)`] : [];
  return [`${check}: the smallest stream found that shows it`, `  (${rerun})`, ...shown, ...rest, ''];
}

/** Returns the card as one JSON value. */
export const scoreCardRecord = (card: ScoreCard): object => ({
  strategy: card.strategy,
  place: card.place,
  seed: card.seed,
  effort: card.effort,
  isCertified: isCertified(card),
  seen: card.seen,
  checks: card.verdicts.map((verdict) => ({ ...verdict, elapsedMs: card.elapsedMs.get(verdict.check) ?? null })),
});
