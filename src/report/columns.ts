// Rows as aligned columns of text, for a terminal of some width.
import { atLeft, atRight, widthOf } from './width.ts';

/** Names are not shortened to less. */
const NAME_MIN = 10;
/** A remark has so much room at the least, however narrow the terminal is. */
const REMARK_MIN = 20;

/** A table: the first column to the left, shortened where the width asks for it, the rest to the right, a rule under the head. */
export function tableText(head: readonly string[], rows: readonly (readonly string[])[], width: number): string[] {
  const [longest = 0, ...others] = columnWidths(head, rows);
  const room = width - others.reduce((sum, each) => sum + each + 2, 2);
  const widths = [Math.min(longest, Math.max(NAME_MIN, room)), ...others];
  const line = ([name = '', ...cells]: readonly string[]): string =>
    [
      atLeft(shortened(name, widths[0] ?? 0), widths[0] ?? 0),
      ...cells.map((cell, at) => atRight(cell, others[at] ?? 0)),
    ].join('  ');
  return [line(head), widths.map((each) => '─'.repeat(each)).join('──'), ...rows.map(line)].map(
    (each) => `  ${each.trimEnd()}`,
  );
}

/** How wide each column of a table is. */
export const columnWidths = (head: readonly string[], rows: readonly (readonly string[])[]): number[] =>
  head.map((cell, at) => Math.max(widthOf(cell), ...rows.map((row) => widthOf(row[at] ?? ''))));

/** Names and figures in two columns, each with what is to be said of it, broken at the width. */
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
        ? `  ${atLeft(name, nameWidth)}  ${atRight(figure, figureWidth)}  ${part}`
        : ' '.repeat(margin) + part
      ).trimEnd(),
    ),
  );
}

/** Text broken at a width. */
export function wrappedText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let taken = 0;
  for (const word of text.split(' ')) {
    const wide = widthOf(word);
    if (line !== '' && taken + 1 + wide > width) {
      lines.push(line);
      line = '';
    }
    taken = line === '' ? wide : taken + 1 + wide;
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Sentences as items of a list, broken at a width. */
export const listText = (sentences: readonly string[], width: number): string[] =>
  sentences.flatMap((sentence) =>
    wrappedText(sentence, width - 4).map((line, at) => `${at === 0 ? '  • ' : '    '}${line}`),
  );

/** A name no longer than so much: its end is what tells markets apart. */
export const shortened = (name: string, most: number): string => (widthOf(name) <= most ? name : cut(name, most));

function cut(name: string, most: number): string {
  const letters = Array.from(name);
  const head = letters.splice(0, 8).join('');
  let tail = '';
  for (const letter of letters.toReversed()) {
    if (widthOf(`${head}…${letter}${tail}`) > most) break;
    tail = letter + tail;
  }
  return `${head}…${tail}`;
}

/** Text from outside without what a terminal would obey. */
export function plainText(text: string): string {
  let plain = '';
  for (const letter of text) plain += isControl(letter) ? '�' : letter;
  return plain;
}

function isControl(letter: string): boolean {
  const code = letter.codePointAt(0) ?? 0;
  return code < 32 || (code >= 127 && code < 160);
}
