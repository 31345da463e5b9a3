// A generated stream of book changes for benchmarks and soak tests: many markets, a moving middle, about a third of the
// changes at the touch. The seed determines it. Every row keeps its book valid: no negative level, never crossed.
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformInt } from 'pure-rand/distribution/uniformInt';

/** Size of the stream, and its seed. */
export interface WorkloadOptions {
  readonly markets: number;
  readonly rows: number;
  readonly seed: number;
}

/**
 * Number of members of a row: market number, 1 for a bid or 0 for an ask, price in 1e-4 dollars, signed change in 1e-2
 * contracts.
 */
export const ROW_LENGTH = 4;

const CENTS = 99;
const DEPTH = 27;

/** Books of one market during generation: quantities by cent. */
interface GeneratedBook {
  readonly bids: Int32Array;
  readonly asks: Int32Array;
  middle: number;
}

type Draw = (from: number, to: number) => number;

/** Makes rows of `ROW_LENGTH` integers each, to be applied in order to empty books with whole-cent prices. */
export function deltaRows({ markets, rows, seed }: WorkloadOptions): Int32Array {
  const random = xoroshiro128plus(seed);
  const draw: Draw = (from, to) => uniformInt(random, from, to);
  const books = Array.from({ length: markets }, (): GeneratedBook => {
    return { bids: new Int32Array(CENTS + 1), asks: new Int32Array(CENTS + 1), middle: draw(20, 80) };
  });
  const out = new Int32Array(rows * ROW_LENGTH);
  for (let row = 0; row < rows; row++) {
    const market = draw(0, markets - 1);
    const book = books[market];
    if (book) out.set(nextRow(book, market, draw), row * ROW_LENGTH);
  }
  return out;
}

function nextRow(book: GeneratedBook, market: number, draw: Draw): [number, number, number, number] {
  const isBid = draw(0, 1) === 1;
  const side = isBid ? book.bids : book.asks;
  // Moves the middle only to a price at which no level rests.
  const next = Math.min(90, Math.max(10, book.middle + draw(-1, 1)));
  if ((book.bids[next] ?? 0) === 0 && (book.asks[next] ?? 0) === 0) book.middle = next;
  const distance = 1 + Math.floor((draw(0, 999) * draw(0, 999) * DEPTH) / 1_000_000);
  const cent = Math.min(CENTS, Math.max(1, isBid ? book.middle - distance : book.middle + distance));
  const resting = side[cent] ?? 0;
  const change = resting > 0 && draw(0, 9) < 5 ? -resting : draw(1, 50) * 100;
  side[cent] = resting + change;
  return [market, isBid ? 1 : 0, cent * 100, change];
}

/**
 * Returns the rows in reverse with opposite signs. Applied after the rows, they leave the books empty, so that one
 * block makes a stream of any length.
 */
export function undoRows(rows: Int32Array): Int32Array {
  const undone = new Int32Array(rows.length);
  const count = rows.length / ROW_LENGTH;
  for (let row = 0; row < count; row++) {
    const from = (count - 1 - row) * ROW_LENGTH;
    undone.set(rows.subarray(from, from + ROW_LENGTH), row * ROW_LENGTH);
    undone[row * ROW_LENGTH + 3] = -(rows[from + 3] ?? 0);
  }
  return undone;
}
