// Laws over the table of a market's life, and the effect of the clock alone.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MARKET_LIFE,
  type MarketStatus,
  isOpen,
  isSettled,
  nextClockStatusAt,
  statusByClock,
} from '../../src/domain/market.ts';
import { micros } from '../../src/domain/units.ts';

const STATUSES = Object.keys(MARKET_LIFE).filter((key): key is MarketStatus => key in MARKET_LIFE);

function reachableFrom(from: MarketStatus): Set<MarketStatus> {
  const seen = new Set<MarketStatus>([from]);
  for (const status of seen) for (const next of MARKET_LIFE[status]) seen.add(next);
  return seen;
}

describe('the life of a market', () => {
  it('every life of a market starts at initialized and can always end at finalized', () => {
    expect([...reachableFrom('initialized')].sort()).toEqual([...STATUSES].sort());
    for (const status of STATUSES) expect(reachableFrom(status)).toContain('finalized');
  });

  it('only finalized is the end of a market’s life', () => {
    expect(STATUSES.filter((status) => MARKET_LIFE[status].length === 0)).toEqual(['finalized']);
    expect(STATUSES.filter(isSettled)).toEqual(['finalized']);
  });

  it('a market never trades again once its result is known', () => {
    for (const status of ['determined', 'disputed', 'amended', 'finalized'] as const)
      expect([...reachableFrom(status)].filter(isOpen)).toEqual([]);
  });

  it('a market is never determined before it has closed', () => {
    expect(STATUSES.filter((status) => MARKET_LIFE[status].includes('determined')).sort()).toEqual([
      'closed',
      'disputed',
    ]);
  });

  it('no change leaves a market in the same status', () => {
    for (const status of STATUSES) expect(MARKET_LIFE[status]).not.toContain(status);
  });

  it('a market takes orders only while it is active', () => {
    expect(STATUSES.filter(isOpen)).toEqual(['active']);
  });
});

describe('a market and the clock', () => {
  const times = fc.integer({ min: 0, max: 100 }).map(micros);

  it('the clock moves a market only forward along its life, and once', () => {
    fc.assert(
      fc.property(fc.constantFrom(...STATUSES), times, times, times, (status, openAt, closeAt, now) => {
        const next = statusByClock({ status, openAt, closeAt }, now);
        if (next !== status) expect(MARKET_LIFE[status]).toContain(next);
        expect(statusByClock({ status: next, openAt, closeAt }, now)).toBe(next);
      }),
    );
  });

  it('movesByClockAt gives the time of the clock’s next move', () => {
    fc.assert(
      fc.property(fc.constantFrom(...STATUSES), times, times, times, (status, openAt, closeAt, now) => {
        const market = { status, openAt, closeAt };
        expect(now >= nextClockStatusAt(market)).toBe(statusByClock(market, now) !== status);
      }),
    );
  });

  it.each([
    ['initialized', 9, 'initialized'],
    ['initialized', 10, 'active'],
    ['initialized', 20, 'closed'],
    ['active', 19, 'active'],
    ['active', 20, 'closed'],
    ['inactive', 15, 'inactive'],
    ['inactive', 20, 'closed'],
    ['determined', 30, 'determined'],
  ] as const)('the clock takes a market that is %s at %i to %s', (status, now, next) => {
    expect(statusByClock({ status, openAt: micros(10), closeAt: micros(20) }, micros(now))).toBe(next);
  });
});
