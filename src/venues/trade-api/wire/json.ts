// What the parts of the codec share: JSON, and the words for it.
import type { z } from 'zod';

/** A JSON record. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Hears of what was read over: `kind` is what to count it under. */
export type Note = (kind: string, detail: string) => void;

/** Reads and writes any record. */
export interface AnyCodec {
  /** What each name on the wire must hold before it is read. */
  readonly shape: Readonly<Record<string, z.ZodType>>;
  decode(json: unknown, note: Note): Record<string, unknown>;
  /** Reads the members from a record that has been validated, and whose unknown members have been noted. */
  decodeMembers(record: JsonRecord, note: Note): Record<string, unknown>;
  encode(value: JsonRecord): Record<string, unknown>;
}

/** Whether a JSON value is a record, or a list, which is one by number. */
export const isRecord = (found: unknown): found is JsonRecord => typeof found === 'object' && found !== null;

/** The JSON of a body; `undefined` when it is none. */
export function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
