// Text for one line of a list or a table.

/** Characters that would break a line, or steer a terminal. */
const BREAKING = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** Replaces line breaks and other control characters by a space. */
export const oneLine = (text: string): string => text.replace(BREAKING, ' ');
