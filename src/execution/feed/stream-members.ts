// The books of each stream of the feed. A message confirms all books of its stream, so that whole streams can be skipped.
// Must never hold a book in two streams.
import { assert } from '../../base/assert.ts';
import type { MarketIndex } from '../../domain/ids.ts';

/** Books by the number of their stream; 0 for the books whose stream is not known. */
export class StreamMembers {
  /** Added with the first book of a stream; removed with its last. */
  readonly #members = new Map<number, Set<MarketIndex>>();
  readonly #streamOf: (number | undefined)[] = [];

  setStream(market: MarketIndex, stream: number): void {
    if (this.#streamOf[market] === stream) return;
    this.#forgetBook(market);
    this.#streamOf[market] = stream;
    const members = this.#members.get(stream);
    if (members === undefined) this.#members.set(stream, new Set([market]));
    else members.add(market);
  }

  #forgetBook(market: MarketIndex): void {
    const stream = this.#streamOf[market];
    if (stream === undefined) return;
    const members = this.#members.get(stream);
    const wasMember = members?.delete(market) ?? false;
    assert(wasMember, 'a book must be a member of its stream');
    if (members?.size === 0) this.#members.delete(stream);
    this.#streamOf[market] = undefined;
  }

  /** Forgets every book that is not to be kept. */
  forgetBooks(isKept: (market: MarketIndex) => boolean): void {
    for (const market of this.#streamOf.keys()) {
      const index = market as MarketIndex;
      if (this.#streamOf[index] !== undefined && !isKept(index)) this.#forgetBook(index);
    }
  }

  /** The books of each stream. Borrowed: nothing may change during the iteration. */
  byStream(): ReadonlyMap<number, ReadonlySet<MarketIndex>> {
    return this.#members;
  }
}
