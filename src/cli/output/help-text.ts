// Help as wide as the terminal: sentences are broken anew, and what is indented, such as a command to copy, stays as it is.
import { wrappedText } from '../../report/text/text-columns.ts';

/** A help text for a terminal of some width. Lines that stand at the margin one under the other are one paragraph. */
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
