// Takes whole text messages out of the bytes of a WebSocket, and passes on all other bytes, unchanged and in order. Must
// never change the order of messages.

/** Destinations of the bytes. The buffers are shared: they may be reused after the call. */
export interface SplitterSinks {
  /** A whole text message without its frame header. Nothing has checked that it is valid UTF-8. */
  onText(bytes: Buffer): void;
  /** Bytes for a complete implementation of the protocol. */
  onOther(bytes: Buffer): void;
}

// RFC 6455, section 5.2. The first byte of a frame holds FIN, three reserved bits and the opcode.
const WHOLE_TEXT = 0x81;
const PING = 0x89;
const PONG = 0x8a;
// The second byte holds MASK and a length. Two lengths say that the length is in the 2 or 8 bytes that follow.
const LENGTH_IN_2_BYTES = 126;
const LENGTH_IN_8_BYTES = 127;
const MASK = 0x80;
const TWO_TO_32 = 0x1_0000_0000;

/**
 * Splits the bytes of one connection, as a client receives them.
 *
 * Venues send nearly every message as one text frame. The splitter takes these at once, and passes on pings and pongs.
 * From the first frame of another kind (close, binary, fragmented, compressed, masked, too long) it passes on all bytes.
 */
export class TextFrameSplitter {
  readonly #sinks: SplitterSinks;
  readonly #bytesMax: number;
  /** First bytes of a frame whose header has not arrived whole. */
  #headerStart: Buffer | null = null;
  /** A frame that has not arrived whole, and the number of its bytes that have. */
  #frame: Buffer | null = null;
  #filled = 0;
  #passesAll = false;

  /** @param bytesMax Length of the longest message that is taken. Bytes. */
  constructor(sinks: SplitterSinks, bytesMax: number) {
    this.#sinks = sinks;
    this.#bytesMax = bytesMax;
  }

  /** Splits the next bytes. */
  split(chunk: Buffer): void {
    if (this.#passesAll) return this.#sinks.onOther(chunk);
    const headerStart = this.#headerStart;
    this.#headerStart = null;
    if (headerStart !== null) return this.#splitFrom(Buffer.concat([headerStart, chunk]), 0);
    this.#splitFrom(chunk, this.#frame === null ? 0 : this.#fill(this.#frame, chunk));
  }

  /** Adds bytes to the frame that is not whole. Returns the number of bytes that belonged to it. */
  #fill(frame: Buffer, chunk: Buffer): number {
    const added = chunk.copy(frame, this.#filled);
    this.#filled += added;
    if (this.#filled === frame.length) {
      this.#frame = null;
      this.#take(frame, 0, frame.length);
    }
    return added;
  }

  #splitFrom(bytes: Buffer, start: number): void {
    let offset = start;
    while (offset < bytes.length) {
      const headerSize = headerSizeAt(bytes, offset);
      if (offset + headerSize > bytes.length) {
        this.#headerStart = Buffer.from(bytes.subarray(offset));
        return;
      }
      const size = headerSize + payloadSizeAt(bytes, offset);
      if (!this.#isTaken(bytes, offset, size - headerSize)) {
        this.#passesAll = true;
        return this.#sinks.onOther(bytes.subarray(offset));
      }
      if (offset + size > bytes.length) {
        this.#frame = Buffer.allocUnsafe(size);
        this.#filled = bytes.copy(this.#frame, 0, offset);
        return;
      }
      this.#take(bytes, offset, offset + size);
      offset += size;
    }
  }

  #isTaken(bytes: Buffer, offset: number, payloadSize: number): boolean {
    const first = bytes[offset];
    if (first === WHOLE_TEXT) return payloadSize <= this.#bytesMax && !isMasked(bytes, offset);
    return (first === PING || first === PONG) && payloadSize < LENGTH_IN_2_BYTES && !isMasked(bytes, offset);
  }

  #take(bytes: Buffer, start: number, end: number): void {
    if (bytes[start] === WHOLE_TEXT) this.#sinks.onText(bytes.subarray(start + headerSizeAt(bytes, start), end));
    else this.#sinks.onOther(bytes.subarray(start, end));
  }
}

const lengthCodeAt = (bytes: Buffer, offset: number): number => (bytes[offset + 1] ?? 0) & ~MASK;
const isMasked = (bytes: Buffer, offset: number): boolean => ((bytes[offset + 1] ?? 0) & MASK) !== 0;

/** Size of a frame's header without a mask. While the second byte is missing, 2: the least that a header has. */
function headerSizeAt(bytes: Buffer, offset: number): number {
  const code = lengthCodeAt(bytes, offset);
  if (code < LENGTH_IN_2_BYTES) return 2;
  return code === LENGTH_IN_8_BYTES ? 10 : 4;
}

function payloadSizeAt(bytes: Buffer, offset: number): number {
  const code = lengthCodeAt(bytes, offset);
  if (code < LENGTH_IN_2_BYTES) return code;
  if (code === LENGTH_IN_2_BYTES) return bytes.readUInt16BE(offset + 2);
  return bytes.readUInt32BE(offset + 2) * TWO_TO_32 + bytes.readUInt32BE(offset + 6);
}
