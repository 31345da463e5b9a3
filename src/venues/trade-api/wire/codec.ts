// Encodes records to the wire and decodes them, driven by their specs. An unknown member is reported as skipped. Must
// never take a book for an empty one because its levels came under an unknown name.
import type { z } from 'zod';
import { assert } from '../../../base/assert.ts';
import { WireFault } from './wire-fault.ts';
import { type AnyCodec, type JsonRecord, type OnSkipped, isRecord, jsonText } from './json-record.ts';
import { type JsonShape, type JsonType, anyJson, constantJson, recordJson } from './json-type.ts';
import { type Member, type Query, memberOf } from './record-members.ts';
import { type FaultPlace, faultAt } from './scalars.ts';
import type { AnyWireField, AnySpec, RecordSpec } from './record-spec.ts';

export type { JsonRecord, OnSkipped, Query };

const ignore: OnSkipped = () => {};

/** Decodes and encodes one kind of record. */
export interface Codec<T> {
  readonly spec: RecordSpec<T>;
  /**
   * Decodes a record from parsed JSON.
   * @throws {WireFault} when the JSON does not fit the spec.
   */
  decode(json: unknown, note?: OnSkipped): T;
  /**
   * Encodes a record as JSON-ready values.
   * @throws {WireFault} when the wire format cannot hold a value exactly.
   */
  encode(value: T): JsonRecord;
  /**
   * Encodes a record as JSON text: that of the values of `encode`, without making them.
   * @throws {WireFault} when the wire format cannot hold a value exactly.
   */
  encodeText(value: T): string;
  /**
   * Encodes one member as it stands in the JSON text of the record: its name and its value, or several of them. Empty when
   * the member is left out.
   * @throws {WireFault} when the wire format cannot hold the value exactly.
   */
  memberText(name: keyof T & string, value: T): string;
  /**
   * Decodes a record from the parameters of a query string. A list is separated by commas, unless its form is
   * `repeated`.
   * @throws {WireFault} when the parameters do not fit the spec.
   */
  decodeQuery(query: Query, note?: OnSkipped): T;
  /**
   * Encodes a record as a query string: `?a=1&b=2`, or the empty string for an empty record.
   * @throws {WireFault} when the wire format cannot hold a value exactly.
   */
  encodeQuery(value: T): string;
}

const codecs = new WeakMap<AnySpec, RecordCodec>();

/** The codec of a spec. The same spec always returns the same codec. */
export function codecOf<T>(spec: RecordSpec<T>): Codec<T> {
  // tidy: as (the spec's type parameter ties it to `T`; the code below works on any spec)
  return codecOfAny(spec as unknown as AnySpec) as unknown as Codec<T>;
}

function codecOfAny(spec: AnySpec): RecordCodec {
  let codec = codecs.get(spec);
  if (!codec) codecs.set(spec, (codec = new RecordCodec(spec)));
  return codec;
}

class RecordCodec implements AnyCodec {
  readonly spec: AnySpec;
  readonly written: readonly string[];
  readonly #members: readonly Member[];
  readonly #membersByName: ReadonlyMap<string, Member>;
  readonly #known: ReadonlySet<string>;
  /** Wire names of each side of a book. A side without any of its names counts as empty. */
  readonly #sides: readonly (readonly string[])[];
  readonly #type: JsonType;
  /** All members, without values. */
  readonly #undecoded: Readonly<Record<string, undefined>>;
  /** The members that are the same in every record, as JSON text. */
  readonly #fixedText: string;

