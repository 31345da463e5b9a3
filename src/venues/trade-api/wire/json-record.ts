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
