// Reads request bodies by the profile's records, and refuses a wrong body in the shape that fits the error. Must never
// guess a value.
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import { WireFault } from '../../venues/trade-api/wire/wire-fault.ts';
import { type AnyForm, type AnySpec, type RecordSpec, isWireField } from '../../venues/trade-api/wire/record-spec.ts';
import type { EndpointCall } from '../api/endpoint-call.ts';
import { isRecord, parseJson } from '../api/json-text.ts';
import { RequestFault, fillTemplate, flatError, refuseCall, invalidParameters } from '../api/api-errors.ts';

/**
 * Reads the body of a call.
 * @throws {RequestFault} when it is not JSON, or not the expected record.
 */
export function readBody<T>(call: EndpointCall, spec: RecordSpec<T>): T {
  const found = parse(call.request.body);
  try {
    refuseDuplicates(call, found, anySpec(spec));
    return codecOf(spec).decode(found, (kind, detail) => refuseUnknownWords(call, kind, detail));
  } catch (fault) {
    // A wrong type is reported before any other error in the record: decoders in Go check types before values.
    refuseMistyped(call, found, anySpec(spec));
    if (fault instanceof WireFault) throw refuseBody(call, { fault, spec: anySpec(spec), found });
    throw fault;
  }
}

function refuseUnknownWords(call: EndpointCall, kind: string, detail: string): void {
  if (!kind.startsWith('value ')) return;
  const member = kind.slice(kind.lastIndexOf('.') + 1);
  throw invalidParameters(call, `${member}: expected a known word, found ${detail}`);
}

function parse(body: string): unknown {
  const found = parseJson(body);
  if (found !== undefined) return found;
  throw new RequestFault(flatError(`body: expected JSON, found ${body === '' ? 'nothing' : 'something else'}`));
}

// tidy: as — the types of a spec follow from its forms; the code below handles any spec.
const anySpec = <T>(spec: RecordSpec<T>): AnySpec => spec as unknown as AnySpec;

interface WrongBody {
  readonly fault: WireFault;
  readonly spec: AnySpec;
  readonly found: unknown;
}

/**
 * Refuses a wrong value of the right type with the code for its member. Any other error is unreadable input or an
 * invalid parameter.
 */
function refuseBody(call: EndpointCall, { fault, spec, found }: WrongBody): RequestFault {
  const details = `${fault.field}: expected ${fault.expected}, found ${fault.found}`;
  const place = memberOf(ownerOf(spec, fault), fault.field);
  if (place !== null && jsonTypeOf(fault, found) === typeOf(place[1]))
    return refuseCall(call, { status: 400, code: CODE_BY_MEMBER[place[0]] ?? 'invalid_parameters', details });
  // A dialect with its own text for wrong types has already refused them.
  return call.profile.quirks.wrongType === null
    ? new RequestFault(flatError(details))
    : invalidParameters(call, details);
}

/** The spec of the record with the error: the whole body, or the items of a list in it. */
function ownerOf(spec: AnySpec, { record }: WireFault): AnySpec {
  for (const placed of record === spec.name ? [] : Object.values(spec.fields)) {
    if (placed.kind === 'list' && placed.of.kind === 'record' && placed.of.of.name === record) return placed.of.of;
  }
  return spec;
}

/** Refuses a body of the wrong JSON type, or with a member of one, with the dialect's text if it has one. */
function refuseMistyped({ profile }: EndpointCall, found: unknown, spec: AnySpec): void {
  const { wrongType } = profile.quirks;
  if (wrongType === null || found === null) return;
  if (!isRecord(found)) {
    const words = { found: jsonTypeName(found), type: spec.name };
    throw new RequestFault(flatError(fillTemplate(wrongType.whole, words)));
  }
  const mistyped = mistypedIn(found, { spec, above: '' });
  if (mistyped !== null) throw new RequestFault(flatError(fillTemplate(wrongType.member, mistyped)));
}

type Mistyped = Readonly<Record<'found' | 'record' | 'field' | 'type', string>>;

/**
 * The first member of the wrong JSON type, as a decoder in Go would find it. `null` fits every type in Go.
 * @param above The path of the record.
 */
