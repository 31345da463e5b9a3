// What a strategy is: a value that names itself, its parameters and its markets, and answers events with intents.
// It is given no clock, random source, client, file or socket.
import type { ZodType } from 'zod';
import type { BudgetKind } from '../domain/command.ts';
import type { Print } from '../domain/event.ts';
import type { IntentOutcome, FillReport } from '../domain/event.ts';
import type { MarketIndex, StrategyName } from '../domain/ids.ts';
import type { Intent } from '../domain/intent.ts';
import type { EventGroup, Market, MarketStatus } from '../domain/market.ts';
import type { HaltScope } from '../domain/operator.ts';
import type { Order, OrderState } from '../domain/order.ts';
import type { Position } from '../domain/position.ts';
import type { Bare, Micros, Money, Price, Qty } from '../domain/units.ts';
import type { BookView } from '../state/book-view.ts';
import type { BookTrust } from '../state/books.ts';
import type { StrategyView } from '../state/view.ts';

/** What a handler may answer: intents, in the order they should be tried; nothing means nothing. */
export type Intents = readonly Intent[] | void;

/** Trading begins. */
export interface Started {
  readonly at: Micros;
}

/** A live book changed. Borrowed: valid only during the call. */
export interface BookChanged {
  readonly market: MarketIndex;
  readonly at: Micros;
  /** Whether a best price, or the quantity at it, changed. */
  readonly isTouch: boolean;
}

/** A book came to be believed, or no longer is. Quotes on a book that is not live are withdrawn for you. */
export interface TrustChanged {
  readonly market: MarketIndex;
  readonly trust: BookTrust;
  readonly reason: string;
}

/** We traded. */
export interface OwnFill {
  readonly order: Order;
  readonly fill: FillReport;
  /** What the account holds in the market after it. */
  readonly position: Position;
}

/**
 * An order of ours moved along its life. What one event moves twice is told twice: by the first time the order is
 * further than `to` already.
 */
export interface OrderChanged {
  readonly order: Order;
  readonly from: OrderState;
  readonly to: OrderState;
  readonly why: string;
}

/**
 * A market of ours is new, or moved on in its life; `before` is `null` when it is new. The last that is told of one is
 * that it is `finalized`: a while later its number may be another market's, so whatever was kept by it must be let go.
 */
export interface MarketMoved {
  readonly market: Market;
  readonly before: MarketStatus | null;
}

/**
 * The operator, or a rule of risk, halted a scope that this strategy trades in, resumed it, or had everything in it
 * withdrawn. While halted every order is denied; after `withdrawn` one may quote again at once.
 */
export interface HaltChanged {
  readonly type: 'halted' | 'resumed' | 'withdrawn';
  readonly scope: HaltScope;
  readonly reason: string;
}

/** A position was paid out. */
export interface Settled {
  readonly market: Market;
  readonly paid: Money;
}

/**
 * A market is no longer one of ours: the selector does not take it any more. What rested there is withdrawn; what becomes
 * of own orders is still told. Nothing more is told of its life, and its number may be another's one day: what was kept
 * by it must be let go. Should it come back, it is told as new. One that is finalized is told by `onMarket` alone.
 */
export interface MarketLeft {
  readonly market: Market;
  readonly reason: string;
}

/** What stands before a resting order of ours at its price has become another quantity. */
export interface QueueMoved {
  readonly order: Order;
  /** Hundredths of a contract that trade before the order does, at most. */
  readonly aheadQty: Qty;
  /** Told by the venue, or reckoned by us from book and prints: never too little of what the feed has shown. */
  readonly source: 'venue' | 'reckoned';
}

/** A rate budget was used up, has room again, or the venue refused a request for rate. Units are the venue's. */
export interface BudgetMoved {
  readonly budget: BudgetKind;
  readonly type: 'exhausted' | 'recovered' | 'refused';
  readonly available: number;
  readonly capacity: number;
}

/** A timer that the strategy asked for is due. */
export interface TimerDue {
  readonly name: string;
  /** The time that was asked for: `view.now`, or before. */
  readonly at: Micros;
}

/** The session ends. */
export interface Stopping {
  readonly at: Micros;
  readonly reason: string;
}

