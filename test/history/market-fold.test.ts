// Money of one market by hand: late fills, inherited positions, figures of the venue that no journal explains, days.
import { describe, expect, it } from 'vitest';
import { DAY_US, type DayRow, foldDays } from '../../src/history/account/daily-fold.ts';
import { type FoldFill, type FoldOpening, foldMarket } from '../../src/history/account/market-fold.ts';

const fill = (id: number, atUs: number, more: Partial<FoldFill> = {}): FoldFill => ({
  id,
  atUs,
  venueUs: atUs,
  orderSession: 1,
  strategy: 'quoter',
  side: 'buy',
  price: 4000,
  qty: 100,
  fee: 10_000,
  ...more,
});
const opening = (session: number, askedUs: number, more: Partial<FoldOpening> = {}): FoldOpening => ({
  session,
  askedUs,
  qty: 0,
  cost: 0,
  realized: 0,
  fees: 0,
  yes: null,
  ...more,
});
const sum = (rows: readonly DayRow[], name: 'profit' | 'moved' | 'value'): number =>
  rows.reduce((total, row) => total + row[name], 0);

describe('the money of a market', () => {
  it('orders fills by the venue, however late a list shows them', () => {
    const late = fill(2, 900, { venueUs: 100, side: 'buy', price: 3000 });
    const sale = fill(1, 500, { side: 'sell', price: 5000 });
    const { fills, position } = foldMarket({ fills: [sale, late], openings: [opening(1, 10)], settlements: [] });
    expect(position.qty).toBe(0);
    expect(fills.map(({ id }) => id)).toEqual([2, 1]);
    expect(fills.map(({ realized }) => realized)).toEqual([0, 200_000]);
  });

  it("counts a fill before the next session's opening when its order is of the session before", () => {
    const missed = fill(1, 2000, { venueUs: 2000, orderSession: 1 });
    const openings = [opening(1, 10), opening(2, 1500, { qty: 100, cost: 400_000, fees: 10_000 })];
    const { adjustments, flows, position } = foldMarket({ fills: [missed], openings, settlements: [] });
    expect(adjustments).toEqual([]);
    expect([...flows]).toEqual([[1, -410_000]]);
    expect(position.qty).toBe(100);
  });

  it("takes the venue's position where no journal explains it, and says so", () => {
    const openings = [opening(1, 10), opening(2, 5000, { qty: 300, cost: 900_000 })];
    const { adjustments, position } = foldMarket({ fills: [fill(1, 20)], openings, settlements: [] });
    expect(adjustments).toEqual([{ session: 2, ours: 100, theirs: 300 }]);
    expect(position).toMatchObject({ qty: 300, cost: 900_000 });
  });

  it('pays out before the opening that no longer lists the market', () => {
    const openings = [opening(1, 10), opening(2, 5000)];
    const { adjustments, payouts, flows } = foldMarket({
      fills: [fill(1, 20)],
      openings,
      settlements: [{ atUs: 4000, price: 10_000, until: null }],
    });
    expect(adjustments).toEqual([]);
    expect(payouts).toMatchObject([{ session: 1, qty: 100, paid: 1_000_000, realized: 600_000 }]);
    expect(flows.get(1)).toBe(590_000);
  });
});

describe('a payout', () => {
  it('comes for each session that held a position, where an embedded exchange begins again with the same market', () => {
    const { payouts, position, flows } = foldMarket({
      fills: [fill(1, 20), fill(2, 9_000_000, { orderSession: 2, price: 3000, qty: 200 })],
      openings: [opening(1, 10), opening(2, 8_000_000)],
      settlements: [
        { atUs: 4000, price: 10_000, until: 2 },
        { atUs: 9_500_000, price: 0, until: null },
      ],
    });
    expect(position.qty).toBe(0);
    expect(payouts).toMatchObject([
      { session: 1, atUs: 4000, qty: 100, paid: 1_000_000, realized: 600_000 },
      { session: 2, atUs: 9_500_000, qty: 200, paid: 0, realized: -600_000 },
    ]);
    expect([...flows]).toEqual([
      [1, 590_000],
      [2, -610_000],
    ]);
  });

  it('does not come in a session that ends before the market settles again', () => {
    const { payouts, position, adjustments } = foldMarket({
      fills: [fill(1, 20), fill(2, 9_000_000, { orderSession: 2 }), fill(3, 90_000_000, { orderSession: 3 })],
      openings: [opening(1, 10), opening(2, 8_000_000), opening(3, 80_000_000)],
      settlements: [{ atUs: 4000, price: 10_000, until: 2 }],
    });
    expect(payouts).toMatchObject([{ session: 1, qty: 100 }]);
    expect(adjustments).toEqual([{ session: 3, ours: 100, theirs: 0 }]);
    expect(position.qty).toBe(100);
  });

  it('comes in the next session where the exchange still lists the position of a settled market', () => {
    const { payouts } = foldMarket({
      fills: [fill(1, 20)],
      openings: [opening(1, 10), opening(2, 5_000_000, { qty: 100, cost: 400_000 })],
      settlements: [{ atUs: 4_900_000, price: 10_000, until: null }],
    });
    expect(payouts).toMatchObject([{ session: 2, qty: 100, paid: 1_000_000 }]);
  });

  it('comes after the fills of a session that opened just before it', () => {
    const { payouts, position } = foldMarket({
      fills: [fill(1, 1_000_000)],
      openings: [opening(1, 10)],
      settlements: [{ atUs: 2_000_000, price: 0, until: null }],
    });
    expect(payouts).toMatchObject([{ session: 1, qty: 100, paid: 0, realized: -400_000 }]);
    expect(position.qty).toBe(0);
  });
});

