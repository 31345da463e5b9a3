// Lines of the terminal page: pieces of text with a tone. Pure. Must never let a color be the only sign of anything,
// nor pass a control character to the terminal.
import { cutToWidth, padLeft, padRight, widthOf } from '../../report/text/text-width.ts';
import { escapeText } from '../output/terminal-escapes.ts';

/** The meaning of a piece of text. */
export type Tone = 'plain' | 'strong' | 'muted' | 'bid' | 'ask' | 'well' | 'warning' | 'alarm';

/** A piece of text in one tone. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

/** A line of the page. */
export type PageLine = readonly Span[];

/** Creates a piece of text. Line feeds become spaces. */
export const span = (text: string, tone: Tone = 'plain'): Span => ({
  text: escapeText(text.replaceAll('\n', ' ')),
  tone,
});

/** Creates a line of one tone. */
export const pageLine = (text: string, tone: Tone = 'plain'): PageLine => [span(text, tone)];

/** Number of columns of a line. */
export const lineWidth = (line: PageLine): number => line.reduce((sum, { text }) => sum + widthOf(text), 0);

/** The text of a line without its tones. */
export const plainText = (line: PageLine): string => line.map(({ text }) => text).join('');

/** Aligns rows in columns: the first column to the left, the others to the right. */
export function alignedRows(rows: readonly (readonly Span[])[]): PageLine[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach(({ text }, at) => (widths[at] = Math.max(widths[at] ?? 0, widthOf(text))));
  return rows.map((row) =>
    row.flatMap(({ text, tone }, at) => {
      const width = widths[at] ?? 0;
      return at === 0
        ? [{ text: padRight(text, width), tone }]
        : [
            { text: '  ', tone: 'plain' as const },
            { text: padLeft(text, width), tone },
          ];
    }),
  );
}

/** Indent of continued lines, columns. Narrow pages indent less. */
const INDENT = 9;
const NARROW = 40;

/** Joins parts on as few lines as the width allows. All but the first line are indented. */
export function joinedParts(parts: readonly PageLine[], width: number): PageLine[] {
  const indent = span(' '.repeat(width < NARROW ? 1 : INDENT));
  const gap = span('   ');
  const lines: PageLine[] = [];
  for (const part of parts) {
    const last = lines.pop();
    if (last === undefined) lines.push(part);
    else if (lineWidth(last) + gap.text.length + lineWidth(part) <= width) lines.push([...last, gap, ...part]);
    else lines.push(last, [indent, ...part]);
  }
  return lines;
}

/** Cuts a line to a width. An ellipsis marks the cut. */
export function cutLine(line: PageLine, width: number): PageLine {
  if (lineWidth(line) <= width) return line;
  const cut: Span[] = [];
  let left = width - 1;
  for (const { text, tone } of line) {
    const shown = cutToWidth(text, left);
    left -= widthOf(shown);
    cut.push({ text: shown, tone });
    if (shown !== text) break;
  }
  return width < 1 ? [] : [...cut, { text: '…', tone: 'muted' }];
}

/** Codes of the sixteen colors. The terminal's own theme makes them readable. */
const SGR: Readonly<Record<Exclude<Tone, 'plain'>, string>> = {
  strong: '1',
  muted: '2',
  bid: '34',
  ask: '33',
  well: '32',
  warning: '1;33',
  alarm: '1;31',
};

/** Paints a line for a terminal. */
export function paintLine(line: PageLine, isColored: boolean): string {
  if (!isColored) return plainText(line);
  return line
    .map(({ text, tone }) => (tone === 'plain' || text.trim() === '' ? text : `\u001B[${SGR[tone]}m${text}\u001B[0m`))
    .join('');
}

/**
 * Tests for colored output. As in Node, `FORCE_COLOR` decides first, then `NO_COLOR` and `TERM=dumb`, then the kind of
 * output.
 */
export function isColored(env: Readonly<Record<string, string | undefined>>, isTTY: boolean): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: term } = env;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if ((refused ?? '') !== '' || term === 'dumb') return false;
  return isTTY;
}
