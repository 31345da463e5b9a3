// What a rule of risk is: a small pure question with a denial for an answer.
import type { Denial } from '../domain/denial.ts';
import type { MarketContext, Proposal } from './proposal.ts';

/** One rule: a denial with the figures compared, or `null` to let pass. */
export type Rule = (proposal: Proposal, context: MarketContext) => Denial | null;
