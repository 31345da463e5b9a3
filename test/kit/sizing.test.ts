// Sizes: Kelly's fraction grows capital fastest, orders never cost more than their stake, and fees can remove an edge.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FEE_RATES, type FeeSchedule, chargeFill, feeSchedule } from '../../src/domain/fee-schedule.ts';
import { openingPrice } from '../../src/domain/position.ts';
import {
  EPOCH,
  NO_MONEY,
  type Money,
  cents,
  contracts,
  dollars,
  money,
  notional,
  price,
  probability,
} from '../../src/domain/units.ts';
import { type KellyOrder, kellyFraction, kellyQty } from '../../src/kit/sizing.ts';
import { runCount } from '../support/runner/property-runs.ts';

const FREE = feeSchedule('free');
const chance = fc.double({ min: 0, max: 1, noNaN: true }).map(probability);
const quotedAt = fc.integer({ min: 1, max: 9999 }).map(price);
const side = fc.constantFrom('buy', 'sell');
const at = (cent: number) => ({ bestBid: cents(cent), bestAsk: cents(cent) });

describe('Kelly’s fraction', () => {
  it('lets capital grow faster than any other fraction', () => {
    fc.assert(
      fc.property(chance, quotedAt, side, fc.double({ min: 0, max: 0.999, noNaN: true }), (yes, quote, on, other) => {
        const best = kellyFraction({ probability: yes, price: quote, side: on });
        const wins = on === 'buy' ? yes : 1 - yes;
        const cost = openingPrice(on, quote) / 10_000;
        const growth = (share: number): number =>
          (wins === 0 ? 0 : wins * Math.log1p(share * (1 / cost - 1))) +
          (wins === 1 ? 0 : (1 - wins) * Math.log1p(-share));
        expect(growth(best)).toBeGreaterThanOrEqual(growth(other) - 1e-12);
      }),
    );
  });

  it('is (q − c) / (1 − c), and 0 without an edge', () => {
    const yes = probability(0.6);
    expect(kellyFraction({ probability: yes, price: cents(50) })).toBeCloseTo(0.2, 12);
    expect(kellyFraction({ probability: yes, price: cents(70), side: 'sell' })).toBeCloseTo(1 / 7, 12);
    expect(kellyFraction({ probability: yes, price: cents(50), feePerContract: dollars(0.02) })).toBeCloseTo(1 / 6, 12);
    expect(kellyFraction({ probability: yes, price: cents(60) })).toBe(0);
    expect(kellyFraction({ probability: yes, price: cents(50), feePerContract: dollars(0.1) })).toBe(0);
    expect(kellyFraction({ probability: probability(1), price: price(10_000) })).toBe(0);
  });

  it('stakes everything only on a certain outcome', () => {
    expect(kellyFraction({ probability: probability(1), price: cents(36) })).toBe(1);
    expect(kellyFraction({ probability: probability(1 - 2 ** -53), price: cents(36) })).toBeLessThan(1);
    expect(kellyFraction({ probability: probability(2 ** -60), price: cents(36), side: 'sell' })).toBe(1);
  });
});

const schedule: fc.Arbitrary<FeeSchedule> = fc
  .tuple(fc.constantFrom(...(Object.keys(FEE_RATES) as (keyof typeof FEE_RATES)[])), fc.constantFrom(1, 100, 10_000))
  .map(([type, step]) => feeSchedule(type, 100, { since: EPOCH, feeStep: money(step), balanceStep: money(step) }));

const orders: fc.Arbitrary<KellyOrder> = fc.record({
  probability: chance,
  touch: fc.tuple(quotedAt, quotedAt).map(([a, b]) => ({ bestBid: a < b ? a : b, bestAsk: a < b ? b : a })),
  bankroll: fc.integer({ min: -10, max: 10_000_000_000 }).map(money),
  fraction: fc.double({ min: 0.01, max: 1, noNaN: true }),
  fees: schedule,
  liquidity: fc.constantFrom('maker', 'taker'),
});

/** Cost of buying a quantity, charged as one fill. */
function costOf(
  { fees, liquidity = 'taker' }: KellyOrder,
  sized: ReturnType<typeof kellyQty> & object,
  count: number,
): Money {
  const size = contracts(count);
  const paid = notional(openingPrice(sized.side, sized.price), size);
  const fill = { price: sized.price, qty: size, liquidity, cash: money(-paid), gathered: NO_MONEY };
  return money(paid + chargeFill(fees, fill).fee);
}

