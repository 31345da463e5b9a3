// Text on its way to a terminal. What comes from frames, halts, files or names may hold sequences that a terminal obeys:
// they are shown, and not carried out. Must never let any text pass but what this program itself draws with.

/**
 * Whatever moves, colors, renames, answers or turns around text: control characters but for the line feed and the tab, and
 * the marks that change the direction of writing.
 */
const OBEYED = /(?![\n\t])\p{Cc}|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** Text in which every character that a terminal would obey is written out as `\u001b`; in JSON that means the same. */
export const escapeText = (text: string): string =>
  text.replace(OBEYED, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

type Write = (text: string) => boolean;

/** How each stream writes by itself. */
const RAW = new Map<NodeJS.WriteStream, Write>();

/** Escapes all text that is written to a stream from now on. */
export function escapeOutput(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream);
  RAW.set(stream, write);
  stream.write = (chunk: Uint8Array | string, ...rest: []) =>
    write(typeof chunk === 'string' ? escapeText(chunk) : chunk, ...rest);
}

/** The same stream without escaping, for code that draws with control characters: it must escape the text in between. */
export function rawStream(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = RAW.get(stream);
  // tidy: as (what is made has all that the stream has)
  return write === undefined ? stream : (Object.create(stream, { write: { value: write } }) as NodeJS.WriteStream);
}
