// The interfaces between the parts of the simulated venue. Each model says in its own file where it is wrong. Must
// never hold behavior.
import type { RequestWay } from '../../config/simulation-config.ts';
import type { Command, OrderBatch } from '../../domain/venue-command.ts';
import type { BookDelta, EngineEvent, FillReport, Levels, Print } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Liquidity } from '../../domain/orders/order.ts';
import type { OrderTerms } from '../../domain/orders/order-terms.ts';
import type { PriceGrid } from '../../domain/price-grid.ts';
import type { Micros, Money, Price, Qty } from '../../domain/units.ts';
import type { OtherEvent, RowBlock } from '../../tape/baked/tape-rows.ts';

/** Uniform draws in [0, 1), from the run's seed. */
export type UniformDraw = () => number;

/**
 * One of the three legs between bot and venue: events to the bot, commands to the venue, answers to the bot. Each leg
 * has its own delays.
 */
export type MessageLeg = 'feed' | 'order' | 'answer';

/** The departure of a message. */
export interface Departure {
  readonly at: Micros;
  /** Kind of the request, or of the request that is answered; absent on the feed. */
  readonly way?: RequestWay | undefined;
}

/** The delay of a message on each leg, in microseconds; never negative. */
export interface LatencyModel {
  readonly name: string;
  /** True when delays depend on the kind of request. `drawDelay` otherwise ignores `way`. */
  readonly differsByWay?: boolean;
  drawDelay(leg: MessageLeg, departure: Departure, draw: UniformDraw): number;
  /** Receives the recorder's delay of the latest public row, where the row has one. */
  onRecordedDelay?(delay: number): void;
}

/** The quantity ahead of an order of ours at its price, and its changes. Quantities are in hundredths of a contract. */
export interface QueueModel {
  readonly name: string;
  /** True when cancellations never move us up; `aheadAfterCancel` is then not called. */
  readonly onlyPrints: boolean;
  aheadOnJoin(levelQty: number): number;
  /**
   * Quantity ahead of an order after an unexplained cancellation of `cut` at its level.
   * @param ahead quantity ahead before the cancellation
   * @param levelQty the level's quantity before the cancellation
   */
  aheadAfterCancel(ahead: number, levelQty: number, cut: number): number;
}

/** An order of ours that arrives at the venue's books. */
export interface ArrivingOrder extends OrderTerms {
  readonly id: string;
}

/** A trade of ours: a quantity of one order at one price. */
export interface Execution {
  readonly orderId: string;
  readonly price: Price;
  readonly qty: Qty;
  readonly liquidity: Liquidity;
  /**
   * Evidence of the trade: the book that an arriving order met, a print at or through the price, or a crossing book.
   */
  readonly evidence: 'taken' | 'print' | 'print-through' | 'crossed';
}

/** The outcome of placing or amending an order. */
export type PlacementOutcome =
  | { readonly type: 'rejected'; readonly code: MatchingRefusal; readonly message: string }
  /** Parts of the order may have traded at once, rest now, or have been canceled for a reason. */
  | {
      readonly type: 'taken';
      readonly executions: readonly Execution[];
      readonly restingQty: Qty;
      readonly canceledQty: Qty;
      readonly reason: string | null;
      readonly canceledOwn: readonly string[];
    };

/** The reason when self-trade prevention cancels an arriving order. */
export const WOULD_MEET_OWN_ORDER = 'it would have met an order of our own';

export type MatchingRefusal =
  | 'post_only_would_cross'
  | 'fill_or_kill_unfilled'
  | 'self_trade'
  | 'book_unknown'
  | 'price_off_grid'
  /** No position is left to reduce, or an amendment exceeds the position. */
  | 'reduce_only_beyond_position'
  | 'market_closed';

/** A step in the explanation of one order: why it filled or did not. */
export interface ExplanationStep {
  readonly at: Micros;
  readonly orderId: string;
  readonly what: string;
  /** Quantity ahead of the order and its remaining quantity after the step, in hundredths of a contract. */
  readonly ahead: number;
  readonly leaves: number;
}

/** The columns of a tape's rows that describe levels. */
export type DeltaColumns = Pick<RowBlock, 'kind' | 'market' | 'price' | 'qty'>;

/**
 * The venue's books, and our orders in them, at the venue's time. Our simulated orders are never in the tape: the book
 * is as it was without them. Quantity that we took cannot be taken again; only the tape's own additions to the level
 * replace it.
 */
