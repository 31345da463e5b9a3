// The messages that wait for one feed connection, joined into as few writes as possible: a write costs as much as encoding
// twenty messages. Must never change their sequence. It has no limit of its own: the feed server compares `waitingBytes`
// with the limit after each message.
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { FeedRounds, RoundMember } from './feed-rounds.ts';

/** Parts of an outbox. */
export interface FeedOutboxOptions {
  readonly socket: WebSocket;
  /** The stream below the socket. */
  readonly stream: Duplex;
  readonly rounds: FeedRounds;
  /** Messages of this many characters are compressed, if the client accepts compression. */
  readonly compressedFrom: number;
}

/** Messages that are longer together are written without waiting for a round. Characters. */
const HELD_MAX = 16_000;

/** The messages that wait for one connection. */
export class FeedOutbox implements RoundMember {
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  readonly #rounds: FeedRounds;
  readonly #compressedFrom: number;
  /** Frames to be written, one character for each byte. */
  #held = '';
  /** Frames before those, of a client that does not read: as bytes they take less than half the memory of joined texts. */
  #piled: Buffer[] = [];
  #piledBytes = 0;
  #isInRound = false;
  /** True while a message is being compressed; those after it then wait in `#behind`. */
  #isCompressing = false;
  #behind: string[] = [];
  #behindLength = 0;

  constructor({ socket, stream, rounds, compressedFrom }: FeedOutboxOptions) {
    this.#socket = socket;
    this.#stream = stream;
    this.#rounds = rounds;
    this.#compressedFrom = socket.extensions === '' ? Infinity : compressedFrom;
    stream.on('drain', () => this.flush());
  }

  /** Bytes that wait in this outbox and in the socket. */
  get waitingBytes(): number {
    return this.#piledBytes + this.#held.length + this.#behindLength + this.#socket.bufferedAmount;
  }

  /** Adds a message. It leaves in this turn of the event loop, in the next round, or when the client reads again. */
  add(text: string): void {
    if (this.#isCompressing) {
      this.#behind.push(text);
      this.#behindLength += text.length;
      return;
    }
    if (text.length >= this.#compressedFrom) return this.#compress(text);
    this.#held += frameOf(text);
    if (this.#held.length > HELD_MAX) this.flush();
    else if (!this.#isInRound && !this.#stream.writableNeedDrain) this.#joinRound();
  }

  #joinRound(): void {
    this.#isInRound = true;
    this.#rounds.add(this.#inRound);
  }

  readonly #inRound: RoundMember = {
    flush: () => {
      this.#isInRound = false;
      this.flush();
    },
  };

  /** Writes what waits, unless the client does not read: what waits is then written when it reads again. */
  flush(): void {
    if (!this.#stream.writableNeedDrain) this.#writeHeld();
    else if (this.#held.length > HELD_MAX) this.#pileHeld();
  }

  #pileHeld(): void {
    this.#piled.push(Buffer.from(this.#held, 'latin1'));
    this.#piledBytes += this.#held.length;
    this.#held = '';
  }

  /** Writes what waits, even if the client does not read. For the end of a connection. */
  writeRest(): void {
    this.#writeHeld();
    const behind = this.#behind;
    this.#behind = [];
    this.#behindLength = 0;
    // The socket itself keeps these behind the message that it compresses.
    for (const text of behind) if (this.#isOpen) this.#socket.send(text);
  }

  #writeHeld(): void {
    if (!this.#isOpen) return;
    const [piled, held] = [this.#piled, this.#held];
    this.#piled = [];
    this.#piledBytes = 0;
    this.#held = '';
    for (const bytes of piled) this.#stream.write(bytes);
    if (held !== '') this.#stream.write(held, 'latin1');
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  #compress(text: string): void {
    this.#writeHeld();
    this.#isCompressing = true;
    this.#socket.send(text, () => {
      this.#isCompressing = false;
      const behind = this.#behind;
      this.#behind = [];
      this.#behindLength = 0;
      for (const next of behind) this.add(next);
    });
  }
}

const TEXT = 0x81;
const LENGTH_7_MAX = 125;
const LENGTH_16 = 126;
const LENGTH_16_MAX = 0xffff;
const LENGTH_64 = 127;

/** Heads of frames by the length of their text, made when first needed. */
const heads: (string | undefined)[] = [];
const HEADS_MAX = 4096;

/** A text as one WebSocket frame, with one character for each byte. */
function frameOf(text: string): string {
  const length = Buffer.byteLength(text);
  const bytes = length === text.length ? text : Buffer.from(text).toString('latin1');
  return headOf(length) + bytes;
}

function headOf(length: number): string {
  if (length >= HEADS_MAX) return makeHead(length);
  return (heads[length] ??= makeHead(length));
}

function makeHead(length: number): string {
  if (length <= LENGTH_7_MAX) return String.fromCharCode(TEXT, length);
  if (length <= LENGTH_16_MAX) return String.fromCharCode(TEXT, LENGTH_16, length >> 8, length & 0xff);
  const head = Buffer.alloc(10);
  head.writeUInt8(TEXT, 0);
  head.writeUInt8(LENGTH_64, 1);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head.toString('latin1');
}
