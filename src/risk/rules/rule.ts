// The type of a risk rule: a small pure function that returns a denial or `null`.
import type { Denial } from '../../domain/denial.ts';
import type { RuleContext, RiskSubject, Proposal } from './proposal.ts';

/** One rule. Returns a denial with the compared figures, or `null`. */
export type Rule = (proposal: Proposal, context: RuleContext) => Denial | null;

/** Makes a rule that applies to the account, and then to the strategy by itself. */
export const forEachSubject =
  (ruleFor: (proposal: Proposal, party: RiskSubject, context: RuleContext) => Denial | null): Rule =>
  (proposal, context) => {
    const { account, own } = context;
    const denial = ruleFor(proposal, account, context);
    return denial !== null || own === null ? denial : ruleFor(proposal, own, context);
  };
