// Profit of each market of the account: what a day's profit by market begins with, and is measured by.
import type { MarketIndex } from '../../domain/ids.ts';
import { type Money, addMoney, subtractMoney } from '../../domain/units.ts';
import { type Holdings, unrealized } from '../../state/account/equity.ts';

/** Profit of a market: realized after fees, and unrealized with the position at its mark. */
export function marketProfit(held: Holdings, market: MarketIndex): Money {
  const { realized, fees } = held.portfolio.position(market);
  return addMoney(subtractMoney(realized, fees), unrealized(held, market));
}

/** Profit of each market that the account has traded. */
export function marketProfits(held: Holdings): Map<MarketIndex, Money> {
  const profits = new Map<MarketIndex, Money>();
  for (const market of held.portfolio.positions().keys()) profits.set(market, marketProfit(held, market));
  return profits;
}
