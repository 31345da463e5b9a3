// The interface of a strategy: a value with a name, parameters and markets that answers events with intents. It gets no
// clock, random source, client, file or socket.
import type { ZodType } from 'zod';
import type { BudgetKind } from '../domain/venue-command.ts';
import type { Print } from '../domain/event.ts';
import type { IntentOutcome, FillReport } from '../domain/event.ts';
import type { MarketIndex, StrategyName } from '../domain/ids.ts';
import type { Intent } from '../domain/intent.ts';
import type { EventGroup, Market, MarketStatus } from '../domain/market.ts';
import type { HaltScope } from '../domain/operator-order.ts';
import type { Order, OrderState } from '../domain/orders/order.ts';
import type { Position } from '../domain/position.ts';
import type { Bare, Micros, Money, Price, Qty } from '../domain/units.ts';
import type { BookView } from '../state/books/book-view.ts';
import type { BookTrust } from '../state/books/order-books.ts';
import type { StrategyView } from '../state/strategy-view.ts';

/** The answer of a handler: intents, carried out in their sequence, or nothing. */
export type Intents = readonly Intent[] | void;

/** The session begins: the argument of `onStart`. */
export interface Started {
  readonly at: Micros;
}

/** A live book changed. Reused: valid only during the call. */
export interface BookChanged {
  readonly market: MarketIndex;
  readonly at: Micros;
  /** True when a best price or its quantity changed. */
  readonly isTouch: boolean;
}

/** A book became trusted, or is no longer trusted. Your orders on a book that is not live are canceled for you. */
export interface TrustChanged {
  readonly market: MarketIndex;
  readonly trust: BookTrust;
  /** Reason in words, such as a gap in the feed. */
  readonly reason: string;
}

/** An order of ours traded. */
export interface OwnFill {
  readonly order: Order;
  /** The fill as the venue reported it. */
  readonly fill: FillReport;
  /** Position of the account in the market after the fill. */
  readonly position: Position;
}

/**
 * An order of ours changed its state. One event may change the state twice: then there are two calls, and at the first
 * the order is already in the later state.
 */
export interface OrderChanged {
  readonly order: Order;
  readonly from: OrderState;
  readonly to: OrderState;
  /** Reason of the change, in words. After a refusal, these are the venue's words. */
  readonly why: string;
}

/**
 * A market of ours is new, or its status or close time changed. The last status is `finalized`. Then drop everything
 * stored under the market's index, which may be reused later.
 */
export interface MarketMoved {
  readonly market: Market;
  /** Earlier status; `null` when the market is new. */
  readonly before: MarketStatus | null;
}

/**
 * Trading within a scope changed; the scope is the strategy, a market or the account. `halted`: the operator, a risk
 * rule or a fault halted it, and every order within it is denied. `resumed`: the halt is over. `withdrawn`: the orders
 * were canceled and nothing is halted, so the strategy may quote again at once.
 */
export interface HaltChanged {
  readonly type: 'halted' | 'resumed' | 'withdrawn';
  readonly scope: HaltScope;
  readonly reason: string;
}

/** A position was paid out. */
export interface Settled {
  readonly market: Market;
  /** Cash paid out, in millionths of a dollar. */
  readonly paid: Money;
}

/**
 * The selector no longer takes a market. The strategy's resting orders there are canceled, and events of these orders
 * are still delivered. The market itself has no more events. Its index may be reused, so drop everything stored under
 * it. If the market comes back, it is announced as new. A finalized market is reported by `onMarket` alone.
 */
export interface MarketLeft {
  readonly market: Market;
  readonly reason: string;
}

/** The quantity ahead of a resting order of ours, at its price, has changed. */
export interface QueueMoved {
  readonly order: Order;
  /** Hundredths of a contract that trade before the order, at most. */
  readonly aheadQty: Qty;
  /** Reported by the venue, or estimated by us from book and prints. An estimate is an upper bound. */
  readonly source: 'venue' | 'reckoned';
}

/**
 * A rate budget was used up or has room again, or the venue refused a request because of its rate limit. Amounts are in
 * the venue's units.
 */
export interface BudgetMoved {
  readonly budget: BudgetKind;
  readonly type: 'exhausted' | 'recovered' | 'refused';
  /** Units that can be spent now. */
  readonly available: number;
  /** Units that the full budget holds. */
  readonly capacity: number;
}

