// Checks every order against the risk rules before it may be sent. No order reaches the venue without passing here.
import type { Denial } from '../domain/denial.ts';
import type { Market } from '../domain/market.ts';
import type { Money } from '../domain/units.ts';
import { LazyRiskSubject } from './rules/risk-subject.ts';
import type { CapitalLeft, RuleContext, RiskSubject, Proposal, RiskContext } from './rules/proposal.ts';
import { FLATTEN_RULES, RULES, type Rule } from './rules/all-rules.ts';

/** Returns the first denial of a proposed order, or `null` when it may be sent. */
export const checkOrder = (proposal: Proposal, context: RiskContext): Denial | null =>
  firstDenial(RULES, proposal, context);

/** Checks an order with which the operator closes a position. Halts, rate limits and exposure limits do not apply. */
export const checkFlatten = (proposal: Proposal, context: RiskContext): Denial | null =>
  firstDenial(FLATTEN_RULES, proposal, context);

function firstDenial(rules: readonly Rule[], proposal: Proposal, context: RiskContext): Denial | null {
  const market = context.state.markets.get(proposal.market);
  if (!market) return { code: 'market-unknown', market: proposal.market };
  const ruleContext = new LazyRuleContext(proposal, context, market);
  for (const rule of rules) {
    const denial = rule(proposal, ruleContext);
    if (denial) return denial;
  }
  return null;
}

class LazyRuleContext implements RuleContext {
  readonly state;
  readonly limits;
  readonly accountLimits;
  readonly venue;
  readonly readiness;
  readonly halt;
  readonly fees;
  readonly exposure;
  readonly account: RiskSubject;
  readonly own: RiskSubject | null;
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
    this.account = accountSubject(proposal, context);
    this.own = strategySubject(proposal, context);
    this.rates = context.rates;
    this.watch = context.watch;
  }

  get fee(): Money {
    return (this.#fee ??= this.fees.highestFee(this.#proposal.market, this.#proposal, this.#proposal.qty));
  }
}

const accountSubject = (proposal: Proposal, { state, accountLimits, exposure }: RiskContext): RiskSubject =>
  new LazyRiskSubject(proposal, { of: 'account', limits: accountLimits, capital: null, stakes: state, exposure });

function strategySubject(proposal: Proposal, { own }: RiskContext): RiskSubject | null {
  if (own === null) return null;
  const { limits, account } = own;
  const { allotted, capitalLeft, stakes, exposure } = account;
  const capital: CapitalLeft | null =
    allotted === null || capitalLeft === null ? null : { allotted, left: capitalLeft };
  return new LazyRiskSubject(proposal, { of: 'strategy', limits, capital, stakes, exposure });
}
