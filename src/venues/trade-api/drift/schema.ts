// Schemas as OpenAPI 3.0 and AsyncAPI 3 write them, made plain: references followed, parts of `allOf` joined. Pure.
// Must never fail on a schema that it does not understand: what is not understood allows anything.
import { isRecord } from '../wire/json.ts';

/** What one schema demands of a value. */
export interface PlainSchema {
  /** The JSON types that a value may be of; `null`: any. */
  readonly types: ReadonlySet<string> | null;
  /** All values there are; `null`: not listed. */
  readonly values: readonly unknown[] | null;
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
  /** What the items of a list are; `undefined`: anything. */
  readonly items: unknown;
  /** What members are that no property names: anything, nothing, or of a schema; `undefined`: not said. */
  readonly others: unknown;
  /** Of each group of these the value must be one. */
  readonly choices: readonly (readonly unknown[])[];
}

const DEPTH_MAX = 32;

/** Reads the schemas of one document. */
export class SchemaReader {
  readonly #document: unknown;
  readonly #plain = new WeakMap<object, PlainSchema>();

  /** @param document The whole specification, as parsed: references lead into it. */
  constructor(document: unknown) {
    this.#document = document;
  }

  /** What a reference leads to, or the value itself where it is none; `undefined` where it leads nowhere. */
  follow(value: unknown): unknown {
    let found = value;
    for (let depth = 0; depth < DEPTH_MAX; depth++) {
      const reference = isRecord(found) ? found['$ref'] : undefined;
      if (typeof reference !== 'string') return found;
      found = this.#at(reference);
    }
    return undefined;
  }

  #at(reference: string): unknown {
    if (!reference.startsWith('#/')) return undefined;
    let found = this.#document;
    for (const part of reference.slice(2).split('/')) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      found = isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    }
    return found;
  }

  /** A schema made plain; one that leads nowhere allows anything. */
  plain(schema: unknown): PlainSchema {
    if (!isRecord(schema)) return ANYTHING;
    let plain = this.#plain.get(schema);
    if (plain === undefined) this.#plain.set(schema, (plain = this.#join(schema, 0)));
    return plain;
  }

  #join(schema: unknown, depth: number): PlainSchema {
    if (!isRecord(schema) || depth > DEPTH_MAX) return ANYTHING;
    const { $ref: reference, allOf } = schema;
    const parts = [typeof reference === 'string' ? this.#at(reference) : undefined, ...listOf(allOf)];
    const joined = parts.map((part) => this.#join(part, depth + 1)).reduce(joinTwo, ANYTHING);
    return withNull(joinTwo(joined, own(schema)), schema);
  }
}

const ANYTHING: PlainSchema = {
  types: null,
  values: null,
  properties: new Map(),
  required: new Set(),
  items: undefined,
  others: undefined,
  choices: [],
};

function own(schema: Readonly<Record<string, unknown>>): PlainSchema {
  const { type, properties, required, items, additionalProperties, oneOf, anyOf } = schema;
  const types = [type].flat().filter((one) => typeof one === 'string');
  const values = Object.hasOwn(schema, 'const') ? [schema['const']] : schema['enum'];
  return {
    types: types.length === 0 ? null : new Set(types),
    values: Array.isArray(values) ? values : null,
    properties: new Map(isRecord(properties) ? Object.entries(properties) : []),
    required: new Set(listOf(required).filter((name) => typeof name === 'string')),
    items,
    others: additionalProperties,
    choices: [oneOf, anyOf].map(listOf).filter((group) => group.length > 0),
  };
}

/** Both; where both speak of one thing the second is heard, for so a part is narrowed by what stands beside it. */
const joinTwo = (first: PlainSchema, second: PlainSchema): PlainSchema => ({
  types: second.types ?? first.types,
  values: second.values ?? first.values,
  properties: new Map([...first.properties, ...second.properties]),
  required: new Set([...first.required, ...second.required]),
  items: second.items ?? first.items,
  others: second.others ?? first.others,
  choices: [...first.choices, ...second.choices],
});

/** `nullable` is of the whole, whatever its parts say. */
function withNull(plain: PlainSchema, { nullable }: Readonly<Record<string, unknown>>): PlainSchema {
  if (nullable !== true) return plain;
  const { types, values } = plain;
  return { ...plain, types: types && new Set([...types, 'null']), values: values && [...values, null] };
}

/** A list as it is; anything else is an empty one. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
