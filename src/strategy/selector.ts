// Which markets are a strategy's: by what stays as it is of a market, and by what changes with time, trading and books.
// Pure. Must never judge a spread by a book that is not believed.
import type { MarketIndex } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import type { Markets } from '../state/markets.ts';
import type { StrategyView } from '../state/view.ts';
import type { MarketSelector } from './strategy.ts';

const DYNAMIC = ['timeLeftMsMin', 'timeLeftMsMax', 'volumeMin', 'spreadMin', 'spreadMax', 'where'] as const;

/** A selector, ready to be asked of ten thousand markets. */
export class Selection {
  readonly #selector: MarketSelector;
  readonly #tickers: ReadonlySet<string> | null;
  readonly #events: ReadonlySet<string> | null;
  readonly #series: ReadonlySet<string> | null;
  /** Whether a market that fits now may not later. */
  readonly isDynamic: boolean;

  constructor(selector: MarketSelector) {
    const { tickers, events, series } = selector;
    this.#selector = selector;
    this.#tickers = tickers ? new Set(tickers) : null;
    this.#events = events ? new Set(events) : null;
    this.#series = series ? new Set(series) : null;
    this.isDynamic = DYNAMIC.some((member) => selector[member] !== undefined);
  }

  /** Whether the members that do not change take the market. */
  covers({ ticker, eventTicker }: Pick<Market, 'ticker' | 'eventTicker'>, markets: Markets): boolean {
    if (this.#tickers?.has(ticker) === false) return false;
    if (this.#events?.has(eventTicker) === false) return false;
    const { isExclusive } = this.#selector;
    if (this.#series === null && isExclusive === undefined) return true;
    // Until the venue has described its event group, nobody knows: it joins then.
    const group = markets.group(eventTicker);
    if (!group || this.#series?.has(group.seriesTicker) === false) return false;
    return isExclusive === undefined || group.isExclusive === isExclusive;
  }

  /**
   * Whether the members that change take a market that the others cover. While its book is not live, its spread keeps
   * nobody out who is in, and lets nobody in who is not.
   */
  fits(market: Market, view: StrategyView, isIn: boolean): boolean {
    if (!this.isDynamic) return true;
    const { where } = this.#selector;
    return (
      this.#fitsTime(market, view) &&
      this.#fitsVolume(market, view) &&
      this.#fitsSpread(market, view, isIn) &&
      (where === undefined || where(market, factsOf(market, view)))
    );
  }

  #fitsTime({ closeAt }: Market, { now }: StrategyView): boolean {
    const { timeLeftMsMin, timeLeftMsMax } = this.#selector;
    const leftMs = (closeAt - now) / 1000;
    return !(leftMs < (timeLeftMsMin ?? -Infinity)) && !(leftMs > (timeLeftMsMax ?? Infinity));
  }

  #fitsVolume({ index }: Market, view: StrategyView): boolean {
    const { volumeMin } = this.#selector;
    return volumeMin === undefined || (view.ticker(index)?.volume ?? -1) >= volumeMin;
  }

  #fitsSpread({ index }: Market, view: StrategyView, isIn: boolean): boolean {
    const { spreadMin, spreadMax } = this.#selector;
    if (spreadMin === undefined && spreadMax === undefined) return true;
    const book = view.book(index);
    if (!book.isLive) return isIn;
    const isWithin = (spread: number | null): boolean =>
      spread !== null && spread >= (spreadMin ?? -Infinity) && spread <= (spreadMax ?? Infinity);
    // Who quotes between the others must not leave for that, and come back as soon as the quotes are gone. Whether a book
    // shows our own orders nobody knows here, so either reading keeps a market.
    return isWithin(book.spread) || (isIn && isWithin(othersSpread(index, view)));
  }
}

function othersSpread(market: MarketIndex, view: StrategyView): number | null {
  const bid = view.othersBest(market, 'bid');
  const ask = view.othersBest(market, 'ask');
  return bid === null || ask === null ? null : ask - bid;
}

const factsOf = (market: Market, view: StrategyView): Parameters<NonNullable<MarketSelector['where']>>[1] => ({
  now: view.now,
  book: view.book(market.index),
  group: view.group(market.eventTicker),
  volume: view.ticker(market.index)?.volume ?? null,
});
