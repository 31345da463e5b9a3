// The parts of the simulated venue as they see one another: small models, each chosen by name, each a pure value.
// Nothing here does anything. Every model says in its own file when it lies.
import type { Command } from '../../domain/command.ts';
import type { BookDelta, EngineEvent, FillReport, Levels, Print } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Liquidity, Side, TimeInForce } from '../../domain/order.ts';
import type { PriceGrid } from '../../domain/price-grid.ts';
import type { Micros, Money, Price, Qty } from '../../domain/units.ts';
import type { OtherEvent, RowBlock } from '../../tape/baked/rows.ts';

/** Uniform draws from 0 up to, not including, 1, by the run's seed. */
export type Draw = () => number;

/** The ways of a message, apart from one another. */
export type Leg = 'feed' | 'order' | 'answer';

/** How long a message takes on each way. Microseconds, never negative. */
export interface LatencyModel {
  readonly name: string;
  /** `at`: when it sets out. */
  delay(leg: Leg, at: Micros, draw: Draw): number;
  /**
   * How late the recorder learned of the public row that has just passed at the venue, where the row tells: of interest
   * to a model whose feed is as late as it was recorded.
   */
  heard?(delay: number): void;
}

/** How much rests before an order of ours at its price, and what moves it up. Quantities in hundredths of a contract. */
export interface QueueModel {
  readonly name: string;
  /** Whether withdrawals never move us up: then `withdrawn` need not be asked. */
  readonly onlyPrints: boolean;
  /** What stands before an order that joins a level of so much. */
  joined(levelQty: number): number;
  /**
   * What stands before an order after others at its level withdrew `cut`, which no print explains.
   * @param ahead what stood before it
   * @param levelQty the level's quantity before the withdrawal
   */
  withdrawn(ahead: number, levelQty: number, cut: number): number;
}

/** An order of ours that arrives at the floor. */
export interface FloorOrder {
  /** The venue's id of it. */
  readonly id: string;
  readonly market: MarketIndex;
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
}

/** We trade: so much of one order at one price. */
export interface Execution {
  readonly orderId: string;
  readonly price: Price;
  readonly qty: Qty;
  readonly liquidity: Liquidity;
  /** What made it happen: the book it met, a print at its price or through it, or a book that came to cross it. */
  readonly evidence: 'taken' | 'print' | 'print-through' | 'crossed';
}

/** What became of an order that arrived. */
export type Placed =
  | { readonly type: 'rejected'; readonly code: FloorRefusal; readonly message: string }
  /** What traded at once, what rests now, and what was withdrawn at once, with the reason. */
  | {
      readonly type: 'taken';
      readonly executions: readonly Execution[];
      readonly restingQty: Qty;
      readonly canceledQty: Qty;
      readonly reason: string | null;
      /** Orders of ours that were withdrawn by self-trade prevention. */
      readonly withdrawn: readonly string[];
    };

/** The reason where an order that arrives goes by self-trade prevention. */
export const MET_OUR_OWN = 'it met an order of our own';

export type FloorRefusal =
  | 'post_only_would_cross'
  | 'fill_or_kill_unfilled'
  | 'self_trade'
  | 'book_unknown'
  | 'price_off_grid'
  /** A reduce-only order for which there is no position left to reduce, or an amendment of one beyond it. */
  | 'reduce_only_beyond_position'
  | 'market_closed';

/** A step in the story of one order, for whoever asks why it filled or did not. */
export interface StoryLine {
  readonly at: Micros;
  readonly orderId: string;
  /** What happened, as a sentence with its figures. */
  readonly what: string;
  /** What stood before it and what remained of it afterwards; hundredths of a contract. */
  readonly ahead: number;
  readonly leaves: number;
}

/** Columns of a tape's rows, as far as they tell of levels. */
export type LevelRows = Pick<RowBlock, 'kind' | 'market' | 'price' | 'qty'>;