function mistypedIn(
  found: unknown,
  { spec, above }: { readonly spec: AnySpec; readonly above: string },
): Mistyped | null {
  for (const [wire, value] of isRecord(found) ? Object.entries(found) : []) {
    const form = memberOf(spec, wire)?.[1];
    if (form === undefined || value === null) continue;
    const place = { record: spec.name, field: above + wire };
    const type = misfitOf(value, form);
    if (type !== null) return { found: type, ...place, type: nativeTypeOf(form) };
    if (form.kind !== 'list' || form.of.kind !== 'record' || !Array.isArray(value)) continue;
    const itemSpec = form.of.of;
    const inner = value.map((each: unknown) => mistypedItem(each, itemSpec, place)).find((each) => each !== null);
    if (inner) return inner;
  }
  return null;
}

/** The first wrong type in an item of a list of records: the item's own, or that of a member. */
function mistypedItem(item: unknown, spec: AnySpec, place: Pick<Mistyped, 'record' | 'field'>): Mistyped | null {
  if (item === null || isRecord(item)) return mistypedIn(item, { spec, above: `${place.field}.` });
  return { found: jsonTypeName(item), ...place, type: spec.name };
}

/** One more than the largest integer of 64 bits. */
const INT64_END = 2 ** 63;

/** The JSON type of a value that does not fit a form, as a decoder in Go names it; `null` when it fits. */
function misfitOf(value: unknown, form: AnyForm): string | null {
  const type = jsonTypeName(value);
  if (type !== typeOf(form)) return type;
  if (typeof value !== 'number' || nativeTypeOf(form) !== 'int64') return null;
  return Number.isInteger(value) && Math.abs(value) < INT64_END ? null : `number ${value}`;
}

function jsonTypeOf({ field, found }: WireFault, whole: unknown): string | null {
  const value = valueIn(whole, field);
  if (value !== undefined) return value === null ? null : jsonTypeName(value);
  if (found === 'nothing' || found === 'null') return null;
  if (found.startsWith('"')) return 'string';
  if (found === 'true' || found === 'false') return 'bool';
  if (found === 'a record') return 'object';
  return found.startsWith('a list') ? 'array' : 'number';
}

function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

const CODE_BY_MEMBER: Readonly<Record<string, string>> = {
  price: 'invalid_price',
  qty: 'invalid_order_size',
  reduceBy: 'invalid_order_size',
  reduceTo: 'invalid_order_size',
};

function memberOf(spec: AnySpec, wire: string): readonly [string, AnyForm] | null {
  for (const [name, field] of Object.entries(spec.fields)) {
    if (!isWireField(field)) continue;
    const form = [field, ...(field.also ?? []), ...(field.accepts ?? [])].find((each) => each.wire === wire);
    if (form !== undefined) return [name, form];
  }
  return null;
}

const valueIn = (found: unknown, wire: string): unknown => (isRecord(found) ? found[wire] : undefined);

function typeOf(form: AnyForm): string {
  switch (form.kind) {
    case 'price':
    case 'money':
      return form.form === 'cents' || form.form === 'centicents' ? 'number' : 'string';
    case 'qty':
      return form.form === 'contracts' ? 'number' : 'string';
    case 'time':
      return form.form === 'rfc3339' ? 'string' : 'number';
    case 'integer':
    case 'decimal':
    case 'measure':
      return 'number';
    case 'boolean':
      return 'bool';
    case 'text':
    case 'name':
    case 'enum':
    case 'name-id':
      return 'string';
    case 'levels':
    case 'list':
      return 'array';
    case 'record':
    case 'map':
    case 'presence':
      return 'object';
  }
}

function nativeTypeOf(form: AnyForm): string {
  const type = typeOf(form);
  if (type !== 'number') return type;
  return form.kind === 'measure' || form.kind === 'decimal' ? 'float64' : 'int64';
}

/** Wire names of the members that have several, by spec. */
const alternatives = new WeakMap<AnySpec, readonly (readonly string[])[]>();

function alternativesOf(spec: AnySpec): readonly (readonly string[])[] {
  let found = alternatives.get(spec);
  if (found !== undefined) return found;
  const members = Object.values(spec.fields).filter(isWireField);
  found = members.map((field) => [field, ...(field.accepts ?? [])].map(({ wire }) => wire));
  found = found.filter((names) => names.length > 1);
  alternatives.set(spec, found);
  return found;
}

function refuseDuplicates(call: EndpointCall, found: unknown, spec: AnySpec): void {
  for (const names of alternativesOf(spec)) {
    const given = names.filter((wire) => (valueIn(found, wire) ?? null) !== null);
    if (given.length > 1) throw invalidParameters(call, `expected one of ${given.join(' and ')}, found both`);
  }
}