export interface FillSimulator {
  /**
   * Makes room for a market's book, which is unknown until its first snapshot. Opened again with another grid, the book
   * is unknown again. Orders whose price is not on the new grid are canceled; their ids are returned.
   */
  openMarket(market: MarketIndex, grid: PriceGrid): readonly string[];
  /** Removes a market. Returns the ids of its resting orders, bids before asks, best price first, first come first. */
  closeMarket(market: MarketIndex): readonly string[];
  /**
   * Applies a change of a level: the hot path. The caller may reuse the object after the call. Executions are reported
   * to `onExecution`.
   */
  applyDelta(change: Pick<BookDelta, 'market' | 'side' | 'price' | 'change'>): void;
  /**
   * Applies rows `from` up to, not including, `to`. Stops at a row that changes no level, may concern orders of ours,
   * or cannot be right. Rows of a shared book without orders of ours are not checked. Returns the first row that it did
   * not apply.
   */
  readonly applyDeltaBatch: (rows: DeltaColumns, from: number, to: number) => number;
  applySnapshot(market: MarketIndex, bids: Levels, asks: Levels): void;
  /** Fills our orders that the recorded book crosses. The caller calls it when trading resumes after a pause. */
  crossBook(market: MarketIndex): void;
  /** Makes the book unknown until the next snapshot. */
  loseBook(market: MarketIndex): void;
  applyPrint(trade: Pick<Print, 'market' | 'side' | 'price' | 'qty'>): void;
  placeOrder(order: ArrivingOrder): PlacementOutcome;
  /** Cancels a resting order; returns the quantity canceled, 0 when it did not rest. */
  cancelOrder(orderId: string): Qty;
  /**
   * Reduces a resting order to `leaves`; the order keeps its queue position. Returns false when the order does not
   * rest, or `leaves` is out of range.
   */
  decreaseOrder(orderId: string, leaves: Qty): boolean;
  /**
   * Amends a resting order. An order that only shrinks keeps its queue position. Any other goes to the end of the queue
   * and may trade at once. A rejected amendment changes nothing. Returns `null` when the order does not rest.
   */
  amendOrder(orderId: string, price: Price, leaves: Qty): PlacementOutcome | null;
  /**
   * Reduces the reduce-only orders of a market to the position, the youngest first. The caller calls it whenever the
   * position has changed. Returns the changed orders with their remaining quantity; a canceled order has 0.
   */
  trimReduceOnly(market: MarketIndex): readonly { readonly orderId: string; readonly leaves: Qty }[];
  /**
   * Quantity of other traders ahead of an order; `null` when the order does not rest. The quantity is `AHEAD_UNKNOWN`
   * while it is not known.
   */
  qtyAheadOf(orderId: string): Qty | null;
  isBookKnown(market: MarketIndex): boolean;
  /**
   * Lets the owner's copy of a book, on the same grid, replace this copy. Only a known book can be shared, and only
   * when every watched level holds resting orders of ours. Returns true when the book is shared now. The book is
   * reclaimed as soon as a change or a print may concern our orders.
   */
  shareBook(market: MarketIndex, grid: PriceGrid, keeper: BookOwner): boolean;
  isBookShared(market: MarketIndex): boolean;
  /** Reclaims a shared book: the owner copies it back. Operations that need the book reclaim it themselves. */
  reclaimBook(market: MarketIndex): void;
  /**
   * Replaces a shared book with the owner's copy as of some time. The owner then replays later changes by `applyDelta`.
   * With orders of ours in it, a book may be restored only while being reclaimed.
   */
  restoreBook(market: MarketIndex, bids: Levels, asks: Levels): void;
  /**
   * The book as the public sees it, best first; empty while unknown. Quantity that we took is still in it: the tape's
   * next changes assume it.
   */
  levelsOf(market: MarketIndex): { readonly bids: Levels; readonly asks: Levels };
  /** Best bid plus best ask of that book; `null` unless it is known and has both. */
  mid2Of(market: MarketIndex): number | null;
}

/** The component with a second copy of the books: in a backtest, the engine's side. */
export interface BookOwner {
  /**
   * Copies a shared book back with `FillSimulator.restoreBook`, up to date before it returns. A change that caused the
   * call is included.
   */
  copyBack(market: MarketIndex): void;
}

