// The interfaces between the parts of the simulated venue. The models are small and chosen by name. Each model says in
// its own file where it is wrong. This file holds no behavior.
import type { Command } from '../../domain/venue-command.ts';
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
 * The ways of a message: events to the bot, orders to the venue, answers to the bot. Each has a sequence and a delay of
 * its own.
 */
export type MessageLeg = 'feed' | 'order' | 'answer';

/** The delay of a message on each leg. Microseconds, never negative. */
export interface LatencyModel {
  readonly name: string;
  /** @param at when the message leaves. */
  drawDelay(leg: MessageLeg, at: Micros, draw: UniformDraw): number;
  /**
   * Receives the recorder's delay of the public row that has just passed at the venue, where the row has it. Used by
   * the model whose feed is as late as the recorder's was.
   */
  onRecordedDelay?(delay: number): void;
}

/**
 * The quantity ahead of an order of ours at its price, and the rule by which the order moves up. Quantities are in
 * hundredths of a contract.
 */
export interface QueueModel {
  readonly name: string;
  /** True when cancellations never move us up; `aheadAfterCancel` is then not called. */
  readonly onlyPrints: boolean;
  /** Quantity ahead of an order that joins a level of `levelQty`. */
  aheadOnJoin(levelQty: number): number;
  /**
   * Quantity ahead of an order after `cut` was canceled at its level, which no print explains.
   * @param ahead quantity ahead before the cancellation
   * @param levelQty the level's quantity before the cancellation
   */
  aheadAfterCancel(ahead: number, levelQty: number, cut: number): number;
}

/** An order of ours that arrives at the venue's books. */
export interface ArrivingOrder extends OrderTerms {
  /** The venue's order id. */
  readonly id: string;
}

/** A trade of ours: a quantity of one order at one price. */
export interface Execution {
  readonly orderId: string;
  readonly price: Price;
  readonly qty: Qty;
  readonly liquidity: Liquidity;
  /** The evidence for it: the book it met, a print at its price or through it, or a book that came to cross it. */
  readonly evidence: 'taken' | 'print' | 'print-through' | 'crossed';
}

