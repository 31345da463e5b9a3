// Reads the most frequent frame, a book delta, straight from its bytes: no string, no object. Must never read a frame
// differently from the codec. A frame in any unusual format is left to the codec.
import type { BookSide } from '../../../domain/event.ts';
import type { MarketIndex, TickerTable } from '../../../domain/ids.ts';
import type { ByteSpan } from '../../../venue.ts';
import { type Micros, PAYOUT, type Price, type Qty } from '../../../domain/units.ts';
import { planDelta, FieldReads, type ScanField, type ScanPlan } from './scan-plan.ts';
import {
  type BytePattern,
  bytePatternOf,
  FrameBytes,
  fourDigits,
  isFourDigits,
  lowestOutside,
  lowestZero,
  QUOTES,
  matchesAt,
  ZEROS,
} from './frame-bytes.ts';
import { TickerBytes } from './ticker-bytes.ts';
import type { FeedMessage } from '../profiles/wire-profile.ts';
import type { DeltaRecord } from '../wire/wire-records.ts';

const QUOTE = 0x22;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const BACKSLASHES = 0x5c5c5c5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const COMMA = 0x2c;
const DIGITS_MAX = 15;
const NOT_READ = -1;

/** Reads deltas. Once `scan` has returned true, the members hold the delta until the next `scan`. */
export class DeltaScanner {
  sid = 0;
  seq = 0;
  market = 0 as MarketIndex;
  side: BookSide = 'bid';
  price = 0 as Price;
  change = 0 as Qty;
  exchangeAt: Micros | null = null;

  readonly #plan: ScanPlan;
  readonly #frame = new FrameBytes();
  readonly #tickers: TickerBytes;
  readonly #head: BytePattern;
  /** Members in the sequence of the last frame: the next frame most likely has the same sequence. */
  readonly #order: ScanField[];
  #number = 0;

  /** @param type the message type in the envelope. */
  constructor(plan: ScanPlan, type: string, tickers: TickerTable) {
    this.#plan = plan;
    this.#tickers = new TickerBytes(tickers);
    this.#head = bytePatternOf(`{"type":${JSON.stringify(type)},"sid":`);
    this.#order = [...plan.fields];
  }

  /** Returns true when the frame was read as a delta. Otherwise the members are meaningless. */
  scan(bytes: Uint8Array): boolean {
    this.#frame.moveToFrame(bytes);
    return this.#readFrame();
  }

  /** Like `scan`, for a frame whose position in its buffer is known. */
  scanSpan(span: ByteSpan): boolean {
    this.#frame.moveToSpan(span);
    return this.#readFrame();
  }

  #readFrame(): boolean {
    const frame = this.#frame;
    const { view, start } = frame;
    if (!matchesAt(this.#head, view, start)) return false;
    let at = this.#readInteger(view, start + this.#head.length);
    if (at === NOT_READ || !matchesAt(SEQ, view, at)) return false;
    this.sid = this.#number;
    at = this.#readInteger(view, at + SEQ.length);
    if (at === NOT_READ || !matchesAt(MSG, view, at)) return false;
    this.seq = this.#number;
    at = this.#readRecord(view, at + MSG.length);
    if (at === NOT_READ) return false;
    // The envelope's closing brace must be the last byte.
    return at === frame.end - 1 && view.getUint8(at) === CLOSE && this.#orient();
  }

  /** Reads from the opening brace; returns the position after the closing one, or `NOT_READ`. */
  #readRecord(view: DataView, start: number): number {
    this.exchangeAt = null;
    const { end } = this.#frame;
    let at = start;
    let seen = 0;
    for (let place = 0; at < end; place++) {
      const mark = view.getUint8(at);
      if (mark === CLOSE) return (seen & this.#plan.required) === this.#plan.required ? at + 1 : NOT_READ;
      if (mark !== (place === 0 ? OPEN : COMMA)) return NOT_READ;
      const field = this.#fieldAt(view, at + 1, place);
      if (field === null || (seen & field.bit) !== 0) return NOT_READ;
      seen |= field.bit;
      at = this.#readMember(view, at + 1 + field.name.length, field);
      if (at === NOT_READ) return NOT_READ;
    }
    return NOT_READ;
  }

  #fieldAt(view: DataView, at: number, place: number): ScanField | null {
    const likely = this.#order[place];
    if (likely === undefined) return null;
    return matchesAt(likely.name, view, at) ? likely : this.#searchField(view, at, place);
  }

