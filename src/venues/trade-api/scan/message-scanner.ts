// Reads the most frequent frames, of book deltas, tickers and prints, straight from their bytes: no object, and no string but
// the id of a print. Must never read a frame differently from the codec. A frame in any unusual format is left to the codec.
import type { BookSide } from '../../../domain/event.ts';
import type { MarketIndex, TradeId } from '../../../domain/ids.ts';
import type { ByteSpan } from '../../../venue.ts';
import { type Micros, NO_QTY, PAYOUT, type Price, type Qty } from '../../../domain/units.ts';
import { FieldReads, planDelta, planPrint, planTicker, type ScanField, type ScanPlan, Slots } from './scan-plan.ts';
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
import type { TickerBytes } from './ticker-bytes.ts';
import type { FeedMessage } from '../profiles/wire-profile.ts';
import type { Channel, DeltaRecord, PrintRecord, TickerRecord } from '../wire/wire-records.ts';

const QUOTE = 0x22;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const BACKSLASHES = 0x5c5c5c5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const SMALL_T = 0x74;
const SMALL_F = 0x66;
const COMMA = 0x2c;
const DIGITS_MAX = 15;
const NOT_READ = -1;

/**
 * Reads messages of one type. Once `scan` has returned true, the members of that type hold the message until the next
 * `scan`.
 */
export class MessageScanner {
  sid = 0;
  /** Sequence number; `null` when the message has none. */
  seq: number | null = null;
  market = 0 as MarketIndex;
  exchangeAt: Micros | null = null;
  /** Members of a delta and of a print, whose side is that of the taker: `bid` for one who buys. */
  side: BookSide = 'bid';
  price = 0 as Price;
  /** A member of a delta. */
  change = NO_QTY;
  /** These two are members of a print, beside `tradeId`. */
  qty = NO_QTY;
  isOffBook = false;
  /** These five are members of a ticker. A price is `null` when the message lacks it. */
  lastPrice: Price | null = null;
  bestBid: Price | null = null;
  bestAsk: Price | null = null;
  volume = NO_QTY;
  openInterest = NO_QTY;

  /** The position after the message in the buffer of its span. Set by `scanBeginning` alone. */
  end = 0;

  /** The channel of the messages. */
  readonly channel: Channel;
  readonly #plan: ScanPlan;
  readonly #frame = new FrameBytes();
  readonly #hasSeq: boolean;
  readonly #tickers: TickerBytes;
  readonly #head: BytePattern;
  /** Members in the sequence of the last frame: the next frame most likely has the same sequence. */
  readonly #order: ScanField[];
  #number = 0;
  /** Position of a print's id, and of its closing quote. */
  #idAt = 0;
  #idEnd = 0;

  constructor(
    plan: ScanPlan,
    message: Pick<FeedMessage<unknown>, 'type' | 'channel' | 'hasSeq'>,
    tickers: TickerBytes,
  ) {
    const { type, channel, hasSeq } = message;
    this.channel = channel;
    this.#plan = plan;
    this.#hasSeq = hasSeq;
    this.#tickers = tickers;
    this.#head = bytePatternOf(`{"type":${JSON.stringify(type)},"sid":`);
    this.#order = [...plan.fields];
  }

