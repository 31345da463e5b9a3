// Positions, cash and collateral against models too simple to be wrong: a bag of lots, and fills in every order.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionFault, must } from '../../src/base/assert.ts';
import type { Side } from '../../src/domain/orders/order.ts';
import {
  FLAT,
  type CollateralTerms,
  type Position,
  type Trade,
  afterSettlement,
  afterTrade,
  cashOfTrade,
  closingQty,
  collateral,
  openingPrice,
  payout,
  valueOf,
} from '../../src/domain/position.ts';
import { NO_MONEY, PAYOUT, cents, contracts, money, price, qty } from '../../src/domain/units.ts';
import { runCount } from '../support/runner/property-runs.ts';

const sides = fc.constantFrom<Side>('buy', 'sell');
const prices = fc.integer({ min: 1, max: PAYOUT - 1 }).map(price);
const anyPrice = fc.integer({ min: 0, max: PAYOUT }).map(price);
const trades: fc.Arbitrary<Trade> = fc.record({
  side: sides,
  price: prices,
  qty: fc.integer({ min: 1, max: 900 }).map(qty),
});
const histories = fc.array(trades, { maxLength: 30 });

interface Account {
  readonly cash: number;
  readonly position: Position;
}

function play(history: readonly Trade[]): Account {
  let position = FLAT;
  let cash = 0;
  for (const trade of history) {
    cash += cashOfTrade(position.qty, trade);
    position = afterTrade(position, { ...trade, fee: money(7) });
  }
  return { cash, position };
}

const signed = (trade: Trade): number => (trade.side === 'buy' ? trade.qty : -trade.qty);

describe('a position', () => {
  it('a position is the sum of buys less sells, in any order', () => {
    fc.assert(
      fc.property(histories, (history) => {
        expect(play(history).position.qty).toBe(history.reduce((sum, trade) => sum + signed(trade), 0));
      }),
    );
  });

  it('no millionth is lost: cash moved equals realized profit less the cost of what is open', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const { cash, position } = play(history);
        expect(cash).toBe(position.realized - position.cost);
      }),
    );
  });

  it('position and cash together are worth the sum of the trades, at any price', () => {
    fc.assert(
      fc.property(histories, anyPrice, (history, yes) => {
        const { cash, position } = play(history);
        const each = history.reduce((sum, trade) => sum + signed(trade) * (yes - trade.price), 0);
        expect(cash + valueOf(position.qty, yes)).toBe(each + 0);
      }),
    );
  });

  it('the order of trades changes neither cash nor quantity', () => {
    const shuffled = histories.chain((history) =>
      fc.tuple(fc.constant(history), fc.shuffledSubarray(history, { minLength: history.length })),
    );
    fc.assert(
      fc.property(shuffled, ([history, reordered]) => {
        const [a, b] = [play(history), play(reordered)];
        expect([a.cash, a.position.qty, a.position.fees]).toEqual([b.cash, b.position.qty, b.position.fees]);
      }),
    );
  });

  it('a flat position costs nothing, and an open one between zero and a dollar a contract', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const { position } = play(history);
        expect(position.cost).toBeGreaterThanOrEqual(0);
        expect(position.cost).toBeLessThanOrEqual(PAYOUT * Math.abs(position.qty));
      }),
    );
  });

  it('the fees of a position are the sum of its trades’ fees', () => {
    fc.assert(
      fc.property(histories, (history) => {
        expect(play(history).position.fees).toBe(7 * history.length);
      }),
    );
  });

  it('a trade of zero quantity is refused', () => {
    const nothing = { side: 'buy', price: cents(50), qty: qty(0), fee: NO_MONEY } as const;
    expect(() => afterTrade(FLAT, nothing)).toThrow(AssertionFault);
  });

  it('a position follows an opening, an addition, a partial close and a turn to the other side', () => {
    const steps: readonly (readonly [Side, number, number, Position])[] = [
      ['buy', 40, 10, { qty: qty(1000), cost: money(4_000_000), realized: money(0), fees: money(0) }],
      ['buy', 60, 10, { qty: qty(2000), cost: money(10_000_000), realized: money(0), fees: money(0) }],
      ['sell', 70, 5, { qty: qty(1500), cost: money(7_500_000), realized: money(1_000_000), fees: money(0) }],
      ['sell', 30, 25, { qty: qty(-1000), cost: money(7_000_000), realized: money(-2_000_000), fees: money(0) }],
    ];
    let position = FLAT;
    for (const [side, at, count, after] of steps) {
      position = afterTrade(position, { side, price: cents(at), qty: contracts(count), fee: NO_MONEY });
      expect(position).toEqual(after);
    }
    expect(afterSettlement(position, cents(0))).toEqual({ ...FLAT, realized: 1_000_000 });
    expect(afterSettlement(position, cents(100))).toEqual({ ...FLAT, realized: -9_000_000 });
  });
});

