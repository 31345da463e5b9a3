// The books of a capture, followed along: to count what cannot be right, and to compare what is told twice.
// Must never change what goes onto the tape.
import type { BookDelta, Levels } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';

type Ladder = Map<number, number>;

interface Book {
  readonly bids: Ladder;
  readonly asks: Ladder;
  bestBid: number;
  bestAsk: number;
  /** Whether its sides met after the last change. */
  meets: boolean;
}

/** What a change did to a book that cannot be right. */
export type BookFault = 'negative-level' | 'crossed-book' | 'locked-book' | null;

const NO_BID = -1;
const NO_ASK = 10_001;

/** Follows books. */
export class BookAudit {
  readonly #books = new Map<MarketIndex, Book>();

  /** A market whose book has been told and not been lost. */
  knows(market: MarketIndex): boolean {
    return this.#books.has(market);
  }

  /** Nothing is known of these books any more; of none at all where none is named. */
  lose(markets: readonly MarketIndex[]): void {
    if (markets.length === 0) this.#books.clear();
    for (const market of markets) this.#books.delete(market);
  }

  snapshot(market: MarketIndex, bids: Levels, asks: Levels): BookFault {
    const book: Book = { bids: new Map(bids), asks: new Map(asks), bestBid: NO_BID, bestAsk: NO_ASK, meets: false };
    book.bestBid = highest(book.bids);
    book.bestAsk = lowest(book.asks);
    this.#books.set(market, book);
    return meeting(book);
  }

  delta({ market, side, price, change }: Pick<BookDelta, 'market' | 'side' | 'price' | 'change'>): BookFault {
    const book = this.#books.get(market);
    if (book === undefined) return null;
    const ladder = side === 'bid' ? book.bids : book.asks;
    const qty = (ladder.get(price) ?? 0) + change;
    if (qty > 0) ladder.set(price, qty);
    else ladder.delete(price);
    if (side === 'bid') {
      if (qty > 0 && price > book.bestBid) book.bestBid = price;
      else if (qty <= 0 && price === book.bestBid) book.bestBid = highest(ladder);
    } else if (qty > 0 && price < book.bestAsk) book.bestAsk = price;
    else if (qty <= 0 && price === book.bestAsk) book.bestAsk = lowest(ladder);
    return qty < 0 ? 'negative-level' : meeting(book);
  }

  /** The levels in which a book that is told differs from the one followed: price, told quantity, followed quantity. */
  differences(market: MarketIndex, bids: Levels, asks: Levels): readonly (readonly [number, number, number])[] {
    const book = this.#books.get(market);
    return book === undefined ? [] : [...differing(book.bids, new Map(bids)), ...differing(book.asks, new Map(asks))];
  }
}

/** Told once, when the sides come to meet. */
function meeting(book: Book): BookFault {
  const meets = book.bestBid >= book.bestAsk;
  const isNew = meets && !book.meets;
  book.meets = meets;
  if (!isNew) return null;
  return book.bestBid > book.bestAsk ? 'crossed-book' : 'locked-book';
}

function highest(ladder: Ladder): number {
  let best = NO_BID;
  for (const price of ladder.keys()) if (price > best) best = price;
  return best;
}

function lowest(ladder: Ladder): number {
  let best = NO_ASK;
  for (const price of ladder.keys()) if (price < best) best = price;
  return best;
}

function differing(followed: Ladder, told: Ladder): [number, number, number][] {
  return [...new Set([...followed.keys(), ...told.keys()])]
    .map((price): [number, number, number] => [price, told.get(price) ?? 0, followed.get(price) ?? 0])
    .filter(([, now, before]) => now !== before);
}
