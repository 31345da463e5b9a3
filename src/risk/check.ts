// The one gate between what a strategy wants and what may be sent.
import type { Denial } from '../domain/denial.ts';
import { collateral } from '../domain/position.ts';
import { type Money, subtractMoney } from '../domain/units.ts';
import { pledgeOf } from '../state/equity.ts';
import type { Proposal, RiskContext } from './proposal.ts';
import { RULES } from './rules.ts';

/** The first objection to a proposal, or `null` when it may be sent. */
export function check(proposal: Proposal, context: RiskContext): Denial | null {
  const market = context.state.markets.get(proposal.market);
  if (!market) return { code: 'market-unknown', market: proposal.market };
  const known = { ...context, market, addedPledge: once(() => addedPledge(proposal, context)) };
  for (const rule of RULES) {
    const denial = rule(proposal, known);
    if (denial) return denial;
  }
  return null;
}

/** What the proposal adds to the cash pledged in its market; nothing for what it closes. */
function addedPledge({ market, side, price, qty }: Proposal, { state }: RiskContext): Money {
  const held = state.portfolio.position(market).qty;
  const open = state.orders.openIn(market).map(pledgeOf);
  return subtractMoney(collateral(held, [...open, { side, price, leavesQty: qty }]), collateral(held, open));
}

/** Computes when first asked: the rules before the money's may deny what cannot be reckoned with at all. */
function once(compute: () => Money): () => Money {
  let known: Money | null = null;
  return () => (known ??= compute());
}
