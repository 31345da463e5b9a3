// Audited books against the simplest book: a map for each side, searched whole every time.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Levels } from '../../../../src/domain/event.ts';
import type { MarketIndex } from '../../../../src/domain/ids.ts';
import { price, qty } from '../../../../src/domain/units.ts';
import { BookAudit, type BookFault } from '../../../../src/tape/import/books/book-audit.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

type Side = Map<number, number>;
type Change = Parameters<BookAudit['applyDelta']>[0];

/** The simplest book: only the levels, and whether the sides met before. */
class PlainBooks {
  readonly #books = new Map<number, { bid: Side; ask: Side; met: boolean }>();

  knows(market: number): boolean {
    return this.#books.has(market);
  }

  lose(markets: readonly number[]): void {
    for (const market of markets.length === 0 ? [...this.#books.keys()] : markets) this.#books.delete(market);
  }

  snapshot(market: number, bids: Levels, asks: Levels): BookFault {
    this.#books.set(market, { bid: positive(bids), ask: positive(asks), met: false });
    return this.#meeting(market);
  }

  delta({ market, side, price: at, change }: Change): BookFault {
    const book = this.#books.get(market);
    if (book === undefined) return null;
    const after = (book[side].get(at) ?? 0) + change;
    if (after > 0) book[side].set(at, after);
    else book[side].delete(at);
    // A negative level is reported instead of sides that meet, which are then reported at the next change.
    return after < 0 ? 'negative-level' : this.#meeting(market);
  }

  #meeting(market: number): BookFault {
    const book = this.#books.get(market);
    if (book === undefined) return null;
    const bid = Math.max(-1, ...book.bid.keys());
    const ask = Math.min(10_001, ...book.ask.keys());
    const isNew = bid >= ask && !book.met;
    book.met = bid >= ask;
    if (!isNew) return null;
    return bid > ask ? 'crossed-book' : 'locked-book';
  }

  differences(market: number, bids: Levels, asks: Levels): [number, number, number][] {
    const book = this.#books.get(market);
    if (book === undefined) return [];
    return [...differing(book.bid, positive(bids)), ...differing(book.ask, positive(asks))].toSorted(byPrice);
  }
}

const positive = (levels: Levels): Side => new Map(levels.filter(([, held]) => held > 0));

function differing(maintained: Side, snapshot: Side): [number, number, number][] {
  const prices = [...new Set([...maintained.keys(), ...snapshot.keys()])];
  return prices
    .map((at): [number, number, number] => [at, snapshot.get(at) ?? 0, maintained.get(at) ?? 0])
    .filter(([, now, before]) => now !== before);
}

const byPrice = (a: readonly number[], b: readonly number[]): number =>
  (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0) || (a[2] ?? 0) - (b[2] ?? 0);

/** Whole cents and some prices between; few of them, so that levels are emptied and sides meet. */
const prices = fc.constantFrom(1, 4000, 4005, 4100, 4199, 9900);
/** More than 32 bits hold, and as much as they just hold. */
const huge = fc.constantFrom(2 ** 31 - 1, 2 ** 31, 2 ** 33 + 1);
const amounts = fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 2 }) }, { weight: 1, arbitrary: huge });
const changes = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -2, max: 2 }) },
  { weight: 1, arbitrary: huge },
  { weight: 1, arbitrary: huge.map((amount) => -amount) },
);
const levels = fc
  .uniqueArray(fc.tuple(prices, amounts), { maxLength: 4, selector: ([at]) => at })
  .map((found): Levels => found.map(([at, held]) => [price(at), qty(held)] as const));
const markets = fc.constantFrom(0, 300);
const actions = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('snapshot' as const), market: markets, bids: levels, asks: levels }),
  },
  {
    weight: 16,
    arbitrary: fc.record({
      type: fc.constant('delta' as const),
      market: markets,
      side: fc.constantFrom('bid' as const, 'ask' as const),
      at: prices,
      change: changes,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('lose' as const), lost: fc.array(markets, { maxLength: 2 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('compare' as const), market: markets, bids: levels, asks: levels }),
  },
);

describe('audited books', () => {
  it('audited books find the same faults and differences as the simplest books', () => {
    fc.assert(
      fc.property(fc.array(actions, { minLength: 40, maxLength: 120, size: 'max' }), (done) => {
        const audit = new BookAudit();
        const plain = new PlainBooks();
        for (const action of done) {
          if (action.type === 'lose') {
            audit.loseBooks(action.lost.map((market) => market as MarketIndex));
            plain.lose(action.lost);
            continue;
          }
          const market = action.market as MarketIndex;
          if (action.type === 'snapshot')
            expect(audit.applySnapshot(market, action.bids, action.asks)).toBe(
              plain.snapshot(market, action.bids, action.asks),
            );
          else if (action.type === 'delta') {
            const change = { market, side: action.side, price: price(action.at), change: qty(action.change) };
            expect(audit.applyDelta(change)).toBe(plain.delta(change));
          } else
            expect(audit.differencesFrom(market, action.bids, action.asks).toSorted(byPrice)).toEqual(
              plain.differences(market, action.bids, action.asks),
            );
          expect(audit.isKnown(market)).toBe(plain.knows(market));
        }
      }),
      { numRuns: runCount(300) },
    );
  });
});
