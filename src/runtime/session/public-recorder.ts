// Writes only public data to a tape: messages of public channels, public reads with their answers, and the state of the
// connection. Also writes the beginning and end of the session. Must never pass anything unknown: it counts as private.
import { isOfNature } from '../../domain/event-kinds.ts';
import { type Command, isPublicRead } from '../../domain/venue-command.ts';
import { NOTHING_RESTORED } from '../../domain/operator-order.ts';
import type { Micros } from '../../domain/units.ts';
import type { Journal } from '../../tape/journal/journal-port.ts';
import type { Answer, Input } from '../../venue.ts';

export interface PublicRecorderOptions {
  readonly tape: Journal;
  /** Returns the public part of a frame; `null` when nothing in it is public. */
  readonly publicPart: (frame: Uint8Array) => Uint8Array | null;
}

/** Counts of a recording so far. */
export interface RecorderCounts {
  readonly frames: number;
  readonly frameBytes: number;
  /** Public reads that the venue answered. */
  readonly answers: number;
  /** Inputs that were left out because they are private. */
  readonly keptOut: number;
  readonly feedLosses: number;
  readonly isFeedUp: boolean;
  /** Time of the latest input; `null` before any input. */
  readonly lastAt: Micros | null;
}

/** True when a command requests public data. */
export function isPublicCommand(command: Command): boolean {
  switch (command.type) {
    case 'read':
      return isPublicRead(command.target);
    // These commands name markets at most.
    case 'subscribe':
    case 'unsubscribe':
    case 'resync':
    case 'renew':
    case 'reconnect':
      return true;
    case 'place':
    case 'cancel':
    case 'amend':
    case 'decrease':
    case 'renew-private':
      return false;
  }
}

/** A journal that keeps only public inputs and commands. */
export class PublicRecorder implements Journal {
  readonly #options: PublicRecorderOptions;
  readonly #counts = {
    frames: 0,
    frameBytes: 0,
    answers: 0,
    keptOut: 0,
    feedLosses: 0,
    isFeedUp: false,
    lastAt: null as Micros | null,
  };

  constructor(options: PublicRecorderOptions) {
    this.#options = options;
  }

  /** The present counts. The next input changes this object. */
  get counts(): RecorderCounts {
    return this.#counts;
  }

  writeInput(input: Input): void {
    const publicInput = this.#publicInput(input);
    if (publicInput === 'nothing') return;
    if (publicInput === 'private') {
      this.#counts.keptOut += 1;
      return;
    }
    this.#options.tape.writeInput(publicInput);
    this.#count(publicInput);
  }

  /** Alarms and halts are the recorder's own. */
  writeNotices(): void {}

  writeCommands(commands: readonly Command[]): void {
    this.#options.tape.writeCommands(commands.filter(isPublicCommand));
  }

  #publicInput(input: Input): Input | 'private' | 'nothing' {
    switch (input.type) {
      case 'frame': {
        const bytes = this.#options.publicPart(input.bytes);
        return bytes === null ? 'private' : { ...input, bytes };
      }
      case 'answer':
        return isPublicAnswer(input) ? input : 'private';
      case 'event':
        return publicEvent(input);
      case 'feed-up':
      case 'feed-down':
      case 'feed-heard':
      case 'feed-sent':
        return input;
    }
  }

  #count(input: Input): void {
    const counts = this.#counts;
    counts.lastAt = input.type === 'event' ? input.event.at : input.at;
    if (input.type === 'frame') {
      counts.frames += 1;
      counts.frameBytes += input.bytes.length;
    } else if (input.type === 'answer') counts.answers += input.outcome.type === 'answered' ? 1 : 0;
    else if (input.type === 'feed-up') counts.isFeedUp = true;
    else if (input.type === 'feed-down') {
      // Failed attempts to reconnect are part of the same loss.
      if (counts.isFeedUp) counts.feedLosses += 1;
      counts.isFeedUp = false;
    }
  }
}

const isPublicAnswer = ({ command }: Answer): boolean => isPublicCommand(command);

/**
 * A session's beginning and end, and steps of its clock, are public. Timers and leaps of the clock are left out: each
 * entry of the tape has its own time anyway.
 */
function publicEvent(input: Extract<Input, { type: 'event' }>): Input | 'private' | 'nothing' {
  const { event } = input;
  if (!isOfNature(event, 'session')) return 'private';
  switch (event.kind) {
    case 'start':
      return { type: 'event', event: { ...event, carried: NOTHING_RESTORED } };
    case 'stop':
    case 'clock-stepped':
      return input;
    case 'timer':
    case 'clock-leapt':
      return 'nothing';
    case 'operator':
    case 'unrecognized':
      return 'private';
  }
}