/**
 * The venue's books, and our orders in them. Fed with the tape's public facts at the venue's time; told of our orders
 * when they arrive there. Our orders are never in the tape: the book is as it was without us, and what we took of a level
 * is not there a second time until the tape refills it.
 */
export interface Floor {
  /**
   * Makes room for a market's book, unknown until its first snapshot. Opened again with another grid, the book is unknown
   * again; orders whose price the new grid has not are withdrawn, and told.
   */
  open(market: MarketIndex, grid: PriceGrid): readonly string[];
  /** Forgets a market; tells which orders rested there, first come first, the bids before the asks. */
  close(market: MarketIndex): readonly string[];
  /** The hot path: a level changed. Borrowed. Executions go to `onExecution`. */
  delta(change: Pick<BookDelta, 'market' | 'side' | 'price' | 'change'>): void;
  /**
   * The same for many rows of a tape at once, from one row up to, not including, another: as far as they change levels, do
   * not concern orders of ours, and cannot be wrong. Returns the first row that it left alone.
   */
  readonly quietDeltas: (rows: LevelRows, from: number, to: number) => number;
  snapshot(market: MarketIndex, bids: Levels, asks: Levels): void;
  /** Continuity was lost: nothing of the book is known until the next snapshot. */
  lose(market: MarketIndex): void;
  print(trade: Pick<Print, 'market' | 'side' | 'price' | 'qty'>): void;
  place(order: FloorOrder): Placed;
  /** Withdraws what rests; returns how much, 0 when nothing did. */
  cancel(orderId: string): Qty;
  /** Makes a resting order smaller in its place; the quantity is what should remain. */
  decrease(orderId: string, leaves: Qty): boolean;
  /**
   * Moves it or makes it larger: it goes to the end of the queue; it may trade at once. What only shrinks stays where it
   * is. `null` when it does not rest; a rejected amendment leaves it as it was.
   */
  amend(orderId: string, price: Price, leaves: Qty): Placed | null;
  /**
   * Makes resting reduce-only orders of a market small enough for the position, the youngest first: to be called whenever
   * the position has changed. Returns those that changed, with what is left of them; 0: withdrawn.
   */
  trimReduceOnly(market: MarketIndex): readonly { readonly orderId: string; readonly leaves: Qty }[];
  /** What stands before an order, `AHEAD_UNKNOWN` where no snapshot has told yet; `null` when it does not rest. */
  ahead(orderId: string): Qty | null;
  /** Whether the book is known. */
  isKnown(market: MarketIndex): boolean;
  /**
   * Leaves a book to somebody who keeps the same one, on the same grid: its levels are not kept here until they are wanted.
   * Only what is known, and where nothing of ours is but orders that rest; whether it is lent now. It is back before it is
   * replaced or lost, and before a change or a print may concern our orders: what was wrong with it meanwhile is counted.
   */
  lend(market: MarketIndex, grid: PriceGrid, keeper: BookKeeper): boolean;
  /** Whether somebody else keeps the book now. */
  isLent(market: MarketIndex): boolean;
  /** Has a book back, if it is lent; whatever needs one does so itself. */
  recall(market: MarketIndex): void;
  /**
   * Takes back a book that is lent, as it was at some time; whoever gives it back tells by `delta` what changed since: of
   * that nothing is done to orders of ours, for the floor has done it already. One in which they rest only while it is wanted.
   */
  restore(market: MarketIndex, bids: Levels, asks: Levels): void;
  /**
   * The book as the public sees it, best first: what we took of it is still there, for the tape's next changes reckon with
   * it. Empty while the book is unknown.
   */
  levels(market: MarketIndex): { readonly bids: Levels; readonly asks: Levels };
}

/** Somebody who keeps the same books as the floor. */
export interface BookKeeper {
  /**
   * A book that was lent is wanted: it must be back, by `Floor.restore`, and up to date when this returns. Where a change
   * wants it, that change is in it.
   */
  wanted(market: MarketIndex): void;
}