  constructor(spec: AnySpec) {
    this.spec = spec;
    this.#members = Object.entries(spec.fields).map(([name, field]) =>
      memberOf({ record: spec.name, name, field, codecOf: codecOfAny }),
    );
    this.#undecoded = Object.fromEntries(this.#members.map(({ name }) => [name, undefined]));
    this.#membersByName = new Map(this.#members.map((member) => [member.name, member]));
    const shape: Record<string, JsonType> = {};
    for (const member of this.#members) Object.assign(shape, member.shape);
    for (const [wire, value] of Object.entries(spec.constants ?? {})) shape[wire] = constantJson(value);
    this.#known = new Set([...Object.keys(shape), ...Object.keys(spec.filler ?? {}), ...(spec.ignored ?? [])]);
    this.#type = recordJson(shape);
    this.#sides = Object.values(spec.fields).flatMap((field) => (field.kind === 'levels' ? [namesOf(field)] : []));
    const fixed = Object.entries({ ...spec.filler, ...spec.constants });
    this.written = [...this.#members.flatMap(({ written }) => written), ...fixed.map(([wire]) => wire)];
    this.#fixedText = fixed.map(([wire, value]) => `,${jsonText(wire)}:${jsonText(value)}`).join('');
    // JSON text has its members in the sequence of the spec only if none is written twice.
    assert(new Set(this.written).size === this.written.length, `record ${spec.name} writes a member twice`);
  }

  /** Types by wire name: of members, of members of inline records, and of ignored names. */
  get shape(): JsonShape {
    const passed = [...Object.keys(this.spec.filler ?? {}), ...(this.spec.ignored ?? [])];
    const shape: Record<string, JsonType> = Object.fromEntries(passed.map((wire) => [wire, anyJson]));
    for (const member of this.#members) Object.assign(shape, member.shape);
    return shape;
  }

  decode(json: unknown, note: OnSkipped = ignore): Record<string, unknown> {
    const record = this.#validate(json);
    for (const wire of Object.keys(record)) if (!this.#known.has(wire)) note(`field ${this.spec.name}.${wire}`, wire);
    if (this.#sides.length > 0) this.#requireSides(record);
    return this.decodeMembers(record, note);
  }

  /**
   * Refuses a book that lacks a side while an unread member has content. That member may be the side under another
   * name.
   */
  #requireSides(record: JsonRecord): void {
    const missing = this.#sides.filter((names) => names.every((wire) => (record[wire] ?? null) === null));
    const [side] = missing;
    if (side === undefined) return;
    // When only one side is missing, known members do not count: an older spelling of the present side may be among
    // them.
    const areBothMissing = missing.length === this.#sides.length;
    const sides = new Set(this.#sides.flat());
    const isUnread = (wire: string): boolean => (areBothMissing ? !sides.has(wire) : !this.#known.has(wire));
    const other = Object.keys(record).find((wire) => isUnread(wire) && isFilled(record[wire]));
    if (other === undefined) return;
    const place: FaultPlace = { record: this.spec.name, field: side.join(' or ') };
    throw faultAt(place, `the levels that may be in ${JSON.stringify(other)}`, undefined);
  }

  /** Decodes the members of a validated record, whose unknown members have been reported. */
  decodeMembers(record: JsonRecord, note: OnSkipped): Record<string, unknown> {
    // A copy of a record with all members is faster than adding one after the other.
    const value: Record<string, unknown> = { ...this.#undecoded };
    for (const member of this.#members) value[member.name] = member.decode(record, value, note);
    return value;
  }

  encode(value: JsonRecord): Record<string, unknown> {
    const record: Record<string, unknown> = {};
    for (const member of this.#members) member.encode(value, record);
    return Object.assign(record, this.spec.filler, this.spec.constants);
  }

  encodeText(value: JsonRecord): string {
    return `{${this.membersText(value).slice(1)}}`;
  }

  membersText(value: JsonRecord): string {
    let text = '';
    for (const member of this.#members) text += member.textOf(value);
    return text + this.#fixedText;
  }

  memberText(name: string, value: JsonRecord): string {
    return this.#membersByName.get(name)?.textOf(value).slice(1) ?? '';
  }

  decodeQuery(query: Query, note: OnSkipped = ignore): Record<string, unknown> {
    const record: Record<string, unknown> = { ...query };
    for (const member of this.#members) member.decodeQuery(query, record);
    return this.decode(record, note);
  }

  encodeQuery(value: JsonRecord): string {
    const record = this.encode(value);
    const repeated = new Set(this.#members.flatMap((member) => member.repeated));
    const parts = Object.entries(record).flatMap(([wire, found]) =>
      (repeated.has(wire) && Array.isArray(found) ? found : [found]).map(
        (parameter: unknown) => `${encodeURIComponent(wire)}=${encodeURIComponent(String(parameter))}`,
      ),
    );
    return parts.length === 0 ? '' : `?${parts.join('&')}`;
  }

  #validate(json: unknown): JsonRecord {
    if (this.#type.fits(json) && isRecord(json)) return json;
    const result = this.#type.schema.safeParse(json);
    if (result.success && isRecord(json)) return json;
    const issue = result.error?.issues[0];
    const path = issue?.path ?? [];
    const place: FaultPlace = { record: this.spec.name, field: path.length === 0 ? '(the whole)' : path.join('.') };
    throw faultAt(place, expectation(issue), valueAt(json, path));
  }
}

const namesOf = ({ wire, also = [], accepts = [] }: AnyWireField): readonly string[] => [
  wire,
  ...also.map((other) => other.wire),
  ...accepts.map((other) => other.wire),
];

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

/** Decodes, and returns the fault instead of throwing it. */
export function tryDecode<T>(codec: Codec<T>, json: unknown, note?: OnSkipped): T | WireFault {
  try {
    return codec.decode(json, note);
  } catch (fault) {
    if (fault instanceof WireFault) return fault;
    throw fault;
  }
}
