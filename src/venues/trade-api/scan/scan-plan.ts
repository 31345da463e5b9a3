// Computes the scan plan of a record from its spec, once. Must never accept a form that the scanner would read
// differently from the codec: such a record gets no scanner.
import { PAYOUT, PRICE_DECIMALS, PRICE_PER_CENT, QTY_DECIMALS, QTY_PER_CONTRACT } from '../../../domain/units.ts';
import { type BytePattern, bytePatternOf } from './frame-bytes.ts';
import type { DeltaRecord, PrintRecord, TickerRecord } from '../wire/wire-records.ts';
import { type AnyField, type AnyForm, type AnySpec, type RecordSpec, isWireField } from '../wire/record-spec.ts';

/** The ways to read the bytes of a member. */
export const FieldReads = {
  /** The member is a text or a number that affects nothing. */
  skipText: 0,
  skipInteger: 1,
  skipAny: 2,
  ticker: 3,
  side: 4,
  /** A JSON integer, times `scale`. */
  integer: 5,
  /** A decimal text with up to `decimals` decimals. */
  decimal: 6,
  /** A text that is kept: a trade's id. */
  tradeId: 7,
  /** The text is one of `words`. */
  word: 8,
  /** A JSON `true` or `false`. */
  flag: 9,
} as const;
export type FieldRead = (typeof FieldReads)[keyof typeof FieldReads];

/** The members of the scanner that take a number. `none`: the number is only checked. */
export const Slots = {
  none: 0,
  price: 1,
  change: 2,
  exchangeAt: 3,
  lastPrice: 4,
  bestBid: 5,
  bestAsk: 6,
  volume: 7,
  openInterest: 8,
  qty: 9,
} as const;
export type Slot = (typeof Slots)[keyof typeof Slots];

/** One member that the record may have. */
export interface ScanField {
  /** The bytes of `"name":`. */
  readonly name: BytePattern;
  readonly read: FieldRead;
  /** Bit of the member, to detect a duplicate. */
  readonly bit: number;
  /** For an integer: our units in one wire unit. */
  readonly scale: number;
  /** For a decimal text: decimals of our unit. */
  readonly decimals: number;
  /** For a number: where it goes, and the lowest and highest value that the codec accepts, in our unit. */
  readonly slot: Slot;
  readonly min: number;
  readonly max: number;
  /** For a word: the texts that the codec accepts, with their quotes. */
  readonly words: readonly BytePattern[];
}

/** Everything the scanner needs for one kind of record. */
export interface ScanPlan {
  readonly fields: readonly ScanField[];
  readonly required: number;
  /** True when a member that the scanner keeps may be missing. */
  readonly hasOptional: boolean;
  /** The words of the two sides as bytes, with their quotes. */
  readonly bidWord: BytePattern;
  readonly askWord: BytePattern;
  /** The side whose prices are prices of NO contracts. */
  readonly noLeg: 'bid' | 'ask' | 'never' | 'always';
}

/** The scan plan of a delta's spec; `null` when the scanner does not support it. */
export function planDelta(spec: RecordSpec<DeltaRecord>): ScanPlan | null {
  // tidy: as — the spec's type parameter ties it to its record; the code below works on any spec.
  const { fields, ...rest } = spec as unknown as AnySpec;
  const words = wordsOf(fields['side']);
  const noLeg = noLegOf(fields['price']);
  const reads: Record<keyof DeltaRecord, ReadOf> = {
    ticker: tickerRead,
    side: sideRead,
    price: priceTo(Slots.price),
    change: countTo(Slots.change, true),
    at: timeRead,
    clientOrderId: plainTextRead,
  };
  return words === null || noLeg === null ? null : planOf({ fields, ...rest }, reads, { ...words, noLeg });
}

/** The scan plan of a ticker's spec; `null` when the scanner does not support it. */
export function planTicker(spec: RecordSpec<TickerRecord>): ScanPlan | null {
  const count = countTo(Slots.none, false);
  const reads: Record<keyof TickerRecord, ReadOf> = {
    ticker: tickerRead,
    lastPrice: quoteTo(Slots.lastPrice),
    bestBid: quoteTo(Slots.bestBid),
    bestBidQty: count,
    bestAsk: quoteTo(Slots.bestAsk),
    bestAskQty: count,
    lastQty: count,
    volume: countTo(Slots.volume, false),
    openInterest: countTo(Slots.openInterest, false),
    dollarVolume: integerRead,
    dollarOpenInterest: integerRead,
    at: timeRead,
  };
  return planOf(spec, reads, NO_SIDE);
}

