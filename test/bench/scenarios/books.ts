// The speed at which books apply changes, and their memory, against the bare loop: typed arrays and nothing else.
import type { BookDelta } from '../../../src/domain/event.ts';
import { deltaRows, ROW_LENGTH, undoRows } from '../../support/tapes/workload.ts';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import { CENT_GRID } from '../../../src/domain/price-grid.ts';
import { type Micros, type Price, type Qty, cents, contracts } from '../../../src/domain/units.ts';
import { OrderBooks } from '../../../src/state/books/order-books.ts';
import type { Figures, Scenario } from '../scenario.ts';

const MARKETS = 1000;
const ROWS = 1_000_000;
const PASSES = 10;

function blocks(): Int32Array[] {
  const rows = deltaRows({ markets: MARKETS, rows: ROWS, seed: 7 });
  return [rows, undoRows(rows)];
}

/** The change rate of a function over the stream, after one pass to warm up. */
function measure(apply: (rows: Int32Array) => void): Figures {
  const stream = blocks();
  for (const rows of stream) apply(rows);
  const begun = performance.now();
  for (let pass = 0; pass < PASSES; pass++) apply(stream[pass % 2] ?? new Int32Array());
  return { changesPerSecond: (ROWS * PASSES * 1000) / (performance.now() - begun) };
}

/** The bare loop: everything but the book itself removed. It is the limit of this language here. */
export const bareLoop: Scenario = {
  name: 'books-bare',
  what: 'rows → flat typed array plus best prices: no trust, no grid, no checks',
  run() {
    const cells = new Int32Array(MARKETS * 256);
    const bestBid = new Uint8Array(MARKETS);
    const bestAsk = new Uint8Array(MARKETS).fill(100);
    const figures = measure((rows) => applyBare(rows, { cells, bestBid, bestAsk }));
    return { ...figures, checksum: checksum(bestBid) };
  },
};

interface Bare {
  readonly cells: Int32Array;
  readonly bestBid: Uint8Array;
  readonly bestAsk: Uint8Array;
}

function applyBare(rows: Int32Array, bare: Bare): void {
  for (let at = 0; at < rows.length; at += ROW_LENGTH) {
    const market = rows[at] ?? 0;
    const cent = (((rows[at + 2] ?? 0) * 5243) >> 19) | 0;
    const change = rows[at + 3] ?? 0;
    if (rows[at + 1] === 1) applyBareBid(bare, (market << 8) + cent, change);
    else applyBareAsk(bare, (market << 8) + 128 + cent, change);
  }
}

function applyBareBid({ cells, bestBid }: Bare, slot: number, change: number): void {
  const market = slot >> 8;
  const cent = slot & 127;
  const qty = ((cells[slot] ?? 0) + change) | 0;
  cells[slot] = qty;
  if (qty > 0) {
    if (cent > (bestBid[market] ?? 0)) bestBid[market] = cent;
  } else if (cent === bestBid[market]) {
    let next = cent - 1;
    while (next > 0 && cells[slot - cent + next] === 0) next -= 1;
    bestBid[market] = next;
  }
}

function applyBareAsk({ cells, bestAsk }: Bare, slot: number, change: number): void {
  const market = slot >> 8;
  const cent = slot & 127;
  const qty = ((cells[slot] ?? 0) + change) | 0;
  cells[slot] = qty;
  if (qty > 0) {
    if (cent < (bestAsk[market] ?? 0)) bestAsk[market] = cent;
  } else if (cent === bestAsk[market]) {
    let next = cent + 1;
    while (next < 100 && cells[slot - cent + next] === 0) next += 1;
    bestAsk[market] = next;
  }
}

const checksum = (values: Uint8Array): number => values.reduce((sum, value) => sum + value, 0);

/** The books of the state, as the engine uses them. */
export const books: Scenario = {
  name: 'books',
  what: 'the same rows → Books.applyDelta: grid, trust, overflow and crossing checked',
  baseline: 'books-bare',
  run() {
    const state = openBooks(MARKETS);
    const delta = deltaOf(0 as MarketIndex);
    return measure((rows) => {
      for (let at = 0; at < rows.length; at += ROW_LENGTH) {
        delta.market = (rows[at] ?? 0) as MarketIndex;
        delta.side = rows[at + 1] === 1 ? 'bid' : 'ask';
        delta.price = (rows[at + 2] ?? 0) as Price;
        delta.change = (rows[at + 3] ?? 0) as Qty;
        delta.at = at as Micros;
        state.applyDelta(delta);
      }
    });
  },
};

/** A delta of five contracts, filled again for every change as the feed's normalizer does. */
const deltaOf = (market: MarketIndex): BookDelta => ({
  kind: 'book-delta',
  at: 0 as Micros,
  exchangeAt: null,
  market,
  side: 'bid',
  price: cents(1),
  change: contracts(5),
});

function openBooks(markets: number): OrderBooks {
  const state = new OrderBooks(markets);
  for (let market = 0; market < markets; market++) {
    state.openBook(market as MarketIndex, CENT_GRID);
    state.applySnapshot({ at: 0 as Micros, exchangeAt: null, market: market as MarketIndex, bids: [], asks: [] });
  }
  return state;
}

/** Memory of a book with every level occupied. */
export const bookMemory: Scenario = {
  name: 'books-memory',
  what: 'bytes held by 10 000 whole-cent books at full depth',
  run() {
    const markets = 10_000;
    global.gc?.();
    const before = process.memoryUsage();
    const state = openBooks(markets);
    for (let market = 0; market < markets; market++)
      for (let cent = 1; cent < 50; cent++) {
        const delta = deltaOf(market as MarketIndex);
        state.applyDelta({ ...delta, side: 'bid', price: cents(cent) });
        state.applyDelta({ ...delta, side: 'ask', price: cents(100 - cent) });
      }
    global.gc?.();
    const after = process.memoryUsage();
    const held = after.heapUsed + after.external - before.heapUsed - before.external;
    return { bytesPerMarket: held / markets, arenaBytesPerMarket: state.byteLength / markets };
  },
};
