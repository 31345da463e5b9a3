// The figures of a book view equal those calculated from its levels; others' quotes exclude our own orders.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BookSide, Levels } from '../../../src/domain/event.ts';
import { clientOrderId, strategyName } from '../../../src/domain/ids.ts';
import { CENT_GRID } from '../../../src/domain/price-grid.ts';
import { cents, contracts, price, qty } from '../../../src/domain/units.ts';
import { State } from '../../../src/state/state.ts';
import { StrategyView } from '../../../src/state/strategy-view.ts';
import { BEGIN, M0, MAKER, aPlace, levels } from '../../support/engine/builders.ts';

function shown(bids: Levels, asks: Levels) {
  const state = new State();
  state.books.openBook(M0, CENT_GRID);
  state.books.applySnapshot({ at: BEGIN, exchangeAt: null, market: M0, bids, asks });
  const view = new StrategyView(state, [], { strategy: MAKER, markets: [M0] });
  return { state, view, book: view.book(M0) };
}

/** Our own orders, resting or still queued. */
function rests({ state }: ReturnType<typeof shown>, own: [BookSide, number, number, 'sent' | 'queued'][]): void {
  own.forEach(([side, cent, size, how], i) => {
    const id = clientOrderId(`own-${i}`);
    const strategy = i % 2 === 0 ? MAKER : strategyName('other');
    const terms = { side: side === 'bid' ? 'buy' : 'sell', price: cents(cent), qty: contracts(size) } as const;
    state.orders.addOrder(aPlace({ clientOrderId: id, strategy, ...terms }), '');
    if (how === 'sent') state.orders.applyChange(id, 'send', BEGIN);
  });
}

/** Books that do not cross: bids below a price, asks from there on; possibly one-sided or empty. */
const ladders = fc.integer({ min: 1, max: 99 }).chain((middle) => {
  const side = (from: number, to: number) =>
    fc
      .uniqueArray(fc.tuple(fc.integer({ min: from, max: to }), fc.integer({ min: 1, max: 900 })), {
        selector: ([cent]) => cent,
        maxLength: from <= to ? 12 : 0,
      })
      .map((pairs) => pairs.map(([cent, size]) => [cents(cent), qty(size)] as const));
  return fc.tuple(middle > 1 ? side(1, middle - 1) : fc.constant([]), side(middle, 99));
});

describe('a book view', () => {
  it('the next level behind, depth and imbalance agree with the levels', () => {
    fc.assert(
      fc.property(ladders, fc.nat({ max: 2000 }), fc.integer({ min: 0, max: 5 }), ([bids, asks], within, count) => {
        const { book } = shown(bids, asks);
        const sums = (['bid', 'ask'] as const).map((side) => {
          const all = book.levels(side);
          expect(book.best(side)).toBe(all[0]?.[0] ?? null);
          all.forEach(([at], i) => expect(book.behind(side, at)).toBe(all[i + 1]?.[0] ?? null));
          const near = all.filter(([at]) => Math.abs(at - all[0]![0]) <= within);
          expect(book.depth(side, within)).toBe(near.reduce((sum, [, size]) => sum + size, 0));
          return all.slice(0, count).reduce((sum, [, size]) => sum + size, 0);
        });
        const [bid = 0, ask = 0] = sums;
        expect(book.imbalance(count)).toBe(bid + ask === 0 ? null : (bid - ask) / (bid + ask));
      }),
    );
  });

  it('the microprice leans to the side with less quantity', () => {
    const { book } = shown(levels([40, 30]), levels([50, 10]));
    expect(book.mid).toBe(4500);
    expect(book.microprice).toBe(4750);
    expect(shown(levels([40, 10]), levels([50, 30])).book.microprice).toBe(4250);
    expect(shown(levels([40, 20]), levels([50, 20])).book.microprice).toBe(4500);
    expect(shown(levels([40, 20]), []).book.microprice).toBeNull();
    expect(shown([], levels([50, 20])).book.microprice).toBeNull();
  });

  it('the NO side is the complement of the YES side', () => {
    const { book } = shown(levels([40, 30]), levels([45, 10]));
    expect([book.bestNoBid, book.bestNoAsk]).toEqual([cents(55), cents(60)]);
    const empty = shown([], []).book;
    expect([empty.bestNoBid, empty.bestNoAsk, empty.imbalance(), empty.depth('bid', 100)]).toEqual([
      null,
      null,
      null,
      0,
    ]);
  });

  it('nothing is behind a price off the grid', () => {
    const { book } = shown(levels([40, 30], [39, 1]), []);
    expect(book.behind('bid', cents(40))).toBe(cents(39));
    expect(book.behind('bid', price(4050))).toBeNull();
  });
});

describe('others’ best prices', () => {
  const bids = levels([40, 30], [39, 20], [38, 10]);

  it('others’ best price is the touch where none of it is ours', () => {
    const fixture = shown(bids, levels([50, 10]));
    expect([fixture.view.othersBest(M0, 'bid'), fixture.view.othersBest(M0, 'ask')]).toEqual([cents(40), cents(50)]);
    expect(fixture.view.othersMid(M0)).toBe(4500);
  });

  it('others’ best price lies behind a level of only our orders, of any strategy, and at a level that is partly ours', () => {
    const fixture = shown(bids, levels([50, 10]));
    rests(fixture, [
      ['bid', 40, 10, 'sent'],
      ['bid', 40, 20, 'sent'],
      ['bid', 39, 19, 'sent'],
      ['ask', 50, 10, 'sent'],
    ]);
    expect(fixture.view.othersBest(M0, 'bid')).toBe(cents(39));
    expect(fixture.view.othersBest(M0, 'ask')).toBeNull();
    expect(fixture.view.othersMid(M0)).toBeNull();
  });

  it('an unsent order of ours, or one on the other side, does not hide others’ quotes', () => {
    const fixture = shown(bids, levels([50, 10]));
    rests(fixture, [
      ['bid', 40, 30, 'queued'],
      ['ask', 40, 30, 'sent'],
    ]);
    expect(fixture.view.othersBest(M0, 'bid')).toBe(cents(40));
  });
});
