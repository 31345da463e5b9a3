// Writes a stream (generated markets with their events) as the tape of a recorder. The books stay valid even when any
// part of the stream was left out. Must never write a crossed book, or remove more than there is.
import { MemoryRows } from '../../../backtest/memory-rows.ts';
import { must } from '../../base/assert.ts';
import type { BookSide } from '../../domain/event.ts';
import { type MarketIndex, TickerTable, eventTicker, seriesTicker, ticker } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import { CENT_GRID, DECI_CENT_GRID } from '../../domain/price-grid.ts';
import { PAYOUT, type Micros, type Price, type Qty, fromMillis, micros, price, qty } from '../../domain/units.ts';
import type { Happening, Stream, StreamMarket } from './stream.ts';

/** Start of every stream. */
const STREAM_START = fromMillis(1_780_000_000_000);
/** Delay between an event and its record. Microseconds. */
const RECORDER_DELAY = 40_000;

/** Converts a time of a stream to a time of the tape. */
export const atMillis = (ms: number): Micros => micros(STREAM_START + Math.round(ms * 1000));
/** Converts a time of a tape to milliseconds of its stream. */
export const millisOf = (at: Micros): number => (at - STREAM_START) / 1000;

export interface RowsOptions {
  /** Assigns the market indexes from the last market to the first. */
  readonly isReversed?: boolean;
}

type Levels = Map<number, number>;
interface MarketRows {
  readonly market: StreamMarket;
  readonly index: MarketIndex;
  readonly bid: Levels;
  readonly ask: Levels;
  isKnown: boolean;
  /** End of a data loss, or 0. No changes of the book are written until then. */
  lostUntilMs: number;
}

/** Returns the rows of a stream's tape. */
export function streamRows(stream: Stream, { isReversed = false }: RowsOptions = {}): MemoryRows {
  return new Writer(stream, isReversed).write();
}

class Writer {
  readonly #stream: Stream;
  readonly #rows: MemoryRows;
  readonly #byTicker = new Map<string, MarketRows>();

  constructor(stream: Stream, isReversed: boolean) {
    this.#stream = stream;
    const tickers = new TickerTable();
    const ordered = isReversed ? [...stream.markets].reverse() : stream.markets;
    for (const each of ordered) tickers.internTicker(ticker(each.ticker));
    this.#rows = new MemoryRows(tickers);
    for (const market of stream.markets) {
      const index = tickers.internTicker(ticker(market.ticker));
      const entry = { market, index, bid: new Map(), ask: new Map(), isKnown: false, lostUntilMs: 0 };
      this.#byTicker.set(market.ticker, entry);
    }
  }

  write(): MemoryRows {
    this.#describe();
    for (const { run } of this.#schedule()) run();
    this.#rows.addEvent({
      kind: 'exchange-status',
      at: atMillis(this.#stream.untilMs),
      isActive: true,
      isTrading: true,
    });
    return this.#rows;
  }