  #searchField(view: DataView, at: number, place: number): ScanField | null {
    const other = this.#order.findIndex(({ name }) => matchesAt(name, view, at));
    const field = this.#order[other];
    const likely = this.#order[place];
    if (field === undefined || likely === undefined) return null;
    this.#order[other] = likely;
    this.#order[place] = field;
    return field;
  }

  #readMember(view: DataView, at: number, field: ScanField): number {
    switch (field.read) {
      case FieldReads.ticker:
        return this.#readTicker(view, at);
      case FieldReads.side:
        return this.#readSide(view, at);
      case FieldReads.priceText:
      case FieldReads.changeText:
        return this.#storeNumber(field, this.#readDecimal(view, at, field.decimals));
      case FieldReads.priceInteger:
      case FieldReads.changeInteger:
      case FieldReads.timeInteger:
        return this.#storeNumber(field, this.#readInteger(view, at));
      case FieldReads.skipText:
        return this.#skipText(view, at);
      case FieldReads.skipInteger:
        return this.#readInteger(view, at);
      case FieldReads.skipAny:
        return view.getUint8(at) === QUOTE ? this.#skipText(view, at) : this.#readInteger(view, at);
    }
  }

  /** Stores the last number, if the codec would accept it, too. Returns `at`, or `NOT_READ`. */
  #storeNumber(field: ScanField, at: number): number {
    const value = this.#number * field.scale;
    if (at === NOT_READ || !Number.isSafeInteger(value)) return NOT_READ;
    switch (field.read) {
      case FieldReads.priceInteger:
      case FieldReads.priceText:
        if (value < 0 || value > PAYOUT) return NOT_READ;
        this.price = value as Price;
        return at;
      case FieldReads.timeInteger:
        this.exchangeAt = value as Micros;
        return at;
      case FieldReads.changeInteger:
      case FieldReads.changeText:
        this.change = value as Qty;
        return at;
      case FieldReads.ticker:
      case FieldReads.side:
      case FieldReads.skipText:
      case FieldReads.skipInteger:
      case FieldReads.skipAny:
        return NOT_READ;
    }
  }

  #readTicker(view: DataView, at: number): number {
    if (view.getUint8(at) !== QUOTE) return NOT_READ;
    const market = this.#tickers.findMarket(this.#frame, at + 1);
    if (market < 0) return NOT_READ;
    this.market = market as MarketIndex;
    return this.#tickers.end + 1;
  }

  #readSide(view: DataView, at: number): number {
    const { bidWord, askWord } = this.#plan;
    const isBid = matchesAt(bidWord, view, at);
    if (!isBid && !matchesAt(askWord, view, at)) return NOT_READ;
    this.side = isBid ? 'bid' : 'ask';
    return at + (isBid ? bidWord : askWord).length;
  }

  /** Reads a JSON integer of at most fifteen digits into `#number`. Returns the position after it, or `NOT_READ`. */
  #readInteger(view: DataView, start: number): number {
    const isNegative = view.getUint8(start) === MINUS;
    const first = isNegative ? start + 1 : start;
    const end = this.#readDigits(view, first);
    // JSON forbids leading zeros, and readers disagree on minus zero.
    if (end === first || (view.getUint8(first) === ZERO && (isNegative || end > first + 1))) return NOT_READ;
    if (isNegative) this.#number = -this.#number;
    return end;
  }

  /**
   * Reads a quoted decimal into `#number`: `"0.25"` with two `decimals` is 25. Returns the position after it, or
   * `NOT_READ`.
   */
  #readDecimal(view: DataView, start: number, decimals: number): number {
    if (view.getUint8(start) !== QUOTE) return NOT_READ;
    const isNegative = view.getUint8(start + 1) === MINUS;
    const first = isNegative ? start + 2 : start + 1;
    let end = this.#readDigits(view, first);
    if (end === first) return NOT_READ;
    let value = this.#number;
    let missing = decimals;
    if (view.getUint8(end) === POINT) {
      const point = end;
      end = this.#readDigits(view, point + 1);
      missing = decimals - (end - point - 1);
      if (missing < 0 || missing === decimals) return NOT_READ;
      value = value * (POWERS[decimals - missing] ?? 1) + this.#number;
    }
    value *= POWERS[missing] ?? 1;
    this.#number = isNegative && value !== 0 ? -value : value;
    return view.getUint8(end) === QUOTE ? end + 1 : NOT_READ;
  }

  /**
   * Reads at most fifteen digits. Returns the position of the next byte, or `start` when there are none or too many.
   */
  #readDigits(view: DataView, start: number): number {
    let at = start;
    let value = 0;
    let digits = view.getInt32(at, true) ^ ZEROS;
    while (isFourDigits(digits)) {
      value = value * 10_000 + fourDigits(digits);
      at += 4;
      if (at - start > DIGITS_MAX) return start;
      digits = view.getInt32(at, true) ^ ZEROS;
    }
    // One of the four bytes is not a digit and ends this loop.
    for (; (digits & 0xff) <= 9; digits >>>= 8) {
      value = value * 10 + (digits & 0xff);
      at += 1;
    }
    this.#number = value;
    return at - start > DIGITS_MAX ? start : at;
  }

  /** Skips an ASCII text without escapes; returns the position after it, or `NOT_READ`. */
  #skipText(view: DataView, start: number): number {
    if (view.getUint8(start) !== QUOTE) return NOT_READ;
    const { end } = this.#frame;
    for (let at = start + 1; at < end; at += 4) {
      const word = view.getInt32(at, true);
      const quote = lowestZero(word ^ QUOTES);
      const bad = lowestZero(word ^ BACKSLASHES) | lowestOutside(word);
      if ((quote | bad) === 0) continue;
      // The first match decides: a quote ends the text, and any other match is not supported.
      const first = (quote | bad) & -(quote | bad);
      return (quote & first) !== 0 ? at + ((31 - Math.clz32(first)) >>> 3) + 1 : NOT_READ;
    }
    return NOT_READ;
  }

  #orient(): boolean {
    const { noLeg } = this.#plan;
    if (noLeg === 'always' || noLeg === this.side) this.price = (PAYOUT - this.price) as Price;
    return true;
  }
}

/** A scanner for a profile's deltas; `null` when the spec is not supported, or deltas carry no sequence number. */
export function createDeltaScanner(message: FeedMessage<DeltaRecord>, tickers: TickerTable): DeltaScanner | null {
  const plan = message.hasSeq ? planDelta(message.record) : null;
  return plan === null ? null : new DeltaScanner(plan, message.type, tickers);
}

const SEQ = bytePatternOf(',"seq":');
const MSG = bytePatternOf(',"msg":');
const POWERS = [1, 10, 100, 1000, 10_000] as const;
