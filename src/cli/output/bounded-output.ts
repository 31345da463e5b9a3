// Writes to a reader that may not read. A bounded number of bytes waits. Further texts are dropped and counted. Must
// never delay a session, nor use unbounded memory.

/** Maximum bytes that wait: hours of a quiet session, some minutes of a busy session. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;

/** A stream, and the number of its waiting bytes. */
export interface TextStream {
  write(text: string): unknown;
  readonly writableLength: number;
}

/**
 * Creates a write function that drops texts while too much waits. When writing resumes, the number of dropped texts
 * comes first.
 * @param gapText describes a number of dropped texts.
 */
export function boundedWrite(stream: TextStream, gapText: (dropped: number) => string): (text: string) => void {
  let dropped = 0;
  return (text) => {
    // Writing resumes only after half of the waiting bytes were read. Otherwise each line would be followed by a gap.
    if (stream.writableLength > (dropped > 0 ? WAITING_BYTES_MAX / 2 : WAITING_BYTES_MAX)) {
      dropped += 1;
      return;
    }
    if (dropped > 0) stream.write(gapText(dropped));
    dropped = 0;
    stream.write(text);
  };
}
