// The venue port: an exchange as the rest of the project sees it. Frames and answers are raw, so that the journal has
// them as received. They are interpreted by the normalizer alone.
import type { Command, FeedCommand, OrderBatch, RequestCommand } from './domain/venue-command.ts';
import type { BookSide, EngineEvent } from './domain/event.ts';
import type { FeeRounding } from './domain/fee-schedule.ts';
import type { MarketIndex, TickerTable } from './domain/ids.ts';
import type { Micros, Price, Qty } from './domain/units.ts';
import type { RateLimit } from './domain/rate-budget.ts';

export type { RateLimit };

/** A range of bytes within a `DataView`, for readers of whole words. Offsets count from the start of the view. */
export interface ByteSpan {
  readonly view: DataView;
  readonly start: number;
  /** The offset after the last byte. */
  readonly end: number;
}

/** A change of one level, as read from the bytes of its message. */
export interface ScannedDelta {
  /** The subscription of the message. */
  readonly sid: number;
  /** The message's number in its subscription; `null` when it has none. */
  readonly seq: number | null;
  readonly market: MarketIndex;
  /** The venue's time of the change; `null` when the message has none. */
  readonly exchangeAt: Micros | null;
  readonly side: BookSide;
  /** Price on the YES scale. */
  readonly price: Price;
  /** The quantity that is added to the level; negative when it shrinks. */
  readonly change: Qty;
}

/** One raw message of the feed, as received. The bytes may be reused after the call. */
export interface Frame {
  readonly type: 'frame';
  readonly at: Micros;
  readonly bytes: Uint8Array;
  /** The same bytes within a larger buffer, where frames come by the thousand. Reading `bytes` may then cost more. */
  readonly span?: ByteSpan | undefined;
  /** The message itself, if it is a change of a level that was read from these bytes before. */
  readonly delta?: ScannedDelta | null;
}

/** The feed's connection went up or down, or the feed showed a sign of life. */
export type FeedSignal =
  | { readonly type: 'feed-up'; readonly at: Micros; readonly connection: number }
  | { readonly type: 'feed-down'; readonly at: Micros; readonly reason: string }
  | { readonly type: 'feed-heard'; readonly at: Micros }
  /** A message sent to the feed. A replay needs it to find the subscription of an acknowledgment. */
  | { readonly type: 'feed-sent'; readonly at: Micros; readonly text: string };

/** Outcome of a request. */
export type AnswerOutcome =
  /** The venue answered. */
  | {
      readonly type: 'answered';
      readonly status: number;
      readonly body: string;
      /** The wait that the venue requests, in microseconds. `null` when it requests none. */
      readonly retryAfter: Micros | null;
      /** The venue's clock, from the date of its answer. `null` without a date. */
      readonly venueAt: Micros | null;
    }
  /** The request certainly never reached the venue, or was in a batch that the venue refused as a whole. */
  | { readonly type: 'not-sent'; readonly reason: string }
  /** The request may have reached the venue. */
  | { readonly type: 'unknown'; readonly reason: string };

/** The refusal of a whole batch, none of which was executed. */
export interface BatchRefusal {
  /** `rate`: there is no room for all of it now. `batch`: anything else. */
  readonly cause: 'rate' | 'batch';
  /** The venue's reason. */
  readonly reason: string;
}

/** The answers to a batch. */
export interface BatchAnswers {
  /** One for each command, in their sequence. */
  readonly answers: readonly Answer[];
  /** `null` when the venue answered for each command, and when the outcome is unknown. */
  readonly refusal: BatchRefusal | null;
}

/** The outcome of a request, with the request itself. */
export interface Answer {
  readonly type: 'answer';
  readonly at: Micros;
  /** Time when the first byte left. For a request that never left, the time when that became clear. */
  readonly askedAt: Micros;
  readonly command: RequestCommand;
  readonly outcome: AnswerOutcome;
}

/** Raw input that a normalizer understands. */
export type RawInput = Frame | FeedSignal | Answer;

