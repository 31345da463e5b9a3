// Intents: what a strategy wants. An intent has no id and no authority: risk may deny it, the planner may drop it.
import type { ClientOrderId, MarketIndex } from './ids.ts';
import type { StatedTerms } from './order-terms.ts';
import type { Bare, Micros, Price, Qty } from './units.ts';

/** A price and quantity to have resting. */
export interface QuoteLevel {
  readonly price: Price;
  readonly qty: Qty;
}

/**
 * “This is what I want resting in this market”: the framework makes it so with as few requests as it can. `null` on a
 * side means no quote there. Quotes are post-only.
 */
export interface QuoteIntent {
  readonly type: 'quote';
  readonly market: MarketIndex;
  readonly bid: QuoteLevel | null;
  readonly ask: QuoteLevel | null;
  /** A resting quote this close to the wanted price is left alone; ten-thousandths of a dollar. Default 0. */
  readonly priceTolerance?: Price | Bare;
  /** A resting quote that is short or over by no more than this is left alone; hundredths of a contract. Default 0. */
  readonly qtyTolerance?: Qty | Bare;
  readonly reason?: string;
}

/** A new order. */
export interface PlaceIntent extends StatedTerms {
  readonly type: 'place';
  /** Latest time at which it may be sent. */
  readonly validUntil?: Micros;
  readonly reason?: string;
}

/** Cancel one order of this strategy. A canceled quote is not placed again until the strategy quotes again. */
export interface CancelIntent {
  readonly type: 'cancel';
  readonly clientOrderId: ClientOrderId;
  readonly reason?: string;
}

/**
 * Decrease a resting order of this strategy without loss of its place in the queue. Where the venue cannot decrease
 * orders, or has refused to decrease this one before, and where the order has not left yet, it is canceled instead; an
 * order in flight is decreased once the venue has answered.
 */
export interface DecreaseIntent {
  readonly type: 'decrease';
  readonly clientOrderId: ClientOrderId;
  /** Quantity that should remain; 0 cancels the order. */
  readonly leavesQty: Qty;
  readonly reason?: string;
}

/** Cancel every order of this strategy, in one market or in all. */
export interface CancelAllIntent {
  readonly type: 'cancel-all';
  readonly market?: MarketIndex;
  readonly reason?: string;
}

/** Be called back at a time. A later timer of the same name replaces an earlier one. */
export interface TimerIntent {
  readonly type: 'timer';
  readonly name: string;
  readonly at: Micros;
}

/** The strategy's forecast: the probability of YES, as a price. Scored by reports; trades nothing. */
export interface ForecastIntent {
  readonly type: 'forecast';
  readonly market: MarketIndex;
  readonly probability: Price;
  readonly reason?: string;
}

export type Intent =
  | QuoteIntent
  | PlaceIntent
  | CancelIntent
  | DecreaseIntent
  | CancelAllIntent
  | TimerIntent
  | ForecastIntent;
