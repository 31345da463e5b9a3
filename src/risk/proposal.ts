// An order that has been asked for and not yet allowed, and what the rules may look at.
import type { MarketIndex, StrategyName } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import type { Halt } from '../domain/operator.ts';
import type { Side, TimeInForce } from '../domain/order.ts';
import { openingPrice } from '../domain/position.ts';
import { type Micros, type Money, type Price, type Qty, notional } from '../domain/units.ts';
import type { State } from '../state/state.ts';
import type { RiskLimits } from './limits.ts';

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

/** What the rules compare a proposal with. */
export interface RiskContext {
  readonly state: State;
  readonly limits: RiskLimits;
  /** The venue's smallest step of a quantity. */
  readonly qtyStep: Qty;
  readonly readiness: Readiness;
  /** What halts the strategy, the market or the account; `null` when nothing does. */
  readonly halt: Halt | null;
}

/** The same once the market is known to exist: what every rule but the first few gets. */
export interface MarketContext extends RiskContext {
  readonly market: Market;
  /** What the proposal adds to the cash pledged in its market; nothing for what it closes. */
  readonly addedPledge: () => Money;
}

/** What the order costs if it fills: all of it opening, the outcome acquired at its own price. */
export const costOf = (proposal: Pick<Proposal, 'side' | 'price' | 'qty'>): Money =>
  notional(openingPrice(proposal.side, proposal.price), proposal.qty);
