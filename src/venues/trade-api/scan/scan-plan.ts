// Computes the scan plan of a record from its spec, once. Must never accept a form that the scanner would read
// differently from the codec: such a record gets no scanner.
import { PRICE_DECIMALS, PRICE_PER_CENT, QTY_DECIMALS, QTY_PER_CONTRACT } from '../../../domain/units.ts';
import { type BytePattern, bytePatternOf } from './frame-bytes.ts';
import type { DeltaRecord } from '../wire/wire-records.ts';
import {
  type AnyField,
  type AnyForm,
  type AnyWireField,
  type AnySpec,
  type RecordSpec,
  isWireField,
} from '../wire/record-spec.ts';

/** The ways to read the bytes of a member. */
export const FieldReads = {
  /** A text or number that does not affect a book. */
  skipText: 0,
  skipInteger: 1,
  skipAny: 9,
  ticker: 2,
  side: 3,
  /** A JSON integer, times `scale`. */
  priceInteger: 4,
  changeInteger: 5,
  timeInteger: 6,
  /** A decimal text with up to `decimals` decimals. */
  priceText: 7,
  changeText: 8,
} as const;
export type FieldRead = (typeof FieldReads)[keyof typeof FieldReads];

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
}

/** Everything the scanner needs for one kind of record. */
export interface ScanPlan {
  readonly fields: readonly ScanField[];
  readonly required: number;
  /** The words of the two sides as bytes, with their quotes. */
  readonly bidWord: BytePattern;
  readonly askWord: BytePattern;
  /** The side whose prices are prices of NO contracts. */
  readonly noLeg: 'bid' | 'ask' | 'never' | 'always';
}

/** The scan plan of a delta's spec; `null` when the scanner does not support it. */
export function planDelta(spec: RecordSpec<DeltaRecord>): ScanPlan | null {
  // tidy: as — the spec's type parameter ties it to its record; the code below works on any spec.
  const { fields, ignored = [], filler = {}, constants } = spec as unknown as AnySpec;
  const plan = new PlanBuilder();
  const words = wordsOf(fields['side']);
  const noLeg = noLegOf(fields['price']);
  const isScanned =
    constants === undefined &&
    Object.keys(fields).every((name) => PLANNED.has(name)) &&
    plan.addPlaced(fields['ticker'], tickerRead) &&
    plan.addPlaced(fields['side'], sideRead) &&
    plan.addPlaced(fields['price'], priceRead) &&
    plan.addPlaced(fields['change'], changeRead) &&
    plan.addPlaced(fields['at'], timeRead) &&
    plan.addPlaced(fields['clientOrderId'], plainTextRead);
  if (!isScanned || words === null || noLeg === null) return null;
  for (const name of [...Object.keys(filler), ...ignored]) plan.addIgnored(name);
  return plan.isTooLarge ? null : { fields: plan.fields, required: plan.required, ...words, noLeg };
}

const PLANNED = new Set(['ticker', 'side', 'price', 'change', 'at', 'clientOrderId']);
/** Bound on the members of a record: each has one bit of a small integer. */
const FIELDS_MAX = 30;

/** A pattern has at least four bytes; two of them are quotes. */
const WORD_LENGTH_MIN = 2;

/** The way to read a form; `null` when the scanner does not support it. */
type ReadOf = (form: AnyForm) => Omit<ScanField, 'name' | 'bit'> | null;

const plainly = (read: FieldRead) => ({ read, scale: 1, decimals: 0 });
const tickerRead: ReadOf = (form) => (form.kind === 'name' ? plainly(FieldReads.ticker) : null);
const sideRead: ReadOf = (form) => (form.kind === 'enum' ? plainly(FieldReads.side) : null);
const plainTextRead: ReadOf = (form) => (form.kind === 'text' ? plainly(FieldReads.skipText) : null);

const priceRead: ReadOf = (form) => {
  if (form.kind !== 'price') return null;
  return form.form === 'cents'
    ? { read: FieldReads.priceInteger, scale: PRICE_PER_CENT, decimals: 0 }
    : { read: FieldReads.priceText, scale: 1, decimals: PRICE_DECIMALS };
};

