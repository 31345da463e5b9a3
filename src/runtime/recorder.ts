// Lets into a tape what anyone may see, and nothing of an account: what came of public channels and public reads, what was
// asked for it, and when the connection was there. Must never be given a way round: whatever it does not know is private.
import { type Command, isPublicRead } from '../domain/command.ts';
import { NOTHING_CARRIED } from '../domain/operator.ts';
import type { Micros } from '../domain/units.ts';
import type { Journal } from '../tape/journal.ts';
import type { Answer, Input } from '../venue.ts';

export interface RecorderOptions {
  /** Where it goes. */
  readonly tape: Journal;
  /** What of a frame anyone may see; `null` when nothing of it. */
  readonly publicPart: (frame: Uint8Array) => Uint8Array | null;
}

/** What has been recorded so far. */
export interface RecorderCounts {
  readonly frames: number;
  readonly frameBytes: number;
  /** Reads of markets, books, event groups, series and of the venue's state that the venue answered. */
  readonly answers: number;
  /** What came and was kept out: it was the account's own. */
  readonly keptOut: number;
  /** Times that the feed's connection was lost. */
  readonly feedLosses: number;
  readonly isFeedUp: boolean;
  /** When the last input came; `null` before the first. */
  readonly lastAt: Micros | null;
}

/** Feed commands that name nothing but markets. */
const PUBLIC_ASKS: ReadonlySet<Command['type']> = new Set(['subscribe', 'unsubscribe', 'resync', 'renew', 'reconnect']);

/** Whether a command asks for what anyone may see. */
export const isPublicCommand = (command: Command): boolean =>
  command.type === 'read' ? isPublicRead(command.target) : PUBLIC_ASKS.has(command.type);

/** A journal that is a recording. */
export class Recorder implements Journal {
  readonly #options: RecorderOptions;
  readonly #counts = {
    frames: 0,
    frameBytes: 0,
    answers: 0,
    keptOut: 0,
    feedLosses: 0,
    isFeedUp: false,
    lastAt: null as Micros | null,
  };

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Borrowed: the next input changes it. */
  get counts(): RecorderCounts {
    return this.#counts;
  }

  input(input: Input): void {
    const seen = this.#publicInput(input);
    if (seen === 'nothing') return;
    if (seen === 'private') {
      this.#counts.keptOut += 1;
      return;
    }
    this.#options.tape.input(seen);
    this.#count(seen);
  }

  commands(commands: readonly Command[]): void {
    this.#options.tape.commands(commands.filter(isPublicCommand));
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
      default:
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
      // Failed attempts to connect again are part of the same loss.
      if (counts.isFeedUp) counts.feedLosses += 1;
      counts.isFeedUp = false;
    }
  }
}

const isPublicAnswer = ({ command }: Answer): boolean => isPublicCommand(command);

/** A session's beginning and end, and what its clock did. That time passes, every entry says. */
function publicEvent(input: Extract<Input, { type: 'event' }>): Input | 'private' | 'nothing' {
  const { event } = input;
  switch (event.kind) {
    case 'start':
      return { type: 'event', event: { ...event, carried: NOTHING_CARRIED } };
    case 'stop':
    case 'clock-stepped':
      return input;
    case 'timer':
    case 'clock-leapt':
      return 'nothing';
    default:
      return 'private';
  }
}
