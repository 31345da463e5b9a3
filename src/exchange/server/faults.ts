// The one seam through which every answer and every feed message passes on its way out, so that things can be made to
// go wrong. Must never be asked anywhere else whether something is to.
import type { Micros } from '../../domain/units.ts';
import type { Channel } from '../../venues/trade-api/wire/records.ts';
import type { AccountName } from '../input.ts';
import type { WireAnswer, WireRequest } from './call.ts';

/** What can be done with a request. */
export interface RequestPassage {
  readonly request: WireRequest;
  /** Whose key it claims to come with. */
  readonly account: AccountName | null;
  /**
   * Carries the request out. Not calling it means that the exchange never saw it. Reads may be answered as the exchange
   * was `lag` microseconds ago, as far as its session keeps its past.
   */
  readonly act: (lag?: Micros) => WireAnswer;
  /** Sends an answer; `null` drops the connection instead. Called once, now or later. */
  readonly send: (answer: WireAnswer | null) => void;
}

/** What can be done with a ping of the feed. */
export interface PingPassage {
  /** Which connection, counted from 1. */
  readonly connection: number;
  /** Sends it; not calling it loses it. */
  readonly send: () => void;
}

/** What can be done with a message of the feed. */
export interface FramePassage {
  readonly text: string;
  /** The channel whose message it is; `null` for a reply to a command. */
  readonly channel: Channel | null;
  readonly account: AccountName | null;
  /** Which connection, counted from 1. */
  readonly connection: number;
  /** Sends a text; not calling it loses the message. */
  readonly send: (text: string) => void;
  /** Ends every subscription of the connection to a channel, with an error that says so. */
  readonly endChannel: (channel: Channel) => void;
  /** Closes the connection politely. */
  readonly end: (code: number) => void;
  /** Breaks the connection without a word. */
  readonly hangUp: () => void;
}

/** Where things go wrong. */
export interface Faults {
  request(passage: RequestPassage): void;
  frame(passage: FramePassage): void;
  ping(passage: PingPassage): void;
  /** A connection is gone. */
  gone(connection: number): void;
  /** What the server takes the time to be, for its date and for the age of signatures. */
  clock(now: Micros): Micros;
}

/** Nothing goes wrong. */
export const NO_FAULTS: Faults = {
  request: ({ act, send }) => send(act()),
  frame: ({ text, send }) => send(text),
  ping: ({ send }) => send(),
  gone: () => undefined,
  clock: (now) => now,
};
