// Reads the hot frame, one level of one book changed, straight from its bytes: no string, no object.
// Must never read a frame otherwise than the codec would. Whatever is not exactly as usual is not read at all.
import type { BookSide } from '../../domain/event.ts';
import type { MarketIndex, TickerTable } from '../../domain/ids.ts';
import { complement, type Micros, PAYOUT, type Price, type Qty } from '../../domain/units.ts';
import { planDelta, Reads, type ScanField, type ScanPlan } from './scan-fields.ts';
import { TickerBytes } from './scan-tickers.ts';
import type { FeedMessage } from './profile.ts';
import type { DeltaRecord } from './wire/records.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const BACKSLASH = 0x5c;
const CLOSE = 0x7d;
const DIGITS_MAX = 15;
const NOT_READ = -1;

/** Reads deltas. After `scan` said yes, the members hold what the frame says; until the next `scan`. */
export class DeltaScanner {
  sid = 0;
  seq = 0;
  market = 0 as MarketIndex;
  side: BookSide = 'bid';
  price = 0 as Price;
  change = 0 as Qty;
  exchangeAt: Micros | null = null;

  readonly #plan: ScanPlan;
  readonly #tickers: TickerBytes;
  readonly #head: Uint8Array;
  /** The members in the order in which the last frame had them: the next one most likely has them so, too. */
  readonly #order: ScanField[];
  /** The number that was read last. */
  #number = 0;

  /** @param type the word of the message, as the envelope says it. */
  constructor(plan: ScanPlan, type: string, tickers: TickerTable) {
    this.#plan = plan;
    this.#tickers = new TickerBytes(tickers);
    this.#head = bytesOf(`{"type":${JSON.stringify(type)},"sid":`);
    this.#order = [...plan.fields];
  }

  /** Whether the frame is a delta that was read. When it is not, the members mean nothing. */
  scan(bytes: Uint8Array): boolean {
    if (!isAt(bytes, 0, this.#head)) return false;
    let at = this.#readInteger(bytes, this.#head.length);
    if (at === NOT_READ || !isAt(bytes, at, SEQ)) return false;
    this.sid = this.#number;
    at = this.#readInteger(bytes, at + SEQ.length);
    if (at === NOT_READ || !isAt(bytes, at, MSG)) return false;
    this.seq = this.#number;
    at = this.#readRecord(bytes, at + MSG.length);
    // The record's own brace and the envelope's, and nothing after them.
    return at !== NOT_READ && at === bytes.length - 1 && bytes[at] === CLOSE && this.#orient();
  }

  /** From behind the opening brace to behind the closing one. */
  #readRecord(bytes: Uint8Array, start: number): number {
    const { required } = this.#plan;
    this.exchangeAt = null;
    let at = start;
    let seen = 0;
    for (let place = 0; ; place++) {
      const field = this.#fieldAt(bytes, at, place);
      if (field === null || (seen & field.bit) !== 0) return NOT_READ;
      seen |= field.bit;
      at = this.#readMember(bytes, at + field.key.length, field);
      if (at === NOT_READ) return NOT_READ;
      const next = bytes[at];
      at += 1;
      if (next === COMMA) continue;
      return next === CLOSE && (seen & required) === required ? at : NOT_READ;
    }
  }

  /** The member whose name stands here. */
  #fieldAt(bytes: Uint8Array, at: number, place: number): ScanField | null {
    const likely = this.#order[place];
    if (likely === undefined) return null;
    if (isAt(bytes, at, likely.key)) return likely;
    for (let other = 0; other < this.#order.length; other++) {
      const field = this.#order[other];
      if (field === undefined || !isAt(bytes, at, field.key)) continue;
      this.#order[other] = likely;
      this.#order[place] = field;
      return field;
    }
    return null;
  }

