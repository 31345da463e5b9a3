// The markets whose books a session had, traded or not. Must never name a market that the session could not see.
import type { MarketIndex, Ticker } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import type { State } from '../../state/state.ts';

/** A market that a session watched, as it was at the end. */
export interface WatchedMarket extends Pick<Market, 'ticker' | 'eventTicker' | 'closeAt' | 'settlementValue'> {
  /** `null` while the event group was not described. */
  readonly seriesTicker: string | null;
}

/** Collects the watched markets from the notices of an engine. */
export class WatchedMarkets {
  /** By ticker: a market's number is used again once the market is dropped. */
  readonly #markets = new Map<Ticker, WatchedMarket>();
  readonly #live = new Map<MarketIndex, Ticker>();

  trackMarket(notice: Notice, state: State): void {
    if (notice.type === 'trust' && notice.trust === 'live') this.#add(state.markets.get(notice.market), state);
    if (notice.type !== 'evicted' || !this.#markets.has(notice.market.ticker)) return;
    this.#add(notice.market, state);
    this.#live.delete(notice.market.index);
  }

  #add(market: Market | undefined, state: State): void {
    if (market === undefined) return;
    const { ticker, index, eventTicker, closeAt, settlementValue } = market;
    const seriesTicker = state.markets.group(eventTicker)?.seriesTicker ?? null;
    this.#live.set(index, ticker);
    this.#markets.set(ticker, { ticker, eventTicker, seriesTicker, closeAt, settlementValue });
  }

  /** The markets by the state at the end. */
  listAt(state: State): WatchedMarket[] {
    for (const index of this.#live.keys()) this.#add(state.markets.get(index), state);
    return [...this.#markets.values()];
  }
}
