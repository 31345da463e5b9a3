// Profit of each market, in the parts that a day's profit by market is made of.
import type { MarketIndex } from '../../domain/ids.ts';
import { type Money, subtractMoney } from '../../domain/units.ts';
import { type Holdings, unrealized } from '../../state/account/equity.ts';

/** Profit of a market at a moment. */
export interface MarketProfit {
  /** Realized, after fees. */
  readonly closed: Money;
  /** Unrealized, with the position at its mark. */
  readonly open: Money;
}

/** Realized profit of a market, after fees. */
export function closedProfit({ portfolio }: Holdings, market: MarketIndex): Money {
  const { realized, fees } = portfolio.position(market);
  return subtractMoney(realized, fees);
}

/** Profit of each market that the account has traded. */
export function marketProfits(held: Holdings): Map<MarketIndex, MarketProfit> {
  const profits = new Map<MarketIndex, MarketProfit>();
  for (const market of held.portfolio.positions().keys())
    profits.set(market, { closed: closedProfit(held, market), open: unrealized(held, market) });
  return profits;
}
