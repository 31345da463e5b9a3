// One line of a capture taken apart: the message of the feed, and when the recorder received it, however it was wrapped.
// Must never say what a message means, nor take a time for the recorder's that stands within the message itself.
import type { ImportPlace } from './fault.ts';
import { found } from './findings.ts';
import { type Moment, readMoment } from '../../domain/moment.ts';
import type { JsonRecord } from './wire.ts';

/** A line. */
export type CapturedLine =
  | {
      readonly kind: 'message';
      /** When it was received; `null` where the line does not say. */
      readonly at: Moment | null;
      /** The message alone. Borrowed. */
      readonly bytes: Uint8Array;
      readonly message: JsonRecord;
      /** What the recorder noted of where it comes from. */
      readonly origin: string | null;
      /** Whether the line is the message and nothing else. */
      readonly isBare: boolean;
    }
  /** A command of the recorder's. */
  | { readonly kind: 'sent'; readonly at: Moment | null; readonly text: string }
  | { readonly kind: 'bad'; readonly what: string };

/** A line on its way. Borrowed. */
export interface Captured {
  readonly place: ImportPlace;
  readonly line: CapturedLine;
}

/** Names under which recorders put the message. */
const MESSAGE_NAMES = ['frame', 'message', 'msg', 'data', 'raw', 'payload', 'body', 'event'] as const;
/** Names under which recorders put the time. */
const TIME_NAMES: readonly string[] = (
  'received_at receivedAt received recv_at recv_ts recv_ts_ms recv_time receive_time captured_at recorded_at logged_at ' +
  'local_ts local_time wall_time at ts ts_ms timestamp time t'
).split(' ');
const ORIGIN_NAME = 'src';
/** Some programs put a mark before the first character of a file. */
const MARK = /^\uFEFF/;
/** What stands around a message on the wire itself. */
const ENVELOPE = new Set(['type', 'id', 'sid', 'seq', 'msg']);
const BRACE = 0x7b;

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Takes a line apart. It is not blank. */
export function readCapturedLine(line: Buffer): CapturedLine {
  const brace = line.indexOf(BRACE);
  if (brace < 0) return { kind: 'bad', what: `expected a JSON record, found ${found(line.toString('utf8', 0, 60))}` };
  const before = line
    .toString('utf8', 0, brace)
    .replace(MARK, '')
    .replace(/[\s,;|:>]+$/, '');
  const prefix = readMoment(before);
  if (prefix === null && before !== '')
    return { kind: 'bad', what: `expected a time before the record, found ${found(before)}` };
  const bytes = brace > 0 ? line.subarray(brace) : line;
  const json = parsed(bytes.toString());
  if (!isRecord(json)) return { kind: 'bad', what: 'expected a JSON record, found what cannot be read as one' };
  return isMessage(json) ? fromMessage(json, bytes, prefix) : fromWrapper(json, prefix);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A message says of what type it is; a command what it asks for. */
const isMessage = (json: JsonRecord): boolean =>
  (typeof json['type'] === 'string' && (isRecord(json['msg']) || Array.isArray(json['msg']) || 'sid' in json)) ||
  typeof json['cmd'] === 'string';

function fromMessage(json: JsonRecord, bytes: Uint8Array, prefix: Moment | null): CapturedLine {
  const at = prefix ?? timeAmong(json);
  if (typeof json['cmd'] === 'string') return { kind: 'sent', at, text: JSON.stringify(json) };
  const origin = typeof json[ORIGIN_NAME] === 'string' ? json[ORIGIN_NAME] : null;
  const added = Object.keys(json).filter((name) => !ENVELOPE.has(name));
  const known = added.filter((name) => name === ORIGIN_NAME || (isTimeName(name) && momentIn(json[name]) !== null));
  if (known.length === 0)
    return { kind: 'message', at, bytes, message: json, origin, isBare: added.length === 0 && prefix === null };
  const message = Object.fromEntries(Object.entries(json).filter(([name]) => !known.includes(name)));
  return { kind: 'message', at, bytes: Buffer.from(JSON.stringify(message)), message, origin, isBare: false };
}

function fromWrapper(json: JsonRecord, prefix: Moment | null): CapturedLine {
  for (const name of MESSAGE_NAMES) {
    const held = json[name];
    const message = typeof held === 'string' ? parsed(held) : held;
    if (!isRecord(message) || !isMessage(message)) continue;
    const text = typeof held === 'string' ? held : JSON.stringify(held);
    const at = prefix ?? timeAmong(json);
    if (typeof message['cmd'] === 'string') return { kind: 'sent', at, text };
    const origin = typeof json[ORIGIN_NAME] === 'string' ? json[ORIGIN_NAME] : null;
    return { kind: 'message', at, bytes: Buffer.from(text), message, origin, isBare: false };
  }
  return {
    kind: 'bad',
    what: `expected a message of the feed, found a record of ${found(Object.keys(json).join(', '))}`,
  };
}

const isTimeName = (name: string): boolean => TIME_NAMES.includes(name);

function timeAmong(json: JsonRecord): Moment | null {
  for (const name of TIME_NAMES) {
    const moment = momentIn(json[name]);
    if (moment !== null) return moment;
  }
  return null;
}

const momentIn = (said: unknown): Moment | null =>
  typeof said === 'string' || typeof said === 'number' ? readMoment(said) : null;
