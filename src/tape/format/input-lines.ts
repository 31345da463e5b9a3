// Encodes inputs and commands as lines, and decodes them. A frame is written as received, or in base64 when it is not
// one line of text. Everything else is JSON. An answer names its command only by its id, because the command itself is
// on the tape already.
import type { Command, RequestCommand } from '../../domain/venue-command.ts';
import type { Alarm } from '../../domain/alarm.ts';
import type { EngineEvent } from '../../domain/event.ts';
import type { Halt } from '../../domain/operator-order.ts';
import type { Micros } from '../../domain/units.ts';
import type { Answer, Input } from '../../venue.ts';
import { TapeFault } from './tape-fault.ts';
import type { LineBuffer } from './line-buffer.ts';
import type { Entry } from './tape-line.ts';

/** Returns the time of an input. */
export const timeOf = (input: Input): Micros => (input.type === 'event' ? input.event.at : input.at);

/** Adds an input to the lines. */
export function addInputLine(lines: LineBuffer, input: Input): void {
  switch (input.type) {
    case 'frame':
      return lines.addFrame(input.at, input.bytes);
    case 'feed-heard':
      return lines.addLine('feed-heard', input.at, '{}');
    case 'feed-up':
      return lines.addLine('feed-up', input.at, `{"connection":${input.connection}}`);
    case 'feed-down':
      return lines.addLine('feed-down', input.at, JSON.stringify({ reason: input.reason }));
    case 'feed-sent':
      return lines.addLine('feed-sent', input.at, JSON.stringify({ text: input.text }));
    case 'answer':
      return lines.addLine('answer', input.at, answerJson(input));
    case 'event':
      return lines.addLine('event', input.event.at, JSON.stringify(input.event));
  }
}

const answerJson = ({ askedAt, command, outcome }: Answer): string =>
  JSON.stringify({ id: command.id, askedAt, outcome });

/** Adds commands to the lines. */
export function addCommandsLine(lines: LineBuffer, at: Micros, commands: readonly Command[]): void {
  lines.addLine('commands', at, JSON.stringify(commands));
}

/** A notice that the tape keeps: no input says it, and only a replay could compute it again. */
export type TapedNotice = Alarm | { readonly type: 'halt'; readonly halt: Halt };

/** Adds notices to the lines. */
export function addNoticesLine(lines: LineBuffer, at: Micros, notices: readonly TapedNotice[]): void {
  lines.addLine('notices', at, JSON.stringify(notices));
}

/** An answer as stored on the tape. */
export interface TapedAnswer extends Omit<Answer, 'at' | 'command' | 'type'> {
  readonly id: number;
}

function payloadOf(entry: Entry): unknown {
  try {
    return JSON.parse(entry.payload.toString());
  } catch (cause) {
    throw new TapeFault(entry, `expected JSON in an entry of kind ${entry.kind}, found none`, { cause });
  }
}

/**
 * Returns the commands of an entry of kind `commands`.
 * @throws {TapeFault} when they cannot be parsed.
 */
export function commandsOf(entry: Entry): readonly Command[] {
  // tidy: as (this program wrote the line, and its checksum proves that it is unchanged)
  return payloadOf(entry) as readonly Command[];
}

/**
 * Notices of an entry of kind `notices`.
 * @throws {TapeFault} when they cannot be parsed.
 */
export function noticesOf(entry: Entry): readonly TapedNotice[] {
  // tidy: as (this program wrote the line, and its checksum proves that it is unchanged)
  return payloadOf(entry) as readonly TapedNotice[];
}

/**
 * Answer of an entry of kind `answer`.
 * @throws {TapeFault} when it cannot be parsed.
 */
export function answerOf(entry: Entry): TapedAnswer {
  // tidy: as (this program wrote the line, and its checksum proves that it is unchanged)
  return payloadOf(entry) as TapedAnswer;
}

/**
 * Returns the event of an entry of kind `event`.
 * @throws {TapeFault} when it cannot be parsed.
 */
export function eventOf(entry: Entry): EngineEvent {
  // tidy: as (this program wrote the line, and its checksum proves that it is unchanged)
  return payloadOf(entry) as EngineEvent;
}

/** Returns the bytes of a frame. Valid at least as long as the entry's payload. */
export const frameOf = (entry: Entry): Uint8Array =>
  entry.kind === 'frame64' ? Buffer.from(entry.payload.toString('latin1'), 'base64') : entry.payload;

/**
 * Returns the input in an entry.
 * @param commandOf Finds the command of an answer by its id.
 * @returns `null` for an entry that is no input: a header, commands, an end.
 * @throws {TapeFault} when the entry cannot be parsed, or its command is not found.
 */
export function inputOf(entry: Entry, commandOf: (id: number) => RequestCommand | undefined): Input | null {
  const { at } = entry;
  switch (entry.kind) {
    case 'frame':
    case 'frame64':
      return { type: 'frame', at, bytes: frameOf(entry) };
    case 'feed-heard':
      return { type: 'feed-heard', at };
    case 'feed-up':
      return { type: 'feed-up', at, connection: member(entry, 'connection', 'number') };
    case 'feed-down':
      return { type: 'feed-down', at, reason: member(entry, 'reason', 'string') };
    case 'feed-sent':
      return { type: 'feed-sent', at, text: member(entry, 'text', 'string') };
    case 'answer':
      return answerInput(entry, commandOf);
    case 'event':
      return { type: 'event', event: eventOf(entry) };
    case 'segment':
    case 'commands':
    case 'notices':
    case 'end':
      return null;
  }
}

function answerInput(entry: Entry, commandOf: (id: number) => RequestCommand | undefined): Answer {
  const { id, askedAt, outcome } = answerOf(entry);
  const command = commandOf(id);
  if (command) return { type: 'answer', at: entry.at, askedAt, command, outcome };
  throw new TapeFault(entry, `expected the answer to a command given before, found the answer to ${id}`);
}

interface Types {
  readonly string: string;
  readonly number: number;
}

function member<Kind extends keyof Types>(entry: Entry, name: string, kind: Kind): Types[Kind] {
  const payload = payloadOf(entry);
  const value: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, name) : undefined;
  // tidy: as (the type was checked)
  if (typeof value === kind) return value as Types[Kind];
  throw new TapeFault(entry, `expected ${name} to be a ${kind}, found ${typeof value}`);
}