/** A bag of single hundredths of a contract, each with its cost as an exact fraction over one denominator. */
class Bag {
  #held = 0;
  #sum = 0n;
  /** Sums are multiplied by this, which grows with each part that is closed. */
  #scale = 1n;
  realized = 0n;
  closings = 0;

  take(trade: Trade): void {
    const paid = BigInt(openingPrice(trade.side, trade.price));
    for (let left: number = trade.qty; left > 0;) left -= this.#takeSome(trade.side, paid, left);
  }

  #takeSome(side: Side, paid: bigint, left: number): number {
    const direction = side === 'buy' ? 1 : -1;
    if (this.#held * direction >= 0) {
      this.#held += direction * left;
      this.#sum += paid * BigInt(left) * this.#scale;
      return left;
    }
    const held = BigInt(Math.abs(this.#held));
    const closed = Math.min(left, Math.abs(this.#held));
    this.#sum *= held;
    this.realized *= held;
    this.#scale *= held;
    const released = (this.#sum / held) * BigInt(closed);
    this.realized += (BigInt(PAYOUT) - paid) * BigInt(closed) * this.#scale - released;
    this.#sum -= released;
    this.#held += direction * closed;
    this.closings += 1;
    return closed;
  }

  /** Difference between a cost and the exact one, in whole millionths, rounded up. */
  costError(cost: number): bigint {
    const difference = BigInt(cost) * this.#scale - this.#sum;
    const size = difference < 0n ? -difference : difference;
    return (size + this.#scale - 1n) / this.#scale;
  }

  realizedError(realized: number): bigint {
    const difference = BigInt(realized) * this.#scale - this.realized;
    const size = difference < 0n ? -difference : difference;
    return (size + this.#scale - 1n) / this.#scale;
  }

  get held(): number {
    return this.#held;
  }
}

describe('a position against a bag of lots at their exact average cost', () => {
  it('a position holds the same quantity, and its cost is off by at most a millionth for each part it closed', () => {
    fc.assert(
      fc.property(fc.array(trades, { maxLength: 12 }), (history) => {
        const bag = new Bag();
        for (const trade of history) bag.take(trade);
        const { position } = play(history);
        expect(position.qty).toBe(bag.held);
        const bound = bag.closings;
        expect(Number(bag.costError(position.cost))).toBeLessThanOrEqual(bound);
        expect(Number(bag.realizedError(position.realized))).toBeLessThanOrEqual(bound);
      }),
    );
  });

  it('a trade closes at most what is held', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1000, max: 1000 }).map(qty), trades, (held, trade) => {
        let left: number = held;
        let closed = 0;
        const direction = trade.side === 'buy' ? 1 : -1;
        for (let i = 0; i < trade.qty; i++) {
          if (left * direction < 0) closed += 1;
          left += direction;
        }
        expect(closingQty(held, trade)).toBe(closed);
      }),
    );
  });
});

describe('netting', () => {
  it('a YES and a NO return a dollar, whichever came first', () => {
    fc.assert(
      fc.property(prices, prices, fc.integer({ min: 1, max: 1000 }).map(qty), (bought, sold, count) => {
        const buy: Trade = { side: 'buy', price: bought, qty: count };
        const sell: Trade = { side: 'sell', price: sold, qty: count };
        const pairs = (PAYOUT - openingPrice('buy', bought) - openingPrice('sell', sold)) * count;
        for (const history of [
          [buy, sell],
          [sell, buy],
        ]) {
          const { cash, position } = play(history);
          expect([cash, position.qty, position.cost]).toEqual([pairs + 0, 0, 0]);
        }
      }),
    );
  });
});

describe('settlement', () => {
  it('settlement pays each YES its value and each NO the rest of the dollar', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5000 }), anyPrice, (count, value) => {
        expect(payout(qty(count), value)).toBe(count * value);
        expect(payout(qty(count), value) + payout(qty(-count), value)).toBe(count * PAYOUT);
      }),
    );
  });

  it('settlement leaves the position flat, with all cash ever moved as its profit', () => {
    fc.assert(
      fc.property(histories, anyPrice, (history, value) => {
        const { cash, position } = play(history);
        const settled = afterSettlement(position, value);
        expect([settled.qty, settled.cost, settled.fees]).toEqual([0, 0, position.fees]);
        expect(settled.realized).toBe(cash + payout(position.qty, value));
      }),
    );
  });
});

