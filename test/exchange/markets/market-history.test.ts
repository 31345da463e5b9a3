// The history of a market: minute bars, the volume of the day, and its bounds.
import { describe, expect, it } from 'vitest';
import { ticker, tradeId } from '../../../src/domain/ids.ts';
import { type Micros, cents, contracts, fromSeconds, qty } from '../../../src/domain/units.ts';
import { MarketHistory } from '../../../src/exchange/markets/market-history.ts';
import type { PrintView } from '../../../src/exchange/machine/exchange-output.ts';

const MIDNIGHT = 1_794_960_000;
const at = (seconds: number): Micros => fromSeconds(MIDNIGHT + seconds);
const print = (seconds: number, price: number, count = 1): PrintView => ({
  tradeId: tradeId(`t${seconds}`),
  ticker: ticker('A'),
  takerSide: 'buy',
  price: cents(price),
  qty: contracts(count),
  at: at(seconds),
});

describe("a market's history", () => {
  it('collects a minute into one bar and starts another with the next', () => {
    const history = new MarketHistory();
    history.recordTouch(at(1), cents(40), null);
    history.recordTouch(at(2), cents(38), cents(45));
    for (const [seconds, price] of [
      [3, 42],
      [4, 45],
      [5, 41],
    ] as const)
      history.addPrint(print(seconds, price, 2), contracts(6));
    history.addPrint(print(60, 50), contracts(7));
    expect(history.bars).toEqual([
      {
        endAt: at(60),
        bid: { open: cents(40), high: cents(40), low: cents(38), close: cents(38) },
        ask: { open: cents(45), high: cents(45), low: cents(45), close: cents(45) },
        price: { open: cents(42), high: cents(45), low: cents(41), close: cents(41) },
        notional: 200 * (4200 + 4500 + 4100),
        volume: contracts(6),
        openInterest: contracts(6),
      },
      {
        endAt: at(120),
        bid: null,
        ask: null,
        price: { open: cents(50), high: cents(50), low: cents(50), close: cents(50) },
        notional: 100 * 5000,
        volume: contracts(1),
        openInterest: contracts(7),
      },
    ]);
  });

  it('returns copies', () => {
    const history = new MarketHistory();
    history.addPrint(print(1, 40), contracts(1));
    const [bar] = history.bars;
    if (bar?.price) bar.price.high = cents(99);
    expect(history.bars[0]?.price?.high).toBe(cents(40));
  });

  it('knows the volume of the last 24 hours, to the minute', () => {
    const history = new MarketHistory();
    history.addPrint(print(0, 40, 3), contracts(1));
    expect(history.volume24h(at(30))).toBe(contracts(3));
    history.addPrint(print(40, 40, 2), contracts(1));
    expect(history.volume24h(at(50))).toBe(contracts(5));
    history.addPrint(print(86_000, 40, 1), contracts(1));
    expect(history.volume24h(at(86_100))).toBe(contracts(6));
    expect(history.volume24h(at(86_520))).toBe(contracts(1));
    expect(history.volume24h(at(200_000))).toBe(qty(0));
  });

  it('is bounded', () => {
    const history = new MarketHistory();
    for (let minute = 0; minute < 6_000; minute++) history.addPrint(print(minute * 60, 40), contracts(1));
    expect(history.bars).toHaveLength(2880);
    expect(history.prints).toHaveLength(2000);
    expect(history.prints.at(-1)?.at).toBe(at(5_999 * 60));
  });
});