describe('a sized order', () => {
  it('costs at most its share of the bankroll, has an edge after fees, and is the largest such order', () => {
    fc.assert(
      fc.property(orders, (order) => {
        const sized = kellyQty(order);
        if (sized === null) return;
        const count = sized.qty / 100;
        const wins = sized.side === 'buy' ? order.probability : 1 - order.probability;
        expect(Number.isSafeInteger(count) && count > 0).toBe(true);
        expect(sized.price).toBe(sized.side === 'buy' ? order.touch.bestAsk : order.touch.bestBid);
        expect(sized.cost).toBe(costOf(order, sized, count));
        expect(sized.cost).toBeLessThan(wins * count * 1_000_000);
        // Without fees Kelly stakes at least what it does with them.
        const share = kellyFraction({ probability: order.probability, price: sized.price, side: sized.side });
        expect(sized.cost).toBeLessThanOrEqual(order.bankroll * order.fraction * share + 1e-3);
      }),
      { numRuns: runCount(300) },
    );
  });

  it.each([
    ['YES', 0.7, 60, { side: 'buy', qty: contracts(416), cost: dollars(249.6) }],
    ['NO', 0.4, 60, { side: 'sell', qty: contracts(833), cost: dollars(333.2) }],
  ] as const)('buys %s where it is worth more than it costs', (_, yes, cent, wanted) => {
    const order = { probability: probability(yes), touch: at(cent), bankroll: dollars(1000), fraction: 1, fees: FREE };
    expect(kellyQty(order)).toEqual({ price: cents(cent), ...wanted });
  });

  it('is smaller with fees, and scales with the fraction', () => {
    const order = { probability: probability(0.7), touch: at(60), bankroll: dollars(1000), fraction: 1 };
    const free = kellyQty({ ...order, fees: FREE })!;
    const taker = kellyQty({ ...order, fees: feeSchedule('quadratic') })!;
    // At 61.68 cents Kelly stakes 0.0832 / 0.3832 = 21.71% of a thousand dollars.
    expect(free.qty).toBe(contracts(416));
    expect(taker.qty).toBe(contracts(352));
    expect(kellyQty({ ...order, fees: FREE, fraction: 0.25 })!.qty).toBe(contracts(104));
    const maker = kellyQty({ ...order, fees: feeSchedule('quadratic'), liquidity: 'maker' })!;
    expect(maker).toEqual(free);
  });

  it.each([
    ['there is no edge', { probability: probability(0.6) }],
    ['fees take the edge', { probability: probability(0.61), fees: feeSchedule('quadratic') }],
    ['there is no offer', { touch: { bestBid: null, bestAsk: null } }],
    ['there is nothing to stake', { bankroll: money(0) }],
    ['the bankroll is lost', { bankroll: dollars(-5) }],
    ['the stake does not reach a contract', { bankroll: dollars(2) }],
  ])('is null where %s', (_, over) => {
    const order = { probability: probability(0.7), touch: at(60), bankroll: dollars(1000), fraction: 1, fees: FREE };
    expect(kellyQty(order)).not.toBeNull();
    expect(kellyQty({ ...order, ...over })).toBeNull();
  });

  it('has as many contracts as exact arithmetic gives, where the share is a whole number of them', () => {
    const percents = fc.record({ chance: fc.integer({ min: 1, max: 99 }), part: fc.integer({ min: 1, max: 100 }) });
    const cent = fc.integer({ min: 1, max: 99 });
    const factors = fc.integer({ min: 1, max: 50 });
    fc.assert(
      fc.property(percents, cent, factors, fc.boolean(), ({ chance: yes, part }, cost, factor, isBuy) => {
        // Capital · fraction · (q − c) / (1 − c) / c is then a whole number of contracts.
        const capital = factor * (100 - cost) * cost;
        const order = {
          probability: probability((isBuy ? yes : 100 - yes) / 100),
          touch: isBuy ? { bestBid: null, bestAsk: cents(cost) } : { bestBid: cents(100 - cost), bestAsk: null },
          bankroll: dollars(capital),
          fraction: part / 100,
          fees: FREE,
        };
        const count = factor * part * Math.max(0, yes - cost);
        expect(kellyQty(order)?.qty ?? 0).toBe(contracts(count));
      }),
      { numRuns: runCount(300) },
    );
  });

  it.each([
    ['YES', 0.6, 'buy'],
    ['NO', 0.4, 'sell'],
  ] as const)('stakes a fifth of a quarter of the capital on %s', (_, yes, on) => {
    const order = { probability: probability(yes), touch: at(50), bankroll: dollars(1000), fraction: 0.25, fees: FREE };
    expect(kellyQty(order)).toEqual({ side: on, price: cents(50), qty: contracts(100), cost: dollars(50) });
    expect(kellyFraction({ probability: probability(yes), price: cents(50), side: on })).toBe(0.2);
  });

  it('needs a fraction above 0 and at most 1', () => {
    const order = { probability: probability(0.7), touch: at(60), bankroll: dollars(1000), fees: FREE };
    for (const fraction of [0, -1, 1.01, Number.NaN])
      expect(() => kellyQty({ ...order, fraction })).toThrow(`a fraction ${fraction} of Kelly is not above 0`);
  });
});
