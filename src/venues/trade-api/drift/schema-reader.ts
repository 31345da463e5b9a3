// Reads schemas of OpenAPI 3.0 and AsyncAPI 3 in a plain form: references resolved, parts of `allOf` merged. Must never
// fail on an unknown kind of schema: such a schema allows anything.
import { isRecord } from '../wire/json-record.ts';

/** The requirements of one schema. */
export interface PlainSchema {
  /** The allowed JSON types; `null` for any. */
  readonly types: ReadonlySet<string> | null;
  /** The allowed values; `null` when not listed. */
  readonly values: readonly unknown[] | null;
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
  /** The schema of list items; `undefined` for any. */
  readonly items: unknown;
  /** The schema of unnamed members, or whether they are allowed; `undefined`: not specified. */
  readonly others: unknown;
  /** The value must match one schema of each group. */
  readonly choices: readonly (readonly unknown[])[];
}

const DEPTH_MAX = 32;

/** Reads the schemas of one document. */
export class SchemaReader {
  readonly #document: unknown;
  readonly #plain = new WeakMap<object, PlainSchema>();

  /** @param document The whole parsed specification. */
  constructor(document: unknown) {
    this.#document = document;
  }

  /** The target of a reference; `undefined` when the target does not exist. Any other value is returned as it is. */
  resolveReference(value: unknown): unknown {
    let found = value;
    for (let depth = 0; depth < DEPTH_MAX; depth++) {
      const reference = isRecord(found) ? found['$ref'] : undefined;
      if (typeof reference !== 'string') return found;
      found = this.#resolve(reference);
    }
    return undefined;
  }

  #resolve(reference: string): unknown {
    if (!reference.startsWith('#/')) return undefined;
    let found = this.#document;
    for (const part of reference.slice(2).split('/')) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      found = isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    }
    return found;
  }

  /** A schema in plain form; a reference without a target allows anything. */
  readSchema(schema: unknown): PlainSchema {
    if (!isRecord(schema)) return ANYTHING;
    let plain = this.#plain.get(schema);
    if (plain === undefined) this.#plain.set(schema, (plain = this.#merge(schema, 0)));
    return plain;
  }

  #merge(schema: unknown, depth: number): PlainSchema {
    if (!isRecord(schema) || depth > DEPTH_MAX) return ANYTHING;
    const { $ref: reference, allOf } = schema;
    const parts = [typeof reference === 'string' ? this.#resolve(reference) : undefined, ...listOf(allOf)];
    const joined = parts.map((part) => this.#merge(part, depth + 1)).reduce(mergeTwo, ANYTHING);
    return withNull(mergeTwo(joined, ownRequirements(schema)), schema);
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

function ownRequirements(schema: Readonly<Record<string, unknown>>): PlainSchema {
  const { type, properties, required, items, additionalProperties, oneOf, anyOf } = schema;
  const types = [type].flat().filter((name) => typeof name === 'string');
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

/** Where both schemas define the same thing, the second applies: a schema narrows its `allOf` parts. */
const mergeTwo = (first: PlainSchema, second: PlainSchema): PlainSchema => ({
  types: second.types ?? first.types,
  values: second.values ?? first.values,
  properties: new Map([...first.properties, ...second.properties]),
  required: new Set([...first.required, ...second.required]),
  items: second.items ?? first.items,
  others: second.others ?? first.others,
  choices: [...first.choices, ...second.choices],
});

function withNull(plain: PlainSchema, { nullable }: Readonly<Record<string, unknown>>): PlainSchema {
  if (nullable !== true) return plain;
  const { types, values } = plain;
  return { ...plain, types: types && new Set([...types, 'null']), values: values && [...values, null] };
}

/** The value if it is a list, otherwise an empty list. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
