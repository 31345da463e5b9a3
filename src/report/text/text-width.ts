// Terminal width of text, and padding to a width. A Chinese character takes two columns. Color codes take none.
import stringWidth from 'string-width';

/** Returns the number of columns that a text takes. */
export const widthOf = (text: string): number => stringWidth(text);

const missing = (text: string, width: number): string => ' '.repeat(Math.max(0, width - widthOf(text)));

/** Cuts a text to a number of columns. */
export function cutToWidth(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let shown = '';
  for (const letter of text) {
    if (widthOf(shown + letter) > width) break;
    shown += letter;
  }
  return shown;
}

/** Pads a text on the right. */
export const padRight = (text: string, width: number): string => text + missing(text, width);

/** Pads a text on the left. */
export const padLeft = (text: string, width: number): string => missing(text, width) + text;
