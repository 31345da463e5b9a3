// The one gate between what a strategy wants and what may be sent.
import type { Denial } from '../domain/denial.ts';
import type { Market } from '../domain/market.ts';
import { collateral, openingPrice } from '../domain/position.ts';
import { type Money, notional, subtractMoney } from '../domain/units.ts';
import { pledgeOf } from '../state/equity.ts';
import type { Exposed } from './exposure.ts';
import type { MarketContext, Proposal, RiskContext } from './proposal.ts';
import { FLATTEN_RULES, RULES, type Rule } from './rules.ts';

/** The first objection to a proposal, or `null` when it may be sent. */
export const check = (proposal: Proposal, context: RiskContext): Denial | null =>
  firstObjection(RULES, proposal, context);

/**
 * The same for an order with which the operator closes a position: halts, pace and exposure do not stand in its way;
 * the soundness of the book and of the price does, and the size of one order. It may close, and nothing else.
 */
export const checkFlatten = (proposal: Proposal, context: RiskContext): Denial | null =>
  firstObjection(FLATTEN_RULES, proposal, context);

function firstObjection(rules: readonly Rule[], proposal: Proposal, context: RiskContext): Denial | null {
  const market = context.state.markets.get(proposal.market);
  if (!market) return { code: 'market-unknown', market: proposal.market };
  const known = inMarket(proposal, context, market);
  for (const rule of rules) {
    const denial = rule(proposal, known);
    if (denial) return denial;
  }
  return null;
}

/** Figures are computed when first asked for: the rules before the money's may deny what cannot be reckoned with. */
function inMarket(proposal: Proposal, context: RiskContext, market: Market): MarketContext {
  let fee: Money | null = null;
  let added: Money | null = null;
  let exposed: Exposed | null = null;
  return {
    ...context,
    market,
    fee: () => (fee ??= context.fees.most(proposal.market, proposal)),
    addedPledge: () => (added ??= addedPledge(proposal, context)),
    exposed: () => (exposed ??= context.exposure.measure(proposal, true)),
  };
}

function addedPledge({ market, side, price, qty }: Proposal, { state }: RiskContext): Money {
  const held = state.portfolio.position(market).qty;
  const isCovered = side === 'buy' ? held < 0 : held > 0;
  if (!isCovered) return notional(openingPrice(side, price), qty);
  const open = state.orders.openIn(market).map(pledgeOf);
  return subtractMoney(collateral(held, [...open, { side, price, leavesQty: qty }]), collateral(held, open));
}
