// Decides which markets a strategy trades: by fixed properties of a market, and by time, volume and spread. Pure. Must
// never judge a spread by a book that is not live.
import { AssertionFault } from '../base/assert.ts';
import type { MarketIndex } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import type { Markets } from '../state/market-catalog.ts';
import type { StrategyView } from '../state/strategy-view.ts';
import { PROMISE } from './definition-check.ts';
import { takePromise } from './refused-promise.ts';
import type { MarketSelector } from './strategy-definition.ts';

const TIMED = ['timeLeftMsMin', 'timeLeftMsMax'] as const;
/** Conditions whose result may change at any moment. */
const ANY_TIME = ['volumeMin', 'spreadMin', 'spreadMax', 'where'] as const;
/** Time after `nextTimeChange` at which the change has surely happened. Microseconds. */
export const TIME_CHANGE_WITHIN = 4;

/** A selector prepared for checking thousands of markets. */
export class MarketSelection {
  readonly #selector: MarketSelector;
  readonly #tickers: ReadonlySet<string> | null;
  readonly #events: ReadonlySet<string> | null;
  readonly #series: ReadonlySet<string> | null;
  /** True: a market that fits now may not fit later. */
  readonly isDynamic: boolean;
  /** True: of the conditions that change, only those of the time left are set. */
  readonly isTimed: boolean;

  constructor(selector: MarketSelector) {
    const { tickers, events, series } = selector;
    this.#selector = selector;
    this.#tickers = tickers ? new Set(tickers) : null;
    this.#events = events ? new Set(events) : null;
    this.#series = series ? new Set(series) : null;
    const changesAtAnyTime = ANY_TIME.some((member) => selector[member] !== undefined);
    this.isDynamic = changesAtAnyTime || TIMED.some((member) => selector[member] !== undefined);
    this.isTimed = this.isDynamic && !changesAtAnyTime;
  }

  /** True when the market fits the selector's fixed conditions. */
  coversMarket({ ticker, eventTicker }: Pick<Market, 'ticker' | 'eventTicker'>, markets: Markets): boolean {
    if (this.#tickers?.has(ticker) === false) return false;
    if (this.#events?.has(eventTicker) === false) return false;
    const { isExclusive } = this.#selector;
    if (this.#series === null && isExclusive === undefined) return true;
    // The market joins once the venue has described its event group.
    const group = markets.group(eventTicker);
    if (!group || this.#series?.has(group.seriesTicker) === false) return false;
    return isExclusive === undefined || group.isExclusive === isExclusive;
  }

  /**
   * Checks the conditions that change. While the book is not live, the spread condition keeps members in and other
   * markets out.
   */
  fitsMarket(market: Market, view: StrategyView, isIn: boolean): boolean {
    if (!this.isDynamic) return true;
    const { where } = this.#selector;
    return (
      this.#fitsTime(market, view) &&
      this.#fitsVolume(market, view) &&
      this.#fitsSpread(market, view, isIn) &&
      (where === undefined || isChosen(where(market, factsOf(market, view))))
    );
  }

  #fitsTime({ closeAt }: Market, { now }: StrategyView): boolean {
    const { timeLeftMsMin, timeLeftMsMax } = this.#selector;
    const leftMs = (closeAt - now) / 1000;
    return !(leftMs < (timeLeftMsMin ?? -Infinity)) && !(leftMs > (timeLeftMsMax ?? Infinity));
  }

  /**
   * A time from which the time left may change whether a market fits: a little before the change itself, which rounding
   * moves. Infinite if it never changes again.
   */
  nextTimeChange({ closeAt }: Pick<Market, 'closeAt'>, now: number): number {
    const { timeLeftMsMin = Infinity, timeLeftMsMax = Infinity } = this.#selector;
    const nextOf = (leftMs: number): number => {
      const at = Math.floor(closeAt - leftMs * 1000) - 1;
      return at + TIME_CHANGE_WITHIN > now ? at : Infinity;
    };
    return Math.min(nextOf(timeLeftMsMin), nextOf(timeLeftMsMax));
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
    // A strategy that quotes inside the spread narrows it. The strategy must not leave the market for that reason, and
    // join again once its quotes are gone. Here it is unknown whether the book contains our own orders, so both spreads
    // are tried.
    return isWithin(book.spread) || (isIn && isWithin(othersSpread(index, view)));
  }
}

function othersSpread(market: MarketIndex, view: StrategyView): number | null {
  const bid = view.othersBest(market, 'bid');
  const ask = view.othersBest(market, 'ask');
  return bid === null || ask === null ? null : ask - bid;
}

/**
 * True when `where` takes the market. A promise, or a text such as `no`, would take every market.
 * @throws {AssertionFault} when the answer is neither true nor false.
 */
function isChosen(answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer;
  const found = takePromise(answer) ? PROMISE : describeAnswer(answer);
  throw new AssertionFault(`where: expected true or false, found ${found}`);
}

/** Maximum length of a text that is shown. */
const SHOWN_MAX = 40;

function describeAnswer(answer: unknown): string {
  switch (typeof answer) {
    case 'string':
      return JSON.stringify(answer.length > SHOWN_MAX ? `${answer.slice(0, SHOWN_MAX)}…` : answer);
    case 'undefined':
      return 'nothing';
    case 'number':
    case 'bigint':
      return String(answer);
    case 'object':
      return answer === null ? 'null' : 'an object';
    case 'boolean':
    case 'function':
    case 'symbol':
      return `a ${typeof answer}`;
  }
}

const factsOf = (market: Market, view: StrategyView): Parameters<NonNullable<MarketSelector['where']>>[1] => ({
  now: view.now,
  book: view.book(market.index),
  group: view.group(market.eventTicker),
  volume: view.ticker(market.index)?.volume ?? null,
});
