// Collects facts of the rows: their markets, with times and price grids. Must never keep more than a few numbers for
// each market.
import type { Levels } from '../../domain/event.ts';
import type { TapeEvent } from '../../domain/event-kinds.ts';
import type { MarketIndex, Ticker, TickerTable } from '../../domain/ids.ts';
import {
  CENT_GRID,
  DECI_CENT_GRID,
  type PriceGrid,
  TAPERED_DECI_CENT_GRID,
  priceGrid,
} from '../../domain/price-grid.ts';
import { EPOCH, type Micros, micros, PAYOUT, type Price } from '../../domain/units.ts';
import type { PrintRow } from '../baked/baked-writer.ts';

/** Granularity of prices: whole cents, tenths of a cent at the ends, tenths anywhere, or finer. */
const Fineness = { cents: 0, taperedTenths: 1, tenths: 2, finest: 3 } as const;
const NOT_SEEN = -1;
const GRIDS: readonly PriceGrid[] = [
  CENT_GRID,
  TAPERED_DECI_CENT_GRID,
  DECI_CENT_GRID,
  priceGrid([{ start: 0 as Price, end: PAYOUT, step: 1 }]),
];
/** Between these prices, tapered grids have whole cents. */
const TAPER_LOW = 1000;
const TAPER_HIGH = 9000;

function finenessOf(price: number): number {
  if (price % 100 === 0) return Fineness.cents;
  if (price % 10 !== 0) return Fineness.finest;
  return price < TAPER_LOW || price > TAPER_HIGH ? Fineness.taperedTenths : Fineness.tenths;
}

/** A market with rows. */
export interface SurveyedMarket {
  readonly ticker: Ticker;
  /** Time of its first row. `to` is the time of its last row. */
  readonly from: Micros;
  readonly to: Micros;
  /** The coarsest grid that holds all of its prices. */
  readonly grid: PriceGrid;
  /** True: its rows show that it was determined or finalized. */
  readonly hasEndInRows: boolean;
}

/** Surveys the events of an import. */
export class MarketSurvey {
  readonly tickers: TickerTable;
  /**
   * Markets by their first rows. The arrays hold the times of the first and the last row and the granularity of prices,
   * by market number.
   */
  readonly #markets: MarketIndex[] = [];
  #firsts = new Float64Array(0);
  #lasts = new Float64Array(0);
  #fineness = new Int8Array(0);
  /** Markets whose rows show that they were determined or finalized. */
  readonly #determined = new Set<MarketIndex>();
  #from: Micros | null = null;
  #to: Micros = EPOCH;
  #hasBooks = false;

  constructor(tickers: TickerTable) {
    this.tickers = tickers;
  }

  /** Times of the first and the last row; `null` without rows. */
  get span(): { readonly from: Micros; readonly to: Micros } | null {
    return this.#from === null ? null : { from: this.#from, to: this.#to };
  }

  get hasBooks(): boolean {
    return this.#hasBooks;
  }

  surveyedMarkets(): readonly SurveyedMarket[] {
    return this.#markets.map((market): SurveyedMarket => ({
      ticker: this.tickers.tickerOf(market),
      from: micros(this.#firsts[market] ?? EPOCH),
      to: micros(this.#lasts[market] ?? EPOCH),
      grid: GRIDS[this.#fineness[market] ?? NOT_SEEN] ?? CENT_GRID,
      hasEndInRows: this.#determined.has(market),
    }));
  }

  addEvent(event: TapeEvent): void {
    switch (event.kind) {
      case 'book-delta':
        this.#extendSpan(event.at);
        return this.#addPrice(event.market, event.price);
      case 'book-snapshot':
        this.#extendSpan(event.at);
        this.#hasBooks = true;
        this.#addLevels(event.market, event.bids);
        return this.#addLevels(event.market, event.asks);
      case 'print':
        return this.addPrint(event);
      case 'ticker':
        this.#extendSpan(event.at);
        for (const price of [event.bestBid, event.bestAsk, event.lastPrice]) this.#addPrice(event.market, price ?? 0);
        return;
      case 'market-changed':
        if (event.status === 'determined' || event.status === 'finalized') this.#determined.add(event.market);
        return this.#extendSpan(event.at);
      // These have no price, and do not end a market.
      case 'book-poll':
      case 'market':
      case 'event-group':
      case 'series':
      case 'fees-changed':
      case 'fees-scheduled':
      case 'markets-appeared':
      case 'exchange-status':
      case 'feed-gap':
        return this.#extendSpan(event.at);
    }
  }

  addPrint({ at, market, price }: PrintRow): void {
    this.#extendSpan(at);
    this.#addPrice(market, price);
  }

  #extendSpan(at: Micros): void {
    this.#from ??= at;
    this.#to = at;
  }

  #addLevels(market: MarketIndex, levels: Levels): void {
    this.#addPrice(market, 0);
    for (const [price] of levels) this.#addPrice(market, price);
  }

  #addPrice(market: MarketIndex, price: number): void {
    const fineness = finenessOf(price);
    const before = this.#fineness[market] ?? NOT_SEEN;
    if (before === NOT_SEEN) this.#addMarket(market);
    this.#lasts[market] = this.#to;
    if (fineness > before) this.#fineness[market] = fineness;
  }

  #addMarket(market: MarketIndex): void {
    if (market >= this.#fineness.length) this.#makeRoom(market);
    this.#firsts[market] = this.#to;
    this.#markets.push(market);
  }

  #makeRoom(market: number): void {
    const markets = Math.max(64, 2 * market);
    const [firsts, lasts, fineness] = [this.#firsts, this.#lasts, this.#fineness];
    this.#firsts = new Float64Array(markets);
    this.#lasts = new Float64Array(markets);
    this.#fineness = new Int8Array(markets).fill(NOT_SEEN);
    this.#firsts.set(firsts);
    this.#lasts.set(lasts);
    this.#fineness.set(fineness);
  }
}