describe('the days of a market', () => {
  const days = (
    input: Parameters<typeof foldMarket>[0],
    prices: readonly { day: number; yes: number }[],
    lastDay: number,
  ) => foldDays({ steps: foldMarket(input).steps, prices, lastDay });

  it('marks a position at the end of each day until it is paid out', () => {
    const input = {
      fills: [fill(1, DAY_US + 5)],
      openings: [opening(1, 10)],
      settlements: [{ atUs: 3 * DAY_US + 5, price: 10_000, until: null }],
    };
    const rows = days(
      input,
      [
        { day: 1, yes: 4500 },
        { day: 2, yes: 3500 },
      ],
      5,
    );
    expect(rows.map(({ day, qty, value, profit }) => [day, qty, value, profit])).toEqual([
      [1, 100, 450_000, 40_000],
      [2, 100, 350_000, -100_000],
      [3, 0, 0, 650_000],
    ]);
    expect(sum(rows, 'profit')).toBe(1_000_000 - 400_000 - 10_000);
  });

  it('never counts an inherited position as profit', () => {
    const openings = [opening(1, 10, { qty: 100, cost: 450_000 })];
    const rows = days({ fills: [], openings, settlements: [] }, [{ day: 0, yes: 4500 }], 1);
    expect(sum(rows, 'profit')).toBe(0);
    expect(sum(rows, 'moved')).toBe(450_000);
  });

  it('never counts a position that left without a trade as loss', () => {
    const input = { fills: [fill(1, 20)], openings: [opening(1, 10), opening(2, 2 * DAY_US)], settlements: [] };
    const rows = days(input, [{ day: 0, yes: 4100 }], 3);
    expect(sum(rows, 'profit')).toBe(410_000 - 400_000 - 10_000);
    expect(sum(rows, 'moved')).toBe(-410_000);
  });

  it('values a position that left with its session at the price before the next session, not at the end of the day', () => {
    const openings = [opening(1, 10), opening(2, 500, { yes: 3500 })];
    const rows = days({ fills: [fill(1, 20)], openings, settlements: [] }, [{ day: 0, yes: 2400 }], 0);
    expect(sum(rows, 'moved')).toBe(-350_000);
    expect(sum(rows, 'profit')).toBe(350_000 - 400_000 - 10_000);
  });

  it('keeps opposite positions of two strategies apart, whose profit adds up to the account’s', () => {
    const input = {
      fills: [
        fill(1, 10, { strategy: 'a', price: 4000 }),
        fill(2, 20, { strategy: 'b', side: 'sell', price: 5500, venueUs: 20 }),
      ],
      openings: [opening(1, 1)],
      settlements: [],
    };
    const rows = days(input, [{ day: 0, yes: 7000 }], 0);
    expect(rows.map(({ strategy, qty, profit }) => [strategy, qty, profit])).toEqual([
      ['a', 100, 290_000],
      ['b', -100, -160_000],
    ]);
    const { fills } = foldMarket(input);
    expect(sum(rows, 'profit')).toBe(fills.reduce((total, { cash }) => total + cash, 0) - 20_000);
  });

  it("gives the operator's closing trade to the strategies that held the position", () => {
    const closing = fill(3, 30, { strategy: 'operator', side: 'sell', price: 6000, qty: 150, fee: 15_000 });
    const input = {
      fills: [fill(1, 10, { strategy: 'a' }), fill(2, 20, { strategy: 'b' }), closing],
      openings: [opening(1, 1)],
      settlements: [],
    };
    const rows = days(input, [{ day: 0, yes: 6000 }], 0);
    expect(rows.map(({ strategy, qty }) => [strategy, qty])).toEqual([
      ['a', 0],
      ['b', 50],
    ]);
    expect(rows.map(({ fees }) => fees)).toEqual([20_000, 15_000]);
  });
});
