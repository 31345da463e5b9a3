// What a rule of risk is: a small pure question with a denial for an answer.
import type { Denial } from '../domain/denial.ts';
import type { MarketContext, Party, Proposal } from './proposal.ts';

/** One rule: a denial with the figures compared, or `null` to let pass. */
export type Rule = (proposal: Proposal, context: MarketContext) => Denial | null;

/** A rule that is asked of the account, and then of the strategy itself where it has something of its own. */
export const ofEach =
  (ask: (proposal: Proposal, party: Party, context: MarketContext) => Denial | null): Rule =>
  (proposal, context) => {
    const { account, own } = context;
    const denial = ask(proposal, account, context);
    return denial !== null || own === null ? denial : ask(proposal, own, context);
  };
