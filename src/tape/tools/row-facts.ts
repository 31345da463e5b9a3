// Converts the rows of a tape to facts, one object each, and back: for tools that make one tape from another. Must
// never be used for replay, because an object for each row is too slow there.
import type { BookSide } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Side } from '../../domain/orders/order.ts';
import type { Micros, Price, Qty } from '../../domain/units.ts';
import { parseEventText } from '../baked/event-text.ts';
import { NO_VENUE_TIME, type OtherEvent, type RowBlock, RowKind, type RowSource } from '../baked/tape-rows.ts';
import type { DeltaRow, PrintRow, RowWriter, SnapshotRow } from '../baked/baked-writer.ts';

/** One fact. A snapshot includes all of its levels. Market numbers are the tape's own. */
export type RowFact =
  | { readonly kind: 'delta'; readonly row: DeltaRow }
  | { readonly kind: 'print'; readonly row: PrintRow }
  | { readonly kind: 'snapshot'; readonly row: SnapshotRow }
  | { readonly kind: 'other'; readonly row: OtherEvent };

/** A range of times: `from` is included, `to` is not. */
export interface TimeRange {
  readonly from?: Micros;
  readonly to?: Micros;
}

type Level = readonly [Price, Qty];

/** A snapshot whose levels are still being read. `left` is the number of missing levels. */
interface PartialSnapshot {
  readonly row: SnapshotRow & { readonly bids: Level[]; readonly asks: Level[] };
  left: number;
}

/** Returns the facts of a tape, in sequence. */
export function* rowFacts(source: RowSource, range: TimeRange = {}): Generator<RowFact> {
  let partial: PartialSnapshot | null = null;
  for (const block of source.readBlocks(range)) {
    for (let row = 0; row < block.count; row++) {
      const numbers = numbersOf(block, row);
      const { kind, at, exchangeAt, market, price, qty } = numbers;
      if (partial !== null) {
        (kind === RowKind.bidLevel ? partial.row.bids : partial.row.asks).push([price, qty]);
        partial.left -= 1;
      } else if (kind === RowKind.snapshot) {
        partial = { row: { at, exchangeAt, market, bids: [], asks: [] }, left: qty };
      } else yield factOf(numbers, block, row);
      if (partial?.left !== 0) continue;
      yield { kind: 'snapshot', row: partial.row };
      partial = null;
    }
  }
}

interface RowNumbers {
  readonly kind: RowKind;
  readonly at: Micros;
  readonly exchangeAt: Micros | null;
  readonly market: MarketIndex;
  readonly price: Price;
  readonly qty: Qty;
}

function numbersOf(block: RowBlock, row: number): RowNumbers {
  const venueAt = block.venueAt[row];
  const numbers = {
    kind: block.kind[row],
    at: block.at[row],
    exchangeAt: venueAt === NO_VENUE_TIME ? null : venueAt,
    market: block.market[row],
    price: block.price[row],
    qty: block.qty[row],
  };
  // tidy: as (the writer took these types, and the checksum proves that the columns are unchanged)
  return numbers as RowNumbers;
}

function factOf({ kind, at, exchangeAt, market, price, qty }: RowNumbers, block: RowBlock, row: number): RowFact {
  switch (kind) {
    case RowKind.bid:
    case RowKind.ask: {
      const side: BookSide = kind === RowKind.bid ? 'bid' : 'ask';
      return { kind: 'delta', row: { at, exchangeAt, market, side, price, change: qty } };
    }
    case RowKind.buy:
    case RowKind.sell: {
      const side: Side = kind === RowKind.buy ? 'buy' : 'sell';
      return { kind: 'print', row: { at, exchangeAt, market, side, price, qty, tradeId: block.text(row) } };
    }
    // `rowFacts` handles snapshots and their levels itself. A level without a snapshot arrives here. It has no text, so
    // it fails like any unreadable text.
    case RowKind.snapshot:
    case RowKind.bidLevel:
    case RowKind.askLevel:
    case RowKind.other:
      return { kind: 'other', row: parseEventText(block.text(row)) };
  }
}

/** Writes a fact. */
export function writeFact(writer: RowWriter, fact: RowFact): void {
  switch (fact.kind) {
    case 'delta':
      return writer.writeDelta(fact.row);
    case 'print':
      return writer.writePrint(fact.row);
    case 'snapshot':
      return writer.writeSnapshot(fact.row);
    case 'other':
      return writer.writeOther(fact.row);
  }
}

/** Maps a market to its number on another tape; `null` when that tape leaves the market out. */
export type MarketRenumbering = (market: MarketIndex) => MarketIndex | null;

/** Returns a fact with another tape's market numbers; `null` when the other tape leaves out all markets of the fact. */
export function renumberedFact(fact: RowFact, renumber: MarketRenumbering): RowFact | null {
  if (fact.kind === 'other') {
    const row = renumberedEvent(fact.row, renumber);
    return row && { kind: 'other', row };
  }
  const market = renumber(fact.row.market);
  // tidy: as (a copy of one member of the union, with another market, has that member's type)
  return market === null ? null : ({ kind: fact.kind, row: { ...fact.row, market } } as RowFact);
}

/**
 * Returns an event with another tape's market numbers; `null` when the other tape leaves out all markets of the event.
 */
function renumberedEvent(event: OtherEvent, renumber: MarketRenumbering): OtherEvent | null {
  switch (event.kind) {
    case 'market': {
      const index = renumber(event.market.index);
      return index === null ? null : { ...event, market: { ...event.market, index } };
    }
    case 'market-changed':
    case 'ticker':
    case 'book-poll': {
      const market = renumber(event.market);
      return market === null ? null : { ...event, market };
    }
    case 'feed-gap': {
      const markets = event.markets.map(renumber).filter((market) => market !== null);
      // An empty list means all markets, so a gap without any remaining market is dropped.
      return markets.length === 0 && event.markets.length > 0 ? null : { ...event, markets };
    }
    case 'event-group':
    case 'series':
    case 'fees-changed':
    case 'fees-scheduled':
    case 'markets-appeared':
    case 'exchange-status':
      return event;
  }
}

/** Returns the one market of a fact; `null` for none or many, and for every feed gap. */
export function marketOfFact(fact: RowFact): MarketIndex | null {
  if (fact.kind !== 'other') return fact.row.market;
  const { row: event } = fact;
  switch (event.kind) {
    case 'market':
      return event.market.index;
    case 'market-changed':
    case 'ticker':
    case 'book-poll':
      return event.market;
    case 'feed-gap':
    case 'event-group':
    case 'series':
    case 'fees-changed':
    case 'fees-scheduled':
    case 'markets-appeared':
    case 'exchange-status':
      return null;
  }
}
