// A book that was copied back equals one that was never shared: its levels, and its latest change.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SharedBooks } from '../../backtest/shared-books.ts';
import { MemoryRows } from '../../backtest/memory-rows.ts';
import { RowCursor } from '../../backtest/row-cursor.ts';
import { SharedBlocks } from '../../backtest/shared-blocks.ts';
import type { BookSide, Levels } from '../../src/domain/event.ts';
import { type MarketIndex, TickerTable, ticker } from '../../src/domain/ids.ts';
import { CENT_GRID } from '../../src/domain/price-grid.ts';
import { EPOCH, type Micros, type Price, type Qty, cents, contracts } from '../../src/domain/units.ts';
import { OrderBooks } from '../../src/state/books/order-books.ts';
import { SIDE_OF_KIND } from '../../backtest/bot-side.ts';
import { RowKind } from '../../src/tape/baked/tape-rows.ts';
import { runCount } from '../support/runner/property-runs.ts';
import { FillBench } from '../venues/simulated/matching/fill-bench.ts';

const OURS = 0 as MarketIndex;
const OTHER = 1 as MarketIndex;
const LEVELS = [
  ['bid', 48],
  ['bid', 49],
  ['ask', 52],
  ['ask', 53],
] as const;
const MUCH = 1000;

interface Fact {
  readonly isOurs: boolean;
  readonly type: 'change' | 'print' | 'snapshot';
  readonly level: (typeof LEVELS)[number];
  readonly qty: number;
}

const someFacts = fc.array(
  fc.record<Fact>({
    isOurs: fc.boolean(),
    type: fc.oneof(
      { weight: 8, arbitrary: fc.constant('change') },
      { weight: 1, arbitrary: fc.constantFrom('print', 'snapshot') },
    ),
    level: fc.constantFrom(...LEVELS),
    qty: fc.integer({ min: -3, max: 3 }),
  }),
  { maxLength: 40 },
);

/** Steps: rows pass at the venue or reach the bot, books are shared, or our book is reclaimed. */
const someSteps = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ type: fc.constantFrom('there', 'here'), rows: fc.integer({ min: 1, max: 9 }) }),
    },
    { weight: 8, arbitrary: fc.record({ type: fc.constantFrom('lend', 'look'), rows: fc.constant(0) }) },
  ),
  { maxLength: 60 },
);

const levelsOf = (side: BookSide): Levels =>
  LEVELS.filter((level) => level[0] === side).map(([, at]) => [cents(at), contracts(MUCH)]);
const BOOK = { bids: levelsOf('bid'), asks: levelsOf('ask') };

/** A tape of events; a print hits the bids, and a snapshot restores the first book. */
function tapeOf(facts: readonly Fact[], blockRows: number): MemoryRows {
  const tickers = new TickerTable();
  for (const name of ['OURS', 'OTHER']) tickers.internTicker(ticker(name));
  const tape = new MemoryRows(tickers, blockRows);
  for (const [index, { isOurs, type, level, qty }] of facts.entries()) {
    const [market, times] = [isOurs ? OURS : OTHER, { at: (index + 1) as Micros }];
    if (type === 'snapshot') tape.addSnapshot(times, market, BOOK);
    else if (type === 'print') tape.addPrint(times, { market, side: 'sell', price: cents(48), qty: contracts(1) });
    else tape.addDelta(times, { market, side: level[0], price: cents(level[1]), change: contracts(qty) });
  }
  return tape;
}

/** A fill simulator that shares its books, one that does not, and a bot, on one tape. */
class TwoSimulators {
  readonly sharing = new FillBench();
  readonly unsharing = new FillBench();
  readonly #simulators = [this.sharing, this.unsharing];
  readonly #snapshotAt = [0, 0];
  readonly #venueCursor: RowCursor;
  readonly #botCursor: RowCursor;
  readonly #books = new OrderBooks();
  readonly #sharedBooks: SharedBooks;