  #schedule(): { readonly atMs: number; readonly run: () => void }[] {
    const { happenings, untilMs } = this.#stream;
    const entries = [...this.#byTicker.values()];
    const all = [
      ...entries.map((each) => ({ atMs: each.market.bornMs, run: () => this.#announce(each) })),
      ...happenings.map((each) => ({ atMs: each.atMs, run: () => this.#applyHappening(each) })),
      ...happenings.flatMap((each) =>
        each.type === 'lost' ? [{ atMs: each.untilMs, run: () => this.#endLoss(each.untilMs) }] : [],
      ),
    ];
    return all.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
  }

  /** Writes all series and event groups at the beginning. */
  #describe(): void {
    const { markets } = this.#stream;
    const at = atMillis(Math.min(this.#stream.untilMs, ...markets.map(({ bornMs }) => bornMs)));
    for (const name of new Set(markets.map(({ seriesTicker: series }) => series))) {
      const series = { ticker: seriesTicker(name), title: name, category: 'Generated', frequency: 'daily' };
      const fees = { feeType: 'quadratic_with_maker_fees', feeMultiplierPercent: 100 };
      this.#rows.addEvent({ kind: 'series', at, series: { ...series, ...fees } });
    }
    for (const name of new Set(markets.map(({ eventTicker: event }) => event))) {
      const members = markets.filter((each) => each.eventTicker === name);
      const first = must(members[0], 'a group has a member');
      const group = {
        eventTicker: eventTicker(name),
        seriesTicker: seriesTicker(first.seriesTicker),
        title: name,
        isExclusive: first.isExclusive,
        tickers: members.map((each) => ticker(each.ticker)),
      };
      this.#rows.addEvent({ kind: 'event-group', at, group });
    }
  }

  #announce(entry: MarketRows): void {
    const { bornMs } = entry.market;
    entry.isKnown = true;
    this.#rows.addEvent({ kind: 'market', at: atMillis(bornMs), market: marketOf(entry) });
    this.#snapshot(entry, bornMs);
  }

  /** Writes a snapshot of each book whose data loss ends now. */
  #endLoss(atMs: number): void {
    for (const entry of this.#byTicker.values()) {
      if (entry.lostUntilMs !== atMs) continue;
      entry.lostUntilMs = 0;
      this.#snapshot(entry, atMs);
    }
  }

  #snapshot(entry: MarketRows, atMs: number): void {
    const levels = (side: BookSide): [Price, Qty][] =>
      [...entry[side]].map(([levelPrice, levelQty]) => [price(levelPrice), qty(levelQty)]);
    this.#rows.addSnapshot(timesOf(atMs), entry.index, { bids: levels('bid'), asks: levels('ask') });
  }

  #applyHappening(what: Happening): void {
    if (what.type === 'lost') return this.#startLoss(what);
    const entry = this.#byTicker.get(what.market);
    if (entry?.isKnown !== true) return;
    if (what.type === 'level') this.#level(entry, what);
    else if (what.type === 'trade') this.#trade(entry, what);
    else this.#changeStatus(entry, what);
  }

  #startLoss({ atMs, untilMs, market }: Extract<Happening, { type: 'lost' }>): void {
    const lost = [...this.#byTicker.values()].filter(
      ({ isKnown, market: { ticker: name } }) => isKnown && (market === null || market === name),
    );
    if (lost.length === 0) return;
    for (const entry of lost) entry.lostUntilMs = Math.max(entry.lostUntilMs, untilMs);
    const tickers = market === null ? [] : [market];
    this.#rows.addGap({ from: atMillis(atMs), to: atMillis(untilMs), reason: 'lost', tickers });
    const markets = market === null ? [] : lost.map(({ index }) => index);
    this.#rows.addEvent({ kind: 'feed-gap', at: atMillis(atMs), markets, reason: 'lost' });
  }

  #level(entry: MarketRows, { atMs, side, price: at, qty: newQty }: Extract<Happening, { type: 'level' }>): void {
    if (newQty > 0) {
      const other = side === 'bid' ? 'ask' : 'bid';
      const crossed = [...entry[other].keys()].filter((level) => (side === 'bid' ? level <= at : level >= at));
      for (const level of crossed) this.#setLevel(entry, { atMs, side: other, at: level, wanted: 0 });
    }
    this.#setLevel(entry, { atMs, side, at, wanted: newQty });
  }

  #setLevel(
    entry: MarketRows,
    to: { readonly atMs: number; readonly side: BookSide; readonly at: number; wanted: number },
  ): void {
    const { atMs, side, at, wanted } = to;
    const change = wanted - (entry[side].get(at) ?? 0);
    if (change === 0) return;
    if (wanted === 0) entry[side].delete(at);
    else entry[side].set(at, wanted);
    if (entry.lostUntilMs > 0) return;
    this.#rows.addDelta(timesOf(atMs), { market: entry.index, side, price: price(at), change: qty(change) });
  }

  #trade(entry: MarketRows, { atMs, side, qty: wanted }: Extract<Happening, { type: 'trade' }>): void {
    const against = side === 'buy' ? 'ask' : 'bid';
    const levels = [...entry[against].keys()];
    if (levels.length === 0) return;
    const best = side === 'buy' ? Math.min(...levels) : Math.max(...levels);
    const resting = entry[against].get(best) ?? 0;
    const traded = Math.min(resting, wanted);
    if (entry.lostUntilMs === 0)
      this.#rows.addPrint(timesOf(atMs), { market: entry.index, side, price: price(best), qty: qty(traded) });
    this.#setLevel(entry, { atMs, side: against, at: best, wanted: resting - traded });
  }

  #changeStatus(entry: MarketRows, { atMs, status, result, value }: Extract<Happening, { type: 'life' }>): void {
    const settlementValue = valueOf(result, value);
    this.#rows.addEvent({
      kind: 'market-changed',
      at: atMillis(atMs),
      exchangeAt: null,
      market: entry.index,
      status,
      ...(result !== undefined && { result }),
      ...(settlementValue !== null && { settlementValue }),
    });
  }
}

const valueOf = (result: string | undefined, value: number | undefined): Price | null => {
  if (value !== undefined) return price(value);
  return result === 'yes' ? PAYOUT : result === 'no' ? price(0) : null;
};

const timesOf = (atMs: number): { readonly at: Micros; readonly venueAt: Micros } => {
  const at = atMillis(atMs);
  return { at, venueAt: micros(at - RECORDER_DELAY) };
};

function marketOf({ market, index }: MarketRows): Market {
  const knownResult = market.isToldEarly ? market.result : null;
  return {
    ticker: ticker(market.ticker),
    index,
    eventTicker: eventTicker(market.eventTicker),
    title: `Will ${market.ticker} be?`,
    status: 'active',
    openAt: atMillis(market.bornMs),
    closeAt: atMillis(market.closesMs),
    canCloseEarly: true,
    grid: market.grid === 'cent' ? CENT_GRID : DECI_CENT_GRID,
    strike: market.strike,
    result: knownResult,
    settlementValue: knownResult === null ? null : valueOf(knownResult, undefined),
  };
}