/** The outcome of placing or amending an order. */
export type PlacementOutcome =
  | { readonly type: 'rejected'; readonly code: MatchingRefusal; readonly message: string }
  /**
   * The quantity that traded at once, the quantity that rests now, and the quantity canceled at once, with the reason.
   */
  | {
      readonly type: 'taken';
      readonly executions: readonly Execution[];
      readonly restingQty: Qty;
      readonly canceledQty: Qty;
      readonly reason: string | null;
      /** Orders of ours that self-trade prevention canceled. */
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
  /** A reduce-only order for which no position is left to reduce, or an amendment beyond the position. */
  | 'reduce_only_beyond_position'
  | 'market_closed';

/** A step in the explanation of one order: why it filled or did not. */
export interface ExplanationStep {
  readonly at: Micros;
  readonly orderId: string;
  /** A sentence with figures. */
  readonly what: string;
  /** Quantity ahead of the order and its remaining quantity after the step; hundredths of a contract. */
  readonly ahead: number;
  readonly leaves: number;
}

/** The columns of a tape's rows that describe levels. */
export type DeltaColumns = Pick<RowBlock, 'kind' | 'market' | 'price' | 'qty'>;

/**
 * The venue's books, and our orders in them. It receives the tape's public events at the venue's time, and our orders
 * when they arrive. Our orders are never in the tape: the book is as it was without us. Quantity that we took from a
 * level is not available a second time until the tape refills the level.
 */
export interface FillSimulator {
  /**
   * Makes room for a market's book, which is unknown until its first snapshot. Opened again with another grid, the book
   * is unknown again; orders whose price is not on the new grid are canceled, and their ids returned.
   */
  openMarket(market: MarketIndex, grid: PriceGrid): readonly string[];
  /** Removes a market; returns the orders that rested there, bids before asks, best price first, first come first. */
  closeMarket(market: MarketIndex): readonly string[];
  /**
   * Applies a change of a level: the hot path. The caller may reuse the object after the call. Executions go to
   * `onExecution`.
   */
  applyDelta(change: Pick<BookDelta, 'market' | 'side' | 'price' | 'change'>): void;
  /**
   * Applies rows `from` up to, not including, `to`, as far as each changes a level, cannot concern orders of ours, and
   * is not wrong for a level that is maintained here. Returns the first row that it did not apply.
   */
  readonly applyDeltaBatch: (rows: DeltaColumns, from: number, to: number) => number;
  applySnapshot(market: MarketIndex, bids: Levels, asks: Levels): void;
  /** Makes the book unknown until the next snapshot: the tape has lost continuity. */
  loseBook(market: MarketIndex): void;
  applyPrint(trade: Pick<Print, 'market' | 'side' | 'price' | 'qty'>): void;
  placeOrder(order: ArrivingOrder): PlacementOutcome;
  /** Cancels a resting order; returns the quantity canceled, 0 when it did not rest. */
  cancelOrder(orderId: string): Qty;
  /**
   * Reduces a resting order to `leaves`; it keeps its queue position. Returns false when the order does not rest, or
   * when `leaves` is negative or more than what rests.
   */
  decreaseOrder(orderId: string, leaves: Qty): boolean;
  /**
   * Moves a resting order or makes it larger: it goes to the end of the queue and may trade at once. An order that only
   * shrinks keeps its queue position. `null` when it does not rest; a rejected amendment leaves it unchanged.
   */
  amendOrder(orderId: string, price: Price, leaves: Qty): PlacementOutcome | null;
  /**
   * Reduces resting reduce-only orders of a market to the position, the youngest first. The caller calls it whenever
   * the position has changed. Returns the orders that changed, with their remaining quantity; a canceled order has 0.
   */
  trimReduceOnly(market: MarketIndex): readonly { readonly orderId: string; readonly leaves: Qty }[];
  /**
   * Quantity of other traders ahead of an order, `AHEAD_UNKNOWN` until a snapshot shows it; `null` when the order does
   * not rest.
   */
  qtyAheadOf(orderId: string): Qty | null;
  /** True when the book is known. */
  isBookKnown(market: MarketIndex): boolean;
  /**
   * Lets the owner's copy of a book, on the same grid, replace this one: the levels are not maintained here until they
   * are needed. Only a known book can be shared, and only when every level watched in it holds resting orders of ours.
   * Returns true when the book is shared now. The book is reclaimed before it is replaced or lost, and before a change
   * or a print may concern our orders; faults in it are counted then.
   */
  shareBook(market: MarketIndex, grid: PriceGrid, keeper: BookOwner): boolean;
  /** True while the owner's copy replaces this book. */
  isBookShared(market: MarketIndex): boolean;
  /** Reclaims a shared book: the owner copies it back. Every operation that needs the book does this itself. */
  reclaimBook(market: MarketIndex): void;
  /**
   * Replaces a shared book with the owner's copy as of some time; the owner then replays by `applyDelta` the changes it
   * missed since. Replayed changes are not matched against our orders, because that has been done already. A book in
   * which orders of ours rest may be restored only while it is being reclaimed.
   */
  restoreBook(market: MarketIndex, bids: Levels, asks: Levels): void;
  /**
   * The book as the public sees it, best first. Quantity that we took is still in it, because the tape's next changes
   * assume it. Empty while the book is unknown.
   */
  levelsOf(market: MarketIndex): { readonly bids: Levels; readonly asks: Levels };
}

/** The owner of a second copy of the books: in a backtest, the engine's side. */
export interface BookOwner {
  /**
   * Copies a shared book back with `FillSimulator.restoreBook` and brings it up to date before it returns. When a
   * change caused the call, that change is included.
   */
  copyBack(market: MarketIndex): void;
}

/** More than any level holds: the quantity ahead of an order that came while the book was unknown. */
export const AHEAD_UNKNOWN = (2 ** 52) as Qty;

export interface FillSimulatorOptions {
  /** The expected number of markets; default 0. */
  readonly marketsExpected?: number;
  readonly queue: QueueModel;
  readonly selfTrade: 'cancel-resting' | 'cancel-incoming';
  /** True when an order fills once the recorded book comes to cross it, although no print says so. Default true. */
  readonly fillWhenCrossed?: boolean;
  /** The venue's time. */
  readonly now: () => Micros;
  /** Our position, signed: what a reduce-only order may reduce. It includes all executions reported so far. */
  readonly positionOf: (market: MarketIndex) => number;
  /** The maximum time between a print and the decrease that belongs to it. Microseconds; default one second. */
  readonly explainWindow?: number;
  /** Receives executions of resting orders; `placeOrder` returns those of an arriving one. */
  readonly onExecution: (execution: Execution) => void;
  /** Called after all executions of one call were reported. Orders may be changed in it. */
  readonly onExecuted?: () => void;
  /** Receives explanation steps of orders. No cost when absent. */
  readonly onExplanation?: (line: Omit<ExplanationStep, 'at'>) => void;
}

/** An event before it leaves: the link adds its arrival time. */
export type Untimed<Event> = Event extends unknown ? Omit<Event, 'at'> : never;
export type VenueEvent = Untimed<EngineEvent>;

/** Receives the venue's messages. No message overtakes another one of its leg; the latency model decides the delay. */
export interface VenueSink {
  /**
   * Streams an event that is not taken from the tape, such as a private one or the snapshot that answers a
   * subscription.
   */
  publish(event: VenueEvent): void;
  /** Sends the events that answer one request, `answered` first. */
  sendAnswer(events: readonly VenueEvent[]): void;
}

/**
 * An exchange with all of the tape's public events, none of its future, and one account: ours. It reads no clock: the
 * driver sets the time. The driver forwards public events to the bot; private events go to the sink.
 */
export interface SimulatedVenue {
  /** The books. The driver calls its `applyDelta`, `applyPrint`, `applySnapshot` and `loseBook` at the venue's time. */
  readonly matching: FillSimulator;
  /** The venue's time; the driver sets it before each call on `matching`. */
  now: Micros;
  /** Applies any other public event of the tape. */
  applyTapeEvent(event: OtherEvent): void;
  /**
   * Connects the feed. Called once, by a driver that has no other feed. The venue then emits `feed-up`, grants the
   * private channels and emits heartbeats. Private events are emitted with or without it.
   */
  connectFeed(): void;
  /**
   * Handles a command that arrives.
   * @param sentAt when it left the bot, by the one clock of a simulation; default: when it was created.
   */
  handleCommand(command: Command, sentAt?: Micros): void;
  /**
   * The next time at which something happens by the clock alone (for example, an order expires or a market closes);
   * `null` for never.
   */
  wakeAt(): Micros | null;
  /** Handles everything that is due by now. */
  runDue(): void;
  /**
   * The venue time, by market number, after which a market's public rows reach us; `Infinity` while it is not
   * subscribed. Microseconds. Rows of exactly that time were in the snapshot already: at the venue, rows pass before a
   * command of the same time. The array is replaced when there are more markets: read the property again after each
   * `applyTapeEvent`.
   */
  readonly streamedFrom: Float64Array;
  /** The latest time in `streamedFrom` over all numbered markets; infinite while one of them is not streamed. */
  readonly allStreamedFrom: number;
  readonly account: SimulatedAccount;
}

/** The account as the venue keeps it. The engine's figures are checked against it. */
export interface SimulatedAccount {
  readonly cash: Money;
  /** Cash less what is reserved for resting orders. */
  readonly available: Money;
  readonly feesPaid: Money;
  /** Cash paid in by settlements. */
  readonly settled: Money;
  /** Cash moved by trades, signed, before fees. */
  readonly traded: Money;
  readonly openingCash: Money;
  positionOf(market: MarketIndex): Qty;
  /** The account's fills, in the sequence in which they happened. */
  readonly fills: readonly FillReport[];
}
