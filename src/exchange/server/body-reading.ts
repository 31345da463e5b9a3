// Reads the bodies that callers send, as the profile's records say, each fault in the shape of its kind.
// Must never guess: what cannot be read is refused with where, what was expected and what was found.
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import { WireFault } from '../../venues/trade-api/wire/fault.ts';
import { type AnyForm, type AnySpec, type RecordSpec, isPlaced } from '../../venues/trade-api/wire/spec.ts';
import type { Call } from './call.ts';
import { isRecord, parseJson } from './json-text.ts';
import { RequestFault, filled, flat, refuse, senseless } from './refusals.ts';

/**
 * Reads the body of a call.
 * @throws {RequestFault} when it is no JSON, or not the record it should be.
 */
export function readBody<T>(call: Call, spec: RecordSpec<T>): T {
  const found = parse(call.request.body);
  try {
    refuseBoth(call, found, anySpec(spec));
    return codecOf(spec).decode(found, (kind, detail) => refuseUnknownWords(call, kind, detail));
  } catch (fault) {
    // Whatever else is wrong: a decoder in Go reports types before anybody looks at what the members mean.
    refuseMistyped(call, found, anySpec(spec));
    if (fault instanceof WireFault) throw refuseBody(call, { fault, spec: anySpec(spec), found });
    throw fault;
  }
}

function refuseUnknownWords(call: Call, kind: string, detail: string): void {
  if (!kind.startsWith('value ')) return;
  const member = kind.slice(kind.lastIndexOf('.') + 1);
  throw senseless(call, `${member}: expected a known word, found ${detail}`);
}

function parse(body: string): unknown {
  const found = parseJson(body);
  if (found !== undefined) return found;
  throw new RequestFault(flat(`body: expected JSON, found ${body === '' ? 'nothing' : 'something else'}`));
}

// tidy: as — the types of a spec say what it spells; the code below looks at any.
const anySpec = <T>(spec: RecordSpec<T>): AnySpec => spec as unknown as AnySpec;

/** A body that could not be read. */
interface WrongBody {
  readonly fault: WireFault;
  readonly spec: AnySpec;
  readonly found: unknown;
}

/** What is of the wrong type is a bad request; what is only out of bounds is refused by what it means. */
function refuseBody(call: Call, { fault, spec, found }: WrongBody): RequestFault {
  const details = `${fault.field}: expected ${fault.expected}, found ${fault.found}`;
  const place = placeOf(ownerOf(spec, fault), fault.field);
  if (place !== null && jsonTypeOf(fault, found) === typeOf(place[1]))
    return refuse(call, { status: 400, code: CODE_BY_MEMBER[place[0]] ?? 'invalid_parameters', details });
  // A dialect with words of its own for wrong types has refused them before.
  return call.profile.manners.wrongType === null ? new RequestFault(flat(details)) : senseless(call, details);
}

/** The record that a fault is of: the whole, or one in a list of it. */
function ownerOf(spec: AnySpec, { record }: WireFault): AnySpec {
  for (const placed of record === spec.name ? [] : Object.values(spec.fields)) {
    if (placed.kind === 'list' && placed.of.kind === 'record' && placed.of.of.name === record) return placed.of.of;
  }
  return spec;
}

/** Refuses a body with a member of the wrong JSON type, in the dialect's words where it has some. */
function refuseMistyped({ profile }: Call, found: unknown, spec: AnySpec): void {
  const { wrongType } = profile.manners;
  const mistyped = wrongType === null ? null : mistypedIn(found, { spec, above: '' });
  if (wrongType !== null && mistyped !== null) throw new RequestFault(flat(filled(wrongType, mistyped)));
}

/** The words of a refusal of a member that is of the wrong type. */
type Mistyped = Readonly<Record<'found' | 'record' | 'field' | 'type', string>>;

/**
 * The first member of the wrong JSON type, in the order of the document, records in lists among it: so a decoder in Go
 * goes through it. A `null` fits everywhere there. `above` is the path of the record.
 */
function mistypedIn(
  found: unknown,
  { spec, above }: { readonly spec: AnySpec; readonly above: string },
): Mistyped | null {
  for (const [wire, value] of isRecord(found) ? Object.entries(found) : []) {
    const form = placeOf(spec, wire)?.[1];
    if (form === undefined || value === null) continue;
    const type = jsonTypeName(value);
    if (type !== typeOf(form)) return { found: type, record: spec.name, field: above + wire, type: nativeTypeOf(form) };
    if (form.kind !== 'list' || form.of.kind !== 'record' || !Array.isArray(value)) continue;
    const item = { spec: form.of.of, above: `${above}${wire}.` };
    const inner = value.map((each: unknown) => mistypedIn(each, item)).find((each) => each !== null);
    if (inner) return inner;
  }
  return null;
}

/** The JSON type of what was found; `null` where nothing was. A fault tells it by how it describes it. */
function jsonTypeOf({ field, found }: WireFault, whole: unknown): string | null {
  const value = valueIn(whole, field);
  if (value !== undefined) return value === null ? null : jsonTypeName(value);
  if (found === 'nothing' || found === 'null') return null;
  if (found.startsWith('"')) return 'string';
  if (found === 'true' || found === 'false') return 'bool';
  if (found === 'a record') return 'object';
  return found.startsWith('a list') ? 'array' : 'number';
}

/** The JSON type of a value that is not `null`. */
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

/** The member that has a name on the wire, and how it is spelled there. */
function placeOf(spec: AnySpec, wire: string): readonly [string, AnyForm] | null {
  for (const [name, field] of Object.entries(spec.fields)) {
    if (!isPlaced(field)) continue;
    const form = [field, ...(field.also ?? []), ...(field.accepts ?? [])].find((each) => each.wire === wire);
    if (form !== undefined) return [name, form];
  }
  return null;
}

const valueIn = (found: unknown, wire: string): unknown => (isRecord(found) ? found[wire] : undefined);

/** The JSON type in which a form comes. */
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

/** What servers written in Go call the type of a member of such a form. */
function nativeTypeOf(form: AnyForm): string {
  const type = typeOf(form);
  if (type !== 'number') return type;
  return form.kind === 'measure' || form.kind === 'decimal' ? 'float64' : 'int64';
}

/** A member that may come under one of several names must not come under two. */
function refuseBoth(call: Call, found: unknown, spec: AnySpec): void {
  for (const field of Object.values(spec.fields)) {
    if (!isPlaced(field)) continue;
    const names = [field, ...(field.accepts ?? [])].map(({ wire }) => wire);
    const given = names.filter((wire) => (valueIn(found, wire) ?? null) !== null);
    if (given.length > 1) throw senseless(call, `expected one of ${given.join(' and ')}, found both`);
  }
}