/** The scan plan of a print's spec; `null` when the scanner does not support it. */
export function planPrint(spec: RecordSpec<PrintRecord>): ScanPlan | null {
  // tidy: as — the spec's type parameter ties it to its record; the code below works on any spec.
  const { fields, ...rest } = spec as unknown as AnySpec;
  const words = wordsOf(fields['side']);
  const isPriceOfYes = noLegOf(fields['price']) === 'never';
  const reads: Record<keyof PrintRecord, ReadOf> = {
    tradeId: tradeIdRead,
    ticker: tickerRead,
    side: sideRead,
    price: priceTo(Slots.price),
    qty: countTo(Slots.qty, false),
    at: timeRead,
    isOffBook: flagRead,
  };
  return words === null || !isPriceOfYes ? null : planOf({ fields, ...rest }, reads, { ...words, noLeg: 'never' });
}

/** A record without a side reads none of these. */
const NO_SIDE: SideWords = { bidWord: bytePatternOf('"bid"'), askWord: bytePatternOf('"ask"'), noLeg: 'never' };

type SideWords = Pick<ScanPlan, 'bidWord' | 'askWord' | 'noLeg'>;

function planOf(
  { fields, ignored = [], filler = {}, constants }: AnySpec,
  reads: Readonly<Record<string, ReadOf>>,
  words: SideWords,
): ScanPlan | null {
  const plan = new PlanBuilder();
  const isScanned =
    constants === undefined &&
    Object.keys(fields).every((name) => Object.hasOwn(reads, name)) &&
    Object.entries(reads).every(([name, readOf]) => plan.addPlaced(fields[name], readOf));
  if (!isScanned) return null;
  for (const name of [...Object.keys(filler), ...ignored]) plan.addIgnored(name);
  const { required, hasOptional } = plan;
  return plan.isTooLarge ? null : { fields: plan.fields, required, hasOptional, ...words };
}

/** Bound on the members of a record: each has one bit of a small integer. */
const FIELDS_MAX = 30;

/** A pattern has at least four bytes; two of them are quotes. */
const WORD_LENGTH_MIN = 2;

type ReadWay = Omit<ScanField, 'name' | 'bit'>;

/** The way to read a form; `null` when the scanner does not support it. */
type ReadOf = (form: AnyForm & { readonly blank?: unknown }) => ReadWay | null;

const PLAIN = { scale: 1, decimals: 0, slot: Slots.none, min: 0, max: 0, words: [] } as const;
const plainly = (read: FieldRead): ReadWay => ({ read, ...PLAIN });
const unblank =
  (readOf: ReadOf): ReadOf =>
  (form) =>
    form.blank === undefined ? readOf(form) : null;
const tickerRead = unblank(({ kind }) => (kind === 'name' ? plainly(FieldReads.ticker) : null));
const sideRead = unblank(({ kind }) => (kind === 'enum' ? plainly(FieldReads.side) : null));
const tradeIdRead = unblank(({ kind }) => (kind === 'name' ? plainly(FieldReads.tradeId) : null));
const flagRead = unblank(({ kind }) => (kind === 'boolean' ? plainly(FieldReads.flag) : null));
const plainTextRead = unblank(({ kind }) => (kind === 'text' ? plainly(FieldReads.skipText) : null));
const integerRead = unblank(({ kind }) => (kind === 'integer' ? plainly(FieldReads.skipInteger) : null));

const anyPriceTo =
  (slot: Slot): ReadOf =>
  (form) => {
    if (form.kind !== 'price') return null;
    const range = { ...PLAIN, slot, min: 0, max: PAYOUT };
    return form.form === 'cents'
      ? { ...range, read: FieldReads.integer, scale: PRICE_PER_CENT }
      : { ...range, read: FieldReads.decimal, decimals: PRICE_DECIMALS };
  };
const priceTo = (slot: Slot): ReadOf => unblank(anyPriceTo(slot));

/** A price without a quote is `null` or zero, so a text of zeros may stand for `null`. */
const quoteTo =
  (slot: Slot): ReadOf =>
  (form) => {
    if (form.kind !== 'price' || form.leg === 'no' || form.noLegWhen !== undefined) return null;
    const isPlain = form.blank === undefined || (typeof form.blank === 'string' && /^0\.0+$/.test(form.blank));
    return isPlain ? anyPriceTo(slot)(form) : null;
  };

const countTo = (slot: Slot, isSigned: boolean): ReadOf =>
  unblank((form) => {
    if (form.kind !== 'qty' || (form.signed === true) !== isSigned) return null;
    const range = { ...PLAIN, slot, min: isSigned ? -Number.MAX_SAFE_INTEGER : 0, max: Number.MAX_SAFE_INTEGER };
    return form.form === 'contracts'
      ? { ...range, read: FieldReads.integer, scale: QTY_PER_CONTRACT }
      : { ...range, read: FieldReads.decimal, decimals: QTY_DECIMALS };
  });

