// Parses one line of a capture: the feed's message and its time of receipt, in any of the usual wrappers. Must never
// interpret a message, nor take a time inside the message for the recorder's.
import type { ImportPlace } from '../import-fault.ts';
import { foundText } from '../import-findings.ts';
import { isJsonRecord, parseJsonOrUndefined } from '../rows/json-records.ts';
import { type ParsedTime, parseMoment } from '../../../domain/parsed-time.ts';
import { isTimeName, timeInValue, timeInRecord } from '../times/time-names.ts';
import type { Micros } from '../../../domain/units.ts';
import type { JsonObject } from '../import-wire.ts';

/** A parsed line. */
export type CapturedLine =
  | {
      readonly kind: 'message';
      /** Time of receipt, or `null`. */
      readonly at: ParsedTime | null;
      /** The message alone. Valid until the next chunk is read. */
      readonly bytes: Uint8Array;
      readonly message: JsonObject;
      /** The recorder's note on the origin of the message. */
      readonly origin: string | null;
      /** True: the line is the message and nothing else. */
      readonly isBare: boolean;
    }
  /** A command sent by the recorder. */
  | { readonly kind: 'sent'; readonly at: ParsedTime | null; readonly text: string }
  | { readonly kind: 'bad'; readonly what: string };

/** A line that holds a message of the feed. */
export type CapturedMessage = Extract<CapturedLine, { kind: 'message' }>;

/** A line and its place. Both are valid until the next line is read. */
export interface PlacedLine {
  readonly place: ImportPlace;
  readonly line: CapturedLine;
}

/** Names under which recorders put the message, or its content. */
const MESSAGE_NAMES = ['frame', 'message', 'msg', 'data', 'raw', 'payload', 'body', 'event'] as const;
/** Most nested wrappers. */
const WRAPPERS_MAX = 4;
const ORIGIN_NAME = 'src';
/** The byte order mark that some programs put at the start of a file. */
const MARK = /^\uFEFF/;
/** Names of the members that a message has on the wire. */
const ENVELOPE = new Set(['type', 'id', 'sid', 'seq', 'msg']);
const BRACE = 0x7b;

/** Parses a line, which must not be blank. */
export function parseCapturedLine(line: Buffer): CapturedLine {
  const brace = line.indexOf(BRACE);
  if (brace < 0)
    return { kind: 'bad', what: `expected a JSON record, found ${foundText(line.toString('utf8', 0, 60))}` };
  const before = line
    .toString('utf8', 0, brace)
    .replace(MARK, '')
    .replace(/[\s,;|:>]+$/, '');
  if (before.startsWith('[')) return fromList(parseJsonOrUndefined(line.toString().replace(MARK, '')));
  const prefix = parseMoment(before);
  if (prefix === null && before !== '')
    return { kind: 'bad', what: `expected a time before the record, found ${foundText(before)}` };
  const bytes = brace > 0 ? line.subarray(brace) : line;
  const json = parseJsonOrUndefined(bytes.toString());
  if (!isJsonRecord(json)) return NO_RECORD;
  if (isMessage(json)) return fromMessage(json, bytes, prefix);
  return fromWrapper(json, prefix) ?? noMessageIn(json);
}

/**
 * Parses a message taken out of a plain wrapper. Returns `null` for bytes that are not one whole message: the line must
 * then be parsed as any other.
 * @param at time of receipt.
 */
export function parseWrappedMessage(bytes: Buffer, at: Micros): CapturedMessage | null {
  const message = parseJsonOrUndefined(bytes.toString());
  if (!isJsonRecord(message) || !isMessage(message) || typeof message['cmd'] === 'string') return null;
  return { kind: 'message', at: { kind: 'instant', at }, bytes, message, origin: originOf(message), isBare: false };
}

const NO_RECORD: CapturedLine = { kind: 'bad', what: 'expected a JSON record, found text that is none' };

const noMessageIn = (json: JsonObject): CapturedLine => ({
  kind: 'bad',
  what: `expected a message of the feed, found a record of ${foundText(Object.keys(json).join(', '))}`,
});

/** A message names its type. A command names its request. */
const isMessage = (json: JsonObject): boolean =>
  (typeof json['type'] === 'string' && (isJsonRecord(json['msg']) || Array.isArray(json['msg']) || 'sid' in json)) ||
  typeof json['cmd'] === 'string';

