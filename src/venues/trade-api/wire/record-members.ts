// Encodes and decodes one member of a record: its wire names and forms. Must never interpret a record; it only converts
// values between their forms.
import { PAYOUT, type Price, type Qty } from '../../../domain/units.ts';
import { WireFault, describeValue } from './wire-fault.ts';
import {
  type JsonShape,
  type JsonType,
  anyJson,
  integerJson,
  listJson,
  mapJson,
  nullishJson,
  pairJson,
  presentJson,
  textJson,
  wordJson,
} from './json-type.ts';
import { type AnyCodec, type JsonRecord, type OnSkipped, isRecord, jsonText } from './json-record.ts';
import { type FaultPlace, type Scalar, countScalar, faultAt, priceScalar, scalarOf, microsPerUnit } from './scalars.ts';
import {
  type AnyField,
  type AnyForm,
  type AnyWireField,
  type AnySpec,
  type LegsField,
  type LevelsForm,
  isWireField,
} from './record-spec.ts';

/** One member of a record. */
export interface Member {
  readonly name: string;
  readonly shape: JsonShape;
  /** Decodes the value; `soFar` holds the members decoded before. */
  decode(record: JsonRecord, soFar: JsonRecord, note: OnSkipped): unknown;
  encode(value: JsonRecord, record: Record<string, unknown>): void;
  /** Wire names that `encode` may write. */
  readonly written: readonly string[];
  /** Encodes as `encode` does, as JSON text: a comma, the name and the value of each. */
  textOf(value: JsonRecord): string;
  /** Wire names whose list items are separate parameters of a query. */
  readonly repeated: readonly string[];
  /** Replaces parameters of a query string by their JSON values. */
  decodeQuery(query: Query, record: Record<string, unknown>): void;
}

/** The parameters of a query string, each with its values in the sequence of the query. */
export type Query = Readonly<Record<string, readonly string[]>>;

interface MemberOptions {
  readonly record: string;
  readonly name: string;
  readonly field: AnyField;
  readonly codecOf: (spec: AnySpec) => AnyCodec;
}

/** Defaults of a member that is never in a query string. */
const PLAIN = { shape: {}, repeated: [], decodeQuery: () => {} } as const;
/** Defaults of a member that is not encoded by itself. */
const UNWRITTEN = { ...PLAIN, encode: () => {}, written: [], textOf: () => '' } as const;

/** The member that implements a field. */
export function memberOf(options: MemberOptions): Member {
  const { name, field } = options;
  if (isWireField(field)) return new WireMember(options, field);
  switch (field.kind) {
    case 'absent':
      return { ...UNWRITTEN, name, decode: () => null };
    case 'inline':
      return inlineMember(name, options.codecOf(field.of), field.optional === true);
    case 'legs':
      return legsMember(options, field);
    case 'named-outcome':
      return { ...UNWRITTEN, name, decode: (record) => (record[field.wire] === 'no' ? 'no' : 'yes') };
  }
}

function inlineMember(name: string, codec: AnyCodec, mayMiss: boolean): Member {
  const { shape } = codec;
  const wires = Object.keys(shape);
  const isMissing = (record: JsonRecord): boolean => wires.every((wire) => (record[wire] ?? null) === null);
  return {
    ...PLAIN,
    name,
    shape: mayMiss ? Object.fromEntries(wires.map((wire) => [wire, nullishJson(shape[wire] ?? anyJson)])) : shape,
    decode: (record, _soFar, note) => (mayMiss && isMissing(record) ? null : codec.decodeMembers(record, note)),
    encode: (value, record) => {
      const held = value[name];
      if (isRecord(held)) Object.assign(record, codec.encode(held));
    },
    written: codec.written,
    textOf(value) {
      const held = value[name];
      return isRecord(held) ? codec.membersText(held) : '';
    },
  };
}

/**
 * Converts between a side and its two wire members: buying YES or selling NO is `buy`; selling YES or buying NO is
 * `sell`.
 */
