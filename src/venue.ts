// The port: what a venue is to the rest of the house. Frames and answers come in raw, so that they can be written
// down as received; only the normalizer, which is pure, knows what they mean.
import type { Command, FeedCommand, RequestCommand } from './domain/command.ts';
import type { EngineEvent } from './domain/event.ts';
import type { FeeRounding } from './domain/fees.ts';
import type { TickerTable } from './domain/ids.ts';
import type { Micros, Price } from './domain/units.ts';
import type { RateLimit } from './execution/budget.ts';

export type { RateLimit };

/** Bytes as a part of the memory that they lie in, for whoever reads a word at a time. Positions count from the view's own. */
export interface ByteSpan {
  readonly view: DataView;
  readonly start: number;
  /** The first position behind them. */
  readonly end: number;
}

/** One raw message of the feed, as received. Borrowed: the bytes may be reused after the call. */
export interface Frame {
  readonly type: 'frame';
  readonly at: Micros;
  readonly bytes: Uint8Array;
  /** The same bytes, where they come by the thousand from one piece of memory: then `bytes` may cost more to ask for. */
  readonly span?: ByteSpan | undefined;
}

/** The feed's connection changed, or gave a sign of life. */
export type FeedSignal =
  | { readonly type: 'feed-up'; readonly at: Micros; readonly connection: number }
  | { readonly type: 'feed-down'; readonly at: Micros; readonly reason: string }
  | { readonly type: 'feed-heard'; readonly at: Micros }
  /** What was asked of the feed, so that a replay knows which subscription an acknowledgment is for. */
  | { readonly type: 'feed-sent'; readonly at: Micros; readonly text: string };

/** What came of a request. */
export type AnswerOutcome =
  /** The venue answered. */
  | {
      readonly type: 'answered';
      readonly status: number;
      readonly body: string;
      /** How long the venue says to wait, in microseconds. */
      readonly retryAfter: Micros | null;
      /** The venue's clock as its answer's date tells. */
      readonly venueAt: Micros | null;
    }
  /** It certainly did not reach the venue. */
  | { readonly type: 'not-sent'; readonly reason: string }
  /** It may have reached the venue. */
  | { readonly type: 'unknown'; readonly reason: string };

/** A request come back, with what was asked. */
export interface Answer {
  readonly type: 'answer';
  readonly at: Micros;
  /** When its first byte left; when it never did, when that became clear. */
  readonly askedAt: Micros;
  readonly command: RequestCommand;
  readonly outcome: AnswerOutcome;
}

/** Raw input that a normalizer understands. */
export type RawInput = Frame | FeedSignal | Answer;

/** All that enters the engine, in order, as received: what a journal writes down. */
export type Input = RawInput | { readonly type: 'event'; readonly event: EngineEvent };

/** Turns raw input into events, in order. Pure: the same inputs give the same events. */
export interface Normalizer {
  /** Calls `emit` for every event the input holds. Market-data events are borrowed by the callee. */
  normalize(input: RawInput, emit: (event: EngineEvent) => void): void;
}

/** Streams frames. Reconnects by itself; says so. */
export interface Feed {
  /** Begins connecting; everything that happens goes to `sink`. */
  start(sink: (input: Frame | FeedSignal) => void): void;
  /** Carries out a feed command now, or when next connected. */
  send(command: FeedCommand): void;
  /** Closes for good. Resolves when nothing more will reach the sink. */
  stop(): Promise<void>;
}

/** Signs and sends requests. */
export interface Gateway {
  /** Sends one request. Never rejects: whatever happens is an outcome. Aborted before sending is *not-sent*. */
  send(command: RequestCommand, signal: AbortSignal): Promise<Answer>;
  /** Opens connections and prepares signatures, so that the first order is not the slow one. */
  warm(): Promise<void>;
  stop(): Promise<void>;
}

/** What a venue can do and allows. */
export interface Capabilities {
  readonly canAmend: boolean;
  readonly canDecrease: boolean;
  /** Whether an order sent again under an id that was taken before is refused as such, and never becomes a second one. */
  readonly dedupesClientIds: boolean;
  readonly canPostOnly: boolean;
  readonly canReduceOnly: boolean;
  readonly timeInForce: readonly ('gtc' | 'gtd' | 'ioc' | 'fok')[];
  /** The smallest step of a quantity, in hundredths of a contract: 100 where only whole contracts trade. */
  readonly qtyStep: number;
  /** The widest price band the venue takes. */
  readonly priceMin: Price;
  readonly priceMax: Price;
  /** To what the account's fees are rounded, in the order of time; as for one that clears directly unless said. */
  readonly feeRounding?: readonly FeeRounding[];
  /** Whether what is planned for a series' fees can be read. */
  readonly tellsFeeChanges?: boolean;
  /** Whether what stands before our resting orders can be read. */
  readonly tellsQueue?: boolean;
  /** Reads are limited apart from trades. */
  readonly limits: { readonly read: RateLimit; readonly trade: RateLimit };
  /** What the venue said that its endpoints cost, by their names: a replay must have the same budgets. */
  readonly costs?: Readonly<Record<string, number>>;
  /** What one command takes from its budget. */
  readonly cost: (command: Command) => number;
}

/** One exchange: events in, commands out. */
export interface Venue {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly tickers: TickerTable;
  readonly feed: Feed;
  readonly gateway: Gateway;
  readonly normalizer: Normalizer;
}
