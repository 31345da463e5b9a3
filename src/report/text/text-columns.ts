// Rows as aligned columns of text, for a terminal of a given width.
import { padRight, padLeft, widthOf } from './text-width.ts';

/** Names keep at least this width. */
const NAME_MIN = 10;
/** Remarks keep at least this width. */
const REMARK_MIN = 20;

/** Formats a table with a line under the head. The first column is aligned left and shortened to fit. */
export function tableText(head: readonly string[], rows: readonly (readonly string[])[], width: number): string[] {
  const [longest = 0, ...others] = columnWidths(head, rows);
  const room = width - others.reduce((sum, each) => sum + each + 2, 2);
  const widths = [Math.min(longest, Math.max(NAME_MIN, room)), ...others];
  const line = ([name = '', ...cells]: readonly string[]): string =>
    [
      padRight(shortenedName(name, widths[0] ?? 0), widths[0] ?? 0),
      ...cells.map((cell, at) => padLeft(cell, others[at] ?? 0)),
    ].join('  ');
  return [line(head), widths.map((each) => '─'.repeat(each)).join('──'), ...rows.map(line)].map(
    (each) => `  ${each.trimEnd()}`,
  );
}

export const columnWidths = (head: readonly string[], rows: readonly (readonly string[])[]): number[] =>
  head.map((cell, at) => rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), widthOf(cell)));

/** Formats names and figures in two columns, each with a wrapped remark. */
export function factsText(
  rows: readonly (readonly [name: string, figure: string, remark?: string])[],
  width: number,
): string[] {
  const nameWidth = Math.max(...rows.map(([name]) => widthOf(name)));
  const figureWidth = Math.max(...rows.map(([, figure]) => widthOf(figure)));
  const margin = nameWidth + figureWidth + 6;
  return rows.flatMap(([name, figure, remark = '']) =>
    wrappedText(remark, Math.max(REMARK_MIN, width - margin)).map((part, at) =>
      (at === 0
        ? `  ${padRight(name, nameWidth)}  ${padLeft(figure, figureWidth)}  ${part}`
        : ' '.repeat(margin) + part
      ).trimEnd(),
    ),
  );
}

/** Wraps text at a width. */
export function wrappedText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of text.split(' ')) {
    const wordWidth = widthOf(word);
    if (line !== '' && used + 1 + wordWidth > width) {
      lines.push(line);
      line = '';
    }
    used = line === '' ? wordWidth : used + 1 + wordWidth;
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Formats sentences as a wrapped list. */
export const listText = (sentences: readonly string[], width: number): string[] =>
  sentences.flatMap((sentence) =>
    wrappedText(sentence, width - 4).map((line, at) => `${at === 0 ? '  • ' : '    '}${line}`),
  );

/** Shortens a name in the middle: market names differ at their ends. */
export const shortenedName = (name: string, widthMax: number): string =>
  widthOf(name) <= widthMax ? name : shortenedMiddle(name, widthMax);

function shortenedMiddle(name: string, widthMax: number): string {
  const letters = Array.from(name);
  const head = letters.splice(0, 8).join('');
  let tail = '';
  for (const letter of letters.toReversed()) {
    if (widthOf(`${head}…${letter}${tail}`) > widthMax) break;
    tail = letter + tail;
  }
  return `${head}…${tail}`;
}

/** Replaces control characters in text from outside: a terminal would act on them. */
export function plainText(text: string): string {
  let plain = '';
  for (const letter of text) plain += isControl(letter) ? '�' : letter;
  return plain;
}

function isControl(letter: string): boolean {
  const code = letter.codePointAt(0) ?? 0;
  return code < 32 || (code >= 127 && code < 160);
}
