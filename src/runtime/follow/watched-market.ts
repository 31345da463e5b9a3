// The details of a market that a follower watches. Must never hold more prints than `PRINTS_MAX`.
import { type MarketIndex, ticker as tickerOf } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import type { BookSide } from '../../domain/event.ts';
import type { FeeLookup } from '../../risk/exposure/fee-schedules.ts';
import { formatScaled } from '../../domain/units.ts';
import { positionValue } from '../../state/account/equity.ts';
import type { LiveOrder, MarketDetail } from './follow-messages.ts';
import type { FollowSource } from './follow-source.ts';
import type { SessionWatch } from './session-watch.ts';

/** Most levels sent of each side. */
export const DEPTH_MAX = 25;
/** Most prints sent. */
export const PRINTS_MAX = 50;

/** One watched market. */
export class WatchedMarket {
  readonly ticker: string;
  readonly #source: FollowSource;
  readonly #watch: SessionWatch;
  /** The market's index at the last read; `null` while unknown. */
  #market: MarketIndex | null = null;
  #prints: MarketDetail['prints'] = [];
  #nextPrint = 0;

  constructor(ticker: string, source: FollowSource, watch: SessionWatch) {
    this.ticker = ticker;
    this.#source = source;
    this.#watch = watch;
  }

  /** Returns the present details; `null` for a market unknown to the bot. */
  readDetail(): MarketDetail | null {
    const { markets } = this.#source.engine.state;
    const market = markets.byTicker(tickerOf(this.ticker));
    if (market === undefined) return null;
    this.#readPrints(market.index);
    const trust = this.#watch.trustOf(market.index);
    return {
      ticker: market.ticker,
      status: market.status,
      result: market.result,
      trust: this.#source.engine.state.books.trust(market.index),
      trustReason: trust?.reason ?? null,
      trustSinceUs: trust?.atUs ?? null,
      bids: this.#levels(market.index, 'bid'),
      asks: this.#levels(market.index, 'ask'),
      orders: this.#orders(market.index),
      position: this.#position(market.index),
      prints: this.#prints,
      strategies: this.#strategies(market),
      fee: feeText(this.#source.engine.risk.feeLookupNow(market.index)),
    };
  }

  /** Adds the prints since the last read. A market that left memory and came back has a new index. */
  #readPrints(market: MarketIndex): void {
    if (market !== this.#market) {
      this.#market = market;
      this.#prints = [];
      this.#nextPrint = 0;
    }
    const { prints } = this.#source.engine.state.feed;
    const fresh = prints.printsOf(market, this.#nextPrint);
    this.#nextPrint = prints.count;
    if (fresh.length === 0) return;
    const added = fresh.map(({ at, side, price, qty }) => ({ atUs: at, side, price, qty }));
    this.#prints = [...this.#prints, ...added].slice(-PRINTS_MAX);
  }

  #levels(market: MarketIndex, side: BookSide): [number, number][] {
    const { books } = this.#source.engine.state;
    return books.isOpen(market) ? books.levels(market, side, DEPTH_MAX) : [];
  }

  #orders(market: MarketIndex): LiveOrder[] {
    const { orders, queueEstimates } = this.#source.engine.state;
    return orders.openIn(market).flatMap((order) => {
      const live = this.#watch.orders.liveOrder(order.clientOrderId);
      if (live === null) return [];
      return [{ ...live, queueAhead: queueEstimates.peekEstimate(order)?.aheadQty ?? null }];
    });
  }

  #position(market: MarketIndex): MarketDetail['position'] {
    const { state } = this.#source.engine;
    const { qty, cost, realized, fees } = state.portfolio.position(market);
    const valueMicros = positionValue(state, market);
    return { qty, costMicros: cost, valueMicros, realizedMicros: realized, feesMicros: fees };
  }

  #strategies({ index, ticker }: Market): MarketDetail['strategies'] {
    return this.#source.engine.strategyRunner.allStrategies().map(({ name, view, haltedBy }) => {
      const isSelected = view.markets.includes(index);
      const why = haltedBy ?? (isSelected ? null : 'its selector does not take the market');
      return { name, isSelected, why, remark: this.#watch.remarks.latestAbout(name, ticker) };
    });
  }
}

function feeText(lookup: FeeLookup): string {
  switch (lookup.type) {
    case 'unknown':
      return 'not known yet: the highest fee is assumed';
    case 'unpredictable':
      return `fee type ${lookup.feeType}, which is not known: the highest fee is assumed`;
    case 'schedule': {
      const { takerRate, makerRate, multiplierPercent } = lookup.schedule;
      if (takerRate === 0 && makerRate === 0) return 'none';
      const rate = (value: number): string => formatScaled(Math.round((value * multiplierPercent) / 100), 4);
      return `taker ${rate(takerRate)}, maker ${rate(makerRate)} × contracts × price × (1 − price)`;
    }
  }
}
