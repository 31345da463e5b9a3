// What a book tells of itself equals what anyone would reckon of its levels; what others quote leaves our own out.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BookSide, Levels } from '../../src/domain/event.ts';
import { clientOrderId, strategyName } from '../../src/domain/ids.ts';
import { CENT_GRID } from '../../src/domain/price-grid.ts';
import { cents, contracts, price, qty } from '../../src/domain/units.ts';
import { State } from '../../src/state/state.ts';
import { StrategyView } from '../../src/state/view.ts';
import { BEGIN, M0, MAKER, aPlace, levels } from '../support/engine/builders.ts';

function shown(bids: Levels, asks: Levels) {
  const state = new State();
  state.books.open(M0, CENT_GRID);
  state.books.applySnapshot({ at: BEGIN, exchangeAt: null, market: M0, bids, asks });
  const view = new StrategyView(state, [], { strategy: MAKER, markets: [M0] });
  return { state, view, book: view.book(M0) };
}

/** Own orders that rest, or are still queued. */
function rests({ state }: ReturnType<typeof shown>, own: [BookSide, number, number, 'sent' | 'queued'][]): void {
  own.forEach(([side, cent, size, how], i) => {
    const id = clientOrderId(`own-${i}`);
    const strategy = i % 2 === 0 ? MAKER : strategyName('other');
    const terms = { side: side === 'bid' ? 'buy' : 'sell', price: cents(cent), qty: contracts(size) } as const;
    state.orders.add(aPlace({ clientOrderId: id, strategy, ...terms }), '');
    if (how === 'sent') state.orders.move(id, 'send', BEGIN);
  });
}

/** Books that do not cross: bids below a price, asks from there on; perhaps one-sided or empty. */
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

describe('a book', () => {
  it('tells the levels behind each other, its depth and its imbalance as its levels say', () => {
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

  it('leans its microprice to the side that less stands on', () => {
    const { book } = shown(levels([40, 30]), levels([50, 10]));
    expect(book.mid).toBe(4500);
    expect(book.microprice).toBe(4750);
    expect(shown(levels([40, 10]), levels([50, 30])).book.microprice).toBe(4250);
    expect(shown(levels([40, 20]), levels([50, 20])).book.microprice).toBe(4500);
    expect(shown(levels([40, 20]), []).book.microprice).toBeNull();
    expect(shown([], levels([50, 20])).book.microprice).toBeNull();
  });

  it('tells the NO side as the complement of the YES side', () => {
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

  it('has nothing behind a price that is not of its grid', () => {
    const { book } = shown(levels([40, 30], [39, 1]), []);
    expect(book.behind('bid', cents(40))).toBe(cents(39));
    expect(book.behind('bid', price(4050))).toBeNull();
  });
});

describe('what others quote', () => {
  const bids = levels([40, 30], [39, 20], [38, 10]);

  it('is the touch where none of it is ours', () => {
    const world = shown(bids, levels([50, 10]));
    expect([world.view.othersBest(M0, 'bid'), world.view.othersBest(M0, 'ask')]).toEqual([cents(40), cents(50)]);
    expect(world.view.othersMid(M0)).toBe(4500);
  });

  it('is behind what is ours alone, of whichever strategy, and at what is ours in part', () => {
    const world = shown(bids, levels([50, 10]));
    rests(world, [
      ['bid', 40, 10, 'sent'],
      ['bid', 40, 20, 'sent'],
      ['bid', 39, 19, 'sent'],
      ['ask', 50, 10, 'sent'],
    ]);
    expect(world.view.othersBest(M0, 'bid')).toBe(cents(39));
    expect(world.view.othersBest(M0, 'ask')).toBeNull();
    expect(world.view.othersMid(M0)).toBeNull();
  });

  it('is not hidden by an order of ours that has not left, or rests on the other side', () => {
    const world = shown(bids, levels([50, 10]));
    rests(world, [
      ['bid', 40, 30, 'queued'],
      ['ask', 40, 30, 'sent'],
    ]);
    expect(world.view.othersBest(M0, 'bid')).toBe(cents(40));
  });
});
