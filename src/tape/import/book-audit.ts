// The books of a capture, followed along: to count what cannot be right, and to compare what is told twice.
// Must never change what goes onto the tape.
import type { BookDelta, Levels } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { Ladder } from './ladder.ts';

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

/** No price is lower, and none higher. */
const LOWEST = 0;
const HIGHEST = 10_000;

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
    const ladders = { bids: new Ladder(bids), asks: new Ladder(asks) };
    const bestBid = ladders.bids.highestFrom(HIGHEST);
    const bestAsk = ladders.asks.lowestFrom(LOWEST);
    const book: Book = { ...ladders, bestBid, bestAsk, meets: false };
    this.#books.set(market, book);
    return meeting(book);
  }

  delta({ market, side, price, change }: Pick<BookDelta, 'market' | 'side' | 'price' | 'change'>): BookFault {
    const book = this.#books.get(market);
    if (book === undefined) return null;
    const ladder = side === 'bid' ? book.bids : book.asks;
    const qty = ladder.get(price) + change;
    ladder.set(price, Math.max(0, qty));
    if (side === 'bid') {
      if (qty > 0 && price > book.bestBid) book.bestBid = price;
      else if (qty <= 0 && price === book.bestBid) book.bestBid = ladder.highestFrom(price);
    } else if (qty > 0 && price < book.bestAsk) book.bestAsk = price;
    else if (qty <= 0 && price === book.bestAsk) book.bestAsk = ladder.lowestFrom(price);
    return qty < 0 ? 'negative-level' : meeting(book);
  }

  /** The levels in which a book that is told differs from the one followed: price, told quantity, followed quantity. */
  differences(market: MarketIndex, bids: Levels, asks: Levels): readonly (readonly [number, number, number])[] {
    const book = this.#books.get(market);
    return book === undefined
      ? []
      : [...differing(book.bids, new Ladder(bids)), ...differing(book.asks, new Ladder(asks))];
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

function differing(followed: Ladder, told: Ladder): [number, number, number][] {
  return [...new Set([...followed.prices(), ...told.prices()])]
    .map((price): [number, number, number] => [price, told.get(price), followed.get(price)])
    .filter(([, now, before]) => now !== before);
}