  /** Reads a value into its member; gives the position behind it. */
  #readMember(bytes: Uint8Array, at: number, field: ScanField): number {
    switch (field.read) {
      case Reads.ticker:
        return this.#readTicker(bytes, at);
      case Reads.side:
        return this.#readSide(bytes, at);
      case Reads.priceText:
      case Reads.changeText:
        return this.#keep(field, this.#readDecimal(bytes, at, field.decimals));
      case Reads.priceInteger:
      case Reads.changeInteger:
      case Reads.timeInteger:
        return this.#keep(field, this.#readInteger(bytes, at));
      case Reads.skipText:
        return skipText(bytes, at);
      case Reads.skipInteger:
        return this.#readInteger(bytes, at);
      case Reads.skipAny:
        return bytes[at] === QUOTE ? skipText(bytes, at) : this.#readInteger(bytes, at);
    }
  }

  /** Puts the number that was read where it belongs, if it is one that the codec would take. */
  #keep(field: ScanField, at: number): number {
    const value = this.#number * field.scale;
    if (at === NOT_READ || !Number.isSafeInteger(value)) return NOT_READ;
    switch (field.read) {
      case Reads.priceInteger:
      case Reads.priceText:
        if (value < 0 || value > PAYOUT) return NOT_READ;
        this.price = value as Price;
        return at;
      case Reads.timeInteger:
        this.exchangeAt = value as Micros;
        return at;
      default:
        this.change = value as Qty;
        return at;
    }
  }

  #readTicker(bytes: Uint8Array, at: number): number {
    if (bytes[at] !== QUOTE) return NOT_READ;
    const market = this.#tickers.find(bytes, at + 1);
    if (market < 0) return NOT_READ;
    this.market = market as MarketIndex;
    return this.#tickers.end + 1;
  }

  #readSide(bytes: Uint8Array, at: number): number {
    const { bidWord, askWord } = this.#plan;
    const isBid = isAt(bytes, at, bidWord);
    if (!isBid && !isAt(bytes, at, askWord)) return NOT_READ;
    this.side = isBid ? 'bid' : 'ask';
    return at + (isBid ? bidWord : askWord).length;
  }

  /** A JSON integer of at most fifteen digits. */
  #readInteger(bytes: Uint8Array, start: number): number {
    const isNegative = bytes[start] === MINUS;
    const first = isNegative ? start + 1 : start;
    const end = this.#readDigits(bytes, first);
    // A leading zero is no JSON, and minus zero is not an integer to everyone.
    if (end === first || (bytes[first] === ZERO && (isNegative || end > first + 1))) return NOT_READ;
    if (isNegative) this.#number = -this.#number;
    return end;
  }

  /** A decimal number within quotes, with no more decimals than its unit has, as an integer of that unit. */
  #readDecimal(bytes: Uint8Array, start: number, decimals: number): number {
    if (bytes[start] !== QUOTE) return NOT_READ;
    const isNegative = bytes[start + 1] === MINUS;
    const first = isNegative ? start + 2 : start + 1;
    let end = this.#readDigits(bytes, first);
    if (end === first) return NOT_READ;
    let value = this.#number;
    let missing = decimals;
    if (bytes[end] === POINT) {
      const point = end;
      end = this.#readDigits(bytes, point + 1);
      missing = decimals - (end - point - 1);
      if (missing < 0 || missing === decimals) return NOT_READ;
      value = value * (POWERS[decimals - missing] ?? 1) + this.#number;
    }
    value *= POWERS[missing] as number;
    this.#number = isNegative && value !== 0 ? -value : value;
    return bytes[end] === QUOTE ? end + 1 : NOT_READ;
  }

  /** Reads digits, at most fifteen; gives the position behind them, which is `start` when there were none or too many. */
  #readDigits(bytes: Uint8Array, start: number): number {
    let at = start;
    let value = 0;
    for (; at < bytes.length; at++) {
      const digit = (bytes[at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    this.#number = value;
    return at - start > DIGITS_MAX ? start : at;
  }

  /** Turns a price of the NO leg to the YES scale. */
  #orient(): boolean {
    const { noLeg } = this.#plan;
    if (noLeg === 'always' || noLeg === this.side) this.price = complement(this.price);
    return true;
  }
}

/** A scanner for a profile's deltas; `null` when they are spelled in a way that is not scanned. */
export function deltaScanner(message: FeedMessage<DeltaRecord>, tickers: TickerTable): DeltaScanner | null {
  const plan = message.hasSeq ? planDelta(message.record) : null;
  return plan === null ? null : new DeltaScanner(plan, message.type, tickers);
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const SEQ = bytesOf(',"seq":');
const MSG = bytesOf(',"msg":{');
const POWERS = [1, 10, 100, 1000, 10_000] as const;

function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

/** A text without escapes, of printable ASCII; gives the position behind it. */
function skipText(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== QUOTE) return NOT_READ;
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return at + 1;
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return NOT_READ;
  }
  return NOT_READ;
}
