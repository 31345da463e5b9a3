// Cash and positions against a model with every contract as a lot of its own, over random fills and settlements.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tradeId, venueOrderId } from '../../../src/domain/ids.ts';
import { FLAT } from '../../../src/domain/position.ts';
import { type Money, type Price, cents, contracts, dollars, money, price, qty } from '../../../src/domain/units.ts';
import { Portfolio } from '../../../src/state/account/portfolio.ts';
import { M0, M1, aFill, index } from '../../support/engine/builders.ts';

/** Contracts of both outcomes bought for cash; a YES and a NO of one market make a dollar. No netting, no averages. */
class Lots {
  cash: number;
  readonly #yes = new Map<number, number>();
  readonly #no = new Map<number, number>();

  constructor(cash: number) {
    this.cash = cash;
  }

  trade(
    market: number,
    side: 'buy' | 'sell',
    terms: { readonly price: number; readonly qty: number; readonly fee: number },
  ): void {
    const outcome = side === 'buy' ? this.#yes : this.#no;
    const paid = side === 'buy' ? terms.price : 10_000 - terms.price;
    this.cash -= paid * terms.qty + terms.fee;
    outcome.set(market, (outcome.get(market) ?? 0) + terms.qty);
    const pairs = Math.min(this.#yes.get(market) ?? 0, this.#no.get(market) ?? 0);
    this.cash += pairs * 10_000;
    this.#yes.set(market, (this.#yes.get(market) ?? 0) - pairs);
    this.#no.set(market, (this.#no.get(market) ?? 0) - pairs);
  }

  settle(market: number, value: number): void {
    this.cash += (this.#yes.get(market) ?? 0) * value + (this.#no.get(market) ?? 0) * (10_000 - value);
    this.#yes.set(market, 0);
    this.#no.set(market, 0);
  }

  held(market: number): number {
    return (this.#yes.get(market) ?? 0) - (this.#no.get(market) ?? 0);
  }
}

const START = dollars(1000);
const aStep = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('fill' as const),
      market: fc.nat(2),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      price: fc.integer({ min: 1, max: 9999 }),
      qty: fc.integer({ min: 1, max: 5000 }),
      fee: fc.integer({ min: -10_000, max: 50_000 }),
      isToldTwice: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('settle' as const), market: fc.nat(2), value: fc.nat(10_000) }),
  },
);

describe('before the account opens', () => {
  it('a settlement before the account opens pays nothing: the opening figures contain it', () => {
    const portfolio = new Portfolio();
    portfolio.setOpeningCash(START);
    const held = { qty: contracts(5), cost: dollars(2), realized: dollars(0), fees: dollars(0) };
    portfolio.setOpeningPositions([{ market: M0, ...held }]);
    expect(portfolio.settleMarket(M0, cents(100))).toBe(0);
    expect([portfolio.cash, portfolio.settledCount]).toEqual([START, 0]);
    portfolio.openAccount();
    expect(portfolio.settleMarket(M0, cents(100))).toBe(dollars(5));
    expect([portfolio.cash, portfolio.settledCount]).toEqual([START + dollars(5), 1]);
  });
});

describe('fills and settlements', () => {
  it('fills and settlements leave the cash and positions of the lots, and every cent is accounted for', () => {
    fc.assert(
      fc.property(fc.array(aStep, { maxLength: 60 }), (steps) => {
        const portfolio = new Portfolio();
        const lots = new Lots(START);
        portfolio.setOpeningCash(START);
        portfolio.openAccount();
        let fees = 0;
        for (const [i, step] of steps.entries()) {
          const market = index(step.market);
          if (step.type === 'settle') {
            const before = portfolio.cash;
            expect(portfolio.settleMarket(market, price(step.value))).toBe(portfolio.cash - before);
            lots.settle(step.market, step.value);
            expect(portfolio.position(market).qty).toBe(0);
          } else {
            const terms = { side: step.side, price: price(step.price), qty: qty(step.qty), fee: money(step.fee) };
            const fill = aFill({ ...terms, market, tradeId: tradeId(`t-${i}`) });
            expect(portfolio.applyFill(fill)).toBe(true);
            if (step.isToldTwice) expect(portfolio.applyFill({ ...fill })).toBe(false);
            lots.trade(step.market, step.side, step);
            fees += step.fee;
          }
          expect(portfolio.cash).toBe(lots.cash);
          expect(portfolio.position(market).qty).toBe(lots.held(step.market));
        }
        expect(portfolio.fees).toBe(fees);
        let worth: number = portfolio.cash - START + fees;
        for (const { cost, realized } of portfolio.positions().values()) worth += cost - realized;
        expect(worth, 'cash = start + realized − cost − fees').toBe(0);
      }),
    );
  });

  it('the cost of open contracts is never negative nor above a dollar each', () => {
    fc.assert(
      fc.property(fc.array(aStep, { maxLength: 60 }), (steps) => {
        const portfolio = new Portfolio();
        portfolio.openAccount();
        for (const [i, step] of steps.entries()) {
          if (step.type !== 'fill') continue;
          const terms = { side: step.side, price: price(step.price), qty: qty(step.qty) };
          portfolio.applyFill(aFill({ ...terms, tradeId: tradeId(`t-${i}`) }));
          const { qty: held, cost } = portfolio.position(M0);
          expect(cost).toBeGreaterThanOrEqual(0);
          expect(cost).toBeLessThanOrEqual(Math.abs(held) * 10_000);
          if (held === 0) expect(cost).toBe(0);
        }
      }),
    );
  });
});

