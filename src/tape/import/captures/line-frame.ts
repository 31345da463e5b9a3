// The frame of a line that is a message, bare or in a recorder's plain wrapper. One object is reused for all such lines,
// so that no line allocates memory. Must never be kept: the next line overwrites it.
import { EPOCH, type Micros } from '../../../domain/units.ts';
import { instantOfDigits } from '../../../domain/parsed-time.ts';
import type { ScannedPlace } from './scanned-deltas.ts';
import type { ByteSpan, Frame, ScannedDelta } from '../../../venue.ts';

const WORD = 4;
const CLOSE = 0x7d;
const NEWLINE = 0x0a;
const ZERO = 0x30;
const NOT_READ = -1;
/** Numbers of digits of a time that is a safe integer: seconds to microseconds. Nanoseconds are read by the parser. */
const DIGITS_MIN = 9;
const DIGITS_MAX = 16;

/** A frame that is a part of a chunk of lines. */
export class LineFrame implements Frame, ByteSpan {
  readonly type = 'frame';
  at: Micros = EPOCH;
  view: DataView = new DataView(new ArrayBuffer(0));
  start = 0;
  end = 0;
  delta: ScannedDelta | null = null;
  /** Time of receipt of the message that was found; `null` for a bare message. */
  received: Micros | null = null;
  /** The chunk, and its offset in its buffer. */
  #chunk: Uint8Array = new Uint8Array();
  #origin = 0;
  /** The time of receipt of the last line in a wrapper. */
  #wrapperTime: Micros = EPOCH;

  setChunk(chunk: Uint8Array): void {
    const { buffer, byteOffset } = chunk;
    if (buffer !== this.view.buffer) this.view = new DataView(buffer);
    this.#chunk = chunk;
    this.#origin = byteOffset;
  }

  setLine(start: number, end: number): void {
    this.start = this.#origin + start;
    this.end = this.#origin + end;
    this.delta = null;
  }

