// The score card: every check with what was seen to hold or not, and for what failed the smallest stream that shows it.
import { wrappedText } from '../report/columns.ts';
import type { CheckName, Verdict } from './finding.ts';
import type { Seen } from './survey.ts';
import { streamText } from './stream.ts';

export interface ScoreCard {
  readonly strategy: string;
  readonly place: string;
  readonly seed: number;
  readonly effort: string;
  readonly verdicts: readonly Verdict[];
  readonly elapsedMs: ReadonlyMap<CheckName, number>;
  readonly seen: Seen | null;
}

/** Of a stream so many lines are shown. */
const LINES_MAX = 40;
const NAME_WIDTH = 13;
const ROOM_MIN = 30;

/** Whether every check that was made has passed. */
export const isCertified = ({ verdicts }: Pick<ScoreCard, 'verdicts'>): boolean =>
  verdicts.length > 0 && verdicts.every(({ isPassed }) => isPassed);

/** The card as lines no wider than the terminal. */
export function scoreCardText(card: ScoreCard, width: number): string[] {
  const { strategy, place, seed, effort, verdicts } = card;
  const failed = verdicts.filter(({ isPassed }) => !isPassed);
  const result =
    failed.length === 0
      ? `certified: ${verdicts.length} of ${verdicts.length} checks`
      : `NOT certified: ${failed.length} of ${verdicts.length} checks failed`;
  return [
    ...wrappedText(`${strategy} (${place}), seed ${seed}, ${effort}`, width),
    '',
    ...verdicts.flatMap((verdict) => verdictText(verdict, width)),
    '',
    ...(isAsleep(card) ? [...wrappedText(ASLEEP, width), ''] : []),
    ...failed.flatMap((verdict) => streamLines(verdict, card, width)),
    result,
  ];
}

const ASLEEP =
  'Beware: it asked for no order in any stream, so what it does with orders was not seen. Other --param values, perhaps?';

const isAsleep = ({ seen }: ScoreCard): boolean => seen !== null && seen.approved + seen.denied === 0;

function verdictText({ check, isPassed, words, remedy }: Verdict, width: number): string[] {
  const margin = ' '.repeat(NAME_WIDTH + 6);
  const room = Math.max(ROOM_MIN, width - margin.length);
  const head = `${isPassed ? 'ok  ' : 'FAIL'}  ${check.padEnd(NAME_WIDTH)}`;
  const help =
    remedy === null ? [] : wrappedText(remedy, room - 2).map((line, at) => `${at === 0 ? '→' : ' '} ${line}`);
  return [...wrappedText(words, room), ...help].map((line, at) => `${at === 0 ? head : margin}${line}`.trimEnd());
}

function streamLines({ check, stream }: Verdict, { seed, effort }: ScoreCard, width: number): string[] {
  // The effort decides how long the streams are.
  const again = `again: --check ${check} --seed ${seed} --effort ${effort}`;
  if (stream === null) return [`${check}: ${again}`, ''];
  const lines = streamText(stream);
  const shown = lines.slice(0, LINES_MAX).map((line) => `  ${line}`.slice(0, width));
  const rest = lines.length > LINES_MAX ? [`  … and ${lines.length - LINES_MAX} lines more (--json has all)`] : [];
  return [`${check}: the smallest stream found that shows it`, `  (${again})`, ...shown, ...rest, ''];
}

/** The card as one value for machines. */
export const scoreCardRecord = (card: ScoreCard): object => ({
  strategy: card.strategy,
  place: card.place,
  seed: card.seed,
  effort: card.effort,
  isCertified: isCertified(card),
  seen: card.seen,
  checks: card.verdicts.map((verdict) => ({ ...verdict, elapsedMs: card.elapsedMs.get(verdict.check) ?? null })),
});
