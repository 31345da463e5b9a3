// Inputs and commands as lines, and back. A frame stands there as it came; everything else as JSON.
// An answer names its command by number alone: the command itself is in the tape already.
import type { Command, RequestCommand } from '../domain/command.ts';
import type { EngineEvent } from '../domain/event.ts';
import { type Micros } from '../domain/units.ts';
import type { Answer, Input } from '../venue.ts';
import { TapeFault } from './fault.ts';
import type { LineBuffer } from './line-buffer.ts';
import type { Entry } from './line.ts';

/** When an input came. */
export const timeOf = (input: Input): Micros => (input.type === 'event' ? input.event.at : input.at);

/** Adds an input to the lines. */
export function addInput(lines: LineBuffer, input: Input): void {
  switch (input.type) {
    case 'frame':
      return lines.addFrame(input.at, input.bytes);
    case 'feed-heard':
      return lines.add('feed-heard', input.at, '{}');
    case 'feed-up':
      return lines.add('feed-up', input.at, `{"connection":${input.connection}}`);
    case 'feed-down':
      return lines.add('feed-down', input.at, JSON.stringify({ reason: input.reason }));
    case 'feed-sent':
      return lines.add('feed-sent', input.at, JSON.stringify({ text: input.text }));
    case 'answer':
      return lines.add('answer', input.at, answerJson(input));
    case 'event':
      return lines.add('event', input.event.at, JSON.stringify(input.event));
  }
}

const answerJson = ({ askedAt, command, outcome }: Answer): string =>
  JSON.stringify({ id: command.id, askedAt, outcome });

/** Adds commands to the lines. */
export function addCommands(lines: LineBuffer, at: Micros, commands: readonly Command[]): void {
  lines.add('commands', at, JSON.stringify(commands));
}

/** An answer as the tape has it. */
export interface TapedAnswer extends Omit<Answer, 'at' | 'command' | 'type'> {
  /** The command's number. */
  readonly id: number;
}

/** What a line says, beyond its bytes. */
function payloadOf(entry: Entry): unknown {
  try {
    return JSON.parse(entry.payload.toString());
  } catch (cause) {
    throw new TapeFault(entry, `expected JSON in an entry of kind ${entry.kind}, found none`, { cause });
  }
}

/**
 * The commands of an entry of kind `commands`.
 * @throws {TapeFault} when they cannot be read.
 */
export function commandsOf(entry: Entry): readonly Command[] {
  // tidy: as (this very program wrote the line, and its checksum says that it is as it was)
  return payloadOf(entry) as readonly Command[];
}

/**
 * The answer of an entry of kind `answer`.
 * @throws {TapeFault} when it cannot be read.
 */
export function answerOf(entry: Entry): TapedAnswer {
  // tidy: as (this very program wrote the line, and its checksum says that it is as it was)
  return payloadOf(entry) as TapedAnswer;
}

/**
 * The event of an entry of kind `event`.
 * @throws {TapeFault} when it cannot be read.
 */
export function eventOf(entry: Entry): EngineEvent {
  // tidy: as (this very program wrote the line, and its checksum says that it is as it was)
  return payloadOf(entry) as EngineEvent;
}

/** The bytes of a frame. Borrowed, as the entry is. */
export const frameOf = (entry: Entry): Uint8Array =>
  entry.kind === 'frame64' ? Buffer.from(entry.payload.toString('latin1'), 'base64') : entry.payload;

/**
 * The input that an entry is.
 * @param commandOf Finds the command of an answer by its number.
 * @returns `null` for an entry that is none: a header, commands, an end.
 * @throws {TapeFault} when it cannot be read, or answers a command that was never given.
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
    default:
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
  // tidy: as (the type was looked at)
  if (typeof value === kind) return value as Types[Kind];
  throw new TapeFault(entry, `expected ${name} to be a ${kind}, found ${typeof value}`);
}
