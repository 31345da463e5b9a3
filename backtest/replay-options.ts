// Options of a run over a tape, and the callbacks of its observer. Must never let an observer decide anything.
import type { Command } from '../src/domain/venue-command.ts';
import type { EngineEvent } from '../src/domain/event.ts';
import type { MarketIndex } from '../src/domain/ids.ts';
import type { Micros } from '../src/domain/units.ts';
import type { Engine } from '../src/engine.ts';
import type { RowSource } from '../src/tape/baked/tape-rows.ts';
import type {
  UniformDraw,
  LatencyModel,
  SimulatedVenue,
  VenueSink,
} from '../src/venues/simulated/simulator-interfaces.ts';

/** Delay of the tape's rows to the bot: as recorded, constant (microseconds), or drawn from the model. */
export type FeedDelay = 'recorded' | 'drawn' | number;

/** Callbacks for the events of a run. */
export interface RunObserver {
  onCommands?(commands: readonly Command[], at: Micros): void;
  /** Called when a command arrives at the venue, before the venue handles it. */
  onArrival?(command: Command, at: Micros, sentAt: Micros): void;
  /** Called for every event except deltas and prints, before the engine receives it. */
  beforeEvent?(event: EngineEvent): void;
  /** Called when a row with a market's outcome has passed at the venue. `learnedAt` is the recorder's time. */
  onOutcome?(market: MarketIndex, venueAt: Micros, learnedAt: Micros): void;
  /**
   * Samples the engine from time to time. At `dueAt`, `onTimePassed` runs before anything of that time is delivered.
   */
  readonly score?: { readonly dueAt: number; onTimePassed(now: number): void };
}

export interface ReplayOptions {
  readonly source: RowSource;
  readonly engine: Engine;
  /** Makes the venue. It sends its events to the sink. */
  readonly openVenue: (sink: VenueSink) => SimulatedVenue;
  readonly latency: LatencyModel;
  readonly feedDelay: FeedDelay;
  /** The minimum time of a bot's message to the venue; 0 where delays are drawn. Microseconds. */
  readonly lookahead: number;
  readonly draw: UniformDraw;
  /** The most orders, or cancels, that leave in one request. Default: 1. */
  readonly batchMax?: number;
  /** The beginning of all client order ids. */
  readonly session: string;
  /** Start of trading: earlier rows only build the books. Default: the first row. */
  readonly from?: Micros;
  /** End of the range, exclusive. Later rows are not read. */
  readonly to?: Micros;
  /** Maximum time that the session may take to stop. Microseconds. */
  readonly stopWithin: number;
  readonly observer?: RunObserver;
}

/** The phase of a run. `warming`: the books are built. `stopping`: the session is ending. */
export type ReplayPhase = 'warming' | 'replaying' | 'stopping' | 'over';

/** Thrown when the tape has no rows in the range. */
export class TapeRangeError extends Error {
  override readonly name = 'TapeRangeError';
}
