// An order that has been asked for and not yet allowed, and what the rules may look at.
import type { MarketIndex, StrategyName } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import type { Halt } from '../domain/operator.ts';
import type { Side, TimeInForce } from '../domain/order.ts';
import type { Micros, Money, Price, Qty } from '../domain/units.ts';
import type { State } from '../state/state.ts';
import type { Exposed, Exposure } from './exposure.ts';
import type { FeeRounding } from '../domain/fees.ts';
import type { FeeBook } from './fee-book.ts';
import type { RiskLimits } from './limits.ts';
import type { MarketWatch } from './market-watch.ts';
import type { MessageRates } from './message-rates.ts';

/** An order's terms before it has an id. */
export interface Proposal {
  readonly strategy: StrategyName;
  readonly market: MarketIndex;
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly expiresAt: Micros | null;
}

/** Whether the session lets orders out at all. */
export type Readiness =
  | { readonly type: 'ready' }
  | { readonly type: 'not-ready'; readonly reason: string }
  | { readonly type: 'stopping' };

/** What the venue takes: the part of its capabilities that an order's terms must keep to. */
export interface VenueTerms {
  readonly canPostOnly: boolean;
  readonly canReduceOnly: boolean;
  readonly timeInForce: readonly TimeInForce[];
  /** The smallest step of a quantity, in hundredths of a contract. */
  readonly qtyStep: number;
  readonly priceMin: Price;
  readonly priceMax: Price;
  /** To what fees are rounded; an account's that clears directly unless said. */
  readonly feeRounding?: readonly FeeRounding[];
}

/** What the rules compare a proposal with. */
export interface RiskContext {
  readonly state: State;
  /** The tighter of the account's limits and the strategy's. */
  readonly limits: RiskLimits;
  readonly accountLimits: RiskLimits;
  readonly venue: VenueTerms;
  readonly readiness: Readiness;
  /** What halts the strategy, the market or the account; `null` when nothing does. */
  readonly halt: Halt | null;
  readonly fees: FeeBook;
  readonly exposure: Exposure;
  readonly rates: MessageRates;
  readonly watch: MarketWatch;
}

/**
 * The same once the market is known to exist: what every rule but the first gets. Its figures are computed when first
 * looked at, so no rule may look at them before the price and the quantity are known to be sound.
 */
export interface MarketContext extends RiskContext {
  readonly market: Market;
  /** What the proposal may be charged. */
  readonly fee: Money;
  /** What the proposal adds to the cash pledged in its market, before fees; nothing for what it closes. */
  readonly addedPledge: Money;
  /** What may be lost once the proposal is let out. */
  readonly exposed: Exposed;
}
