// The one gate between what a strategy wants and what may be sent.
import type { Denial } from '../domain/denial.ts';
import type { Market } from '../domain/market.ts';
import type { Money } from '../domain/units.ts';
import { PartyScene } from './party.ts';
import type { CapitalLeft, MarketContext, Party, Proposal, RiskContext } from './proposal.ts';
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
  const known = new MarketScene(proposal, context, market);
  for (const rule of rules) {
    const denial = rule(proposal, known);
    if (denial) return denial;
  }
  return null;
}

/** A proposal in its market. */
class MarketScene implements MarketContext {
  readonly state;
  readonly limits;
  readonly accountLimits;
  readonly venue;
  readonly readiness;
  readonly halt;
  readonly fees;
  readonly exposure;
  readonly account: Party;
  readonly own: Party | null;
  readonly rates;
  readonly watch;
  readonly market: Market;
  readonly #proposal: Proposal;
  #fee: Money | null = null;

  constructor(proposal: Proposal, context: RiskContext, market: Market) {
    this.#proposal = proposal;
    this.market = market;
    this.state = context.state;
    this.limits = context.limits;
    this.accountLimits = context.accountLimits;
    this.venue = context.venue;
    this.readiness = context.readiness;
    this.halt = context.halt;
    this.fees = context.fees;
    this.exposure = context.exposure;
    this.account = accountOf(proposal, context);
    this.own = ownOf(proposal, context);
    this.rates = context.rates;
    this.watch = context.watch;
  }

  get fee(): Money {
    return (this.#fee ??= this.fees.most(this.#proposal.market, this.#proposal, this.#proposal.qty));
  }
}

const accountOf = (proposal: Proposal, { state, accountLimits, exposure }: RiskContext): Party =>
  new PartyScene(proposal, { of: 'account', limits: accountLimits, capital: null, stakes: state, exposure });

function ownOf(proposal: Proposal, { own }: RiskContext): Party | null {
  if (own === null) return null;
  const { limits, account } = own;
  const { allotted, left, stakes, exposure } = account;
  const capital: CapitalLeft | null = allotted === null || left === null ? null : { allotted, left };
  return new PartyScene(proposal, { of: 'strategy', limits, capital, stakes, exposure });
}
