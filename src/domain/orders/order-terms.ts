// The terms of an order, from the intent to the venue. Must never hold a value that changes during an order's life.
import type { MarketIndex } from '../ids.ts';
import type { Micros, Price, Qty } from '../units.ts';

/** Direction on the YES book: `buy` buys YES; `sell` sells it, which is the same as buying NO at the complement. */
export type Side = 'buy' | 'sell';
/**
 * Life of an order at the venue. `gtc`: rests until canceled. `gtd`: rests until `expiresAt`. `ioc`: fills at once what
 * can be filled and cancels the rest. `fok`: fills at once completely, or not at all.
 */
export type TimeInForce = 'gtc' | 'gtd' | 'ioc' | 'fok';

/** The terms of an order. */
export interface OrderTerms {
  readonly market: MarketIndex;
  readonly side: Side;
  /** Limit on the YES scale, in ten-thousandths of a dollar. */
  readonly price: Price;
  /** Total quantity, in hundredths of a contract. */
  readonly qty: Qty;
  readonly timeInForce: TimeInForce;
  /** True when the venue must refuse the order if it would trade. */
  readonly postOnly: boolean;
  /** True when the order may only reduce the account's position in the market. */
  readonly reduceOnly: boolean;
  /** Time at which the order expires, in microseconds; `null` unless it is `gtd`. */
  readonly expiresAt: Micros | null;
}

/** The terms that an intent may leave out. */
type OptionalTerm = 'timeInForce' | 'postOnly' | 'reduceOnly' | 'expiresAt';

/** The values of the terms that an intent leaves out. */
export const DEFAULT_TERMS = {
  timeInForce: 'gtc',
  postOnly: false,
  reduceOnly: false,
  expiresAt: null,
} as const satisfies Pick<OrderTerms, OptionalTerm>;

/** The terms of an order as an intent states them. A term with a default may be left out. */
export interface StatedTerms extends Omit<OrderTerms, OptionalTerm> {
  /**
   * Life of the order at the venue. With `gtc` the order rests until it is filled or canceled; `ioc` and `fok` never
   * rest.
   * @default `gtc`
   */
  readonly timeInForce?: TimeInForce;
  /**
   * True when the order may only rest. The venue refuses it rather than trade it at once, so no taker fee is paid.
   * @default `false`
   */
  readonly postOnly?: boolean;
  /**
   * True when the order may only reduce the position of the **account** (`view.position`), whichever strategy holds it.
   * The venue cuts a larger quantity down to the position when the order arrives; limits such as `orderQtyMax` count
   * the whole quantity before. With nothing to reduce, the order is denied as `nothing-to-reduce`.
   * To close only what this strategy holds, give the size of `view.own` as `qty`.
   * @default `false`
   */
  readonly reduceOnly?: boolean;
  /**
   * Time at which the order expires. Required with `gtd`; not allowed otherwise.
   * @default none: the order does not expire by itself
   */
  readonly expiresAt?: Micros;
}

/** Completes the terms that an intent states. */
export const completeTerms = (stated: StatedTerms): OrderTerms => ({
  market: stated.market,
  side: stated.side,
  price: stated.price,
  qty: stated.qty,
  timeInForce: stated.timeInForce ?? DEFAULT_TERMS.timeInForce,
  postOnly: stated.postOnly ?? DEFAULT_TERMS.postOnly,
  reduceOnly: stated.reduceOnly ?? DEFAULT_TERMS.reduceOnly,
  expiresAt: stated.expiresAt ?? DEFAULT_TERMS.expiresAt,
});

/** The terms of an order, or of a command, without its other members. */
export const termsOf = ({
  market,
  side,
  price,
  qty,
  timeInForce,
  postOnly,
  reduceOnly,
  expiresAt,
}: OrderTerms): OrderTerms => ({ market, side, price, qty, timeInForce, postOnly, reduceOnly, expiresAt });

/** The terms of an order as its intent would state them. */
export function stateTerms(order: OrderTerms): StatedTerms {
  const { expiresAt, ...terms } = termsOf(order);
  return { ...terms, ...(expiresAt !== null && { expiresAt }) };
}

/** The expiry that an order has at a venue whose expiries have the given step, in microseconds. */
export const floorExpiry = (expiresAt: Micros, step: number): Micros =>
  // tidy: as — a multiple of a whole step is a whole number of microseconds.
  (Math.floor(expiresAt / step) * step) as Micros;
