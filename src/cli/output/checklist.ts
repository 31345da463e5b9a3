// A list of checked items: each with a mark, a name, details and a remedy. Pure text.
import { wrappedText } from '../../report/text/text-columns.ts';
import { padRight, widthOf } from '../../report/text/text-width.ts';

/** An item of a checklist: the result of one check. */
export interface ChecklistItem {
  readonly mark: string;
  readonly name: string;
  readonly words: string;
  /** `null` when no action is needed. */
  readonly remedy: string | null;
}

/** Minimum width of the details, however narrow the terminal. */
const ROOM_MIN = 20;

/** Renders items as lines that fit the terminal's width. Without a width, lines are not wrapped. */
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
