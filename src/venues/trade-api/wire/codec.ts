// Records to and from the wire, as their spelling says: one zod schema and one table of members for each, built once.
// Must never stumble over a member it does not know: such a one is noted, and the rest is read.
import { z } from 'zod';
import { WireFault } from './fault.ts';
import { type AnyCodec, type JsonRecord, type Note, isRecord } from './json.ts';
import { type Member, type Query, memberOf } from './members.ts';
import { type Place, faultAt } from './scalars.ts';
import type { AnyPlaced, AnySpec, RecordSpec } from './spec.ts';

export type { JsonRecord, Note, Query };

const ignore: Note = () => {};

/** Reads and writes one kind of record. */
export interface Codec<T> {
  readonly spec: RecordSpec<T>;
  /**
   * Reads a record from parsed JSON.
   * @throws {WireFault} when it is not one.
   */
  decode(json: unknown, note?: Note): T;
  /**
   * Writes a record as JSON-ready values.
   * @throws {WireFault} when the wire cannot hold a value of it exactly.
   */
  encode(value: T): JsonRecord;
  /**
   * Reads a record from the parameters of a query string, each with its values in the order in which they came. A list is
   * separated by commas, unless its form says that each item is a parameter.
   * @throws {WireFault} when it is not one.
   */
  decodeQuery(query: Query, note?: Note): T;
  /**
   * Writes a record as a query string: `?a=1&b=2`, or nothing when it is empty.
   * @throws {WireFault} when the wire cannot hold a value of it exactly.
   */
  encodeQuery(value: T): string;
}

const codecs = new WeakMap<AnySpec, RecordCodec>();

/** The codec of a spelling; the same one each time. */
export function codecOf<T>(spec: RecordSpec<T>): Codec<T> {
  // tidy: as (the types of a spec say what it spells; the code below works on any)
  return codecOfAny(spec as unknown as AnySpec) as unknown as Codec<T>;
}

function codecOfAny(spec: AnySpec): RecordCodec {
  let codec = codecs.get(spec);
  if (!codec) codecs.set(spec, (codec = new RecordCodec(spec)));
  return codec;
}

/** Reads and writes any record. */
class RecordCodec implements AnyCodec {
  readonly spec: AnySpec;
  readonly #members: readonly Member[];
  readonly #known: ReadonlySet<string>;
  /** The wire's names of each side of a book, of which one that is absent counts as empty. */
  readonly #sides: readonly (readonly string[])[];
  readonly #schema: z.ZodType;

  constructor(spec: AnySpec) {
    this.spec = spec;
    this.#members = Object.entries(spec.fields).map(([name, field]) =>
      memberOf({ record: spec.name, name, field, codecOf: codecOfAny }),
    );
    const shape: Record<string, z.ZodType> = {};
    for (const member of this.#members) Object.assign(shape, member.shape);
    for (const [wire, value] of Object.entries(spec.constants ?? {})) shape[wire] = z.literal(value).optional();
    this.#known = new Set([...Object.keys(shape), ...Object.keys(spec.filler ?? {}), ...(spec.ignored ?? [])]);
    this.#schema = z.object(shape);
    this.#sides = Object.values(spec.fields).flatMap((field) => (field.kind === 'levels' ? [namesOf(field)] : []));
  }

