// Text to a reader that may not read: so much may wait for it, and what comes beyond is dropped and counted, whole pieces
// at a time. Must never hold a session up, nor keep its words in memory without end.

/** Bytes that may wait: hours of a quiet session, some minutes of a busy one. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;

/** Where text goes, and how much of it waits there. */
export interface TextStream {
  write(text: string): unknown;
  readonly writableLength: number;
}

/**
 * Writes to a stream as long as it is read. Once it is read again, what was dropped is told first.
 * @param gapText What to say of so many pieces that were dropped.
 */
export function boundedWrite(stream: TextStream, gapText: (dropped: number) => string): (text: string) => void {
  let dropped = 0;
  return (text) => {
    // Begins again only when half of it is read: a gap each time there is room for one more line would say nothing.
    if (stream.writableLength > (dropped > 0 ? WAITING_BYTES_MAX / 2 : WAITING_BYTES_MAX)) {
      dropped += 1;
      return;
    }
    if (dropped > 0) stream.write(gapText(dropped));
    dropped = 0;
    stream.write(text);
  };
}
