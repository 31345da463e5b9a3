// Candles hold the trades of each interval, and no candle is invented.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Micros, type Price, type Qty, cents, contracts, fromMillis, price, qty } from '../../src/domain/units.ts';
import { Candles, candlesState } from '../../src/kit/print-candles.ts';
import { runCount } from '../support/runner/property-runs.ts';

const INTERVAL_MS = 100;
const traded = (ms: number, cent: number, size = 1) => ({
  at: fromMillis(ms),
  price: cents(cent),
  qty: contracts(size),
});

const prints = fc
  .array(fc.tuple(fc.nat({ max: 150 }), fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 100_000 })), {
    minLength: 1,
    maxLength: 60,
  })
  .map((steps) => {
    let now = 0;
    return steps.map(([step, at, size]) => ({ at: fromMillis((now += step)), price: price(at), qty: qty(size) }));
  });

interface Row {
  readonly at: Micros;
  readonly price: Price;
  readonly qty: Qty;
}

/** A candle in its most direct form. */
function naive(rows: readonly Row[], at: Micros) {
  const prices = rows.map((row) => row.price);
  const size = rows.reduce((sum, row) => sum + row.qty, 0);
  return {
    at,
    open: prices[0],
    high: Math.max(...prices),
    low: Math.min(...prices),
    close: prices.at(-1),
    qty: size,
    count: rows.length,
    vwap: expect.closeTo(rows.reduce((sum, row) => sum + row.price * row.qty, 0) / size, 6) as number,
  };
}

describe('candles', () => {
  it('gather the prints of each interval, and have none for an interval without a print', () => {
    fc.assert(
      fc.property(prints, fc.integer({ min: 1, max: 20 }), (rows, capacity) => {
        const candles = new Candles({ intervalMs: INTERVAL_MS, capacity });
        const prints = rows.map((row) => candles.add(row)).filter((candle) => candle !== null);
        const wide = fromMillis(INTERVAL_MS);
        const begins = [...new Set(rows.map(({ at }) => Math.floor(at / wide) * wide))];
        const wanted = begins.map((at) =>
          naive(
            rows.filter((row) => Math.floor(row.at / wide) * wide === at),
            at as Micros,
          ),
        );
        expect([...prints, candles.current]).toEqual(wanted);
        expect(candles.closed).toEqual(prints.slice(-capacity));
      }),
      { numRuns: runCount(60) },
    );
  });

  it('close when their time is over, also without a print', () => {
    const candles = new Candles({ intervalMs: INTERVAL_MS, capacity: 2 });
    expect([candles.current, candles.closeBy(fromMillis(500))]).toEqual([null, null]);
    expect(candles.add(traded(110, 40))).toBeNull();
    expect(candles.closeBy(fromMillis(199.999))).toBeNull();
    const closed = candles.closeBy(fromMillis(200));
    expect(closed).toMatchObject({ at: fromMillis(100), open: cents(40), close: cents(40), count: 1, vwap: 4000 });
    expect([candles.current, candles.closed, candles.closeBy(fromMillis(300))]).toEqual([null, [closed], null]);
  });

  it('do not change once they were returned', () => {
    const candles = new Candles({ intervalMs: INTERVAL_MS, capacity: 2 });
    candles.add(traded(0, 40));
    const first = candles.current;
    candles.add(traded(1, 60));
    expect(first).toMatchObject({ close: cents(40), count: 1 });
    expect(candles.current).toMatchObject({ high: cents(60), count: 2, vwap: 5000 });
  });

  it('continue after a restart as if there had been none', () => {
    fc.assert(
      fc.property(prints, fc.integer({ min: 1, max: 5 }), (rows, capacity) => {
        const options = { intervalMs: INTERVAL_MS, capacity };
        const candles = new Candles(options);
        for (const row of rows.slice(0, rows.length / 2)) candles.add(row);
        const other = new Candles(options, candlesState.parse(JSON.parse(JSON.stringify(candles.state))));
        for (const row of rows.slice(rows.length / 2)) expect(other.add(row)).toEqual(candles.add(row));
        expect(other.state).toEqual(candles.state);
      }),
      { numRuns: runCount(60) },
    );
    expect(() => candlesState.parse({ closed: [], current: { open: 10_001 } })).toThrow('Too big');
  });

  it('refuse a print of a closed interval, and sizes that are not positive', () => {
    const candles = new Candles({ intervalMs: INTERVAL_MS, capacity: 2 });
    candles.add(traded(250, 40));
    expect(() => candles.add(traded(199, 40))).toThrow('a print at 199000 is before the candle of 200000');
    expect(() => new Candles({ intervalMs: 0, capacity: 1 })).toThrow('a candle interval of 0 ms is not positive');
    expect(() => new Candles({ intervalMs: 1, capacity: 0 })).toThrow('0 is not a number of candles to keep');
  });
});
