// Whether a market is one of a strategy's.
import type { Market } from '../domain/market.ts';
import type { Markets } from '../state/markets.ts';
import type { MarketSelector } from './strategy.ts';

/** Whether the selector takes the market. */
export function selects(selector: MarketSelector, market: Market, markets: Markets): boolean {
  if (selector.tickers && !selector.tickers.includes(market.ticker)) return false;
  if (selector.events && !selector.events.includes(market.eventTicker)) return false;
  if (selector.series === undefined && selector.isExclusive === undefined) return true;
  // Until the venue has described its event group, nobody knows: it joins then.
  const group = markets.group(market.eventTicker);
  if (!group) return false;
  if (selector.series && !selector.series.includes(group.seriesTicker)) return false;
  return selector.isExclusive === undefined || group.isExclusive === selector.isExclusive;
}