/** A timer of the strategy is due. */
export interface TimerDue {
  /** Name that the `timer` intent gave. */
  readonly name: string;
  /** The time to which the timer was set: `view.now` or earlier. */
  readonly at: Micros;
}

/** The session ends: the argument of `onStop`. */
export interface Stopping {
  readonly at: Micros;
  readonly reason: string;
}

/** The handlers of a strategy. Each gets one event and the view, and may answer with intents. */
export interface Handlers {
  /**
   * The session begins. A saved state has been restored before. The strategy has no markets yet, and every order is
   * denied.
   */
  onStart?(event: Started, view: StrategyView): Intents;
  /** A live book changed. Once orders may leave, every live book is shown again. */
  onBook?(event: BookChanged, view: StrategyView): Intents;
  /**
   * A live book changed, and since the last call the best bid or the best ask of others has moved to another price
   * (`view.othersBest`), or something of ours has changed in the market: an order, the position, or an intent was denied
   * there. For quotes that follow the prices of others: it is called far less often than `onBook`, and misses no change
   * that can move such a quote. Once orders may leave, every live book is shown again.
   */
  onOthersBest?(event: BookChanged, view: StrategyView): Intents;
  /** A public trade happened. */
  onPrint?(event: Print, view: StrategyView): Intents;
  /** A book became trusted, or is no longer trusted. */
  onTrust?(event: TrustChanged, view: StrategyView): Intents;
  /** An order of the strategy traded. */
  onFill?(event: OwnFill, view: StrategyView): Intents;
  /** An order of the strategy changed its state. */
  onOrder?(event: OrderChanged, view: StrategyView): Intents;
  /** An intent has an outcome: for example, it was denied, or accepted by the venue. */
  onIntentOutcome?(event: IntentOutcome, view: StrategyView): Intents;
  /** A market is new to the strategy, or its status or close time changed. */
  onMarket?(event: MarketMoved, view: StrategyView): Intents;
  /** A position was paid out. */
  onSettled?(event: Settled, view: StrategyView): Intents;
  /** The selector no longer takes a market. */
  onLeave?(event: MarketLeft, view: StrategyView): Intents;
  /** The strategy, a market or the account was halted or resumed, or its orders were canceled. */
  onHalt?(event: HaltChanged, view: StrategyView): Intents;
  /** The quantity ahead of a resting order changed. */
  onQueue?(event: QueueMoved, view: StrategyView): Intents;
  /** A rate budget was used up or has room again, or the venue refused a request because of its rate limit. */
  onBudget?(event: BudgetMoved, view: StrategyView): Intents;
  /** A timer of the strategy is due. While the strategy is halted by a fault, its timers wait until it is resumed. */
  onTimer?(event: TimerDue, view: StrategyView): Intents;
  /** The session ends. Answers are too late to trade. */
  onStop?(event: Stopping, view: StrategyView): Intents;
}

/**
 * A strategy's state that outlives the process. It must name markets by ticker: indexes change from session to session.
 */
export interface StatePersistence<Saved> {
  /**
   * Returns the state to save, as plain JSON. Called after fills and settlements, at the stop, and once a second while
   * events arrive. Must change nothing.
   */
  save(): Saved;
  /** Restores the state of the earlier session. Called before `onStart`, when there is a saved state. */
  restore(saved: Saved, view: StrategyView): void;
}

/** Facts that a selector may read in addition to the market. */
export interface MarketFacts {
  /** Time of the event being handled. */
  readonly now: Micros;
  /** The market's book now. */
  readonly book: BookView;
  /** The market's event group, once the venue has described it. */
  readonly group: EventGroup | undefined;
  /** Hundredths of a contract traded so far, as the venue last reported; `null` until it has. */
  readonly volume: Qty | null;
}

/**
 * The markets of the session that a strategy trades. An absent member does not narrow the choice. `timeLeftMsMin` and
 * the members below it are checked every second: markets join and leave by them. They remove no market in which the
 * strategy has a position or an order of unknown state.
 */
