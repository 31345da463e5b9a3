// A stream as a tape: the rows that a recorder would have written, books always sane whatever was left out of the stream.
// Must never tell of a level that crosses, or takes away more than there is.
import { MemoryRows } from '../../backtest/memory-rows.ts';
import { must } from '../domain/assert.ts';
import type { BookSide } from '../domain/event.ts';
import { type MarketIndex, TickerTable, eventTicker, seriesTicker, ticker } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import { CENT_GRID, DECI_CENT_GRID } from '../domain/price-grid.ts';
import { PAYOUT, type Micros, type Price, type Qty, fromMillis, micros, price, qty } from '../domain/units.ts';
import type { Happening, Stream, StreamMarket } from './stream.ts';

/** When every stream begins. */
const STREAM_BEGIN = fromMillis(1_780_000_000_000);
/** How late a recorder learns of what happened. Microseconds. */
const LATE = 40_000;

/** A time of a stream as the tape tells it. */
export const atMillis = (ms: number): Micros => micros(STREAM_BEGIN + Math.round(ms * 1000));
/** A time of a tape as milliseconds of its stream. */
export const millisOf = (at: Micros): number => (at - STREAM_BEGIN) / 1000;

export interface RowsOptions {
  /** Numbers the markets from the last to the first. */
  readonly isReversed?: boolean;
}

type Levels = Map<number, number>;
interface Kept {
  readonly market: StreamMarket;
  readonly index: MarketIndex;
  readonly bid: Levels;
  readonly ask: Levels;
  isKnown: boolean;
  /** Until when nothing is told of it. */
  lostUntilMs: number;
}

/** The tape of a stream. */
export function streamRows(stream: Stream, { isReversed = false }: RowsOptions = {}): MemoryRows {
  return new Writer(stream, isReversed).write();
}

class Writer {
  readonly #stream: Stream;
  readonly #rows: MemoryRows;
  readonly #kept = new Map<string, Kept>();

  constructor(stream: Stream, isReversed: boolean) {
    this.#stream = stream;
    const tickers = new TickerTable();
    const named = isReversed ? [...stream.markets].reverse() : stream.markets;
    for (const each of named) tickers.intern(ticker(each.ticker));
    this.#rows = new MemoryRows(tickers);
    for (const market of stream.markets) {
      const index = tickers.intern(ticker(market.ticker));
      const kept = { market, index, bid: new Map(), ask: new Map(), isKnown: false, lostUntilMs: 0 };
      this.#kept.set(market.ticker, kept);
    }
  }