const timeRead = unblank((form) => {
  if (form.kind !== 'time' || form.form === 'rfc3339') return null;
  const range = { ...PLAIN, slot: Slots.exchangeAt, min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
  return { ...range, read: FieldReads.integer, scale: MICROS_EACH[form.form] };
});
const MICROS_EACH = { seconds: 1_000_000, millis: 1000, micros: 1 } as const;

class PlanBuilder {
  readonly fields: ScanField[] = [];
  required = 0;
  hasOptional = false;

  get isTooLarge(): boolean {
    return this.fields.length > FIELDS_MAX;
  }

  /** Adds a member with all its spellings; false when the scanner does not support it. */
  addPlaced(field: AnyField | undefined, readOf: ReadOf): boolean {
    if (field?.kind === 'absent') return true;
    if (field === undefined || !isWireField(field)) return false;
    const read = readOf(field);
    if (read === null) return false;
    const bit = this.#push(field.wire, read);
    // The codec takes any spelling; the scanner requires the first.
    const others = [...(field.also ?? []), ...(field.accepts ?? [])].filter(({ kind }) => kind !== 'name-id');
    const mustCome = field.optional !== true || others.length > 0;
    if (mustCome) this.required |= bit;
    else if (read.slot !== Slots.none || read.read === FieldReads.flag) this.hasOptional = true;
    for (const { wire, kind } of field.also ?? []) if (kind === 'name-id') this.addIgnored(wire);
    return others.every((other) => this.#addSecond(other));
  }

  /** Adds a member that is skipped: a plain text, an integer, or a flag. */
  addIgnored(name: string): void {
    this.#push(name, plainly(FieldReads.skipAny));
  }

  /** Adds a further spelling, which is only checked for its type, as in the codec. */
  #addSecond(form: AnyForm & { readonly wire: string }): boolean {
    const read = secondRead(form);
    if (read === null) return false;
    this.#push(form.wire, read);
    return true;
  }

  /** Written out, all fields have their members in one sequence: V8 reads objects of one shape fastest. */
  #push(name: string, { read, scale, decimals, slot, min, max, words }: ReadWay): number {
    const bit = 1 << this.fields.length;
    const pattern = bytePatternOf(`${JSON.stringify(name)}:`);
    this.fields.push({ name: pattern, bit, read, scale, decimals, slot, min, max, words });
    return bit;
  }
}

/** The way to check a further spelling; `null` when the scanner does not support it. */
function secondRead(form: AnyForm): ReadWay | null {
  if (form.kind === 'time') return plainly(form.form === 'rfc3339' ? FieldReads.skipText : FieldReads.skipInteger);
  if (form.kind === 'price') return plainly(form.form === 'cents' ? FieldReads.skipInteger : FieldReads.skipText);
  if (form.kind === 'qty') return plainly(form.form === 'contracts' ? FieldReads.skipInteger : FieldReads.skipText);
  if (form.kind !== 'enum') return null;
  const words = Object.keys(form.values);
  return words.every(isLongEnough) ? { ...plainly(FieldReads.word), words: words.map(patternOfWord) } : null;
}

const isLongEnough = (word: string): boolean => word.length >= WORD_LENGTH_MIN;
const patternOfWord = (word: string): BytePattern => bytePatternOf(JSON.stringify(word));

/**
 * The words of the two sides as bytes; `null` unless each side has one word of `WORD_LENGTH_MIN` or more characters. A
 * taker who buys is on the side of the bids.
 */
function wordsOf(field: AnyField | undefined): Pick<ScanPlan, 'bidWord' | 'askWord'> | null {
  if (field?.kind !== 'enum') return null;
  const entries = Object.entries(field.values);
  const [bidWord] = entries.find(([, side]) => side === 'bid' || side === 'buy') ?? [];
  const [askWord] = entries.find(([, side]) => side === 'ask' || side === 'sell') ?? [];
  if (entries.length !== 2 || bidWord === undefined || askWord === undefined) return null;
  if (!isLongEnough(bidWord) || !isLongEnough(askWord)) return null;
  return { bidWord: patternOfWord(bidWord), askWord: patternOfWord(askWord) };
}

function noLegOf(field: AnyField | undefined): ScanPlan['noLeg'] | null {
  if (field?.kind !== 'price') return null;
  const { leg, noLegWhen } = field;
  if (leg === 'no') return 'always';
  if (noLegWhen === undefined) return 'never';
  const { field: other, is } = noLegWhen;
  return other === 'side' && (is === 'bid' || is === 'ask') ? is : null;
}