export interface MarketSelector {
  /**
   * Only markets with these tickers. A ticker that the session does not have selects nothing.
   * @default none: any ticker
   */
  readonly tickers?: readonly string[];
  /**
   * Only markets of these event groups, by their tickers.
   * @default none: any event group
   */
  readonly events?: readonly string[];
  /**
   * Only markets of event groups of these series. Groups that appear during the session are included. A market joins
   * once the venue has described its group.
   * @default none: any series
   */
  readonly series?: readonly string[];
  /**
   * With `true`, only markets of event groups whose outcomes exclude one another; with `false`, only all other markets.
   * @default none: both kinds
   */
  readonly isExclusive?: boolean;
  /**
   * Least milliseconds until the market closes. A market with less time leaves.
   * @default none: no lower bound
   */
  readonly timeLeftMsMin?: number;
  /**
   * Most milliseconds until the market closes. A market with more time joins later.
   * @default none: no upper bound
   */
  readonly timeLeftMsMax?: number;
  /**
   * Least quantity traded so far, in hundredths of a contract. An unknown volume counts as too low.
   * @default none: any volume, also an unknown one
   */
  readonly volumeMin?: Qty;
  /**
   * Least spread, in ten-thousandths of a dollar. A market whose book lacks a side does not fit. A book that is not
   * live adds and removes no market. A spread that is narrow only through own quotes removes no market.
   * @default none: no lower bound
   */
  readonly spreadMin?: Price | Bare;
  /**
   * Most spread, in ten-thousandths of a dollar, by the same rules as `spreadMin`.
   * @default none: no upper bound
   */
  readonly spreadMax?: Price | Bare;
  /**
   * Any other condition. Must depend only on the arguments, or a replay would select different markets.
   * @default none: no other condition
   */
  readonly where?: (market: Market, facts: MarketFacts) => boolean;
}

/** The argument of `setup`. */
export interface StrategyContext<Params> {
  /** Name that the config gives this strategy. */
  readonly name: StrategyName;
  /** Parameters as the schema parsed them, with its defaults. */
  readonly params: Params;
}

/** The handlers of a strategy, with `save` and `restore` exactly when it has a schema of its saved state. */
export type HandlersOf<Saved> = [Saved] extends [never]
  ? Handlers & { readonly [Member in keyof StatePersistence<Saved>]?: never }
  : Handlers & StatePersistence<Saved>;

/** A strategy as its author writes it. */
export interface StrategyDefinition<Params, Saved = never> {
  /** Name of the strategy, not empty. */
  readonly name: string;
  /**
   * One sentence for the reference and the command line.
   * @default `''`
   */
  readonly description?: string;
  /** Schema of the parameters. The config, the command line and the reference use it. */
  readonly params: ZodType<Params>;
  /**
   * Schema of the saved state. With it, the handlers must have `save` and `restore`. Without it they must not, and a
   * restarted strategy has no memory of the earlier session.
   * @default none: no state is saved
   */
  readonly saved?: ZodType<Saved>;
  /**
   * The markets that it trades, by its parameters.
   * @default none: all markets of the session
   */
  readonly markets?: (params: Params) => MarketSelector;
  /** Makes the handlers of one running strategy. They may keep state between calls. */
  readonly setup: (context: StrategyContext<Params>) => HandlersOf<NoInfer<Saved>>;
}

/** Saves and restores the state of a running strategy, with the schema that checks both. */
export interface BoundPersistence extends StatePersistence<unknown> {
  /** Schema that the saved state must fit. */
  readonly schema: ZodType;
}

/** A strategy with parsed parameters, ready for the engine. */
export interface BoundStrategy {
  readonly name: StrategyName;
  readonly selector: MarketSelector;
  readonly handlers: Handlers;
  /**
   * Saves and restores the state, checked by the strategy's schema. Both methods throw a `ZodError` when the state does
   * not fit.
   * @default none: no state is saved
   */
  readonly persistence?: BoundPersistence;
}

/** A strategy without its parameter type: what a plugin file exports. */
export interface Strategy {
  readonly name: string;
  readonly description: string;
  readonly params: ZodType;
  /** Schema of the saved state; `null` when no state is saved. */
  readonly saved: ZodType | null;
  /**
   * Parses parameters and makes the handlers of one running strategy.
   * @throws {ZodError} when the parameters do not fit.
   */
  bind(name: StrategyName, params: unknown): BoundStrategy;
}
