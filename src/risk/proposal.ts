// An order that has been asked for and not yet allowed, and what the rules may look at.
import type { MarketIndex, StrategyName } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import type { Halt } from '../domain/operator.ts';
import type { Side, TimeInForce } from '../domain/order.ts';
import type { Micros, Money, Price, Qty } from '../domain/units.ts';
import type { State } from '../state/state.ts';
import type { Stakes } from '../state/equity.ts';
import type { Exposed, Exposure } from './exposure.ts';
import type { FeeRounding } from '../domain/fees.ts';
import type { FeeBook } from './fee-book.ts';
import type { RiskLimits, StrategyLimits } from './limits.ts';
import type { MarketWatch } from './market-watch.ts';
import type { MessageRates } from './message-rates.ts';
import type { OwnAccount } from './own-account.ts';

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
  /** What is the strategy's own, and bounded by itself; `null` where nothing is. */
  readonly own: { readonly limits: StrategyLimits; readonly account: OwnAccount } | null;
  readonly venue: VenueTerms;
  readonly readiness: Readiness;
  /** What halts the strategy, the market or the account; `null` when nothing does. */
  readonly halt: Halt | null;
  readonly fees: FeeBook;
  readonly exposure: Exposure;
  readonly rates: MessageRates;
  readonly watch: MarketWatch;
}

/** What is left of a strategy's capital. */
export interface CapitalLeft {
  readonly allotted: Money;
  /** The allotted less what was lost for good. */
  readonly left: Money;
}

/** One whose figures limits are compared with: the account, or a strategy by itself. */
export interface Party {
  readonly of: 'account' | 'strategy';
  /** Every limit of the account; of a strategy those that it has itself. */
  readonly limits: StrategyLimits;
  /** `null` where nothing is allotted. */
  readonly capital: CapitalLeft | null;
  readonly stakes: Stakes;
  /** What the proposal adds to the cash pledged in its market, before fees; nothing for what it closes. */
  readonly addedPledge: Money;
  /** What may be lost once the proposal is let out. */
  readonly exposed: Exposed;
  /** What may be lost as it is. Borrowed: valid until it is asked for again. */
  readonly exposedBefore: Exposed;
}

/**
 * The same once the market is known to exist: what every rule but the first gets. Its figures are computed when first
 * looked at, so no rule may look at them before the price and the quantity are known to be sound.
 */
export interface MarketContext extends Omit<RiskContext, 'own'> {
  readonly market: Market;
  /** What the proposal may be charged. */
  readonly fee: Money;
  readonly account: Party;
  /** The strategy by itself; `null` where it has neither limits nor capital of its own. */
  readonly own: Party | null;
}
