// What a run over a tape is given, and who may look on.
// Must never let whoever looks on decide anything.
import type { Command } from '../src/domain/command.ts';
import type { EngineEvent } from '../src/domain/event.ts';
import type { MarketIndex } from '../src/domain/ids.ts';
import type { Micros } from '../src/domain/units.ts';
import type { Engine } from '../src/engine.ts';
import type { RowSource } from '../src/tape/baked/rows.ts';
import type { Draw, LatencyModel, SimulatedVenue, VenueSink } from '../src/venues/simulated/ports.ts';

/** How late the tape's rows reach the bot: as late as they were recorded, always as late, or as the model draws. */
export type FeedDelay = 'recorded' | 'drawn' | number;

/** What happens in a run, for whoever keeps the score. Nothing is decided from it. */
export interface Onlooker {
  /** Commands left the engine. */
  commands?(commands: readonly Command[], at: Micros): void;
  /** A command arrived at the venue, which is about to take it. */
  arrived?(command: Command, at: Micros, sentAt: Micros): void;
  /** The engine is about to be told something that is neither a change of a book nor a print of the tape. */
  telling?(event: EngineEvent): void;
  /** A row that says what a market is worth has passed at the venue; `learnedAt` is the row's own time. */
  determined?(market: MarketIndex, venueAt: Micros, learnedAt: Micros): void;
  /** Looks at the engine from time to time: when next, and what to do then, before anything of that time is told. */
  readonly score?: { readonly dueAt: number; passed(now: number): void };
}

export interface DriverOptions {
  readonly source: RowSource;
  readonly engine: Engine;
  /** Makes the venue, whose words go to the sink. */
  readonly openVenue: (sink: VenueSink) => SimulatedVenue;
  readonly latency: LatencyModel;
  readonly feedDelay: FeedDelay;
  /** No word of the bot's reaches the venue sooner; 0 where delays are drawn. Microseconds. */
  readonly lookahead: number;
  /** Every chance in the run comes from it. */
  readonly draw: Draw;
  /** The session's name, which its orders' ids begin with. */
  readonly session: string;
  /** Rows before it build the books, and are not traded; from the first row on without it. */
  readonly from?: Micros;
  /** Rows from it on are not read. */
  readonly to?: Micros;
  /** How long stopping may take. Microseconds. */
  readonly stopWithin: number;
  readonly onlooker?: Onlooker;
}

/** Where a run is. */
export type DriverPhase = 'warming' | 'replaying' | 'stopping' | 'over';

/** A tape that cannot be run over. */
export class TapeRangeError extends Error {
  override readonly name = 'TapeRangeError';
}