function legsMember({ name }: MemberOptions, { outcome, action }: LegsField): Member {
  const namedOf = (value: JsonRecord): string => (value['outcome'] === 'no' ? 'no' : 'yes');
  const actionOf = (value: JsonRecord): string =>
    (namedOf(value) === 'yes') === (value[name] === 'buy') ? 'buy' : 'sell';
  return {
    ...PLAIN,
    name,
    shape: { [outcome]: wordJson('yes', 'no'), [action]: wordJson('buy', 'sell') },
    decode: (record) => ((record[outcome] === 'yes') === (record[action] === 'buy') ? 'buy' : 'sell'),
    encode(value, record) {
      record[outcome] = namedOf(value);
      record[action] = actionOf(value);
    },
    written: [outcome, action],
    textOf: (value) => `,"${outcome}":"${namedOf(value)}","${action}":"${actionOf(value)}"`,
  };
}

interface Shape {
  readonly raw: JsonType;
  decode(found: unknown, place: FaultPlace, note: OnSkipped): unknown;
  encode(value: unknown, place: FaultPlace): unknown;
  /** Encodes as `encode` does, as JSON text. Default: the text of what `encode` returns. */
  textOf?(value: unknown, place: FaultPlace): string;
}

interface Spelling {
  readonly wire: string;
  /** The text that stands before the value in JSON: a comma and the name. */
  readonly label: string;
  readonly form: AnyForm;
  readonly shape: Shape;
  readonly place: FaultPlace;
}

class WireMember implements Member {
  readonly name: string;
  readonly shape: JsonShape;
  readonly repeated: readonly string[];
  readonly #encodedSpellings: readonly [Spelling, ...Spelling[]];
  /** The spellings that are decoded; the first spelling present counts. */
  readonly #decodedSpellings: readonly Spelling[];
  readonly #field: AnyWireField;
  /** The text that encodes `null`; `null` when there is none. */
  readonly #blank: string | null;
  /** The value that encodes `null`; `undefined` when `null` is left out. */
  readonly #nothing: string | null | undefined;