/** Quantity ahead of an order that came while the book was unknown: more than any level holds. */
export const AHEAD_UNKNOWN = (2 ** 52) as Qty;

export interface FillSimulatorOptions {
  readonly marketsExpected?: number;
  readonly queue: QueueModel;
  readonly selfTrade: 'cancel-resting' | 'cancel-incoming';
  /** True when a crossing recorded book fills an order without a print. Default true. */
  readonly fillWhenCrossed?: boolean;
  /** True while a market trades: a crossing book fills nothing in a halt or a pause. Default: always. */
  readonly isTrading?: (market: MarketIndex) => boolean;
  /**
   * True while a market is halted: nothing trades, and a print is late or early. A pause of trading is known from reads
   * alone, so that a print proves that the market still trades, or again. Default: never.
   */
  readonly isHalted?: (market: MarketIndex) => boolean;
  readonly now: () => Micros;
  /** Our signed position, all reported executions included. Reduce-only orders may reduce it. */
  readonly positionOf: (market: MarketIndex) => number;
  /** Maximum time between a print and its decrease. Microseconds; default one second. */
  readonly explainWindow?: number;
  /**
   * Receives executions of resting orders; `placeOrder` and `amendOrder` return the executions of an arriving order.
   */
  readonly onExecution: (execution: Execution) => void;
  /** Called after all executions of one call were reported. The callback may change orders. */
  readonly onExecuted?: () => void;
  /** Receives explanation steps of orders. No cost when absent. */
  readonly onExplanation?: (line: Omit<ExplanationStep, 'at'>) => void;
}

/** An event before it leaves: the link adds its arrival time. */
export type Untimed<Event> = Event extends unknown ? Omit<Event, 'at'> : never;
export type VenueEvent = Untimed<EngineEvent>;

/** Receives the venue's messages. The latency model decides each delay; no message overtakes another of its leg. */
export interface VenueSink {
  /** Streams an event that is not from the tape, such as a fill. */
  publish(event: VenueEvent): void;
  /** Sends the events that answer one request, `answered` first. */
  sendAnswer(events: readonly VenueEvent[]): void;
  /** Learns that an answer to a read of markets, series or the status has changed, of which the feed says nothing. */
  onListChanged?(): void;
}

/**
 * An exchange with the tape's public events, none of its future, and one account: ours. The driver sets the time, and
 * sends the tape's public events to the bot. The sink receives all else.
 */
export interface SimulatedVenue {
  /** The books. The driver applies changes, prints, snapshots and losses of a book at the venue's time. */
  readonly matching: FillSimulator;
  /** The venue's time; the driver sets it before each call on `matching`. */
  now: Micros;
  applyTapeEvent(event: OtherEvent): void;
  /**
   * Connects the feed. Called once, by a driver that has no other feed. The venue then emits `feed-up` and
   * grants the private channels.
   */
  connectFeed(): void;
  /**
   * Handles a command that arrives.
   * @param sentAt time at which it left the bot; default: when it was created.
   */
  handleCommand(command: Command, sentAt?: Micros): void;
  /**
   * Handles a batch that arrives: one order after the other, but the rate of all of them at once.
   * @param sentAt time at which it left the bot; default: when its first command was created.
   */
  handleBatch(batch: OrderBatch, sentAt?: Micros): void;
  /** The next time at which something happens by the clock alone, such as an expiry; `null` for never. */
  wakeAt(): Micros | null;
  runDue(): void;
  /**
   * For each market number, a venue time in microseconds: only later public rows of the market reach us, because the
   * snapshot that answered the subscription contains the earlier ones. It is `Infinity` for a market without a
   * subscription. Growth replaces the array: read the property again after each `applyTapeEvent`.
   */
  readonly streamedFrom: Float64Array;
  /** The latest time in `streamedFrom` over all numbered markets; infinite while one of them is not streamed. */
  readonly allStreamedFrom: number;
  readonly account: SimulatedAccount;
}

/** The account at the venue, against which the engine's figures are checked. */
export interface SimulatedAccount {
  readonly cash: Money;
  /** Cash less what is reserved for resting orders. */
  readonly available: Money;
  readonly feesPaid: Money;
  readonly settled: Money;
  /** Cash moved by trades, signed, before fees. */
  readonly traded: Money;
  readonly openingCash: Money;
  positionOf(market: MarketIndex): Qty;
  /** The account's fills, oldest first. */
  readonly fills: readonly FillReport[];
}
