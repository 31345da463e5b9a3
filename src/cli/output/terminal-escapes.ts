// Escapes text for a terminal: text from outside may hold sequences that a terminal executes. Must never let through a
// control sequence, except this program's own.

/**
 * Characters that can move the cursor, change colors, rename the window, send a reply, or reverse text: control
 * characters except line feed and tab, and marks of the writing direction.
 */
const OBEYED = /(?![\n\t])\p{Cc}|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** Replaces these characters by escapes such as `\u001b`, which JSON reads as the same character. */
export const escapeText = (text: string): string =>
  text.replace(OBEYED, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

type Write = (text: string) => boolean;

/** The original `write` of each stream. Added by `escapeOutput`; never removed. */
const RAW = new Map<NodeJS.WriteStream, Write>();

/** Escapes all text written to a stream from now on. */
export function escapeOutput(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream);
  RAW.set(stream, write);
  stream.write = (chunk: Uint8Array | string, ...rest: []) =>
    write(typeof chunk === 'string' ? escapeText(chunk) : chunk, ...rest);
}

/**
 * Returns the stream as it was before `escapeOutput`, for code that draws with control characters. The caller must
 * escape all other text.
 */
export function rawStream(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = RAW.get(stream);
  // tidy: as (the created object has every member of the stream)
  return write === undefined ? stream : (Object.create(stream, { write: { value: write } }) as NodeJS.WriteStream);
}
