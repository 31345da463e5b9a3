// Parses JSON of any form, and recognizes records: JSON objects. Must never interpret a record's members.
import type { JsonObject } from '../import-wire.ts';

export const isJsonRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses a text. Returns `undefined` when it is not JSON. */
export function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
