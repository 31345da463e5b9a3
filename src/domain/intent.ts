// Intents: what a strategy wants. An intent has no id. Risk may deny it, and the planner may drop it.
import type { ClientOrderId, MarketIndex } from './ids.ts';
import type { StatedTerms } from './orders/order-terms.ts';
import type { Bare, Micros, Price, Qty } from './units.ts';

/** Price and quantity of a quote that should rest on one side. */
export interface QuoteLevel {
  /** Price on the YES scale, on the market's grid. */
  readonly price: Price;
  /** Quantity that should rest, in hundredths of a contract. */
  readonly qty: Qty;
}

/**
 * The quotes that should rest in a market. The framework matches the resting orders to them with few requests. `null`
 * on a side means no quote on that side. Quotes are post-only.
 */
export interface QuoteIntent {
  readonly type: 'quote';
  readonly market: MarketIndex;
  /** Bid for YES that should rest; `null` cancels it. */
  readonly bid: QuoteLevel | null;
  /** Offer of YES that should rest; `null` cancels it. */
  readonly ask: QuoteLevel | null;
  /**
   * Distance from the wanted price within which a resting quote is left alone, in ten-thousandths of a dollar. A larger
   * value saves requests and keeps places in queues, but quotes at less exact prices.
   * @default `0`
   */
  readonly priceTolerance?: Price | Bare;
  /**
   * Difference from the wanted quantity within which a resting quote is left alone, in hundredths of a contract. A
   * larger value saves requests, but a quote that was partly filled is refilled later.
   * @default `0`
   */
  readonly qtyTolerance?: Qty | Bare;
  /**
   * Reason, for logs and reports. It becomes the `reason` of the orders.
   * @default `''`
   */
  readonly reason?: string;
}

/** A new order: sent once, if risk approves it. */
export interface PlaceIntent extends StatedTerms {
  readonly type: 'place';
  /**
   * Latest time at which the order may be sent. An order that waits longer, for example for a rate budget, ends as
   * `not-sent`. This time can only shorten the wait that the config allows as `orders.delayMax`. An order with
   * `expiresAt` never leaves at that time or later.
   * @default none: `orders.delayMax` and `expiresAt` alone apply
   */
  readonly validUntil?: Micros;
  /**
   * Reason, for logs and reports. It becomes the `reason` of the order.
   * @default `''`
   */
  readonly reason?: string;
}

/** Cancel one order of this strategy. A canceled quote is not placed again until the strategy quotes again. */
export interface CancelIntent {
  readonly type: 'cancel';
  /** The order to cancel: `order.clientOrderId` of an order that `view.orders` lists. */
  readonly clientOrderId: ClientOrderId;
  /**
   * Reason, for logs and reports.
   * @default `''`
   */
  readonly reason?: string;
}

/**
 * Decrease a resting order of this strategy without loss of its place in the queue. An order in flight is decreased
 * once the venue has answered. The order is canceled instead if it has not left yet. It is also canceled if the venue
 * does not decrease it.
 */
export interface DecreaseIntent {
  readonly type: 'decrease';
  /** The order to decrease: `order.clientOrderId` of an order that `view.orders` lists. */
  readonly clientOrderId: ClientOrderId;
  /** Quantity that should remain; 0 cancels the order. */
  readonly leavesQty: Qty;
  /**
   * Reason, for logs and reports.
   * @default `''`
   */
  readonly reason?: string;
}

/** Cancel every order of this strategy, in one market or in all. */
export interface CancelAllIntent {
  readonly type: 'cancel-all';
  /**
   * The market whose orders are canceled. Without it, the orders of every market of the strategy are canceled.
   * @default none: all markets
   */
  readonly market?: MarketIndex;
  /**
   * Reason, for logs and reports.
   * @default `''`
   */
  readonly reason?: string;
}

/** Call the strategy back at a time. */
export interface TimerIntent {
  readonly type: 'timer';
  /** Name of the timer, which `onTimer` receives. A later timer of the same name replaces this one. */
  readonly name: string;
  /** Time of the call. A time in the past leads to a call at once. */
  readonly at: Micros;
}

/** The strategy's forecast: the probability of YES, as a price. Reports score it; it trades nothing. */
export interface ForecastIntent {
  readonly type: 'forecast';
  readonly market: MarketIndex;
  /** Probability of YES as a price: 6200 is 62 %. `nearestPrice` converts a probability to it. */
  readonly probability: Price;
  /**
   * Reason, for logs and reports.
   * @default `''`
   */
  readonly reason?: string;
}

/**
 * Anything that a strategy may ask for, as one union distinguished by `type`. Handlers answer with a list of them.
 * @example
 * import { type Intent, type MarketIndex, cents, contracts } from 'presage-trading';
 *
 * export const quote = (market: MarketIndex): Intent => ({
 *   type: 'quote',
 *   market,
 *   bid: { price: cents(40), qty: contracts(10) },
 *   ask: { price: cents(44), qty: contracts(10) },
 *   priceTolerance: cents(1),
 *   reason: 'a quote on both sides',
 * });
 */
export type Intent =
  | QuoteIntent
  | PlaceIntent
  | CancelIntent
  | DecreaseIntent
  | CancelAllIntent
  | TimerIntent
  | ForecastIntent;
