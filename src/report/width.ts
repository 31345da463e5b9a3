// How many columns of a terminal a text takes, and texts made as wide as a column: a Chinese letter takes two, a letter with
// its accents one. Pure text; colors count nothing.
import stringWidth from 'string-width';

/** Columns that a text takes. */
export const widthOf = (text: string): number => stringWidth(text);

const missing = (text: string, width: number): string => ' '.repeat(Math.max(0, width - widthOf(text)));

/** The part of a text that fits into a number of columns. */
export function fitted(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let shown = '';
  for (const letter of text) {
    if (widthOf(shown + letter) > width) break;
    shown += letter;
  }
  return shown;
}

/** A text at the left of a column. */
export const atLeft = (text: string, width: number): string => text + missing(text, width);

/** A text at the right of a column. */
export const atRight = (text: string, width: number): string => missing(text, width) + text;