  write(): MemoryRows {
    this.#describe();
    for (const { run } of this.#agenda()) run();
    this.#rows.other({ kind: 'exchange-status', at: atMillis(this.#stream.untilMs), isActive: true, isTrading: true });
    return this.#rows;
  }

  /** Everything to be written, in the order of time. */
  #agenda(): { readonly atMs: number; readonly run: () => void }[] {
    const { happenings, untilMs } = this.#stream;
    const kept = [...this.#kept.values()];
    const all = [
      ...kept.map((each) => ({ atMs: each.market.bornMs, run: () => this.#bear(each) })),
      ...happenings.map((each) => ({ atMs: each.atMs, run: () => this.#happen(each) })),
      ...happenings.flatMap((each) =>
        each.type === 'lost' ? [{ atMs: each.untilMs, run: () => this.#find(each.untilMs) }] : [],
      ),
    ];
    return all.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
  }

  /** Series and event groups, all of them at the beginning. */
  #describe(): void {
    const { markets } = this.#stream;
    const at = atMillis(Math.min(this.#stream.untilMs, ...markets.map(({ bornMs }) => bornMs)));
    for (const name of new Set(markets.map(({ seriesTicker: series }) => series))) {
      const series = { ticker: seriesTicker(name), title: name, category: 'Generated', frequency: 'daily' };
      const fees = { feeType: 'quadratic_with_maker_fees', feeMultiplierPercent: 100 };
      this.#rows.other({ kind: 'series', at, series: { ...series, ...fees } });
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
      this.#rows.other({ kind: 'event-group', at, group });
    }
  }

  /** A market is known from now on, with an empty book. */
  #bear(kept: Kept): void {
    const { bornMs } = kept.market;
    kept.isKnown = true;
    this.#rows.other({ kind: 'market', at: atMillis(bornMs), market: marketOf(kept) });
    this.#snapshot(kept, bornMs);
  }

  /** What was lost until now is told again. */
  #find(atMs: number): void {
    for (const kept of this.#kept.values()) {
      if (kept.lostUntilMs !== atMs) continue;
      kept.lostUntilMs = 0;
      this.#snapshot(kept, atMs);
    }
  }

  #snapshot(kept: Kept, atMs: number): void {
    const levels = (side: BookSide): [Price, Qty][] =>
      [...kept[side]].map(([levelPrice, levelQty]) => [price(levelPrice), qty(levelQty)]);
    this.#rows.snapshot(timesOf(atMs), kept.index, { bids: levels('bid'), asks: levels('ask') });
  }

  #happen(what: Happening): void {
    if (what.type === 'lost') return this.#lose(what);
    const kept = this.#kept.get(what.market);
    if (kept?.isKnown !== true) return;
    if (what.type === 'level') this.#level(kept, what);
    else if (what.type === 'trade') this.#trade(kept, what);
    else this.#move(kept, what);
  }

  #lose({ atMs, untilMs, market }: Extract<Happening, { type: 'lost' }>): void {
    const concerned = [...this.#kept.values()].filter(
      ({ isKnown, market: { ticker: name } }) => isKnown && (market === null || market === name),
    );
    if (concerned.length === 0) return;
    for (const kept of concerned) kept.lostUntilMs = Math.max(kept.lostUntilMs, untilMs);
    const tickers = market === null ? [] : [market];
    this.#rows.gap({ from: atMillis(atMs), to: atMillis(untilMs), reason: 'lost', tickers });
    const markets = market === null ? [] : concerned.map(({ index }) => index);
    this.#rows.other({ kind: 'feed-gap', at: atMillis(atMs), markets, reason: 'lost' });
  }

  #level(kept: Kept, { atMs, side, price: at, qty: wanted }: Extract<Happening, { type: 'level' }>): void {
    if (wanted > 0) {
      const other = side === 'bid' ? 'ask' : 'bid';
      const crossed = [...kept[other].keys()].filter((level) => (side === 'bid' ? level <= at : level >= at));
      for (const level of crossed) this.#set(kept, { atMs, side: other, at: level, wanted: 0 });
    }
    this.#set(kept, { atMs, side, at, wanted });
  }

  #set(kept: Kept, to: { readonly atMs: number; readonly side: BookSide; readonly at: number; wanted: number }): void {
    const { atMs, side, at, wanted } = to;
    const change = wanted - (kept[side].get(at) ?? 0);
    if (change === 0) return;
    if (wanted === 0) kept[side].delete(at);
    else kept[side].set(at, wanted);
    if (kept.lostUntilMs > 0) return;
    this.#rows.delta(timesOf(atMs), { market: kept.index, side, price: price(at), change: qty(change) });
  }

  #trade(kept: Kept, { atMs, side, qty: wanted }: Extract<Happening, { type: 'trade' }>): void {
    const against = side === 'buy' ? 'ask' : 'bid';
    const levels = [...kept[against].keys()];
    if (levels.length === 0) return;
    const best = side === 'buy' ? Math.min(...levels) : Math.max(...levels);
    const resting = kept[against].get(best) ?? 0;
    const traded = Math.min(resting, wanted);
    if (kept.lostUntilMs === 0)
      this.#rows.print(timesOf(atMs), { market: kept.index, side, price: price(best), qty: qty(traded) });
    this.#set(kept, { atMs, side: against, at: best, wanted: resting - traded });
  }

  #move(kept: Kept, { atMs, status, result, value }: Extract<Happening, { type: 'life' }>): void {
    const settlementValue = valueOf(result, value);
    this.#rows.other({
      kind: 'market-changed',
      at: atMillis(atMs),
      exchangeAt: null,
      market: kept.index,
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
  return { at, venueAt: micros(at - LATE) };
};

function marketOf({ market, index }: Kept): Market {
  const told = market.isToldEarly ? market.result : null;
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
    result: told,
    settlementValue: told === null ? null : valueOf(told, undefined),
  };
}
