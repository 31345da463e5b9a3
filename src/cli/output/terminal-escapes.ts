// Escapes text for a terminal. Text from frames, halts, files or names may hold sequences that a terminal executes;
// they are shown instead. Must never let through a control sequence, except one that this program itself draws with.

/**
 * Characters that can make a terminal move the cursor, change colors, rename its window, send a reply, or reverse text:
 * control characters except line feed and tab, and marks that change the writing direction.
 */
const OBEYED = /(?![\n\t])\p{Cc}|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** Replaces each such character by its escape, such as `\u001b`, which means the same character in JSON. */
export const escapeText = (text: string): string =>
  text.replace(OBEYED, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

type Write = (text: string) => boolean;

/** The original `write` of each stream. Added by `escapeOutput`; never removed. */
const RAW = new Map<NodeJS.WriteStream, Write>();

/** Escapes all text that is written to a stream from now on. */
export function escapeOutput(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream);
  RAW.set(stream, write);
  stream.write = (chunk: Uint8Array | string, ...rest: []) =>
    write(typeof chunk === 'string' ? escapeText(chunk) : chunk, ...rest);
}

/**
 * Returns the stream without escaping, for code that draws with control characters. Such code must escape all other
 * text.
 */
export function rawStream(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = RAW.get(stream);
  // tidy: as (the created object has every member of the stream)
  return write === undefined ? stream : (Object.create(stream, { write: { value: write } }) as NodeJS.WriteStream);
}
