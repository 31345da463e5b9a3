// A proposed order that is not yet allowed, and what the rules may read.
import type { StrategyName } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import type { Halt } from '../../domain/operator-order.ts';
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

/** An order's terms before it has an id, and the strategy that wants it. */
export interface Proposal extends OrderTerms {
  readonly strategy: StrategyName;
}

/** State of the session: it sends orders only when it is `ready`. */
export type Readiness =
  | { readonly type: 'ready' }
  | { readonly type: 'not-ready'; readonly reason: string }
  | { readonly type: 'stopping' };

/** The venue's capabilities that an order's terms must respect. */
export interface VenueTerms {
  readonly canPostOnly: boolean;
  readonly canReduceOnly: boolean;
  readonly timeInForce: readonly TimeInForce[];
  /** Smallest step of a quantity, in hundredths of a contract. */
  readonly qtyStep: number;
  readonly priceMin: Price;
  readonly priceMax: Price;
  /** Rounding of fees. The default is that of an account that clears directly. */
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
  /** The halt of the strategy, the market or the account; `null` when there is none. */
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
  /** Every limit of the account; of a strategy only its own. */
  readonly limits: StrategyLimits;
  /** `null` where nothing is allotted. */
  readonly capital: CapitalLeft | null;
  readonly stakes: Stakes;
  /** Cash that the proposal adds to what is reserved in its market, before fees; 0 for the part that closes. */
  readonly addedReserved: Money;
  /** Exposure once the proposal is sent. */
  readonly exposureAfter: ExposureFigures;
  /** Exposure as it is now. Reused: valid until the next read. */
  readonly exposureNow: ExposureFigures;
}

/**
 * The context of the rules once the market is known to exist. Its figures are computed when first read, so no rule may
 * read them before the price and the quantity are known to be sound.
 */
export interface RuleContext extends Omit<RiskContext, 'own'> {
  readonly market: Market;
  /** Highest fee that the proposal may be charged. */
  readonly fee: Money;
  readonly account: RiskSubject;
  /** The strategy by itself; `null` where it has neither limits nor capital of its own. */
  readonly own: RiskSubject | null;
}
