// The fee terms of an event group follow each event that changes them, although they are cached.
import { expect, test } from 'vitest';
import { TickerTable, eventTicker, seriesTicker, ticker } from '../../src/domain/ids.ts';
import type { EventGroup, FeeTerms, Series } from '../../src/domain/market.ts';
import { micros } from '../../src/domain/units.ts';
import { Markets } from '../../src/state/market-catalog.ts';

const GROUP = eventTicker('KX-1');
const SERIES = seriesTicker('KX');
const series = (feeMultiplierPercent: number): Series => ({
  ticker: SERIES,
  title: 'series',
  category: 'test',
  frequency: 'daily',
  feeType: 'quadratic',
  feeMultiplierPercent,
});
const group: EventGroup = {
  eventTicker: GROUP,
  seriesTicker: SERIES,
  title: 'group',
  isExclusive: false,
  tickers: [ticker('KX-1-A')],
};

test('the fees of a group follow its series, its own terms and the schedule, and are the same object in between', () => {
  const markets = new Markets(new TickerTable());
  const feesAt = (at: number): FeeTerms | undefined => {
    const fees = markets.feesOf(GROUP, micros(at));
    expect(markets.feesOf(GROUP, micros(at))).toBe(fees);
    return fees;
  };
  expect(feesAt(5)).toBeUndefined();
  markets.defineGroup(group);
  expect(feesAt(5)).toBeUndefined();
  markets.defineSeries(series(100));
  expect(feesAt(5)).toEqual({ feeType: 'quadratic', feeMultiplierPercent: 100 });
  markets.defineSeries(series(50));
  expect(feesAt(5)).toEqual({ feeType: 'quadratic', feeMultiplierPercent: 50 });
  markets.changeFees(GROUP, { feeMultiplierPercent: 25 });
  expect(feesAt(5)).toEqual({ feeType: 'quadratic', feeMultiplierPercent: 25 });
  markets.changeFees(GROUP, null);
  markets.scheduleFees(SERIES, [{ at: micros(10), terms: { feeType: 'free', feeMultiplierPercent: 100 } }]);
  expect(feesAt(9)).toEqual({ feeType: 'quadratic', feeMultiplierPercent: 50 });
  expect(feesAt(10)).toEqual({ feeType: 'free', feeMultiplierPercent: 100 });
  markets.evictMarkets([]);
  expect(feesAt(10)).toBeUndefined();
});
