// Frames of the feed, as a server of the `service` dialect writes them: WebSocket text frames in bytes, ready to be
// sent.
import type { Levels } from '../../src/domain/event.ts';
import { ROW_LENGTH } from '../support/tapes/workload.ts';
import { type Ticker, ticker } from '../../src/domain/ids.ts';
import { type Price, type Qty, fromSeconds } from '../../src/domain/units.ts';
import type { FeedMessage } from '../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../src/venues/trade-api/profiles/service-profile.ts';
import { codecOf } from '../../src/venues/trade-api/wire/codec.ts';

/** The one subscription of books that a benchmark's server grants. */
export const BOOK_SID = 1;

/**
 * The first sequence number: ten digits, so that later ones can be written over it in place. It is a break in the
 * sequence before any book is live; the snapshots that follow make every book live.
 */
export const FIRST_SEQ = 1_000_000_000;

const { delta, snapshot } = serviceProfile.feed.messages;
const AT = fromSeconds(1_795_000_000);

/** The ticker of a benchmark's market, as long as real ones are. */
export const tickerOf = (number: number): Ticker => ticker(`BENCHMARK-26NOV21-T${String(number).padStart(4, '0')}`);

/** A message of a subscription. */
export function messageOf<T>(message: FeedMessage<T>, seq: number, record: T): string {
  const body = JSON.stringify(codecOf(message.record).encode(record));
  return `{"type":${JSON.stringify(message.type)},"sid":${BOOK_SID},"seq":${seq},"msg":${body}}`;
}

/** A snapshot of an empty book. */
export const emptyBook = (market: Ticker, seq: number): string => bookOf(market, seq, { bids: [], asks: [] });

/** A snapshot of a book. */
export const bookOf = (market: Ticker, seq: number, sides: { readonly bids: Levels; readonly asks: Levels }): string =>
  messageOf(snapshot, seq, { ticker: market, ...sides });

/** A change of one level. */
export function levelChanged(change: {
  readonly ticker: Ticker;
  readonly side: 'bid' | 'ask';
  readonly price: Price;
  readonly change: Qty;
  readonly seq: number;
}): string {
  const { seq, ...level } = change;
  return messageOf(delta, seq, { ...level, clientOrderId: null, at: AT });
}

/** A text as one unmasked WebSocket frame. */
export function frameOf(text: string): Buffer {
  const payload = Buffer.from(text);
  if (payload.length < 126) return Buffer.concat([Buffer.from([0x81, payload.length]), payload]);
  const head = Buffer.from([0x81, 126, 0, 0]);
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

/** Many frames in one buffer, and the place of each sequence number. */
export interface FrameBlock {
  readonly bytes: Buffer;
  /** Start of each frame; one more at the end. */
  readonly starts: Uint32Array;
  readonly seqAt: Uint32Array;
}

/** The rows of a workload as frames. */
export function blockOf(rows: Int32Array): FrameBlock {
  const count = rows.length / ROW_LENGTH;
  const frames: Buffer[] = [];
  const starts = new Uint32Array(count + 1);
  const seqAt = new Uint32Array(count);
  let length = 0;
  for (let row = 0; row < count; row++) {
    const [market = 0, isBid, price, change] = rows.subarray(row * ROW_LENGTH, (row + 1) * ROW_LENGTH);
    const frame = frameOf(
      levelChanged({
        ticker: tickerOf(market),
        side: isBid === 1 ? 'bid' : 'ask',
        price: price as Price,
        change: change as Qty,
        seq: FIRST_SEQ,
      }),
    );
    seqAt[row] = length + frame.indexOf('"seq":') + '"seq":'.length;
    frames.push(frame);
    length += frame.length;
    starts[row + 1] = length;
  }
  return { bytes: Buffer.concat(frames), starts, seqAt };
}

const SEQ_DIGITS = 10;

/** Writes a sequence number over that of a frame. */
export function writeSeq({ bytes, seqAt }: FrameBlock, row: number, seq: number): void {
  let rest = seq;
  for (let at = (seqAt[row] ?? 0) + SEQ_DIGITS - 1; rest > 0; at--) {
    const next = Math.floor(rest / 10);
    bytes[at] = 0x30 + rest - next * 10;
    rest = next;
  }
}
