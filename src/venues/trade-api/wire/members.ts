// One member of a record: which names of the wire it stands under, how it is read from them and written to them.
// Must never decide what a record means; it only moves values between their spellings.
import { z } from 'zod';
import { PAYOUT, type Price, type Qty } from '../../../domain/units.ts';
import { WireFault, describeFound } from './fault.ts';
import { type AnyCodec, type JsonRecord, type Note, isRecord } from './json.ts';
import { type Place, type Scalar, countScalar, faultAt, priceScalar, scalarOf, unitsIn } from './scalars.ts';
import type { AnyField, AnyForm, AnyPlaced, AnySpec, LegsField, LevelsForm } from './spec.ts';

/** One member of a record. */
export interface Member {
  /** Its name in our values. */
  readonly name: string;
  /** What each of its names on the wire must hold before it is read. */
  readonly shape: Readonly<Record<string, z.ZodType>>;
  /** Its value; `soFar` holds the members before it. */
  read(record: JsonRecord, soFar: JsonRecord, note: Note): unknown;
  /** Puts it on the wire. */
  write(value: JsonRecord, record: Record<string, unknown>): void;
  /** Its names on the wire under which each item of a query's list is a parameter of its own. */
  readonly repeated: readonly string[];
  /** Replaces parameters of a query string by the JSON values they stand for. */
  fromQuery(query: Query, record: Record<string, unknown>): void;
}

/** The parameters of a query string, each with its values in the order in which they came. */
export type Query = Readonly<Record<string, readonly string[]>>;

interface MemberOptions {
  readonly record: string;
  readonly name: string;
  readonly field: AnyField;
  readonly codecOf: (spec: AnySpec) => AnyCodec;
}

/** A member that no query string has. */
const PLAIN = { shape: {}, repeated: [], fromQuery: () => {} } as const;

/** The member that a field spells. */
export function memberOf(options: MemberOptions): Member {
  const { name, field } = options;
  switch (field.kind) {
    case 'absent':
      return { ...PLAIN, name, read: () => null, write: () => {} };
    case 'inline':
      return inlineMember(name, options.codecOf(field.of), field.optional === true);
    case 'legs':
      return legsMember(options, field);
    case 'named-outcome':
      return { ...PLAIN, name, read: (record) => (record[field.wire] === 'no' ? 'no' : 'yes'), write: () => {} };
    default:
      return new PlacedMember(options, field);
  }
}

function inlineMember(name: string, codec: AnyCodec, mayMiss: boolean): Member {
  const { shape } = codec;
  const wires = Object.keys(shape);
  const isMissing = (record: JsonRecord): boolean => wires.every((wire) => (record[wire] ?? null) === null);
  return {
    ...PLAIN,
    name,
    shape: mayMiss ? Object.fromEntries(wires.map((wire) => [wire, (shape[wire] ?? z.unknown()).nullish()])) : shape,
    read: (record, _soFar, note) => (mayMiss && isMissing(record) ? null : codec.decodeMembers(record, note)),
    write: (value, record) => {
      const own = value[name];
      if (isRecord(own)) Object.assign(record, codec.encode(own));
    },
  };
}

/** Buying YES and selling NO are one side; selling YES and buying NO are the other. */
function legsMember({ name }: MemberOptions, { outcome, action }: LegsField): Member {
  return {
    ...PLAIN,
    name,
    shape: { [outcome]: z.enum(['yes', 'no']), [action]: z.enum(['buy', 'sell']) },
    read: (record) => ((record[outcome] === 'yes') === (record[action] === 'buy') ? 'buy' : 'sell'),
    write(value, record) {
      const named = value['outcome'] === 'no' ? 'no' : 'yes';
      record[outcome] = named;
      record[action] = (named === 'yes') === (value[name] === 'buy') ? 'buy' : 'sell';
    },
  };
}

/** Reads and writes a form, of however many values. */
interface Shape {
  readonly raw: z.ZodType;
  read(found: unknown, place: Place, note: Note): unknown;
  write(value: unknown, place: Place): unknown;
}

/** One of the spellings of a member. */
interface Spelling {
  readonly wire: string;
  readonly form: AnyForm;
  readonly shape: Shape;
  readonly place: Place;
}

