// The text of an answer to a why question: the sentence first, then checks, duration, the minutes around, and evidence.
// Pure.
import type { WhyAnswer, WhyOrder, WhyStep } from '../../why/why-answer.ts';
import { columns } from '../output/text-format.ts';

const MARKS: Readonly<Record<WhyStep['result'], string>> = { pass: '✓', fail: '✗', 'not reached': '–' };

/** Letter of each check in the row of minutes. */
const LETTERS: Readonly<Record<string, string>> = {
  session: 'S',
  journal: 'J',
  phase: 'P',
  halt: 'H',
  strategy: 'X',
  market: 'M',
  selection: 'O',
  status: 'C',
  feed: 'F',
  book: 'B',
  asked: 'Q',
  answer: 'A',
  change: '=',
  denial: 'D',
  lane: 'L',
  latch: 'T',
  venue: 'V',
  rest: 'R',
  fill: 'E',
};
const TRADED = '+';

const timeText = (atUs: number): string => new Date(Math.floor(atUs / 1000)).toISOString();

/** Renders an answer as lines. */
export function whyLines(answer: WhyAnswer): string[] {
  const { sentence, steps, evidence, source, tookMs } = answer;
  const from = source === 'record' ? 'from the record alone: the replay differs' : 'from replay';
  return [
    sentence,
    '',
    ...stepLines(steps),
    ...durationLines(answer),
    ...stripLines(answer),
    ...(evidence.length === 0 ? [] : ['', 'evidence:']),
    ...evidence.map(({ seq, text }) => `  entry ${seq}: ${text}`),
    '',
    `answered ${from} in ${tookMs} ms`,
  ];
}

function stepLines(steps: readonly WhyStep[]): string[] {
  const width = Math.max(...steps.map(({ check }) => check.length));
  return steps.map(({ check, result, text }) => `  ${MARKS[result]} ${check.padEnd(width)}  ${text}`.trimEnd());
}

function durationLines({ sinceUs, times, untilUs, next }: WhyAnswer): string[] {
  if (sinceUs === null && untilUs === null) return [];
  const parts = [
    ...(sinceUs === null ? [] : [`since ${timeText(sinceUs)}`]),
    ...(times > 1 ? [`${times} times`] : []),
    ...(untilUs === null ? [] : [`until ${timeText(untilUs)}${next === null ? '' : `: ${next}`}`]),
  ];
  return ['', parts.join(', ')];
}

function stripLines({ minutes, atUs }: WhyAnswer): string[] {
  const [first] = minutes;
  const last = minutes.at(-1);
  if (!first || !last) return [];
  const cells = minutes.map(({ check }) => (check === null ? TRADED : (LETTERS[check] ?? '?')));
  const place = minutes.findLastIndex((minute) => minute.atUs <= atUs);
  const used = [...new Set(minutes.map(({ check }) => check))];
  const legend = used.map((check) => (check === null ? `${TRADED} traded` : `${LETTERS[check] ?? '?'} ${check}`));
  return [
    '',
    `minutes ${timeText(first.atUs).slice(11, 16)} to ${timeText(last.atUs).slice(11, 16)} (${legend.join(', ')})`,
    `  ${cells.join('')}`,
    `  ${' '.repeat(Math.max(0, place))}^`,
  ];
}

/** Renders the steps of an order as lines. */
export function whyOrderLines({ sentence, hops, source, tookMs }: WhyOrder): string[] {
  const rows = hops.map(({ atUs, afterUs, what, text, seq }) => [
    `  ${timeText(atUs)}`,
    afterUs === null ? '' : `+${(afterUs / 1000).toFixed(1)} ms`,
    what,
    seq === null ? '' : `entry ${seq}`,
    text,
  ]);
  return [sentence, '', ...columns(rows, [0, 2, 3, 4]), '', `answered from ${source} in ${tookMs} ms`];
}
