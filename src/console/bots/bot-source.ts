// The port through which the console sees a live bot: frames and state. Must never wait for the bot.
import type {
  FollowFrame,
  LiveEvent,
  LiveOrder,
  LiveSessionPart,
  MarketCells,
  MarketDetail,
  MarketFacts,
} from '../../runtime/follow/follow-messages.ts';

/** The first frame of a connection. */
export type HelloFrame = Extract<FollowFrame, { type: 'hello' }>;

/** A part of a bot's state, with its time in microseconds since the Unix epoch. */
interface Timed<Value> {
  readonly atUs: number;
  readonly value: Value;
}

/** The state of a bot, as its frames describe it. The state is kept after the connection ends. */
export interface BotState {
  readonly hello: HelloFrame;
  readonly session: Timed<LiveSessionPart> | null;
  /** By the index of the market. */
  readonly facts: ReadonlyMap<number, MarketFacts>;
  readonly cells: ReadonlyMap<number, MarketCells>;
  /** Time of the latest figures of any market; `null` before the first. */
  readonly cellsAtUs: number | null;
  /** By client order id, oldest first. */
  readonly orders: ReadonlyMap<string, LiveOrder>;
  /** Oldest first. */
  readonly events: readonly LiveEvent[];
  readonly details: ReadonlyMap<string, Timed<MarketDetail>>;
}

/**
 * State of the connection. `absent`: no process listens. `silent`: a process listens, but sends nothing. `connected`:
 * frames arrive.
 */
export type LinkState = 'absent' | 'silent' | 'connected';

/** A bot, as the console follows it. */
export interface BotSource {
  readonly link: LinkState;
  /** Time of the latest frame; `null` before the first. Microseconds since the Unix epoch. */
  readonly lastFrameUs: number | null;
  /** `null` before the first connection. */
  readonly state: BotState | null;
  watchMarkets(tickers: readonly string[]): void;
  /** Calls the listener with each applied frame, and with `null` when the connection has changed. */
  onFrame(listener: (frame: FollowFrame | null) => void): void;
  close(): void;
}