  /** The wire's names of all members, those of inline records included, and of what is passed over. */
  get shape(): Readonly<Record<string, z.ZodType>> {
    const passed = [...Object.keys(this.spec.filler ?? {}), ...(this.spec.ignored ?? [])];
    const shape: Record<string, z.ZodType> = Object.fromEntries(passed.map((wire) => [wire, z.unknown()]));
    for (const member of this.#members) Object.assign(shape, member.shape);
    return shape;
  }

  decode(json: unknown, note: Note = ignore): Record<string, unknown> {
    const record = this.#validate(json);
    for (const wire of Object.keys(record)) if (!this.#known.has(wire)) note(`field ${this.spec.name}.${wire}`, wire);
    if (this.#sides.length > 0) this.#requireSides(record);
    return this.decodeMembers(record, note);
  }

  /**
   * A side that is absent is empty. But where a list or a record stands that is not read, it may be that side under
   * another name, and a book that has orders would be taken for an empty one.
   */
  #requireSides(record: JsonRecord): void {
    const missing = this.#sides.filter((names) => names.every((wire) => (record[wire] ?? null) === null));
    const [side] = missing;
    if (side === undefined) return;
    // Beside a side that is there, an older spelling of it may stand, which is passed over.
    const areBothMissing = missing.length === this.#sides.length;
    const sides = new Set(this.#sides.flat());
    const isUnread = (wire: string): boolean => (areBothMissing ? !sides.has(wire) : !this.#known.has(wire));
    const other = Object.keys(record).find((wire) => isUnread(wire) && isFilled(record[wire]));
    if (other === undefined) return;
    const place: Place = { record: this.spec.name, field: side.join(' or ') };
    throw faultAt(place, `the levels that may stand in ${JSON.stringify(other)}`, undefined);
  }

  /** Reads the members from a record that has been validated, and whose unknown members have been noted. */
  decodeMembers(record: JsonRecord, note: Note): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    for (const member of this.#members) value[member.name] = member.read(record, value, note);
    return value;
  }

  encode(value: JsonRecord): Record<string, unknown> {
    const record: Record<string, unknown> = {};
    for (const member of this.#members) member.write(value, record);
    return Object.assign(record, this.spec.filler, this.spec.constants);
  }

  decodeQuery(query: Query, note: Note = ignore): Record<string, unknown> {
    const record: Record<string, unknown> = { ...query };
    for (const member of this.#members) member.fromQuery(query, record);
    return this.decode(record, note);
  }

  encodeQuery(value: JsonRecord): string {
    const record = this.encode(value);
    const repeated = new Set(this.#members.flatMap((member) => member.repeated));
    const parts = Object.entries(record).flatMap(([wire, found]) =>
      (repeated.has(wire) && Array.isArray(found) ? found : [found]).map(
        (one: unknown) => `${encodeURIComponent(wire)}=${encodeURIComponent(String(one))}`,
      ),
    );
    return parts.length === 0 ? '' : `?${parts.join('&')}`;
  }

  #validate(json: unknown): JsonRecord {
    const result = this.#schema.safeParse(json);
    if (result.success && isRecord(json)) return json;
    const issue = result.error?.issues[0];
    const path = issue?.path ?? [];
    const place: Place = { record: this.spec.name, field: path.length === 0 ? '(the whole)' : path.join('.') };
    throw faultAt(place, expectation(issue), valueAt(json, path));
  }
}

/** The wire's names of a member. */
const namesOf = ({ wire, also = [], accepts = [] }: AnyPlaced): readonly string[] => [
  wire,
  ...also.map((other) => other.wire),
  ...accepts.map((other) => other.wire),
];

/** Whether a JSON value is a list or a record that holds anything. */
const isFilled = (found: unknown): boolean => isRecord(found) && Object.keys(found).length > 0;

function expectation(issue: z.core.$ZodIssue | undefined): string {
  if (!issue) return 'a record';
  if (issue.code === 'invalid_type') return EXPECTED[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value)).join(' or ');
  if (issue.code === 'too_small') return 'a text that is not empty';
  return issue.message;
}

const EXPECTED: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a pair',
  object: 'a record',
};

function valueAt(json: unknown, path: readonly PropertyKey[]): unknown {
  let value = json;
  for (const key of path) {
    if (!isRecord(value)) return undefined;
    value = value[String(key)];
  }
  return value;
}

/** What a decoding gave, or the fault: for doors where a fault is one more thing that can happen. */
export function tryDecode<T>(codec: Codec<T>, json: unknown, note?: Note): T | WireFault {
  try {
    return codec.decode(json, note);
  } catch (fault) {
    if (fault instanceof WireFault) return fault;
    throw fault;
  }
}
