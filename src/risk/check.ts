// The one gate between what a strategy wants and what may be sent.
import type { Denial } from '../domain/denial.ts';
import type { Proposal, RiskContext } from './proposal.ts';
import { RULES } from './rules.ts';

/** The first objection to a proposal, or `null` when it may be sent. */
export function check(proposal: Proposal, context: RiskContext): Denial | null {
  const market = context.state.markets.get(proposal.market);
  if (!market) return { code: 'market-unknown', market: proposal.market };
  const known = { ...context, market };
  for (const rule of RULES) {
    const denial = rule(proposal, known);
    if (denial) return denial;
  }
  return null;
}
