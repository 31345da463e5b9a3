// JSON types and functions that all parts of the codec share.
import type { JsonShape } from './json-type.ts';

/** A JSON object. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Receives everything that decoding skips. `kind` is the name under which it is counted. */
export type OnSkipped = (kind: string, detail: string) => void;

/** Decodes and encodes any record. */
export interface AnyCodec {
  /** Types by wire name, checked before decoding. */
  readonly shape: JsonShape;
  decode(json: unknown, note: OnSkipped): Record<string, unknown>;
  /** Decodes the members of a validated record, whose unknown members have been reported. */
  decodeMembers(record: JsonRecord, note: OnSkipped): Record<string, unknown>;
  encode(value: JsonRecord): Record<string, unknown>;
  /** Encodes as `encode` does, as JSON text. */
  encodeText(value: JsonRecord): string;
  /** Wire names that encoding may write. */
  readonly written: readonly string[];
  /** Encodes as `encode` does, as JSON text: a comma, the name and the value of each member. */
  membersText(value: JsonRecord): string;
}

/** True when a JSON value is an object or a list; a list is a record by index. */
export const isRecord = (found: unknown): found is JsonRecord => typeof found === 'object' && found !== null;

/** The JSON of a body; `undefined` when it is not JSON. */
export function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Characters that stand in JSON as they are. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** A value as JSON text. */
export function jsonText(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : JSON.stringify(value);
}