/** What a strategy listens to. Every handler gets one event and the view, and may answer with intents. */
export interface Handlers {
  /** Trading begins; `restore` was called before, if something was kept. */
  onStart?(event: Started, view: StrategyView): Intents;
  /** A live book changed. */
  onBook?(event: BookChanged, view: StrategyView): Intents;
  /** Anybody traded. */
  onPrint?(event: Print, view: StrategyView): Intents;
  /** A book came to be believed, or no longer is. */
  onTrust?(event: TrustChanged, view: StrategyView): Intents;
  /** An order of its own traded. */
  onFill?(event: OwnFill, view: StrategyView): Intents;
  /** An order of its own moved along its life. */
  onOrder?(event: OrderChanged, view: StrategyView): Intents;
  /** Something became of an intent. */
  onIntentOutcome?(event: IntentOutcome, view: StrategyView): Intents;
  /** A market is new to it, or moved on in its life. */
  onMarket?(event: MarketMoved, view: StrategyView): Intents;
  /** A position was paid out. */
  onSettled?(event: Settled, view: StrategyView): Intents;
  /** A market is no longer its own: the selector does not take it any more. */
  onLeave?(event: MarketLeft, view: StrategyView): Intents;
  /** It, a market of its own or the account was halted, resumed, or withdrawn from. */
  onHalt?(event: HaltChanged, view: StrategyView): Intents;
  /** What stands before a resting order has changed. */
  onQueue?(event: QueueMoved, view: StrategyView): Intents;
  /** A rate budget was used up, has room again, or the venue refused for rate. */
  onBudget?(event: BudgetMoved, view: StrategyView): Intents;
  /** A time has come that it asked for. */
  onTimer?(event: TimerDue, view: StrategyView): Intents;
  /** The session ends; what it answers is too late to trade. */
  onStop?(event: Stopping, view: StrategyView): Intents;
}

/** State of a strategy that outlives the process. It must name markets by ticker: their numbers are the session's own. */
export interface Keeping<Saved> {
  /** What is to be kept, as plain JSON; asked for after fills and settlements, every second, and at the stop. Changes nothing. */
  save(): Saved;
  /** What the session before kept; called before `onStart`, and only when something was. */
  restore(saved: Saved, view: StrategyView): void;
}

/** What a selector may look at beside the market itself. */
export interface MarketFacts {
  readonly now: Micros;
  readonly book: BookView;
  /** Of the market's event group, when the venue has described it. */
  readonly group: EventGroup | undefined;
  /** Contracts traded so far, as the venue told last; `null` while it has not. */
  readonly volume: Qty | null;
}

/**
 * Which of the session's markets a strategy trades. An absent member does not narrow the choice. From `timeLeftMsMin` on
 * the members are looked at again every second: a market joins when it fits, and leaves when it no longer does. One that
 * the other members take belongs in any case while the strategy holds a position there, or has an order of unknown fate.
 */
export interface MarketSelector {
  readonly tickers?: readonly string[];
  readonly events?: readonly string[];
  /** Every event group of these series, also of groups that appear while the session runs. */
  readonly series?: readonly string[];
  /** Only markets of event groups whose outcomes exclude one another. */
  readonly isExclusive?: boolean;
  /** Milliseconds until the market closes, at least and at most. */
  readonly timeLeftMsMin?: number;
  readonly timeLeftMsMax?: number;
  /** Hundredths of a contract traded so far. What is not known is too little. */
  readonly volumeMin?: Qty;
  /**
   * Best ask less best bid, ten-thousandths of a dollar. A book without both sides fits neither; one that is not live
   * lets nobody in, and puts nobody out; nor does what own quotes make of the spread put anybody out.
   */
  readonly spreadMin?: Price | Bare;
  readonly spreadMax?: Price | Bare;
  /** Anything else. Must depend on nothing but what it is given. */
  readonly where?: (market: Market, facts: MarketFacts) => boolean;
}

/** What `setup` is given. */
export interface StrategyContext<Params> {
  readonly name: StrategyName;
  readonly params: Params;
}

/** The handlers of a strategy; with those of its state, when it has some to keep. */
export type HandlersOf<Saved> = [Saved] extends [never] ? Handlers : Handlers & Keeping<Saved>;

/** A strategy as its author writes it. */
export interface StrategyDefinition<Params, Saved = never> {
  readonly name: string;
  readonly description?: string;
  /** The parameters' schema; YAML, command line and docs all read this one. */
  readonly params: ZodType<Params>;
  /** The schema of what it keeps over a restart: then its handlers must `save` and `restore`. */
  readonly saved?: ZodType<Saved>;
  /** The markets it trades, by its parameters; default all of the session's. */
  readonly markets?: (params: Params) => MarketSelector;
  /** Makes the handlers of one running strategy, which may keep state between calls. */
  readonly setup: (context: StrategyContext<Params>) => HandlersOf<Saved>;
}

/** How a running strategy keeps its state, with the schema that both ways are checked by. */
export interface BoundKeeping extends Keeping<unknown> {
  readonly schema: ZodType;
}

/** A strategy with its parameters read: what the engine runs. */
export interface BoundStrategy {
  readonly name: StrategyName;
  readonly selector: MarketSelector;
  readonly handlers: Handlers;
  /** Checked by the strategy's schema both ways: both throw a `ZodError` for what does not fit it. Absent: nothing is kept. */
  readonly keeping?: BoundKeeping;
}

/** A strategy whose parameters' type is sealed in: what a plugin file exports. */
export interface Strategy {
  readonly name: string;
  readonly description: string;
  readonly params: ZodType;
  /** The schema of what it keeps over a restart; `null` when it keeps nothing. */
  readonly saved: ZodType | null;
  /**
   * Reads parameters and makes the handlers of one running strategy.
   * @throws {ZodError} when the parameters do not fit.
   */
  bind(name: StrategyName, params: unknown): BoundStrategy;
}
