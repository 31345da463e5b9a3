// Parses what the console answers. Must never let text from outside change the direction in which other text is written.

/** Marks of the writing direction: behind such a mark in a title or a reason, the page would reverse other figures. */
const DIRECTION_MARKS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** Parses JSON. Marks of the writing direction become visible escapes, as in the output of the commands. */
export const parseAnswer = (json: string): ReturnType<typeof JSON.parse> =>
  JSON.parse(json.replace(DIRECTION_MARKS, (mark) => `\\\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`));