const changeRead: ReadOf = (form) => {
  if (form.kind !== 'qty' || form.signed !== true) return null;
  return form.form === 'contracts'
    ? { read: FieldReads.changeInteger, scale: QTY_PER_CONTRACT, decimals: 0 }
    : { read: FieldReads.changeText, scale: 1, decimals: QTY_DECIMALS };
};

const timeRead: ReadOf = (form) => {
  if (form.kind !== 'time' || form.form === 'rfc3339') return null;
  return { read: FieldReads.timeInteger, scale: MICROS_EACH[form.form], decimals: 0 };
};
const MICROS_EACH = { seconds: 1_000_000, millis: 1000, micros: 1 } as const;

class PlanBuilder {
  readonly fields: ScanField[] = [];
  required = 0;

  get isTooLarge(): boolean {
    return this.fields.length > FIELDS_MAX;
  }

  /** Adds a member with all its spellings; false when the scanner does not support it. */
  addPlaced(field: AnyField | undefined, readOf: ReadOf): boolean {
    if (field?.kind === 'absent') return true;
    if (field === undefined || !isWireField(field)) return false;
    const read = readOf(field);
    if (read === null || isBlank(field)) return false;
    const bit = this.#push(field.wire, read);
    // The codec takes any spelling; the scanner requires the first.
    const others = (field.also ?? []).filter(({ kind }) => kind !== 'name-id');
    const mustCome = field.optional !== true || others.length > 0;
    if (mustCome) this.required |= bit;
    for (const { wire, kind } of field.also ?? []) if (kind === 'name-id') this.addIgnored(wire);
    return others.every((other) => this.#addSecond(other));
  }

  /** Adds a member that is skipped: a plain text or an integer. */
  addIgnored(name: string): void {
    this.#push(name, plainly(FieldReads.skipAny));
  }

  /** Adds a further spelling, which is only checked for its type, as in the codec. */
  #addSecond(form: AnyForm & { readonly wire: string }): boolean {
    const read = priceRead(form) ?? changeRead(form) ?? timeRead(form);
    if (read === null) return false;
    const isText = read.read === FieldReads.priceText || read.read === FieldReads.changeText;
    this.#push(form.wire, plainly(isText ? FieldReads.skipText : FieldReads.skipInteger));
    return true;
  }

  #push(name: string, read: Omit<ScanField, 'name' | 'bit'>): number {
    const bit = 1 << this.fields.length;
    this.fields.push({ name: bytePatternOf(`${JSON.stringify(name)}:`), bit, ...read });
    return bit;
  }
}

const isBlank = (field: AnyWireField): boolean => field.blank !== undefined;

/**
 * The words of the two sides as bytes; `null` unless each side has one word of `WORD_LENGTH_MIN` or more characters.
 */
function wordsOf(field: AnyField | undefined): Pick<ScanPlan, 'bidWord' | 'askWord'> | null {
  if (field?.kind !== 'enum') return null;
  const entries = Object.entries(field.values);
  const bid = entries.filter(([, side]) => side === 'bid');
  const ask = entries.filter(([, side]) => side === 'ask');
  const [bidWord] = bid[0] ?? [];
  const [askWord] = ask[0] ?? [];
  if (entries.length !== 2 || bidWord === undefined || askWord === undefined) return null;
  if (bidWord.length < WORD_LENGTH_MIN || askWord.length < WORD_LENGTH_MIN) return null;
  return { bidWord: bytePatternOf(JSON.stringify(bidWord)), askWord: bytePatternOf(JSON.stringify(askWord)) };
}

function noLegOf(field: AnyField | undefined): ScanPlan['noLeg'] | null {
  if (field?.kind !== 'price') return null;
  const { leg, noLegWhen } = field;
  if (leg === 'no') return 'always';
  if (noLegWhen === undefined) return 'never';
  const { field: other, is } = noLegWhen;
  return other === 'side' && (is === 'bid' || is === 'ask') ? is : null;
}