function fromMessage(json: JsonObject, bytes: Uint8Array, prefix: ParsedTime | null): CapturedLine {
  const at = prefix ?? timeInRecord(json);
  if (typeof json['cmd'] === 'string') return { kind: 'sent', at, text: JSON.stringify(json) };
  const origin = originOf(json);
  const renamed = Object.hasOwn(json, 'msg') ? null : withContentRenamed(json);
  if (renamed !== null) return lineOf({ message: renamed, at, origin });
  const added = Object.keys(json).filter((name) => !ENVELOPE.has(name));
  const known = added.filter((name) => name === ORIGIN_NAME || (isTimeName(name) && timeInValue(json[name]) !== null));
  if (known.length === 0)
    return { kind: 'message', at, bytes, message: json, origin, isBare: added.length === 0 && prefix === null };
  const message = Object.fromEntries(Object.entries(json).filter(([name]) => !known.includes(name)));
  return lineOf({ message, at, origin });
}

const originOf = (json: JsonObject): string | null =>
  typeof json[ORIGIN_NAME] === 'string' ? json[ORIGIN_NAME] : null;

interface Unwrapped {
  readonly message: JsonObject;
  readonly at: ParsedTime | null;
  readonly origin: string | null;
  readonly text?: string | undefined;
}

function lineOf({ message, at, origin, text = JSON.stringify(message) }: Unwrapped): CapturedLine {
  if (typeof message['cmd'] === 'string') return { kind: 'sent', at, text };
  return { kind: 'message', at, bytes: Buffer.from(text), message, origin, isBare: false };
}

/** Parses a list of a time and a record, as some recorders write. */
function fromList(list: unknown): CapturedLine {
  if (!Array.isArray(list)) return NO_RECORD;
  const items: readonly unknown[] = list;
  const at = items.map(timeInValue).find((moment) => moment !== null) ?? null;
  return (
    fromWrapper(Object.fromEntries(items.map((item, place) => [String(place), item])), at) ?? {
      kind: 'bad',
      what: 'expected a message of the feed in the list, found none',
    }
  );
}

/** A record that may be the message, and the values found around it. */
interface Candidate {
  readonly record: JsonObject;
  /** The original text, if the record was text. */
  readonly text: string | undefined;
  readonly at: ParsedTime | null;
  readonly origin: string | null;
  /** Wrappers that may still be opened. */
  readonly depth: number;
}

/** Returns the message inside a record, under a usual name or any other name, or `null`. */
function fromWrapper(record: JsonObject, at: ParsedTime | null): CapturedLine | null {
  const whole: Candidate = { record, text: undefined, at, origin: null, depth: WRAPPERS_MAX };
  return findMessage(whole, (each) => (isMessage(each) ? each : null)) ?? findMessage(whole, withContentRenamed);
}

function findMessage(candidate: Candidate, messageIn: (record: JsonObject) => JsonObject | null): CapturedLine | null {
  const { record, text, depth } = candidate;
  const at = candidate.at ?? timeInRecord(record);
  const origin = candidate.origin ?? originOf(record);
  const message = messageIn(record);
  if (message !== null) return lineOf({ message, at, origin, text: message === record ? text : undefined });
  if (depth === 0) return null;
  for (const inner of recordsIn(record)) {
    const line = findMessage({ ...inner, at, origin, depth: depth - 1 }, messageIn);
    if (line !== null) return line;
  }
  return null;
}

/** Gives a message's content the name `msg`. Returns `null` when the record is no such message. */
function withContentRenamed({ type, id, sid, seq, ...rest }: JsonObject): JsonObject | null {
  if (typeof type !== 'string') return null;
  const name = MESSAGE_NAMES.find((each) => isJsonRecord(rest[each]));
  return name === undefined ? null : { type, id, sid, seq, msg: rest[name] };
}

/** Returns all records among the members, the usual names first. Records written as text are included. */
function recordsIn(json: JsonObject): readonly Pick<Candidate, 'record' | 'text'>[] {
  const usual = MESSAGE_NAMES.filter((name) => Object.hasOwn(json, name));
  const names = new Set<string>([...usual, ...Object.keys(json)]);
  return [...names].flatMap((name) => {
    const value = json[name];
    const record = typeof value === 'string' && value.includes('{') ? parseJsonOrUndefined(value) : value;
    return isJsonRecord(record) ? [{ record, text: typeof value === 'string' ? value : undefined }] : [];
  });
}
