// Measures the share of time in which the books of an import are known. A market's time is from its first row to its
// last. Must never count a book as known before its first snapshot.
import { grownCopy } from '../../../base/typed-columns.ts';
import type { TapeEvent } from '../../../domain/event-kinds.ts';
import type { MarketIndex, Ticker } from '../../../domain/ids.ts';
import { EPOCH, type Micros } from '../../../domain/units.ts';
import type { MarketSurvey } from '../market-survey.ts';

/** Share of a market's time in which its book is known. */
export interface MarketCoverage {
  readonly ticker: Ticker;
  /** Time of the market's first row. `to` is the time of its last row. */
  readonly from: Micros;
  readonly to: Micros;
  readonly share: number;
}

/** Share of time in which books are known. */
export interface ImportCoverage {
  /** The share over the time of all markets with a book, from 0 to 1; `null` when no market has a book. */
  readonly share: number | null;
  /** The markets with a book, by their first rows. */
  readonly markets: readonly MarketCoverage[];
}

/** Value of `#since` for an unknown book. */
const UNKNOWN = 0;

/** Tracks which books are known. */
export class BookCoverage {
  /**
   * By market: `#hasBook` is 1 when it has book rows; `#since` is when its book became known; `#known` is the length of
   * earlier known times; `#until` is the end of the last of them.
   */
  #hasBook = new Uint8Array(0);
  #since = new Float64Array(0);
  #known = new Float64Array(0);
  #until = new Float64Array(0);

  addEvent(event: TapeEvent): void {
    switch (event.kind) {
      case 'book-delta':
        return this.#markBook(event.market);
      case 'book-snapshot':
        this.#markBook(event.market);
        if (this.#since[event.market] === UNKNOWN) this.#since[event.market] = event.at;
        return;
      case 'feed-gap':
        if (event.markets.length === 0) this.#hasBook.forEach((_has, market) => this.#endKnownTime(market, event.at));
        for (const market of event.markets) this.#endKnownTime(market, event.at);
        return;
      // These neither begin nor end the time in which a book is known.
      case 'print':
      case 'book-poll':
      case 'ticker':
      case 'market':
      case 'market-changed':
      case 'event-group':
      case 'series':
      case 'fees-changed':
      case 'fees-scheduled':
      case 'markets-appeared':
      case 'exchange-status':
    }
  }

  #markBook(market: MarketIndex): void {
    if (market >= this.#hasBook.length) this.#makeRoom(Math.max(64, 2 * market));
    this.#hasBook[market] = 1;
  }

  #endKnownTime(market: number, at: Micros): void {
    const since = this.#since[market] ?? UNKNOWN;
    if (since === UNKNOWN) return;
    this.#known[market] = (this.#known[market] ?? 0) + at - since;
    this.#until[market] = at;
    this.#since[market] = UNKNOWN;
  }

  /** @param survey Survey of the same events. */
  coverageOf(survey: MarketSurvey): ImportCoverage {
    const markets = survey.surveyedMarkets().flatMap(({ ticker, from, to }) => {
      const market = survey.tickers.indexOf(ticker) ?? -1;
      if (this.#hasBook[market] !== 1) return [];
      const known = this.#knownUntil(market, to);
      return [{ ticker, from, to, known, share: shareOf(known, to - from, this.#since[market] !== UNKNOWN) }];
    });
    const known = markets.reduce((sum, market) => sum + market.known, 0);
    const time = markets.reduce((sum, { from, to }) => sum + to - from, 0);
    const areKnown = markets.every(({ share }) => share > 0);
    return {
      share: markets.length === 0 ? null : shareOf(known, time, areKnown),
      markets: markets.map(({ ticker, from, to, share }) => ({ ticker, from, to, share })),
    };
  }

  /** Known time up to the market's last row. Later time does not count. */
  #knownUntil(market: number, last: Micros): number {
    const before = this.#known[market] ?? 0;
    const since = this.#since[market] ?? UNKNOWN;
    if (since !== UNKNOWN) return before + Math.max(0, last - since);
    return before - Math.max(0, (this.#until[market] ?? EPOCH) - last);
  }

  #makeRoom(markets: number): void {
    this.#hasBook = grownCopy(this.#hasBook, new Uint8Array(markets));
    this.#since = grownCopy(this.#since, new Float64Array(markets));
    this.#known = grownCopy(this.#known, new Float64Array(markets));
    this.#until = grownCopy(this.#until, new Float64Array(markets));
  }
}

/** Share of a time in which a book was known. For a time of zero, 1 when the book is known at the end, else 0. */
const shareOf = (known: number, time: number, isKnown: boolean): number => (time > 0 ? known / time : isKnown ? 1 : 0);
