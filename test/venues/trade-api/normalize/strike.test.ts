// Strikes from the wire: the range that decides a market, and none when no single number decides it.
import { expect, it } from 'vitest';
import { TickerTable } from '../../../../src/domain/ids.ts';
import { marketOf } from '../../../../src/venues/trade-api/normalize/domain-values.ts';
import { market } from '../../../../src/venues/trade-api/profiles/service-market.ts';
import { codecOf } from '../../../../src/venues/trade-api/wire/codec.ts';

const MARKET = {
  ticker: 'RAIN-30',
  event_ticker: 'RAIN',
  status: 'active',
  open_time: '2026-01-01T00:00:00Z',
  close_time: '2026-02-01T00:00:00Z',
};

const strikeIn = (members: object): unknown =>
  marketOf(codecOf(market).decode({ ...MARKET, ...members }), new TickerTable())?.strike;

it.each([
  [
    { strike_type: 'greater', floor_strike: 30.5 },
    { type: 'greater', floor: 30.5, cap: null },
  ],
  [
    { strike_type: 'greater_or_equal', floor_strike: 30 },
    { type: 'greater_or_equal', floor: 30, cap: null },
  ],
  [
    { strike_type: 'less', cap_strike: -2 },
    { type: 'less', floor: null, cap: -2 },
  ],
  [
    { strike_type: 'less_or_equal', cap_strike: 0 },
    { type: 'less_or_equal', floor: null, cap: 0 },
  ],
  [
    { strike_type: 'between', floor_strike: 30, cap_strike: 39.99 },
    { type: 'between', floor: 30, cap: 39.99 },
  ],
])('reads a strike: %o', (members, strike) => {
  expect(strikeIn(members)).toEqual(strike);
});

it.each([
  {},
  { strike_type: 'custom', floor_strike: 30 },
  { strike_type: 'structured', floor_strike: 3.5, custom_strike: { team: 'A' } },
  { strike_type: 'greater', floor_strike: 3.5, custom_strike: { team: 'A' } },
  { strike_type: 'greater' },
  { strike_type: 'greater', floor_strike: null },
  { strike_type: 'greater', floor_strike: 'thirty' },
  { strike_type: 'less', floor_strike: 30 },
  { strike_type: 'between', floor_strike: 40, cap_strike: 30 },
  { strike_type: 'something new', floor_strike: 30 },
])('reads a market without a strike: %o', (members) => {
  expect(strikeIn(members)).toBeNull();
});