const pledges = fc
  .record({ side: sides, price: prices, qty: fc.integer({ min: 1, max: 5 }) })
  .map(({ side, price: at, qty: count }): CollateralTerms => ({ side, price: at, leavesQty: qty(count) }));

/** The most cash ever out, over every order in which whole orders can fill. */
function deepestOutlay(held: number, open: readonly CollateralTerms[], cash = 0): number {
  let deepest = Math.max(0, -cash);
  for (const [i, pledge] of open.entries()) {
    const trade: Trade = { side: pledge.side, price: pledge.price, qty: pledge.leavesQty };
    const rest = open.filter((_, other) => other !== i);
    deepest = Math.max(deepest, deepestOutlay(held + signed(trade), rest, cash + cashOfTrade(qty(held), trade)));
  }
  return deepest;
}

/** Each order cut into fills of one hundredth of a contract. */
const cut = (open: readonly CollateralTerms[]): CollateralTerms[] =>
  open.flatMap((pledge) => Array.from({ length: pledge.leavesQty }, () => ({ ...pledge, leavesQty: qty(1) })));

describe('collateral', () => {
  const held = fc.integer({ min: -8, max: 8 });

  it('collateral is enough whichever order fills first', () => {
    fc.assert(
      fc.property(held, fc.array(pledges, { maxLength: 5 }), (count, open) => {
        expect(collateral(qty(count), open)).toBeGreaterThanOrEqual(deepestOutlay(count, open));
      }),
    );
  });

  it('collateral is enough however the fills are cut and mixed', () => {
    fc.assert(
      fc.property(held, fc.array(pledges, { maxLength: 2 }), (count, open) => {
        fc.pre(cut(open).length <= 6);
        expect(collateral(qty(count), open)).toBeGreaterThanOrEqual(deepestOutlay(count, cut(open)));
      }),
      { numRuns: runCount(60) },
    );
  });

  it('collateral is still enough for the rest after any one fill, with the cash that fill left', () => {
    fc.assert(
      fc.property(
        held,
        fc.array(pledges, { minLength: 1, maxLength: 6 }),
        fc.nat(),
        fc.nat(),
        (count, open, which, part) => {
          const i = which % open.length;
          const pledge = must(open[i], 'pledge');
          const filled = 1 + (part % pledge.leavesQty);
          const trade: Trade = { side: pledge.side, price: pledge.price, qty: qty(filled) };
          const rest = open.with(i, { ...pledge, leavesQty: qty(pledge.leavesQty - filled) });
          const left = collateral(qty(count), open) + cashOfTrade(qty(count), trade);
          expect(left).toBeGreaterThanOrEqual(collateral(qty(count + signed(trade)), rest));
        },
      ),
      { numRuns: runCount(500) },
    );
  });

  it('collateral is the exact cost of opening orders, and zero for closing orders', () => {
    const buys = [
      { side: 'buy', price: cents(40), leavesQty: contracts(10) },
      { side: 'buy', price: cents(30), leavesQty: contracts(5) },
    ] as const;
    expect(collateral(qty(0), buys)).toBe(5_500_000);
    expect(collateral(contracts(-15), buys)).toBe(0);
    expect(collateral(contracts(3), [{ side: 'sell', price: cents(40), leavesQty: contracts(3) }])).toBe(0);
    expect(collateral(contracts(3), [])).toBe(0);
  });

  it('the position covers the orders that need the least collateral', () => {
    const buys = [
      { side: 'buy', price: cents(40), leavesQty: contracts(10) },
      { side: 'buy', price: cents(30), leavesQty: contracts(10) },
    ] as const;
    expect(collateral(contracts(-10), buys)).toBe(4_000_000);
  });
});
