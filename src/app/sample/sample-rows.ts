// Writes the facts of the local exchange as rows of a tape. Must never write an order's owner: a tape holds what everyone
// may see.
import type { EventTicker } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import { type Micros, fromMillis, micros } from '../../domain/units.ts';
import type { GroupDefinition, MarketDefinition, SeriesDefinition } from '../../exchange/machine/exchange-input.ts';
import type { Fact, MarketView, PrintView } from '../../exchange/machine/exchange-output.ts';
import type { RowWriter } from '../../tape/baked/baked-writer.ts';

/** Time from a fact to its receipt by the recorder. */
const FEED_DELAY = fromMillis(20);
const receivedAt = (at: Micros): Micros => micros(at + FEED_DELAY);

/** Writes rows in the sequence of the facts. */
export class SampleRows {
  readonly #writer: RowWriter;

  constructor(writer: RowWriter) {
    this.#writer = writer;
  }

  addSeries(series: SeriesDefinition, at: Micros): void {
    this.#writer.writeOther({ kind: 'series', at: receivedAt(at), series });
  }

  /** Writes an event group. Its markets follow as facts. */
  addGroup(group: GroupDefinition, markets: readonly MarketDefinition[], at: Micros): void {
    const { ticker, seriesTicker, title, isExclusive } = group;
    const tickers = markets.map((market) => market.ticker);
    const defined = { eventTicker: ticker, seriesTicker, title, isExclusive, tickers };
    this.#writer.writeOther({ kind: 'event-group', at: receivedAt(at), group: defined });
  }

  addFacts(facts: readonly Fact[]): void {
    for (const fact of facts) this.#addFact(fact);
  }

  /** Writes a public fact of a market. The tape's own books say the same as tickers; other facts are private, or not made. */
  #addFact(fact: Fact): void {
    if (fact.type === 'book-delta') return this.#addDelta(fact);
    if (fact.type === 'print') return this.#addPrint(fact.print);
    if (fact.type !== 'market') return;
    if (fact.word === 'created') this.#addMarket(fact.market, receivedAt(fact.at));
    else this.#addChange(fact.market, fact.at);
  }

  #addDelta({ at: exchangeAt, ticker, side, price, change }: Extract<Fact, { type: 'book-delta' }>): void {
    const market = this.#writer.marketNumber(ticker);
    this.#writer.writeDelta({ at: receivedAt(exchangeAt), exchangeAt, market, side, price, change });
  }

  #addPrint({ at: exchangeAt, ticker, takerSide: side, price, qty, tradeId }: PrintView): void {
    const market = this.#writer.marketNumber(ticker);
    this.#writer.writePrint({ at: receivedAt(exchangeAt), exchangeAt, market, side, price, qty, tradeId });
  }

  #addMarket(view: MarketView, at: Micros): void {
    const writer = this.#writer;
    const market = this.#marketOf(view);
    const { ticker, eventTicker } = market;
    writer.writeOther({ kind: 'market', at, market });
    writer.writeOther({ kind: 'markets-appeared', at, ...appeared(ticker, eventTicker) });
    writer.writeSnapshot({ at, exchangeAt: null, market: market.index, bids: [], asks: [] });
  }

  #addChange({ definition, status, result, settlementValue }: MarketView, exchangeAt: Micros): void {
    const market = this.#writer.marketNumber(definition.ticker);
    const at = receivedAt(exchangeAt);
    const hasResult = status === 'determined';
    this.#writer.writeOther({
      kind: 'market-changed',
      at,
      exchangeAt,
      market,
      status,
      ...(hasResult && { result, settlementValue }),
    });
  }

  #marketOf({ definition, grid, status }: MarketView): Market {
    const { ticker, eventTicker, title, openAt, closeAt, canCloseEarly, strike = null } = definition;
    const index = this.#writer.marketNumber(ticker);
    const life = { status, openAt, closeAt, canCloseEarly, result: null, settlementValue: null };
    return { ticker, index, eventTicker, title, grid, strike, ...life };
  }
}

const appeared = (ticker: Market['ticker'], eventTicker: EventTicker) => ({ ticker, eventTicker, seriesTicker: null });
