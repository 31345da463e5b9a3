// Rows as aligned columns of text, for a terminal.

/** A table: the first column to the left, the rest to the right, a rule under the head. */
export function tableText(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((cell, at) => Math.max(cell.length, ...rows.map((row) => (row[at] ?? '').length)));
  const line = (row: readonly string[]): string =>
    widths.map((width, at) => (at === 0 ? (row[at] ?? '').padEnd(width) : (row[at] ?? '').padStart(width))).join('  ');
  return [line(head), widths.map((width) => '─'.repeat(width)).join('──'), ...rows.map(line)].map(
    (each) => `  ${each.trimEnd()}`,
  );
}

/** Names and figures in two columns, each with what is to be said of it. */
export function factsText(rows: readonly (readonly [name: string, figure: string, remark?: string])[]): string[] {
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const figureWidth = Math.max(...rows.map(([, figure]) => figure.length));
  return rows.map(([name, figure, remark = '']) =>
    `  ${name.padEnd(nameWidth)}  ${figure.padStart(figureWidth)}  ${remark}`.trimEnd(),
  );
}

/** Text broken at a width. */
export function wrappedText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
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
export const shortened = (name: string, most: number): string =>
  name.length <= most ? name : `${name.slice(0, 8)}…${name.slice(name.length - (most - 9))}`;

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