  constructor(tape: MemoryRows) {
    const line = new SharedBlocks(tape, {}, 2);
    this.#venueCursor = new RowCursor(line);
    this.#botCursor = new RowCursor(line);
    for (const { matching } of this.#simulators) matching.openMarket(OTHER, CENT_GRID);
    for (const market of [OURS, OTHER]) {
      this.#books.openBook(market, CENT_GRID);
      this.#books.applySnapshot({ at: EPOCH, exchangeAt: null, market, ...BOOK });
      for (const { matching } of this.#simulators) matching.applySnapshot(market, BOOK.bids, BOOK.asks);
    }
    this.#sharedBooks = new SharedBooks({
      venue: { matching: this.sharing.matching, streamedFrom: new Float64Array(2) },
      books: this.#books,
      venueSide: { cursor: this.#venueCursor, rowsAtSnapshot: (market) => this.#snapshotAt[market] ?? 0 },
      botSide: { cursor: this.#botCursor, deliveringRow: -1 },
      marketCount: () => tape.tickers.size,
    });
    this.#sharedBooks.rowsUnshared = 0;
  }

  lend(): void {
    this.#sharedBooks.shareBooks();
  }

  /** Passes rows at the venue; the rows of a snapshot pass together, so it may be a few more. */
  passAtVenue(rows: number): void {
    const cursor = this.#venueCursor;
    for (const to = cursor.passed + rows; cursor.passed < to && !cursor.isOver;) {
      const { row, rowKind } = cursor;
      const market = cursor.market[row] as MarketIndex;
      const [price, amount] = [cursor.price[row] as Price, cursor.qty[row] as Qty];
      const side = SIDE_OF_KIND[rowKind];
      if (rowKind === RowKind.snapshot) {
        const { bids, asks } = cursor.readSnapshot();
        this.#snapshotAt[market] = cursor.passed;
        for (const { matching } of this.#simulators) matching.applySnapshot(market, bids, asks);
        continue;
      }
      cursor.nextRow();
      for (const { matching } of this.#simulators)
        if (side === undefined) matching.applyPrint({ market, price, side: 'sell', qty: amount });
        else matching.applyDelta({ market, price, side, change: amount });
    }
  }

  /** Delivers rows to the bot, as far as they have passed at the venue. */
  deliverToBot(rows: number): void {
    const cursor = this.#botCursor;
    for (const to = Math.min(cursor.passed + rows, this.#venueCursor.passed); cursor.passed < to;) {
      const { row, rowKind } = cursor;
      const [market, side] = [cursor.market[row] as MarketIndex, SIDE_OF_KIND[rowKind]];
      const change = { market, price: cursor.price[row] as Price, change: cursor.qty[row] as Qty };
      if (rowKind === RowKind.snapshot)
        this.#books.applySnapshot({ at: EPOCH, exchangeAt: null, market, ...cursor.readSnapshot() });
      else cursor.nextRow();
      if (side !== undefined) this.#books.applyDelta({ ...change, side, at: EPOCH, exchangeAt: null });
    }
  }
}

/**
 * The observable state of our book in a fill simulator: its levels, and the queue positions of orders that join each
 * level now and see a late print.
 */
function stateIn({ sharing, unsharing }: TwoSimulators, which: 'lending' | 'keeping', count: number): unknown {
  const bench = which === 'lending' ? sharing : unsharing;
  const state: unknown[] = [bench.matching.levelsOf(OURS)];
  for (const [index, [side, at]] of LEVELS.entries()) {
    const id = `${count}-${index}`;
    bench.place({ id, side: side === 'bid' ? 'buy' : 'sell', cents: at, contracts: 1 });
    bench.print(side === 'bid' ? 'sell' : 'buy', at, 2);
    state.push(bench.ahead(id));
    bench.matching.cancelOrder(id);
  }
  return state;
}

describe('a book that is copied back', () => {
  it('equals a book that was never shared, in its levels and its latest change', () => {
    let sharedLooks = 0;
    fc.assert(
      fc.property(someFacts, fc.integer({ min: 1, max: 20 }), someSteps, (facts, blockRows, steps) => {
        const simulators = new TwoSimulators(tapeOf(facts, blockRows));
        simulators.passAtVenue(1);
        for (const [count, { type, rows }] of [...steps, { type: 'look', rows: 0 } as const].entries()) {
          if (type === 'there') simulators.passAtVenue(rows);
          if (type === 'here') simulators.deliverToBot(rows);
          if (type === 'lend') simulators.lend();
          if (type !== 'look') continue;
          if (simulators.sharing.matching.isBookShared(OURS)) sharedLooks += 1;
          expect(stateIn(simulators, 'lending', count)).toEqual(stateIn(simulators, 'keeping', count));
        }
      }),
      { numRuns: runCount(2000) },
    );
    expect(sharedLooks).toBeGreaterThan(100);
  });
});
