// Losses of a day, from the peak and in a row; the day of a time; the value of an account if it is sold now.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Money,
  type Price,
  cents,
  contracts,
  dollars,
  fromSeconds,
  micros,
  money,
} from '../../../src/domain/units.ts';
import { dayOf } from '../../../src/risk/losses/utc-day.ts';
import { Losses } from '../../../src/risk/losses/losses.ts';
import { Marks } from '../../../src/risk/losses/marks.ts';
import { State } from '../../../src/state/state.ts';
import { BEGIN, M0, aMarket, index, levels, tickerTable, wideLimits } from '../../support/engine/builders.ts';
import { addPosition } from '../denial-scene.ts';

describe('the day of a time', () => {
  it("is the calendar's, whatever the time", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_007_199_254 }), (seconds) => {
        const day = new Date(seconds * 1000).toISOString().slice(0, 10);
        expect(dayOf(fromSeconds(seconds))).toBe(day);
      }),
    );
  });

  it.each([
    [0, '1970-01-01'],
    [86_399.999999, '1970-01-01'],
    [86_400, '1970-01-02'],
    [951_782_400, '2000-02-29'],
    [1_763_700_000, '2025-11-21'],
    [4_107_542_400, '2100-03-01'],
  ])('of second %d is %s', (seconds, day) => {
    expect(dayOf(fromSeconds(seconds))).toBe(day);
  });
});

const DAY = fromSeconds(86_400);
const LIMITS = wideLimits({ dailyLossMax: dollars(10), drawdownMax: dollars(15), lossStreakMax: 2 });

describe('a loss', () => {
  const started = (): Losses => {
    const losses = new Losses();
    losses.startFrom(null, dollars(100), micros(1));
    return losses;
  };

  it("of the day is counted from the day's start, to the millionth", () => {
    const losses = started();
    expect(losses.describeBreach(dollars(90), LIMITS)).toBeNull();
    expect(losses.describeBreach(money(89_999_999), LIMITS)).toBe(
      "the day's loss $10.000001 is above dailyLossMax $10.00",
    );
  });

  it('in a row has no limit unless the config sets one', () => {
    const losses = started();
    for (let i = 0; i < 50; i++) losses.countClose(dollars(-1));
    expect(losses.describeBreach(dollars(100), { ...LIMITS, lossStreakMax: null })).toBeNull();
  });

  it("of the day is the previous day's when the clock steps back over midnight", () => {
    const losses = started();
    losses.applyEquity(dollars(95), micros(DAY + 1));
    expect(losses.figures).toMatchObject({ day: '1970-01-02', dayEquity: dollars(100) });
    losses.applyEquity(dollars(94), micros(DAY - 1));
    expect(losses.figures).toMatchObject({ day: '1970-01-01', dayEquity: dollars(95) });
  });

  it('of the day restarts the next day; one from the peak does not', () => {
    const losses = started();
    losses.applyEquity(dollars(104), micros(2));
    losses.applyEquity(dollars(90), micros(DAY - 1));
    losses.applyEquity(dollars(90), DAY);
    expect(losses.figures).toEqual({ day: '1970-01-02', dayEquity: dollars(90), peakEquity: dollars(104) });
    expect(losses.describeBreach(dollars(89), LIMITS)).toBeNull();
    expect(losses.describeBreach(money(88_999_999), LIMITS)).toBe(
      'the loss from the peak $15.000001 is above drawdownMax $15.00',
    );
  });

  it('of the first event of a day counts in that day', () => {
    const losses = started();
    losses.applyEquity(dollars(97), micros(DAY - 1));
    losses.applyEquity(dollars(86), micros(DAY + 1));
    expect(losses.figures).toMatchObject({ day: '1970-01-02', dayEquity: dollars(97) });
    expect(losses.describeBreach(dollars(86), LIMITS)).toContain("the day's loss $11.00");
  });

  it('is taken over from a session of the same day', () => {
    const losses = new Losses();
    losses.startFrom({ day: '1970-01-01', dayEquity: dollars(100), peakEquity: dollars(101) }, dollars(89), micros(5));
    expect(losses.describeBreach(dollars(89), LIMITS)).toContain("the day's loss $11.00");
  });

  it('of a session of another day keeps only its peak', () => {
    const losses = new Losses();
    losses.startFrom({ day: '1969-12-31', dayEquity: dollars(100), peakEquity: dollars(101) }, dollars(89), micros(5));
    expect(losses.figures).toEqual({ day: '1970-01-01', dayEquity: dollars(89), peakEquity: dollars(101) });
  });

  it('in a row is counted until a close gains', () => {
    const losses = started();
    for (const profit of [-1, -1, 0]) losses.countClose(money(profit));
    expect(losses.describeBreach(dollars(100), LIMITS)).toBeNull();
    losses.countClose(money(-1));
    expect(losses.describeBreach(dollars(100), LIMITS)).toBe('3 losing closes in a row are above lossStreakMax 2');
    losses.countClose(money(1));
    expect(losses.describeBreach(dollars(100), LIMITS)).toBeNull();
  });

  it('is not counted before the account is known', () => {
    expect(new Losses().describeBreach(dollars(-1000), LIMITS)).toBeNull();
  });

  it('exceeds its limit exactly when equity has fallen too far, along any path', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 80, max: 120 }), { minLength: 1, maxLength: 30 }), (path) => {
        const losses = started();
        let peak = 100;
        for (const [i, equity] of path.entries()) {
          losses.applyEquity(dollars(equity), micros(i + 1));
          peak = Math.max(peak, equity);
          const isOver = 100 - equity > 10 || peak - equity > 15;
          expect(losses.describeBreach(dollars(equity), LIMITS) !== null).toBe(isOver);
        }
      }),
    );
  });
});