/** Everything that enters the engine, oldest first, as received. A journal records it. */
export type Input = RawInput | { readonly type: 'event'; readonly event: EngineEvent };

/** Turns raw input into events, oldest first. Pure: the same inputs give the same events. */
export interface Normalizer {
  /**
   * Calls `emit` for every event in the input. Market-data events may be reused after the call, so `emit` must copy
   * what it keeps.
   */
  normalize(input: RawInput, emit: (event: EngineEvent) => void): void;
}

/** Streams frames. Reconnects by itself, and signals each loss and each new connection. */
export interface Feed {
  /** Starts to connect. Frames and signals go to `sink`. */
  start(sink: (input: Frame | FeedSignal) => void): void;
  /** Carries out a feed command now, or at the next connection. */
  send(command: FeedCommand): void;
  /** Closes permanently. Resolves when nothing more will reach the sink. */
  stop(): Promise<void>;
}

/** Looks at a command before it leaves. Returns a reason not to send it, or `null`. */
export type LastLook = (command: RequestCommand) => string | null;

/** Signs and sends requests. */
export interface Gateway {
  /**
   * Sends one request. Never rejects: every result is an outcome. A request aborted before it left is `not-sent`. The
   * caller has just looked at the command. A gateway that waits for something before the request can leave, be it a
   * signature or a connection, calls `lastLook` after the wait, and does not send a command for which it returns a reason.
   */
  send(command: RequestCommand, signal: AbortSignal, lastLook?: LastLook): Promise<Answer>;
  /**
   * Sends a batch in one request. Never rejects. The batch has no more orders than `Capabilities.batchMax`. Absent where
   * no batch can be sent. A command for which `lastLook` returns a reason is taken out; the others leave.
   */
  sendBatch?(batch: OrderBatch, signal: AbortSignal, lastLook?: LastLook): Promise<BatchAnswers>;
  /** Returns what a person should know of the venue, and what no event reports. Absent where there is nothing. */
  remarks?(): readonly string[];
  /** Opens connections and prepares signatures in advance, so that the first order is not slow. */
  warmUp(): Promise<void>;
  stop(): Promise<void>;
}

/** The abilities and limits of a venue. */
export interface Capabilities {
  readonly canAmend: boolean;
  readonly canDecrease: boolean;
  /** The most orders, or cancels, in one request. @default 1, for a venue that takes one at a time */
  readonly batchMax?: number;
  /** The venue refuses an order under a known id, so a repeated request never makes a second order. */
  readonly dedupesClientIds: boolean;
  readonly canPostOnly: boolean;
  readonly canReduceOnly: boolean;
  readonly timeInForce: readonly ('gtc' | 'gtd' | 'ioc' | 'fok')[];
  /** The smallest step of a quantity, in hundredths of a contract: 100 where only whole contracts trade. */
  readonly qtyStep: number;
  /**
   * The smallest step of the expiry of a `gtd` order, in microseconds. The venue's connection rounds an expiry down to it.
   *
   * @default 1
   */
  readonly expiryStep?: number;
  /** The lowest accepted price. `priceMax` is the highest. */
  readonly priceMin: Price;
  readonly priceMax: Price;
  /** Rounding rules of the account's fees, earliest first. @default those of an account that clears directly */
  readonly feeRounding?: readonly FeeRounding[];
  /** Planned fee changes of a series can be read. @default false */
  readonly canReadFeeChanges?: boolean;
  /** Queue positions of our resting orders can be read. @default false */
  readonly canReadQueue?: boolean;
  /** Rate limits. Reads and trades are limited separately. */
  readonly limits: { readonly read: RateLimit; readonly trade: RateLimit };
  /**
   * Costs of the venue's endpoints as it reported them, by name. Recorded, because a replay must have the same budgets.
   */
  readonly costs?: Readonly<Record<string, number>>;
  /** Cost of a command, in units of its budget. */
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