  /** The id of a print. Valid while the frame's bytes are. */
  get tradeId(): TradeId {
    const { buffer, byteOffset } = this.#frame.view;
    return TEXT.decode(new Uint8Array(buffer, byteOffset + this.#idAt, this.#idEnd - this.#idAt)) as TradeId;
  }

  /** Returns true when the frame was read as a message of the type. Otherwise the members are meaningless. */
  scan(bytes: Uint8Array): boolean {
    this.#frame.moveToFrame(bytes);
    return this.#readMessage() === this.#frame.end;
  }

  /** Like `scan`, for a frame whose position in its buffer is known. */
  scanSpan(span: ByteSpan): boolean {
    this.#frame.moveToSpan(span);
    return this.#readMessage() === this.#frame.end;
  }

  /** Like `scanSpan`, for a message with which the span begins. Its end becomes `end`. */
  scanBeginning(span: ByteSpan): boolean {
    const frame = this.#frame;
    frame.moveToSpan(span);
    const end = this.#readMessage();
    this.end = end - frame.start + span.start;
    return end !== NOT_READ;
  }

  /** Reads from the frame's first byte; returns the position after the message, or `NOT_READ`. */
  #readMessage(): number {
    const { view, start, end } = this.#frame;
    if (!matchesAt(this.#head, view, start)) return NOT_READ;
    let at = this.#readInteger(view, start + this.#head.length);
    if (at === NOT_READ) return NOT_READ;
    this.sid = this.#number;
    this.seq = null;
    if (matchesAt(SEQ, view, at)) {
      at = this.#readInteger(view, at + SEQ.length);
      this.seq = this.#number;
    } else if (this.#hasSeq) return NOT_READ;
    if (at === NOT_READ || !matchesAt(MSG, view, at)) return NOT_READ;
    at = this.#readRecord(view, at + MSG.length);
    if (at === NOT_READ || at >= end || view.getUint8(at) !== CLOSE) return NOT_READ;
    this.#orient();
    return at + 1;
  }

  /** Reads from the opening brace; returns the position after the closing one, or `NOT_READ`. */
  #readRecord(view: DataView, start: number): number {
    if (this.#plan.hasOptional) this.#clearOptional();
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

  #clearOptional(): void {
    this.exchangeAt = null;
    this.lastPrice = null;
    this.bestBid = null;
    this.bestAsk = null;
    this.isOffBook = false;
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
      case FieldReads.decimal:
        return this.#storeNumber(field, this.#readDecimal(view, at, field.decimals));
      case FieldReads.integer:
        return this.#storeNumber(field, this.#readInteger(view, at));
      case FieldReads.skipText:
        return this.#skipText(view, at);
      case FieldReads.skipInteger:
        return this.#readInteger(view, at);
      case FieldReads.tradeId:
        return this.#readId(view, at);
      case FieldReads.word:
        return skipWord(view, at, field.words);
      case FieldReads.flag:
        return this.#readFlag(view, at);
      case FieldReads.skipAny:
        return this.#skipAny(view, at);
    }
  }

  /** Stores the last number, if the codec would accept it, too. Returns `at`, or `NOT_READ`. */
  #storeNumber(field: ScanField, at: number): number {
    const value = this.#number * field.scale;
    if (at === NOT_READ || value < field.min || value > field.max) return NOT_READ;
    switch (field.slot) {
      case Slots.price:
        this.price = value as Price;
        return at;
      case Slots.change:
        this.change = value as Qty;
        return at;
      case Slots.exchangeAt:
        this.exchangeAt = value as Micros;
        return at;
      case Slots.lastPrice:
        this.lastPrice = value as Price;
        return at;
      case Slots.bestBid:
        this.bestBid = value as Price;
        return at;
      case Slots.bestAsk:
        this.bestAsk = value as Price;
        return at;
      case Slots.volume:
        this.volume = value as Qty;
        return at;
      case Slots.openInterest:
        this.openInterest = value as Qty;
        return at;
      case Slots.qty:
        this.qty = value as Qty;
        return at;
      case Slots.none:
        return at;
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

  /** Reads a text that is not empty. */
  #readId(view: DataView, at: number): number {
    const end = this.#skipText(view, at);
    this.#idAt = at + 1;
    this.#idEnd = end - 1;
    return this.#idEnd > this.#idAt ? end : NOT_READ;
  }

  #readFlag(view: DataView, at: number): number {
    const end = skipFlag(view, at);
    this.isOffBook = end === at + TRUE.length;
    return end;
  }

  #skipAny(view: DataView, at: number): number {
    const first = view.getUint8(at);
    if (first === QUOTE) return this.#skipText(view, at);
    return first === SMALL_T || first === SMALL_F ? skipFlag(view, at) : this.#readInteger(view, at);
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

  #orient(): void {
    const { noLeg } = this.#plan;
    if (noLeg === 'always' || noLeg === this.side) this.price = (PAYOUT - this.price) as Price;
  }
}

/** A scanner for a profile's deltas; `null` when the spec is not supported, or deltas carry no sequence number. */
export function createDeltaScanner(message: FeedMessage<DeltaRecord>, tickers: TickerBytes): MessageScanner | null {
  const plan = message.hasSeq ? planDelta(message.record) : null;
  return plan === null ? null : new MessageScanner(plan, message, tickers);
}

/** A scanner for a profile's tickers; `null` when the spec is not supported. */
export function createTickerScanner(message: FeedMessage<TickerRecord>, tickers: TickerBytes): MessageScanner | null {
  const plan = planTicker(message.record);
  return plan === null ? null : new MessageScanner(plan, message, tickers);
}

/** A scanner for a profile's prints; `null` when the spec is not supported. */
export function createPrintScanner(message: FeedMessage<PrintRecord>, tickers: TickerBytes): MessageScanner | null {
  const plan = planPrint(message.record);
  return plan === null ? null : new MessageScanner(plan, message, tickers);
}

function skipWord(view: DataView, at: number, words: readonly BytePattern[]): number {
  for (const word of words) if (matchesAt(word, view, at)) return at + word.length;
  return NOT_READ;
}

function skipFlag(view: DataView, at: number): number {
  if (matchesAt(TRUE, view, at)) return at + TRUE.length;
  return matchesAt(FALSE, view, at) ? at + FALSE.length : NOT_READ;
}

const TEXT = new TextDecoder();
const TRUE = bytePatternOf('true');
const FALSE = bytePatternOf('false');
const SEQ = bytePatternOf(',"seq":');
const MSG = bytePatternOf(',"msg":');
const POWERS = [1, 10, 100, 1000, 10_000] as const;
