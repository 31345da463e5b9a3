// What was looked at, one thing below the other: a mark, a name, what there is to say, and what would help. Pure text.
import { wrappedText } from '../../report/text/text-columns.ts';
import { padRight, widthOf } from '../../report/text/text-width.ts';

/** One thing that was looked at. */
export interface ChecklistItem {
  readonly mark: string;
  readonly name: string;
  /** Empty where there is nothing to say. */
  readonly words: string;
  /** `null` where nothing need be done. */
  readonly remedy: string | null;
}

/** Words are not broken narrower than this, however narrow the terminal. */
const ROOM_MIN = 20;

/** Items as lines no wider than the terminal; unbroken where none is said. */
export function checklist(items: readonly ChecklistItem[], width = Number.POSITIVE_INFINITY): string[] {
  const markWidth = Math.max(0, ...items.map(({ mark }) => widthOf(mark)));
  const nameWidth = Math.max(0, ...items.map(({ name }) => widthOf(name)));
  const margin = markWidth + nameWidth + 4;
  const room = Math.max(ROOM_MIN, width - margin);
  return items.flatMap(({ mark, name, words, remedy }) => {
    const help = remedy === null ? [] : wrappedText(remedy, room - 2);
    const texts = [...wrappedText(words, room), ...help.map((line, at) => `${at === 0 ? '→' : ' '} ${line}`)];
    const head = `${padRight(mark, markWidth)}  ${padRight(name, nameWidth)}  `;
    return texts.map((text, at) => `${at === 0 ? head : ' '.repeat(margin)}${text}`.trimEnd());
  });
}
