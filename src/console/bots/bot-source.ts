// The port through which the console sees a live bot: the frames of its control socket, and the state that they add up to.
// Must never wait for the bot.
import type {
  FollowFrame,
  LiveEvent,
  LiveOrder,
  LiveSessionPart,
  MarketCells,
  MarketDetail,
  MarketFacts,
} from '../../runtime/follow/follow-messages.ts';

/** The first frame of a connection: session, process and program of the bot. */
export type HelloFrame = Extract<FollowFrame, { type: 'hello' }>;

/** A part of a bot's state and its time. Microseconds since the Unix epoch. */
interface Timed<Value> {
  readonly atUs: number;
  readonly value: Value;
}

/** The state of a bot as its frames say it. It stays as it was when the connection ends. */
export interface BotState {
  readonly hello: HelloFrame;
  readonly session: Timed<LiveSessionPart> | null;
  /** Facts and moving figures of each market, by index. */
  readonly facts: ReadonlyMap<number, MarketFacts>;
  readonly cells: ReadonlyMap<number, MarketCells>;
  /** Time of the latest figures of a market; `null` before the first. */
  readonly cellsAtUs: number | null;
  /** By client order id, in the order in which they were made. */
  readonly orders: ReadonlyMap<string, LiveOrder>;
  /** Oldest first. */
  readonly events: readonly LiveEvent[];
  /** Details of watched markets, by ticker. */
  readonly details: ReadonlyMap<string, Timed<MarketDetail>>;
}

/**
 * State of the connection. `absent`: no process listens. `silent`: a process listens, and sends nothing. `connected`:
 * frames arrive.
 */
export type LinkState = 'absent' | 'silent' | 'connected';

/** A bot that is followed. */
export interface BotSource {
  readonly link: LinkState;
  /** Time of the latest frame; `null` before the first. Microseconds since the Unix epoch. */
  readonly lastFrameUs: number | null;
  /** `null` before the first connection. */
  readonly state: BotState | null;
  /** Sets the markets whose details the bot sends from now on. */
  watchMarkets(tickers: readonly string[]): void;
  /** Calls back after each frame has been applied, and with `null` when the connection has changed. */
  onFrame(listener: (frame: FollowFrame | null) => void): void;
  close(): void;
}
