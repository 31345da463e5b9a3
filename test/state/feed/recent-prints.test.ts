// The ring of the latest prints: by market, in order, bounded, and without the prints of evicted markets.
import { describe, expect, it } from 'vitest';
import type { Print } from '../../../src/domain/event.ts';
import { tradeId } from '../../../src/domain/ids.ts';
import { cents, contracts, qty } from '../../../src/domain/units.ts';
import { RecentPrints } from '../../../src/state/feed/recent-prints.ts';
import { M0, M1, after } from '../../support/engine/builders.ts';

const aPrint = (over: Partial<Print> = {}): Print => ({
  kind: 'print',
  at: after(1),
  exchangeAt: null,
  market: M0,
  tradeId: tradeId('t'),
  side: 'buy',
  price: cents(40),
  qty: contracts(3),
  ...over,
});

describe('recent prints', () => {
  it('are those of one market, oldest first, copied from an event that may be reused', () => {
    const prints = new RecentPrints();
    const reused = { ...aPrint() };
    prints.addPrint(reused);
    Object.assign(reused, aPrint({ market: M1, side: 'sell', qty: qty(3_000_000_000) }));
    prints.addPrint(reused);
    prints.addPrint(aPrint({ at: after(2), price: cents(41) }));
    expect(prints.printsOf(M0, 0)).toEqual([
      { number: 0, at: after(1), side: 'buy', price: 4000, qty: 300 },
      { number: 2, at: after(2), side: 'buy', price: 4100, qty: 300 },
    ]);
    expect(prints.printsOf(M1, 0)).toEqual([
      { number: 1, at: after(1), side: 'sell', price: 4000, qty: 3_000_000_000 },
    ]);
    expect(prints.printsOf(M0, 1).map(({ number }) => number)).toEqual([2]);
  });

  it('are at most 4096: the oldest is dropped first', () => {
    const prints = new RecentPrints();
    for (let count = 0; count < 5000; count++) prints.addPrint(aPrint({ qty: qty(count) }));
    const kept = prints.printsOf(M0, 0);
    expect([kept.length, kept[0]?.number, kept[0]?.qty, kept.at(-1)?.qty]).toEqual([4096, 904, 904, 4999]);
  });

  it('of an evicted market are dropped, because its number may be reused', () => {
    const prints = new RecentPrints();
    prints.addPrint(aPrint());
    prints.addPrint(aPrint({ market: M1 }));
    prints.evictMarkets(new Set([M0]));
    expect([prints.printsOf(M0, 0).length, prints.printsOf(M1, 0).length]).toEqual([0, 1]);
  });
});
