// The worst loss in an event group over its possible outcomes. Must never exclude an outcome that the group does not
// exclude. "None of them" is always possible: a group may have outcomes without a market.
import type { Strike } from '../../domain/market.ts';
import { StrikeLine } from './strike-line.ts';

/** Loss of one market by outcome. Millionths of a dollar; negative is a gain. */
export interface OutcomeLosses {
  readonly no: number;
  readonly yes: number;
  readonly strike: Strike | null;
}

/**
 * Returns the highest loss of the markets of one event group; negative when every outcome gains. Of exclusive markets,
 * at most one resolves YES. A market with strikes resolves YES when its range holds the resolved number. All other
 * markets are independent. A partial payout loses no more than the worse of YES and NO.
 */
export function worstLoss(stakes: readonly OutcomeLosses[], isExclusive: boolean, line = new StrikeLine()): number {
  let none = 0;
  let swingMax = 0;
  let independent = 0;
  let strikes = 0;
  for (const { no, yes, strike } of stakes) {
    none += no;
    swingMax = Math.max(swingMax, yes - no);
    independent += Math.max(no, yes);
    if (strike !== null) strikes += 1;
  }
  const bound = isExclusive ? none + swingMax : independent;
  return strikes < 2 ? bound : Math.min(bound, worstOnLine(stakes, line));
}

type NamedLosses = readonly (OutcomeLosses & { readonly name: string })[];

/** The loss with one outcome of an event group. */
export interface NamedOutcome {
  readonly outcome: string;
  readonly loss: number;
}

/**
 * Returns the outcomes that `worstLoss` compares, each with its loss. Of exclusive markets, one resolves YES or none
 * does. With strikes, an outcome is a part of the number line. Otherwise, one market resolves YES or NO, and the rest
 * resolve at their worst.
 */
export function lossesByOutcome(stakes: NamedLosses, isExclusive: boolean): NamedOutcome[] {
  const byMarket = isExclusive ? exclusiveOutcomes(stakes) : independentOutcomes(stakes);
  if (stakes.filter(({ strike }) => strike !== null).length < 2) return byMarket;
  const line = new StrikeLine();
  const worst = worstOnLine(stakes, line);
  if (worst > byMarket.reduce((most, { loss }) => Math.max(most, loss), Number.NEGATIVE_INFINITY)) return byMarket;
  const base = worst - line.highestSum();
  return line.sumsByPart().map(({ part, sum }) => ({ outcome: part, loss: base + sum }));
}

function exclusiveOutcomes(stakes: NamedLosses): NamedOutcome[] {
  const none = stakes.reduce((sum, { no }) => sum + no, 0);
  const winners = stakes.map(({ name, no, yes }) => ({ outcome: `${name} resolves YES`, loss: none - no + yes }));
  return [{ outcome: 'none of them', loss: none }, ...winners];
}

function independentOutcomes(stakes: NamedLosses): NamedOutcome[] {
  const worst = stakes.reduce((sum, { no, yes }) => sum + Math.max(no, yes), 0);
  return stakes.flatMap(({ name, no, yes }) => {
    const others = worst - Math.max(no, yes);
    return [
      { outcome: `${name} resolves YES`, loss: others + yes },
      { outcome: `${name} resolves NO`, loss: others + no },
    ];
  });
}

function worstOnLine(stakes: readonly OutcomeLosses[], line: StrikeLine): number {
  for (const { strike } of stakes) if (strike !== null) line.addStrike(strike);
  line.startSum();
  let base = 0;
  for (const { no, yes, strike } of stakes) {
    base += strike === null ? Math.max(no, yes) : no;
    if (strike !== null) line.addSwing(strike, yes - no);
  }
  return base + line.highestSum();
}
