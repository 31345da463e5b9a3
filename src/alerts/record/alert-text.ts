// The plain text of an alert, and its cuts to the length that a target accepts. Must never let a control character
// through: names and reasons come from venues and strategies.
import type { AlertRecord } from './alert-record.ts';

/** Control characters, and characters that turn the direction of text. */
const UNPRINTABLE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]+/gu;

/** Returns a text on one line, without control characters. */
export const cleanLine = (text: string): string => text.replaceAll(UNPRINTABLE, ' ').trim();

/** Longest part of a record. Characters. */
const PART_MAX = 1500;

/** Returns one line of bounded length. */
export const cleanPart = (text: string): string => cutText(cleanLine(text), PART_MAX);

/** Cuts a text to a number of UTF-16 units, at whole characters, with an ellipsis. */
export function cutText(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text;
  return `${wholeCharacters(text.slice(0, unitsMax - 1))}…`;
}

/** Bytes of an ellipsis in UTF-8. */
const ELLIPSIS_BYTES = 3;

/** Cuts a text to a number of bytes in UTF-8, at whole characters, with an ellipsis. */
export function cutBytes(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) <= bytesMax) return text;
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > bytesMax - ELLIPSIS_BYTES) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Removes the first half of a character that was cut in two. */
const wholeCharacters = (text: string): string => text.replace(/[\ud800-\udbff]$/, '');

/** The severity in words, and the title. Not every reader sees a color. */
export function headlineOf({ severity, title, state, count }: AlertRecord): string {
  const times = count > 1 ? ` (${count} times)` : '';
  return state === 'over' ? `Over: ${title}${times}` : `${SEVERITY_WORDS[severity]}: ${title}${times}`;
}

const SEVERITY_WORDS = { info: 'Info', warning: 'Warning', critical: 'Critical' } as const;

/** The body: the event, the bot's acts, the advice, and the link. */
export const bodyOf = ({ happened, did, do: advice, link }: AlertRecord): string =>
  [happened, did, advice, link ?? ''].filter((part) => part !== '').join('\n');

/** Headline and body. */
export const wholeText = (record: AlertRecord): string => `${headlineOf(record)}\n${bodyOf(record)}`;