  get span(): ByteSpan {
    return this;
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.view.buffer, this.start, this.end - this.start);
  }

  /** Moves to a message that was read before. */
  setMessage(delta: ScannedDelta & Pick<ScannedPlace, 'start' | 'end'>): void {
    this.start = delta.start;
    this.end = delta.end;
    this.delta = delta;
  }

  /** Narrows the frame to a delta message in one of the forms. Returns false for any other line. */
  moveToDelta({ bare, wrapper }: DeltaForms): boolean {
    this.received = wrapper === null ? null : this.unwrapMessage(wrapper);
    return this.received !== null || (bare !== null && this.isBetween(bare));
  }

  /**
   * Moves the frame's start to a delta message in one of the forms, where one begins with the line. The end of the line
   * need not be known. Returns false for any other line.
   */
  moveToDeltaStart({ bare, wrapper }: DeltaForms): boolean {
    this.received = null;
    const at = wrapper === null ? NOT_READ : this.#readHead(wrapper.head, wrapper.middle);
    if (wrapper === null || at === NOT_READ) return bare !== null && this.#beginsLike(bare);
    this.start = at + wrapper.before.length;
    this.received = this.#wrapperTime;
    return true;
  }

  /** Returns the end of the line after the message that ends at `end`; `null` when the line holds anything else. */
  lineEndAfter(end: number): number | null {
    const { view, received } = this;
    if (received !== null && (end >= this.end || view.getUint8(end) !== CLOSE)) return null;
    const lineEnd = received === null ? end : end + 1;
    return lineEnd === this.end || view.getUint8(lineEnd) === NEWLINE ? lineEnd : null;
  }

  /** Tests that the line begins like `beginning` and ends with two braces. */
  isBetween(beginning: LineBeginning): boolean {
    return this.#beginsLike(beginning) && this.#endsWithTwoBraces();
  }

  #beginsLike({ length, words }: LineBeginning): boolean {
    return this.end - this.start >= length && this.#hasWords({ length, words }, this.start);
  }

  #endsWithTwoBraces(): boolean {
    const { view, end } = this;
    return view.getUint8(end - 1) === CLOSE && view.getUint8(end - 2) === CLOSE;
  }

  #hasWords({ length, words }: LineBeginning, start: number): boolean {
    const { view } = this;
    const last = length - WORD;
    for (let word = 0, at = 0; word < words.length; word++, at += WORD)
      if (view.getInt32(start + (at < last ? at : last), true) !== words[word]) return false;
    return true;
  }

  /**
   * Narrows the frame to the message in the wrapper, and returns its time of receipt. Returns `null`, and leaves the
   * frame as it is, for any line that is not exactly this wrapper around a message with no record but its content.
   */
  unwrapMessage(wrapper: LineWrapper): Micros | null {
    const { end } = this;
    const at = this.#readWrapper(wrapper.head, wrapper.middle);
    if (at === NOT_READ) return null;
    // The first brace that closes must close the content, and the braces of message and wrapper must end the line.
    const from = at + wrapper.before.length;
    const closes = this.#chunk.indexOf(CLOSE, from - this.#origin) + this.#origin;
    if (closes !== end - CLOSES) return null;
    this.start = from;
    this.end = end - 1;
    return this.#wrapperTime;
  }

  /**
   * Like `unwrapMessage`, for a message of any type. The caller must check that the frame then holds one whole record:
   * the wrapper may hold other members after it.
   */
  unwrapRecord(wrapper: LineWrapper): Micros | null {
    const at = this.#readWrapper(wrapper.head, wrapper.before);
    if (at === NOT_READ) return null;
    this.start = at + wrapper.before.length;
    this.end -= 1;
    return this.#wrapperTime;
  }

  /** Like `#readHead`, for a line that also ends with two braces. */
  #readWrapper(head: LineBeginning, middle: LineBeginning): number {
    const at = this.#readHead(head, middle);
    return at === NOT_READ || !this.#endsWithTwoBraces() ? NOT_READ : at;
  }

  /**
   * Reads the line's time of receipt. Returns the offset after its digits, or `NOT_READ` for a line that does not begin
   * with `head`, a time and `middle`.
   */
  #readHead(head: LineBeginning, middle: LineBeginning): number {
    const { view, start, end } = this;
    const digitsAt = start + head.length;
    const shortest = digitsAt + DIGITS_MIN + middle.length;
    if (shortest + CLOSES > end || !this.#hasWords(head, start) || view.getUint8(digitsAt) === ZERO) return NOT_READ;
    let value = 0;
    let at = digitsAt;
    for (let digit = view.getUint8(at) - ZERO; digit >= 0 && digit <= 9; digit = view.getUint8(at) - ZERO) {
      value = value * 10 + digit;
      at += 1;
      if (at - digitsAt > DIGITS_MAX) return NOT_READ;
    }
    const count = at - digitsAt;
    if (count < DIGITS_MIN || at + middle.length + CLOSES > end || !this.#hasWords(middle, at)) return NOT_READ;
    this.#wrapperTime = instantOfDigits(value, count);
    return Number.isSafeInteger(this.#wrapperTime) ? at : NOT_READ;
  }
}

/** Braces at the end of a line: of the content, of the message, and of the wrapper. */
const CLOSES = 3;

/** The forms in which a capture has delta messages, as far as they are known. */
export interface DeltaForms {
  /** Beginning of a bare message. */
  readonly bare: LineBeginning | null;
  readonly wrapper: LineWrapper | null;
}

/** A recorder's wrapper: a time of receipt as a number, then the message, and nothing else. */
export interface LineWrapper {
  /** The line up to the digits of the time. */
  readonly head: LineBeginning;
  /** The line between these digits and the number of the message's subscription. */
  readonly middle: LineBeginning;
  /** The beginning of `middle`, up to the message. */
  readonly before: LineBeginning;
}

/** Recognizes a plain wrapper by one of its lines, given how its message begins. Returns `null` for any other line. */
export function wrapperOf(line: string, messageBeginning: string): LineWrapper | null {
  const match = /^(\{"[^"\\]+":)\d+(,"[^"\\]+":)(?=\{)/.exec(line);
  const [whole = '', head = '', before = ''] = match ?? [];
  if (match === null || !line.startsWith(messageBeginning, whole.length)) return null;
  return {
    head: beginningOf(head),
    middle: beginningOf(before + messageBeginning),
    before: beginningOf(before),
  };
}

/** The beginning of a line as words. The last word may overlap the word before. */
export interface LineBeginning {
  readonly length: number;
  readonly words: Int32Array;
}

/** Converts a text of at least four bytes. */
export function beginningOf(text: string): LineBeginning {
  const bytes = Buffer.from(text);
  const last = bytes.length - WORD;
  const count = Math.ceil(bytes.length / WORD);
  const words = Int32Array.from({ length: count }, (_, word) => bytes.readInt32LE(Math.min(word * WORD, last)));
  return { length: bytes.length, words };
}