/** A member with one name on the wire or several. */
class PlacedMember implements Member {
  readonly name: string;
  readonly shape: Readonly<Record<string, z.ZodType>>;
  readonly repeated: readonly string[];
  readonly #written: readonly [Spelling, ...Spelling[]];
  /** Those that are read, the first one present. */
  readonly #spellings: readonly Spelling[];
  readonly #field: AnyPlaced;
  /** The text that stands for nothing; `null` where none does. */
  readonly #blank: string | null;

  constructor({ record, name, codecOf }: Omit<MemberOptions, 'field'>, field: AnyPlaced) {
    const spell = (form: AnyForm & { readonly wire: string }): Spelling => ({
      wire: form.wire,
      form,
      shape: shapeOf(form, codecOf),
      place: { record, field: form.wire },
    });
    this.name = name;
    this.#field = field;
    this.#blank = field.blank === true ? '' : (field.blank ?? null);
    this.#written = [spell(field), ...(field.also ?? []).map(spell)];
    this.#spellings = [...this.#written.filter(isRead), ...(field.accepts ?? []).map(spell)];
    this.repeated = this.#spellings.flatMap(({ wire, form }) => (isRepeated(form) ? [wire] : []));
    const mayMiss = field.optional === true || this.#spellings.length > 1 || field.kind === 'levels';
    const all = new Set([...this.#spellings, ...this.#written]);
    this.shape = Object.fromEntries(
      [...all].map((one) => [one.wire, mayMiss || !isRead(one) ? one.shape.raw.nullish() : one.shape.raw]),
    );
  }

  read(record: JsonRecord, soFar: JsonRecord, note: Note): unknown {
    for (const spelling of this.#spellings) {
      const found = record[spelling.wire];
      if (found !== undefined && found !== null) return this.#readOne(spelling, found, { soFar, note });
    }
    if (this.#field.kind === 'levels') return [];
    if (this.#field.optional === true) return null;
    const names = this.#spellings.map(({ wire }) => wire).join(' or ');
    throw faultAt(this.#written[0].place, names, undefined);
  }

  #readOne({ form, shape, place }: Spelling, found: unknown, context: { soFar: JsonRecord; note: Note }): unknown {
    if (found === this.#blank) return null;
    if (form.kind === 'enum' && this.#field.optional === true && !Object.hasOwn(form.values, String(found))) {
      context.note(`value ${place.record}.${place.field}`, describeFound(found));
      return null;
    }
    const value = shape.read(found, place, context.note);
    return isOfNo(form, context.soFar) ? PAYOUT - Number(value) : value;
  }

  write(value: JsonRecord, record: Record<string, unknown>): void {
    const own = value[this.name];
    for (const { wire, form, shape, place } of this.#written) {
      if (own === null || own === undefined) {
        if (this.#blank !== null) record[wire] = this.#blank;
        else if (this.#field.asNull === true) record[wire] = null;
      } else if (!(form.kind === 'levels' && form.omitsEmpty === true && Array.isArray(own) && own.length === 0)) {
        record[wire] = shape.write(isOfNo(form, value) ? PAYOUT - Number(own) : own, place);
      }
    }
  }

  fromQuery(query: Query, record: Record<string, unknown>): void {
    for (const { wire, form } of this.#spellings) {
      const found = query[wire];
      if (found === undefined) continue;
      record[wire] =
        form.kind === 'list' && form.repeated === true
          ? found.map((one) => fromText(form.of, one))
          : fromText(form, found.join(','));
    }
  }
}

/** Whether a spelling says the value, rather than something made of it. */
const isRead = ({ form }: Spelling): boolean =>
  form.kind !== 'name-id' && !(form.kind === 'enum' && form.unread === true);
const isRepeated = (form: AnyForm): boolean => form.kind === 'list' && form.repeated === true;

const isOfNo = (form: AnyForm, siblings: JsonRecord): boolean =>
  form.kind === 'price' &&
  (form.leg === 'no' || (form.noLegWhen !== undefined && siblings[form.noLegWhen.field] === form.noLegWhen.is));

function shapeOf(form: AnyForm, codecOf: (spec: AnySpec) => AnyCodec): Shape {
  if (form.kind === 'levels') return levelsShape(form);
  if (form.kind === 'record') {
    const codec = codecOf(form.of);
    return {
      raw: z.unknown().refine(isPresent, 'a record'),
      read: (found, _place, note) => codec.decode(found, note),
      write: (value) => (isRecord(value) ? codec.encode(value) : value),
    };
  }
  if (form.kind === 'map') return mapShape(shapeOf(form.of, codecOf));
  if (form.kind === 'list') return listShape(shapeOf(form.of, codecOf), form.skipsFaulty === true);
  const scalar: Scalar = scalarOf(form);
  return scalar;
}

const isPresent = (found: unknown): boolean => found !== undefined && found !== null;

function listShape(item: Shape, skipsFaulty: boolean): Shape {
  return {
    raw: z.array(skipsFaulty ? z.unknown() : item.raw),
    read(found, place, note) {
      const values: unknown[] = [];
      for (const one of listOf(found)) {
        try {
          values.push(item.read(one, place, note));
        } catch (fault) {
          if (!skipsFaulty || !(fault instanceof WireFault)) throw fault;
          note(`record ${fault.record}.${fault.field}`, fault.message);
        }
      }
      return values;
    },
    write: (value, place) => listOf(value).map((one) => item.write(one, place)),
  };
}

function mapShape(item: Shape): Shape {
  return {
    raw: z.record(z.string(), item.raw),
    read: (found, place, note) =>
      new Map(Object.entries(isRecord(found) ? found : {}).map(([name, one]) => [name, item.read(one, place, note)])),
    write: (value, place) =>
      Object.fromEntries(
        value instanceof Map ? [...value].map(([name, one]) => [String(name), item.write(one, place)]) : [],
      ),
  };
}

/** A list, as a schema or a type has said it is. */
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Levels of NO stand at the complement on the YES scale. */
function levelsShape({ price: priceForm, qty: qtyForm, leg }: LevelsForm): Shape {
  const price = priceScalar(priceForm);
  const count = countScalar(qtyForm);
  const turn = (value: unknown): unknown => (leg === 'no' ? PAYOUT - Number(value) : value);
  const rawOf = (isNumber: boolean): z.ZodType => (isNumber ? z.int() : z.string());
  return {
    raw: z.array(z.tuple([rawOf(priceForm === 'cents'), rawOf(qtyForm === 'contracts')])),
    read(found, place) {
      return listOf(found).map((level) => {
        const [at, held] = listOf(level);
        const total = count.read(held, place);
        if (Number(total) < 0) throw faultAt(place, 'counts that are not negative', held);
        return [turn(price.read(at, place)), total];
      });
    },
    write(value, place) {
      // tidy: as (the types of a spec say that these are levels)
      const levels = value as readonly (readonly [Price, Qty])[];
      const ascending = [...levels].sort(([a], [b]) => (leg === 'no' ? b - a : a - b));
      return ascending.map(([at, held]) => [price.write(turn(at), place), count.write(held, place)]);
    },
  };
}

/** The JSON value that a text of a query string stands for; the text itself where it stands for none. */
function fromText(form: AnyForm, found: string): unknown {
  if (form.kind === 'list') return found.split(',').map((one) => fromText(form.of, one));
  if (form.kind === 'boolean') return found === 'true' ? true : found === 'false' ? false : found;
  return isNumeric(form) && /^-?\d{1,19}$/.test(found) ? heldBy(form, Number(found)) : found;
}

/** The nearest number that the form can hold: a time filter may lie beyond all times that we can. */
function heldBy(form: AnyForm, found: number): number {
  const most = Math.floor(Number.MAX_SAFE_INTEGER / (form.kind === 'time' ? unitsIn(form) : 1));
  return Math.min(most, Math.max(-most, found));
}

const isNumeric = (form: AnyForm): boolean =>
  form.kind === 'integer' ||
  (form.kind === 'time' && form.form !== 'rfc3339') ||
  ((form.kind === 'price' || form.kind === 'money') && (form.form === 'cents' || form.form === 'centicents')) ||
  (form.kind === 'qty' && form.form === 'contracts');
