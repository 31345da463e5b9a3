// Reads what callers send, as the profile's records say: query strings and bodies, each fault in the shape of its kind.
// Must never guess: what cannot be read is refused with where, what was expected and what was found.
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import { WireFault } from '../../venues/trade-api/wire/fault.ts';
import type { QueryRecord } from '../../venues/trade-api/wire/records.ts';
import type { AnyForm, AnyPlaced, AnySpec, RecordSpec } from '../../venues/trade-api/wire/spec.ts';
import type { Call } from './call.ts';
import { isRecord, parseJson } from './json-text.ts';
import { RequestFault, flat, nested, wrongQuery } from './refusals.ts';

const DEPTH_MAX = 100;

/**
 * Reads the query of a call.
 * @throws {RequestFault} when a parameter does not fit.
 */
export function readQuery({ request, profile }: Call, spec: RecordSpec<QueryRecord>): QueryRecord {
  const refuse = (problem: string): never => {
    throw new RequestFault(wrongQuery(request.endpoint, problem));
  };
  try {
    const query = codecOf(spec).decodeQuery(request.query, (kind, detail) => {
      if (kind.startsWith('value ')) refuse(`${kind.slice('value '.length)}: expected a known word, found ${detail}`);
    });
    const { pageRowsMax } = profile.abilities;
    if (query.limit !== null && (query.limit < 1 || query.limit > pageRowsMax))
      refuse(`limit: expected 1 to ${pageRowsMax}, found ${query.limit}`);
    if (query.depth !== null && (query.depth < 0 || query.depth > DEPTH_MAX))
      refuse(`depth: expected 0 to ${DEPTH_MAX}, found ${query.depth}`);
    return query;
  } catch (fault) {
    if (fault instanceof WireFault) return refuse(`${fault.field}: expected ${fault.expected}, found ${fault.found}`);
    throw fault;
  }
}

/**
 * Reads the body of a call.
 * @throws {RequestFault} when it is no JSON, or not the record it should be.
 */
export function readBody<T>({ request }: Call, spec: RecordSpec<T>): T {
  const found = parse(request.body);
  refuseBoth(found, anySpec(spec));
  try {
    return codecOf(spec).decode(found, refuseUnknownWords);
  } catch (fault) {
    if (fault instanceof WireFault) throw new RequestFault(answerTo(fault, anySpec(spec), found));
    throw fault;
  }
}

function refuseUnknownWords(kind: string, detail: string): void {
  if (!kind.startsWith('value ')) return;
  const member = kind.slice(kind.lastIndexOf('.') + 1);
  throw new RequestFault(nested(400, 'invalid_parameters', `${member}: expected a known word, found ${detail}`));
}

function parse(body: string): unknown {
  const found = parseJson(body);
  if (found !== undefined) return found;
  throw new RequestFault(flat(`body: expected JSON, found ${body === '' ? 'nothing' : 'something else'}`));
}

// tidy: as — the types of a spec say what it spells; the code below looks at any.
const anySpec = <T>(spec: RecordSpec<T>): AnySpec => spec as unknown as AnySpec;

/** What is of the wrong type is a bad request; what is only out of bounds is refused by what it means. */
function answerTo(fault: WireFault, spec: AnySpec, found: unknown): ReturnType<typeof flat> {
  const details = `${fault.field}: expected ${fault.expected}, found ${fault.found}`;
  const place = placeOf(spec, fault.field);
  if (place === null) return flat(details);
  const [name, form] = place;
  const value = valueIn(found, fault.field);
  if (value === undefined || value === null || typeof value !== typeOf(form)) return flat(details);
  return nested(400, CODE_BY_MEMBER[name] ?? 'invalid_parameters', details);
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
    if (field.kind === 'absent' || field.kind === 'inline' || field.kind === 'legs') continue;
    const placed: AnyPlaced = field;
    const form = [placed, ...(placed.also ?? []), ...(placed.accepts ?? [])].find((each) => each.wire === wire);
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
      return 'boolean';
    case 'text':
    case 'name':
    case 'enum':
    case 'name-id':
      return 'string';
    case 'levels':
    case 'list':
    case 'record':
    case 'presence':
      return 'object';
  }
}

/** A member that may come under one of several names must not come under two. */
function refuseBoth(found: unknown, spec: AnySpec): void {
  for (const field of Object.values(spec.fields)) {
    if (field.kind === 'absent' || field.kind === 'inline' || field.kind === 'legs') continue;
    const names = [field, ...(field.accepts ?? [])].map(({ wire }) => wire);
    const given = names.filter((wire) => (valueIn(found, wire) ?? null) !== null);
    if (given.length > 1)
      throw new RequestFault(nested(400, 'invalid_parameters', `expected one of ${given.join(' and ')}, found both`));
  }
}
