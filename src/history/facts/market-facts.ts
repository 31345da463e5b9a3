// Facts about markets: descriptions, results, the best prices of each minute and the last price of each day. Prices
// come from messages with whole prices, never from changes of a level. Must never price a paid-out market.
import type {
  BookPoll,
  BookSnapshot,
  EventGroupDefined,
  Levels,
  MarketChanged,
  MarketDefined,
  SettlementsPage,
  TickerUpdate,
} from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { isSettled } from '../../domain/market.ts';
import { dayOf } from '../account/daily-fold.ts';
import type { FactPlace, MarketFact, SettlementFact } from './fact-rows.ts';
import { type FactTables, type TouchFact, minuteOf } from './fact-tables.ts';

/** An event about markets. */
export type MarketFactEvent =
  | MarketDefined
  | MarketChanged
  | EventGroupDefined
  | SettlementsPage
  | TickerUpdate
  | BookSnapshot
  | BookPoll;

export interface MarketFactsOptions {
  readonly tables: FactTables;
  readonly marketOf: (index: MarketIndex) => MarketFact | null;
}

interface LastPrice {
  readonly day: number;
  readonly atUs: number;
  readonly yes: number;
}

/** Follows the markets of one session. */
export class MarketFacts {
  readonly #options: MarketFactsOptions;
  readonly #tables: FactTables;
  /** Prices not written yet. Added by a message; removed when written. */
  readonly #prices = new Map<MarketFact, LastPrice>();
  /** Latest best prices not written yet. Added by a message; removed when written. */
  readonly #touches = new Map<MarketFact, TouchFact>();

  constructor(options: MarketFactsOptions) {
    this.#options = options;
    this.#tables = options.tables;
  }

  recordEvent(event: MarketFactEvent, place: FactPlace): void {
    switch (event.kind) {
      case 'market':
        return this.#describe(event, place);
      case 'market-changed':
        return this.#change(event, place);
      case 'event-group':
        return this.#tables.describeGroup(event.group.eventTicker, event.group.seriesTicker);
      case 'settlements':
        for (const { market, result, settlementValue, settledAt } of event.rows)
          this.#settle(market, { sessionId: place.sessionId, result, price: settlementValue, atUs: settledAt });
        return;
      case 'ticker':
        return this.#setPrice(event.market, place.atUs, event);
      case 'book-snapshot':
      case 'book-poll':
        return this.#setPrice(event.market, place.atUs, touchOf(event.bids, event.asks));
    }
  }

  #describe({ market }: MarketDefined, { sessionId, atUs }: FactPlace): void {
    const fact = this.#tables.marketNamed(market.ticker);
    const { eventTicker: group, title, status, closeAt, result, settlementValue: price } = market;
    // An embedded exchange begins again with the same markets: what it settled before belongs to an earlier session.
    if (fact.settled_us !== null && !isSettled(status) && this.#tables.endSettlements(fact, sessionId))
      this.#tables.describeMarket(fact, { settled_us: null });
    const isOver = fact.settled_us !== null;
    this.#tables.describeMarket(fact, {
      event_group: group,
      title,
      close_us: closeAt,
      ...(!isOver && { status, result, settlement_price: price }),
    });
    if (isSettled(status) && price !== null) this.#settleFact(fact, { sessionId, result, price, atUs });
    this.#priceDetermined(fact, atUs);
  }

  #change(event: MarketChanged, { sessionId, atUs }: FactPlace): void {
    const fact = this.#options.marketOf(event.market);
    if (fact === null || fact.settled_us !== null) return;
    const { status, closeAt, result, settlementValue } = event;
    this.#tables.describeMarket(fact, {
      ...(status !== undefined && { status }),
      ...(closeAt !== undefined && { close_us: closeAt }),
      ...(result !== undefined && { result }),
      ...(settlementValue !== undefined && { settlement_price: settlementValue }),
    });
    if (status !== undefined && isSettled(status) && fact.settlement_price !== null)
      this.#settleFact(fact, {
        sessionId,
        result: fact.result,
        price: fact.settlement_price,
        atUs: event.exchangeAt ?? atUs,
      });
    this.#priceDetermined(fact, atUs);
  }

  /** A determined market that is not paid out yet is worth its settlement value. */
  #priceDetermined(fact: MarketFact, atUs: number): void {
    if (fact.settled_us === null && fact.settlement_price !== null)
      this.#keepPrice(fact, { day: dayOf(atUs), atUs, yes: fact.settlement_price });
  }

  #settle(index: MarketIndex, settlement: Settlement): void {
    const fact = this.#options.marketOf(index);
    if (fact !== null) this.#settleFact(fact, settlement);
  }

  /** Records a settlement. Only the first message about it counts. */
  #settleFact(fact: MarketFact, { sessionId, result, price, atUs }: Settlement): void {
    if (fact.settled_us !== null) return;
    this.#tables.addSettlement(fact, { sessionId, atUs, price });
    this.#tables.describeMarket(fact, { status: 'finalized', result, settlement_price: price, settled_us: atUs });
  }

  #setPrice(index: MarketIndex, atUs: number, { bestBid, bestAsk }: Touch): void {
    const fact = this.#options.marketOf(index);
    if (fact === null || fact.settled_us !== null) return;
    this.#setTouch(fact, { atUs, bestBid, bestAsk });
    const yes = bestBid !== null && bestAsk !== null ? Math.floor((bestBid + bestAsk) / 2) : (bestBid ?? bestAsk);
    if (yes !== null && fact.settlement_price === null) this.#keepPrice(fact, { day: dayOf(atUs), atUs, yes });
  }

  #keepPrice(fact: MarketFact, price: LastPrice): void {
    const last = this.#prices.get(fact);
    if (last !== undefined && last.day !== price.day) this.#tables.setPrice(fact, last);
    this.#prices.set(fact, price);
  }

  #setTouch(fact: MarketFact, touch: TouchFact): void {
    const last = this.#touches.get(fact);
    if (last !== undefined && minuteOf(last.atUs) !== minuteOf(touch.atUs)) this.#tables.setQuote(fact, last);
    this.#touches.set(fact, touch);
  }

  writePrices(): void {
    for (const [market, touch] of this.#touches) this.#tables.setQuote(market, touch);
    this.#touches.clear();
    for (const [market, price] of this.#prices) this.#tables.setPrice(market, price);
    this.#prices.clear();
  }
}

interface Settlement extends SettlementFact {
  readonly result: string | null;
}

interface Touch {
  readonly bestBid: number | null;
  readonly bestAsk: number | null;
}

function touchOf(bids: Levels, asks: Levels): Touch {
  let bestBid: number | null = null;
  let bestAsk: number | null = null;
  for (const [price] of bids) if (bestBid === null || price > bestBid) bestBid = price;
  for (const [price] of asks) if (bestAsk === null || price < bestAsk) bestAsk = price;
  return { bestBid, bestAsk };
}
