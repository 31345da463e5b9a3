// Describes a strategy's parameters from their schema: for help and error messages, and to find the parameters that
// name files.
import { z } from 'zod';
import type { Strategy } from '../../strategy/strategy-definition.ts';

/** The part of a JSON Schema that is used here. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  /** True: the config names a file, and its text replaces the name. */
  readonly presageFile?: boolean;
}

/** A parameter of a strategy, as its schema describes it. */
export interface ParamInfo {
  readonly name: string;
  /** A description such as `a whole number above 0`. */
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** The default; `undefined` without a default. */
  readonly default: unknown;
  /** True: the config names a file, and the strategy receives its text. */
  readonly isFile: boolean;
}

/** Returns the JSON Schema of the parameters; empty when the strategy's schema cannot be written as JSON Schema. */
export function paramsSchema({ params }: Strategy): JsonSchema {
  try {
    // tidy: as (zod writes a schema in the standard's terms, which is a JSON Schema)
    return z.toJSONSchema(params, { io: 'input', unrepresentable: 'any', override: describeDate }) as JsonSchema;
  } catch {
    return {};
  }
}

/** JSON Schema has no dates: a config writes them as texts. */
const describeDate: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ zodSchema, jsonSchema }) => {
  if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
};

/** Returns each parameter, in the sequence of the schema. */
export function paramsOf(strategy: Strategy): ParamInfo[] {
  const { properties = {}, required = [] } = paramsSchema(strategy);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeText(schema),
    description: schema.description ?? '',
    isRequired: required.includes(name),
    default: schema.default,
    isFile: schema.presageFile === true,
  }));
}

function typeText(schema: JsonSchema): string {
  if (schema.presageFile === true) return 'a file';
  if (schema.enum) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map(typeText).join(', or ');
  const { type } = schema;
  if (Array.isArray(type)) return type.map((each: string) => typeText({ type: each })).join(', or ');
  switch (type) {
    case 'integer':
      return `a whole number${rangeText(schema)}`;
    case 'number':
      return `a number${rangeText(schema)}`;
    case 'string':
      return schema.format === 'date-time' ? 'a date, such as 2026-11-21T07:45:00Z' : 'a text';
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list${schema.items ? `, each ${typeText(schema.items)}` : ''}`;
    case 'object':
      return 'a mapping';
    case 'null':
      return 'nothing';
    case undefined:
      return 'anything';
    default:
      return String(type);
  }
}

/** Whole numbers beyond this are not exact. zod sets this bound by itself, so it is not shown as the author's bound. */
const EXACT_MAX = Number.MAX_SAFE_INTEGER;

function rangeText({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema): string {
  const bounds = [
    exclusiveMinimum !== undefined && ` above ${exclusiveMinimum}`,
    minimum !== undefined && minimum > -EXACT_MAX && ` from ${minimum}`,
    exclusiveMaximum !== undefined && ` below ${exclusiveMaximum}`,
    maximum !== undefined && maximum < EXACT_MAX && ` to ${maximum}`,
  ];
  return bounds.filter((bound) => bound !== false).join('');
}