describe('the value', () => {
  const held = (side: 'buy' | 'sell'): { marks: Marks; state: State; show: (...sides: Sides) => Money } => {
    const state = new State(tickerTable(1));
    state.applyEvent({ kind: 'market', at: BEGIN, market: aMarket(0) }, []);
    state.portfolio.setOpeningCash(dollars(100));
    state.portfolio.openAccount();
    addPosition(state, side, { size: 10 });
    const marks = new Marks(state);
    const show = (bids: Levels, asks: Levels): Money => {
      const book = { bids: levels(...bids), asks: levels(...asks) };
      state.applyEvent({ kind: 'book-snapshot', at: BEGIN, exchangeAt: null, market: M0, ...book }, []);
      marks.onMarketChange(M0);
      return marks.equity();
    };
    return { marks, state, show };
  };
  type Levels = readonly (readonly [number, number])[];
  type Sides = [bids: Levels, asks: Levels];

  it('of a long is its selling price; of a short, the cost of buying it back', () => {
    expect(held('buy').show([[38, 5]], [[44, 5]])).toBe(dollars(96 + 3.8));
    expect(held('sell').show([[38, 5]], [[44, 5]])).toBe(dollars(94 + 5.6));
  });

  it('is the cost until a book has been seen', () => {
    const { marks, show } = held('buy');
    expect(marks.equity()).toBe(dollars(100));
    expect(marks.isFullyPriced()).toBe(false);
    show([[38, 5]], [[44, 5]]);
    expect(marks.isFullyPriced()).toBe(true);
  });

  it('does not jump when a book or one of its sides is gone', () => {
    const { marks, state, show } = held('buy');
    show([[38, 5]], [[44, 5]]);
    state.books.distrust(M0);
    expect(marks.equity()).toBe(dollars(99.8));
    expect(show([], [[44, 5]])).toBe(dollars(99.8));
  });

  it('falls with the offers when there are no bids', () => {
    const { show } = held('buy');
    show([[38, 5]], [[44, 5]]);
    expect(show([], [[2, 5]])).toBe(dollars(96.2));
  });

  it('is always the sum over all positions, whatever changes', () => {
    const state = new State(tickerTable(4));
    for (let market = 0; market < 4; market++)
      state.applyEvent({ kind: 'market', at: BEGIN, market: aMarket(market) }, []);
    state.portfolio.setOpeningCash(dollars(1000));
    state.portfolio.openAccount();
    const marks = new Marks(state);
    const steps = fc.array(fc.record({ market: fc.nat(3), bid: fc.integer({ min: 2, max: 90 }), size: fc.nat(2) }));
    fc.assert(
      fc.property(steps, (changes) => {
        for (const { market, bid, size } of changes) {
          const book = { bids: levels([bid, 5]), asks: levels([bid + 3, 5]) };
          state.applyEvent({ kind: 'book-snapshot', at: BEGIN, exchangeAt: null, market: index(market), ...book }, []);
          marks.onMarketChange(index(market));
          if (size > 0) addPosition(state, size === 1 ? 'buy' : 'sell', { market: index(market), size: 1 });
          expect(marks.equity()).toBe(new Marks(state).equity());
        }
      }),
    );
  });

  it('is compared with that sum again and again: a change that was missed is a fault', () => {
    const { marks, state, show } = held('buy');
    show([[38, 5]], [[44, 5]]);
    const book = { bids: levels([20, 5]), asks: levels([44, 5]) };
    state.applyEvent({ kind: 'book-snapshot', at: BEGIN, exchangeAt: null, market: M0, ...book }, []);
    expect(() => {
      for (let sum = 0; sum < 1000; sum++) marks.equity();
    }).toThrow('the value of all positions must be the sum of their values');
  });

  it('is the settlement value of a settled market', () => {
    const { marks, state } = held('buy');
    const statusChange = { kind: 'market-changed', at: BEGIN, exchangeAt: null, market: M0 } as const;
    state.applyEvent({ ...statusChange, status: 'determined', settlementValue: 10_000 as Price }, []);
    expect(marks.equity()).toBe(dollars(106));
    // The value may become known, or be amended, without a change of the status.
    state.applyEvent({ ...statusChange, settlementValue: 2500 as Price }, []);
    expect(marks.equity()).toBe(dollars(98.5));
    expect(cents(40) * contracts(10)).toBe(4_000_000);
  });
});