describe('a fill', () => {
  const opened = (): Portfolio => {
    const portfolio = new Portfolio();
    portfolio.setOpeningCash(dollars(10));
    portfolio.openAccount();
    return portfolio;
  };
  it('a fill is identified by trade and order together', () => {
    const portfolio = opened();
    expect(portfolio.applyFill(aFill())).toBe(true);
    expect(portfolio.applyFill(aFill({ price: cents(41) }))).toBe(false);
    expect(portfolio.applyFill(aFill({ venueOrderId: venueOrderId('v-2') }))).toBe(true);
    expect(portfolio.fillCount).toBe(2);
  });
  it('a fill from before the opening is in the opening figures, and is never counted', () => {
    const portfolio = new Portfolio();
    expect(portfolio.applyFill(aFill())).toBe(false);
    portfolio.setOpeningCash(dollars(10));
    portfolio.setOpeningPositions([
      { market: M0, qty: contracts(4), cost: dollars(1.6), realized: money(0), fees: money(0) },
    ]);
    portfolio.openAccount();
    expect(portfolio.applyFill(aFill())).toBe(false);
    expect(portfolio.cash).toBe(dollars(10));
    expect(portfolio.position(M0).qty).toBe(contracts(4));
    expect(portfolio.fillCount).toBe(0);
  });
});

describe('a settlement', () => {
  const rows: readonly (readonly [string, 'buy' | 'sell', Price, number])[] = [
    ['pays YES a dollar', 'buy', cents(100), 4_000_000],
    ['pays YES nothing', 'buy', cents(0), 0],
    ['pays NO a dollar', 'sell', cents(0), 4_000_000],
    ['pays NO nothing', 'sell', cents(100), 0],
    ['pays YES a part', 'buy', cents(30), 1_200_000],
    ['pays NO the rest of the dollar', 'sell', cents(30), 2_800_000],
  ];
  it.each(rows)('a settlement %s', (_, side, value, paid) => {
    const portfolio = new Portfolio();
    portfolio.setOpeningCash(dollars(10));
    portfolio.openAccount();
    portfolio.applyFill(aFill({ side }));
    expect(portfolio.settleMarket(M0, value)).toBe(paid);
    expect(portfolio.settleMarket(M0, value)).toBe(0);
    expect(portfolio.position(M0)).toMatchObject({ qty: 0, cost: 0 });
    expect(portfolio.settledCount).toBe(1);
  });
  it('a settlement without a position pays nothing', () => {
    const portfolio = new Portfolio();
    portfolio.openAccount();
    expect(portfolio.settleMarket(M1, cents(100))).toBe(0);
    expect(portfolio.position(M1)).toEqual(FLAT);
    expect(portfolio.settledCount).toBe(0);
  });
});

describe('assertions of the portfolio', () => {
  it('refuses opening cash that is not a whole amount', () => {
    expect(() => new Portfolio().setOpeningCash(0.5 as Money)).toThrow('whole amount');
  });

  it('refuses a flat position with a cost', () => {
    const report = { market: M0, ...FLAT, cost: money(1) };
    expect(() => new Portfolio().setOpeningPositions([report])).toThrow('must have no cost');
  });
});
