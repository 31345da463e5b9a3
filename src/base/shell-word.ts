// Quotes a word for a shell, so that a printed command can be pasted. Pure text.

/** Returns a word as a shell reads it: in single quotes where it has a space or another special character. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
