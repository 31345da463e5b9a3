// Compares a JSON value with its published schema. Must never stop at the first difference.
import { isRecord } from '../wire/json-record.ts';
import { describeValue } from '../wire/wire-fault.ts';
import { type DriftFinding, WHOLE_VALUE } from './drift-finding.ts';
import type { PlainSchema, SchemaReader } from './schema-reader.ts';

/** All differences between a value and a schema of the reader's document. */
export function compareWithSchema(reader: SchemaReader, schema: unknown, value: unknown): DriftFinding[] {
  const comparison = new SchemaComparison(reader);
  comparison.visit(reader.readSchema(schema), value, '');
  return comparison.findings;
}

class SchemaComparison {
  readonly findings: DriftFinding[] = [];
  readonly #reader: SchemaReader;

  constructor(reader: SchemaReader) {
    this.#reader = reader;
  }

  visit(schema: PlainSchema, value: unknown, path: string): void {
    const { types, values } = schema;
    if (types !== null && ![...types].some((type) => hasType(type, value)))
      return this.#addFinding('wrong-type', path, { expected: [...types].join(' or '), value });
    if (values !== null && !values.includes(value)) {
      const expected = values.map((allowed) => JSON.stringify(allowed)).join(', ');
      return this.#addFinding('new-value', path, { expected: `one of ${expected}`, value });
    }
    for (const choice of schema.choices) this.#visitBestFit(choice, value, path);
    if (Array.isArray(value)) this.#visitItems(schema, value, path);
    else if (isRecord(value)) this.#visitMembers(schema, value, path);
  }

  #visitItems({ items }: PlainSchema, value: readonly unknown[], path: string): void {
    if (items === undefined) return;
    const schema = this.#reader.readSchema(items);
    for (const item of value) this.visit(schema, item, `${path}[]`);
  }

  #visitMembers(schema: PlainSchema, value: Readonly<Record<string, unknown>>, path: string): void {
    const { properties, required, others } = schema;
    for (const name of required)
      if (!Object.hasOwn(value, name))
        this.#addFinding('missing-field', joined(path, name), {
          expected: 'a member that is always there',
          value: undefined,
        });
    for (const [name, member] of Object.entries(value)) {
      const property = properties.get(name);
      if (property !== undefined) this.visit(this.#reader.readSchema(property), member, joined(path, name));
      else if (isRecord(others)) this.visit(this.#reader.readSchema(others), member, joined(path, '{}'));
      else if (isClosed(schema))
        this.#addFinding('unknown-field', joined(path, name), { expected: 'no such member', value: member });
    }
  }

  /** The alternative schema with the fewest findings counts. */
  #visitBestFit(schemas: readonly unknown[], value: unknown, path: string): void {
    let best: readonly DriftFinding[] | null = null;
    for (const schema of schemas) {
      const attempt = new SchemaComparison(this.#reader);
      attempt.visit(this.#reader.readSchema(schema), value, path);
      if (best === null || attempt.findings.length < best.length) best = attempt.findings;
    }
    this.findings.push(...(best ?? []));
  }

  #addFinding(
    kind: DriftFinding['kind'],
    path: string,
    { expected, value }: { expected: string; value: unknown },
  ): void {
    this.findings.push({ kind, path: path === '' ? WHOLE_VALUE : path, expected, found: describeValue(value) });
  }
}

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/**
 * True when an unnamed member is a difference. Without `additionalProperties`, a schema that names no member or has
 * alternatives allows any member.
 */
const isClosed = ({ properties, others, choices }: PlainSchema): boolean =>
  others === false || (others === undefined && properties.size > 0 && choices.length === 0);

function hasType(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isRecord(value) && !Array.isArray(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
}
