// What a strategy's parameters are, read from their schema: for whoever is told of them, and to find those that name files.
import { z } from 'zod';
import type { Strategy } from '../../strategy/strategy.ts';

/** A JSON Schema, as far as anything is made of it here. */
export interface JsonSchema {
  readonly type?: string;
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
  /** Whether the config names a file, whose text takes its place. */
  readonly presageFile?: boolean;
}

/** One parameter. */
export interface ParamInfo {
  readonly name: string;
  /** In words, such as `a whole number above 0`. */
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** What holds where it is not given; `undefined` when nothing does. */
  readonly default: unknown;
  /** Whether the config names a file, whose text the strategy is given. */
  readonly isFile: boolean;
}

/** The JSON Schema of what a config may give; empty when the strategy's schema cannot be told as one. */
export function paramsSchema({ params }: Strategy): JsonSchema {
  try {
    // tidy: as (what is told of a schema in the standard's own words is a JSON Schema)
    return z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  } catch {
    return {};
  }
}

/** Each parameter, in the order of the schema. */
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
  switch (schema.type) {
    case 'integer':
      return `a whole number${rangeText(schema)}`;
    case 'number':
      return `a number${rangeText(schema)}`;
    case 'string':
      return 'a text';
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list${schema.items ? `, each ${typeText(schema.items)}` : ''}`;
    case 'object':
      return 'a mapping';
    default:
      return schema.type ?? 'anything';
  }
}

/** Beyond it, whole numbers are not exact: that is no bound that anybody chose. */
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
