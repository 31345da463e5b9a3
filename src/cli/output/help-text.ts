// Fits help to the width of the terminal. Sentences are wrapped again. Indented lines stay as they are.
import { wrappedText } from '../../report/text/text-columns.ts';

/** Fits a help text to a width. Consecutive lines without indent form one paragraph. */
export function fittedHelp(text: string, width: number): string {
  const lines: string[] = [];
  let paragraph: string[] = [];
  const endParagraph = (): void => {
    if (paragraph.length > 0) lines.push(...wrappedText(paragraph.join(' '), width));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) paragraph.push(line);
    else {
      endParagraph();
      lines.push(line);
    }
  }
  endParagraph();
  return lines.join('\n');
}
