// The state at a point of a tape: every known book, and the definition of every market. Must never bridge a gap: a gap
// or a negative level makes a book unknown until a snapshot.
import { unreachable } from '../../base/assert.ts';
import type { ExchangeStatus, Levels, MarketChanged } from '../../domain/event.ts';
import type { EventTicker, MarketIndex, SeriesTicker } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import { type Micros, NO_QTY, type Price, type Qty, addQty } from '../../domain/units.ts';
import type { OtherEvent } from '../baked/tape-rows.ts';
import type { DeltaRow } from '../baked/baked-writer.ts';
import type { RowFact } from './row-facts.ts';

type Side = Map<Price, Qty>;
type Event<Kind extends OtherEvent['kind']> = Extract<OtherEvent, { kind: Kind }>;

interface Book {
  readonly bids: Side;
  readonly asks: Side;
}

/** A book's levels, best first. */
export interface TapeBookLevels {
  readonly bids: Levels;
  readonly asks: Levels;
}

/** The state of a tape, built fact by fact. */
export class TapeState {
  /** Known books. Added at a snapshot; removed at a gap, or when a level would become negative. */
  readonly #books = new Map<MarketIndex, Book>();
  readonly #markets = new Map<MarketIndex, Market>();
  readonly #groups = new Map<EventTicker, Event<'event-group'>>();
  readonly #series = new Map<SeriesTicker, Event<'series'>>();
  /**
   * The latest fee change of each event group since its definition. Added at a change; removed when the group is
   * defined again.
   */
  readonly #fees = new Map<EventTicker, Event<'fees-changed'>>();
  /** Scheduled fee changes: the latest event of each series. */
  readonly #plans = new Map<SeriesTicker, Event<'fees-scheduled'>>();
  readonly #tickers = new Map<MarketIndex, Event<'ticker'>>();
  #status: ExchangeStatus | null = null;

  applyFact(fact: RowFact): void {
    switch (fact.kind) {
      case 'delta':
        return this.#applyDelta(fact.row);
      case 'snapshot': {
        const { market, bids, asks } = fact.row;
        this.#books.set(market, { bids: new Map(bids), asks: new Map(asks) });
        return;
      }
      case 'other':
        return this.#applyEvent(fact.row);
      // A print leaves no state.
      case 'print':
    }
  }

  #applyDelta({ market, side, price, change }: DeltaRow): void {
    const book = this.#books.get(market);
    if (book === undefined) return;
    const levels = side === 'bid' ? book.bids : book.asks;
    const left = addQty(levels.get(price) ?? NO_QTY, change);
    if (left === 0) levels.delete(price);
    else if (left < 0) this.#books.delete(market);
    else levels.set(price, left);
  }

  #applyEvent(event: OtherEvent): void {
    switch (event.kind) {
      case 'market':
        return void this.#markets.set(event.market.index, event.market);
      case 'market-changed':
        return this.#changeMarket(event);
      case 'event-group':
        this.#fees.delete(event.group.eventTicker);
        return void this.#groups.set(event.group.eventTicker, event);
      case 'series':
        return void this.#series.set(event.series.ticker, event);
      case 'fees-changed':
        return void this.#fees.set(event.eventTicker, event);
      case 'exchange-status':
        this.#status = event;
        return;
      case 'ticker':
        return void this.#tickers.set(event.market, event);
      case 'feed-gap':
        return this.loseBooks(event.markets);
      case 'fees-scheduled':
        return void this.#plans.set(event.seriesTicker, event);
      // These events leave no state.
      case 'markets-appeared':
      case 'book-poll':
        return;
      default:
        return unreachable(event);
    }
  }

  #changeMarket({ market: index, status, closeAt, result, settlementValue, grid }: MarketChanged): void {
    const market = this.#markets.get(index);
    if (market === undefined) return;
    this.#markets.set(index, {
      ...market,
      ...(status !== undefined && { status }),
      ...(closeAt !== undefined && { closeAt }),
      ...(result !== undefined && { result }),
      ...(settlementValue !== undefined && { settlementValue }),
      ...(grid !== undefined && { grid }),
    });
  }

  /** Makes books unknown. An empty list means all books. */
  loseBooks(markets: readonly MarketIndex[]): void {
    if (markets.length === 0) this.#books.clear();
    else for (const market of markets) this.#books.delete(market);
  }

  hasBook(market: MarketIndex): boolean {
    return this.#books.has(market);
  }

  /** Markets with a known book, by number. */
  marketsWithBooks(): readonly MarketIndex[] {
    return [...this.#books.keys()].sort((a, b) => a - b);
  }

  /** Returns a market's book, best price first; `null` when it is unknown. */
  bookOf(market: MarketIndex): TapeBookLevels | null {
    const book = this.#books.get(market);
    if (book === undefined) return null;
    return {
      bids: [...book.bids].sort(([a], [b]) => b - a),
      asks: [...book.asks].sort(([a], [b]) => a - b),
    };
  }

  /** Returns a market's definition; `null` before any definition. */
  definitionOf(market: MarketIndex): Market | null {
    return this.#markets.get(market) ?? null;
  }

  /** Returns the venue's last ticker of a market; `null` before any ticker. */
  tickerOf(market: MarketIndex): Event<'ticker'> | null {
    return this.#tickers.get(market) ?? null;
  }

  /**
   * Returns all definitions, fee changes and tickers, and the exchange's status, as events at time `at`. A tape that
   * begins then must begin with these events.
   */
  *definitions(at: Micros): Generator<OtherEvent> {
    if (this.#status !== null) yield { ...this.#status, at };
    for (const event of this.#series.values()) yield { ...event, at };
    for (const event of this.#plans.values()) yield { ...event, at };
    for (const event of this.#groups.values()) yield { ...event, at };
    for (const event of this.#fees.values()) yield { ...event, at };
    for (const market of this.#markets.values()) yield { kind: 'market', at, market };
    for (const event of this.#tickers.values()) yield { ...event, at };
  }
}
