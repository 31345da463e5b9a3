// A proposed order, and the figures that the rules may read.
import type { StrategyName } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import type { Halt } from '../../domain/operator-order.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { OrderTerms, TimeInForce } from '../../domain/orders/order-terms.ts';
import type { Money, Price } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';
import type { Stakes } from '../../state/account/equity.ts';
import type { ExposureFigures, Exposure } from '../exposure/exposure.ts';
import type { FeeRounding } from '../../domain/fee-schedule.ts';
import type { FeeSchedules } from '../exposure/fee-schedules.ts';
import type { RiskLimits, StrategyLimits } from '../risk-limits.ts';
import type { MarketWatch } from '../market-watch.ts';
import type { MessageRates } from '../message-rates.ts';
import type { StrategyAccount } from '../exposure/strategy-account.ts';

/** An order without an id, and its strategy. */
export interface Proposal extends OrderTerms {
  readonly strategy: StrategyName;
  /**
   * The resting order that an amend gives these terms. `qty` is then the quantity that should remain of it. Until the
   * amend is answered, the worse of both terms counts.
   */
  readonly amended?: Order;
}

/** State of the session. Orders are sent only in `ready`. */
export type Readiness =
  | { readonly type: 'ready' }
  | { readonly type: 'not-ready'; readonly reason: string }
  | { readonly type: 'stopping' };

/** Made once: every event asks if orders may leave. */
export const READY: Readiness = { type: 'ready' };

/** The venue's capabilities that an order's terms must respect. */
export interface VenueTerms {
  readonly canPostOnly: boolean;
  readonly canReduceOnly: boolean;
  readonly timeInForce: readonly TimeInForce[];
  /** Hundredths of a contract. */
  readonly qtyStep: number;
  /** Microseconds. An expiry is rounded down to it. The default is 1. */
  readonly expiryStep?: number;
  readonly priceMin: Price;
  readonly priceMax: Price;
  /** The default is the rounding of an account that clears directly. */
  readonly feeRounding?: readonly FeeRounding[];
}

/** Everything that the rules compare a proposal with. */
export interface RiskContext {
  readonly state: State;
  /** For each limit, the tighter of the account's and the strategy's. */
  readonly limits: RiskLimits;
  readonly accountLimits: RiskLimits;
  /** The strategy's own limits and account; `null` where it has neither limits nor capital of its own. */
  readonly own: { readonly limits: StrategyLimits; readonly account: StrategyAccount } | null;
  readonly venue: VenueTerms;
  readonly readiness: Readiness;
  /** `null` when neither the strategy, nor the market, nor the account is halted. */
  readonly halt: Halt | null;
  readonly fees: FeeSchedules;
  readonly exposure: Exposure;
  readonly rates: MessageRates;
  readonly watch: MarketWatch;
}

/** Capital of a strategy. */
export interface CapitalLeft {
  readonly allotted: Money;
  /** The allotment less realized losses. */
  readonly left: Money;
}

/** The account, or a strategy by itself: the figures that limits are compared with. */
export interface RiskSubject {
  readonly of: 'account' | 'strategy';
  /** For a strategy, only its own limits. */
  readonly limits: StrategyLimits;
  /** `null` where nothing is allotted. */
  readonly capital: CapitalLeft | null;
  readonly stakes: Stakes;
  /** Cash that the proposal reserves in addition, before fees. The part that closes reserves nothing. */
  readonly addedReserved: Money;
  readonly exposureAfter: ExposureFigures;
  /** Exposure without the proposal. Reused: valid until the next read. */
  readonly exposureNow: ExposureFigures;
}

/**
 * The context of the rules for a known market. Figures are computed when first read: price and quantity must be valid
 * by then.
 */
export interface RuleContext extends Omit<RiskContext, 'own'> {
  readonly market: Market;
  /** Highest fee that the proposal may be charged. */
  readonly fee: Money;
  readonly account: RiskSubject;
  /** `null` where the strategy has neither limits nor capital of its own. */
  readonly own: RiskSubject | null;
}