  constructor({ record, name, codecOf }: Omit<MemberOptions, 'field'>, field: AnyWireField) {
    const spell = (form: AnyForm & { readonly wire: string }): Spelling => ({
      wire: form.wire,
      label: `,${jsonText(form.wire)}:`,
      form,
      shape: shapeOf(form, codecOf),
      place: { record, field: form.wire },
    });
    this.name = name;
    this.#field = field;
    this.#blank = field.blank === true ? '' : (field.blank ?? null);
    this.#nothing = this.#blank ?? (field.asNull === true ? null : undefined);
    this.#encodedSpellings = [spell(field), ...(field.also ?? []).map(spell)];
    this.#decodedSpellings = [...this.#encodedSpellings.filter(isDecoded), ...(field.accepts ?? []).map(spell)];
    this.repeated = this.#decodedSpellings.flatMap(({ wire, form }) => (isRepeated(form) ? [wire] : []));
    const mayMiss = field.optional === true || this.#decodedSpellings.length > 1 || field.kind === 'levels';
    const all = new Set([...this.#decodedSpellings, ...this.#encodedSpellings]);
    this.shape = Object.fromEntries(
      [...all].map((each) => [each.wire, mayMiss || !isDecoded(each) ? nullishJson(each.shape.raw) : each.shape.raw]),
    );
  }

  decode(record: JsonRecord, soFar: JsonRecord, note: OnSkipped): unknown {
    for (const spelling of this.#decodedSpellings) {
      const found = record[spelling.wire];
      if (found !== undefined && found !== null) return this.#decodeSpelling(spelling, found, { soFar, note });
    }
    if (this.#field.kind === 'levels') return [];
    if (this.#field.optional === true) return null;
    const names = this.#decodedSpellings.map(({ wire }) => wire).join(' or ');
    throw faultAt(this.#encodedSpellings[0].place, names, undefined);
  }

  #decodeSpelling(
    { form, shape, place }: Spelling,
    found: unknown,
    context: { soFar: JsonRecord; note: OnSkipped },
  ): unknown {
    if (found === this.#blank) return null;
    if (form.kind === 'enum' && this.#field.optional === true && !Object.hasOwn(form.values, String(found))) {
      context.note(`value ${place.record}.${place.field}`, describeValue(found));
      return null;
    }
    const value = shape.decode(found, place, context.note);
    return isNoPrice(form, context.soFar) ? PAYOUT - Number(value) : value;
  }

  encode(value: JsonRecord, record: Record<string, unknown>): void {
    const held = value[this.name] ?? null;
    for (const { wire, form, shape, place } of this.#encodedSpellings) {
      if (held !== null && !isLeftOut(form, held)) record[wire] = shape.encode(onScaleOf(form, held, value), place);
      else if (held === null && this.#nothing !== undefined) record[wire] = this.#nothing;
    }
  }

  get written(): readonly string[] {
    return this.#encodedSpellings.map(({ wire }) => wire);
  }

  textOf(value: JsonRecord): string {
    const held = value[this.name] ?? null;
    let text = '';
    for (const { label, form, shape, place } of this.#encodedSpellings) {
      if (held !== null && !isLeftOut(form, held))
        text += label + valueText(shape, onScaleOf(form, held, value), place);
      else if (held === null && this.#nothing !== undefined) text += label + jsonText(this.#nothing);
    }
    return text;
  }

  decodeQuery(query: Query, record: Record<string, unknown>): void {
    for (const { wire, form } of this.#decodedSpellings) {
      const found = query[wire];
      if (found === undefined) continue;
      record[wire] =
        form.kind === 'list' && form.repeated === true
          ? found.map((text) => jsonOfText(form.of, text))
          : jsonOfText(form, found.join(','));
    }
  }
}

/** True when a spelling is decoded. A derived id and an `unread` word are only encoded. */
const isDecoded = ({ form }: Spelling): boolean =>
  form.kind !== 'name-id' && !(form.kind === 'enum' && form.unread === true);
const isRepeated = (form: AnyForm): boolean => form.kind === 'list' && form.repeated === true;

const isNoPrice = (form: AnyForm, siblings: JsonRecord): boolean =>
  form.kind === 'price' &&
  (form.leg === 'no' || (form.noLegWhen !== undefined && siblings[form.noLegWhen.field] === form.noLegWhen.is));

/** A price as its spelling gives it: the price of NO, or of YES. */
const onScaleOf = (form: AnyForm, held: unknown, siblings: JsonRecord): unknown =>
  isNoPrice(form, siblings) ? PAYOUT - Number(held) : held;

const isLeftOut = (form: AnyForm, held: unknown): boolean =>
  form.kind === 'levels' && form.omitsEmpty === true && Array.isArray(held) && held.length === 0;

const valueText = (shape: Shape, value: unknown, place: FaultPlace): string =>
  shape.textOf === undefined ? jsonText(shape.encode(value, place)) : shape.textOf(value, place);

function shapeOf(form: AnyForm, codecOf: (spec: AnySpec) => AnyCodec): Shape {
  if (form.kind === 'levels') return levelsShape(form);
  if (form.kind === 'record') {
    const codec = codecOf(form.of);
    return {
      raw: presentJson,
      decode: (found, _place, note) => codec.decode(found, note),
      encode: (value) => (isRecord(value) ? codec.encode(value) : value),
      textOf: (value) => (isRecord(value) ? codec.encodeText(value) : jsonText(value)),
    };
  }
  if (form.kind === 'map') return mapShape(shapeOf(form.of, codecOf));
  if (form.kind === 'list') return listShape(shapeOf(form.of, codecOf), form.skipsFaulty === true);
  const scalar: Scalar = scalarOf(form);
  return scalar;
}

function listShape(item: Shape, skipsFaulty: boolean): Shape {
  return {
    raw: listJson(skipsFaulty ? anyJson : item.raw),
    decode(found, place, note) {
      const values: unknown[] = [];
      for (const element of listOf(found)) {
        try {
          values.push(item.decode(element, place, note));
        } catch (fault) {
          if (!skipsFaulty || !(fault instanceof WireFault)) throw fault;
          note(`record ${fault.record}.${fault.field}`, `${fault.message}${placeOf(element)}`);
        }
      }
      return values;
    },
    encode: (value, place) => listOf(value).map((element) => item.encode(element, place)),
    textOf: (value, place) =>
      `[${listOf(value)
        .map((element) => valueText(item, element, place))
        .join(',')}]`,
  };
}

/** The market of an item that cannot be decoded, in brackets; empty where it names none. */
function placeOf(element: unknown): string {
  const name = isRecord(element) ? element['ticker'] : undefined;
  return typeof name === 'string' ? ` (${describeValue(name)})` : '';
}

function mapShape(item: Shape): Shape {
  return {
    raw: mapJson(item.raw),
    decode: (found, place, note) =>
      new Map(
        Object.entries(isRecord(found) ? found : {}).map(([name, element]) => [
          name,
          item.decode(element, place, note),
        ]),
      ),
    encode: (value, place) =>
      Object.fromEntries(
        value instanceof Map ? [...value].map(([name, element]) => [String(name), item.encode(element, place)]) : [],
      ),
  };
}

/** A schema or a type has already checked that the value is a list. */
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** NO levels are converted to the YES scale. */
function levelsShape({ price: priceForm, qty: qtyForm, leg }: LevelsForm): Shape {
  const price = priceScalar(priceForm);
  const count = countScalar(qtyForm);
  const turn = (value: unknown): unknown => (leg === 'no' ? PAYOUT - Number(value) : value);
  const rawOf = (isNumber: boolean): JsonType => (isNumber ? integerJson : textJson);
  return {
    raw: listJson(pairJson(rawOf(priceForm === 'cents'), rawOf(qtyForm === 'contracts'))),
    decode(found, place) {
      return listOf(found).map((level) => {
        const [levelPrice, levelQty] = listOf(level);
        const total = count.decode(levelQty, place);
        if (Number(total) < 0) throw faultAt(place, 'counts that are not negative', levelQty);
        return [turn(price.decode(levelPrice, place)), total];
      });
    },
    encode(value, place) {
      // tidy: as (the spec's types guarantee that these are levels)
      const levels = value as readonly (readonly [Price, Qty])[];
      const ascending = [...levels].sort(([a], [b]) => (leg === 'no' ? b - a : a - b));
      return ascending.map(([levelPrice, levelQty]) => [
        price.encode(turn(levelPrice), place),
        count.encode(levelQty, place),
      ]);
    },
  };
}

/** The JSON value of a query string's text; the text itself when it has no other value in that form. */
function jsonOfText(form: AnyForm, found: string): unknown {
  if (form.kind === 'list') return found.split(',').map((part) => jsonOfText(form.of, part));
  if (form.kind === 'boolean') return found === 'true' ? true : found === 'false' ? false : found;
  return isNumeric(form) && /^-?\d{1,19}$/.test(found) ? clampTo(form, Number(found)) : found;
}

/** Clamps a number to what the form can hold: a time filter may lie outside the representable times. */
function clampTo(form: AnyForm, found: number): number {
  const most = Math.floor(Number.MAX_SAFE_INTEGER / (form.kind === 'time' ? microsPerUnit(form) : 1));
  return Math.min(most, Math.max(-most, found));
}

const isNumeric = (form: AnyForm): boolean =>
  form.kind === 'integer' ||
  (form.kind === 'time' && form.form !== 'rfc3339') ||
  ((form.kind === 'price' || form.kind === 'money') && (form.form === 'cents' || form.form === 'centicents')) ||
  (form.kind === 'qty' && form.form === 'contracts');