/** More than any level holds: the queue of an order that came while the book was unknown. */
export const AHEAD_UNKNOWN = (2 ** 52) as Qty;

export interface FloorOptions {
  /** So many markets are expected; none where absent. */
  readonly room?: number;
  readonly queue: QueueModel;
  readonly selfTrade: 'cancel-resting' | 'cancel-incoming';
  /** Whether an order fills when the recorded book comes to cross it, although no print says so. True unless told otherwise. */
  readonly fillWhenCrossed?: boolean;
  /** The venue's time; asked only where something of ours rests. */
  readonly now: () => Micros;
  /** Our position, signed: what a reduce-only order may reduce. Executions that were told are in it. */
  readonly positionOf: (market: MarketIndex) => number;
  /** How far apart a print and the decrease of its level may be told, in microseconds; one second unless told otherwise. */
  readonly explainWindow?: number;
  /** Executions of resting orders; those of an arriving one are in what `place` answers. */
  readonly onExecution: (execution: Execution) => void;
  /** All executions that one call brought about have been told: orders may be changed, and should where they must be. */
  readonly onExecuted?: () => void;
  /** Told of orders whose story is wanted; absent costs nothing. */
  readonly tell?: (line: Omit<StoryLine, 'at'>) => void;
}

/** An event before it has set out: the time it arrives with is the way's business. */
export type Untimed<Event> = Event extends unknown ? Omit<Event, 'at'> : never;
export type VenueEvent = Untimed<EngineEvent>;

/** Where the venue's words go. Each way keeps its order; how long it takes is the latency model's. */
export interface VenueSink {
  /** Streamed: private news, and the snapshot that answers a subscription. */
  feed(event: VenueEvent): void;
  /** What answers one request: `answered` first. */
  answer(events: readonly VenueEvent[]): void;
}

/**
 * An exchange that has all of the tape's public facts and none of its future, and one account: ours. Pure: it is told the
 * time with everything. Public facts go on to us by whoever drives it; what only we are told goes to the sink.
 */
export interface SimulatedVenue {
  /** The books; the driver feeds `delta`, `print`, `snapshot` and `lose` of it at the venue's time. */
  readonly floor: Floor;
  /** The venue's time so far: set by the driver before each call on `floor`. */
  now: Micros;
  /** Any other public fact of the tape. */
  fact(event: OtherEvent): void;
  /**
   * The feed is connected: told once, by whoever has no other feed. It then says so, grants what is private, and gives
   * signs of life. Private news is told with or without it.
   */
  connect(): void;
  /**
   * A command arrives.
   * @param sentAt when it left the bot, by the one clock of a simulation; when it was made, where nobody says.
   */
  take(command: Command, sentAt?: Micros): void;
  /** When something happens by the clock alone (an order expires, a market closes, an incident); `null` for never. */
  wakeAt(): Micros | null;
  /** The clock has come so far. */
  pass(): void;
  /**
   * After what time at the venue, in microseconds, a market's public rows reach us; `Infinity` while nobody asked. By market number.
   * Rows of the very time were in the snapshot already: they pass at the venue before a command of that time does.
   * Another array once there are more markets: read it anew after each `fact`.
   */
  readonly streamedFrom: Float64Array;
  /** The latest of those times of all the markets that have a number: infinite while one is not streamed. */
  readonly allStreamedFrom: number;
  readonly account: SimulatedAccount;
}

/** The account as the venue keeps it: the truth that everything else is compared with. */
export interface SimulatedAccount {
  readonly cash: Money;
  /** Cash less what is pledged to resting orders. */
  readonly available: Money;
  readonly feesPaid: Money;
  /** What settlements paid in. */
  readonly settled: Money;
  /** What trades moved, signed, before fees. */
  readonly traded: Money;
  readonly openingCash: Money;
  positionOf(market: MarketIndex): Qty;
  /** The account's fills, in order. */
  readonly fills: readonly FillReport[];
}
