// Text of figures and times, as tables of an input and its text. A wrong digit here is a wrong figure in front of a person.
import { describe, expect, it } from 'vitest';
import { bookState } from '../../../src/console/page/format/book-state.ts';
import {
  centDigitsOf,
  formatBytes,
  formatCount,
  formatLimit,
  formatMicros,
  formatMoney,
  formatNamedLimit,
  formatPrice,
  formatQty,
  formatShare,
  plainText,
  shareOf,
} from '../../../src/console/page/format/figures.ts';
import { strikeText } from '../../../src/console/page/format/strike-text.ts';
import {
  formatAge,
  formatClock,
  formatMoment,
  formatPreciseClock,
  formatSpan,
  formatStep,
  formatTenths,
  formatUntil,
  isoTime,
  parseIsoTime,
} from '../../../src/console/page/format/times.ts';

const SPACE = '\u202f';
const MINUS = '\u2212';
const DAY_US = 86_400_000_000;

describe('money', () => {
  it.each([
    [0, '0.00', '0.000000'],
    [1, '0.00', '0.000001'],
    [4_999, '0.00', '0.004999'],
    [5_000, '0.01', '0.005000'],
    [-4_999, '0.00', `${MINUS}0.004999`],
    [-5_000, `${MINUS}0.01`, `${MINUS}0.005000`],
    [999_994_999, '999.99', '999.994999'],
    [999_995_000, `1${SPACE}000.00`, '999.995000'],
    [10_482_117_300, `10${SPACE}482.12`, `10${SPACE}482.117300`],
    [-1_234_567_890_123, `${MINUS}1${SPACE}234${SPACE}567.89`, `${MINUS}1${SPACE}234${SPACE}567.890123`],
    [9_007_199_254_740_991, `9${SPACE}007${SPACE}199${SPACE}254.74`, `9${SPACE}007${SPACE}199${SPACE}254.740991`],
  ])('writes %d millionths as %s and as %s', (micros, short, exact) => {
    expect([formatMoney(micros), formatMicros(micros)]).toEqual([short, exact]);
  });

  it('writes a plus sign only where one is wanted and the text is not zero', () => {
    const signed = [31_104_117, 0, 4_000, -31_104_117].map((micros) => formatMoney(micros, { isSigned: true }));
    expect(signed).toEqual(['+31.10', '0.00', '0.00', `${MINUS}31.10`]);
  });

  it('writes a dash for an unknown amount', () => {
    expect([formatMoney(null), formatMicros(undefined)]).toEqual(['–', '–']);
  });
});

describe('prices and quantities', () => {
  it.each([
    [0, 0, '0'],
    [4_300, 0, '43'],
    [4_350, 0, '43.5'],
    [4_355, 0, '43.55'],
    [4_301, 0, '43.01'],
    [4_300, 1, '43.0'],
    [4_350, 2, '43.50'],
    [10_000, 0, '100'],
    [50, 0, '0.5'],
    [null, 1, '–'],
  ])('writes the price %s with at least %d digits as %s', (price, digits, text) => {
    expect(formatPrice(price, digits)).toBe(text);
  });

  it('finds the digits that a column of prices needs', () => {
    expect([
      centDigitsOf([]),
      centDigitsOf([4_300, null]),
      centDigitsOf([4_300, 4_350]),
      centDigitsOf([4_350, 4_301]),
    ]).toEqual([0, 0, 1, 2]);
  });

  it.each([
    [0, '0'],
    [500, '5'],
    [1_000, '10'],
    [50, '0.5'],
    [1_225, '12.25'],
    [-2_000, `${MINUS}20`],
    [123_456_700, `1${SPACE}234${SPACE}567`],
  ])('writes %d hundredths of a contract as %s', (qty, text) => {
    expect(formatQty(qty)).toBe(text);
  });

  it.each([
    [1_861_300_000, 'micros', `1${SPACE}861.30`],
    [2_000, 'qty', '20'],
    [350, 'price', '3.5 ¢'],
    [1_600, 'count', `1${SPACE}600`],
  ] as const)('writes the limit %d of unit %s as %s', (value, unit, text) => {
    expect(formatLimit(value, unit)).toBe(text);
  });

  it.each([
    [0, 100, '0 %', 0],
    [999, 1_000, '99 %', 0.999],
    [1_000, 1_000, '100 %', 1],
    [1_500, 1_000, '150 %', 1],
    [-5, 100, '0 %', 0],
    [5, 0, '100 %', 1],
    [0, 0, '0 %', 0],
    [5, null, '–', 0],
  ])('writes %d of %s as %s', (used, allowed, text, share) => {
    expect([formatShare(used, allowed), shareOf(used, allowed)]).toEqual([text, share]);
  });

  it('writes counts and bytes', () => {
    expect([formatCount(10_000), formatBytes(999), formatBytes(612_400_000), formatBytes(4_200)]).toEqual([
      `10${SPACE}000`,
      '999 B',
      '612 MB',
      '4.2 kB',
    ]);
  });

  it('copies figures with a plain minus and without spaces in them', () => {
    expect(plainText(formatMicros(-1_234_567_890))).toBe('-1234.567890');
  });
});

describe('the state of a book', () => {
  it.each([
    ['active', 'live', 'live', 'muted'],
    ['active', 'suspect', 'suspect', 'warning-text'],
    ['active', 'rebuilding', 'rebuilding', 'stale'],
    ['inactive', 'rebuilding', 'rebuilding', 'stale'],
    ['closed', 'rebuilding', 'closed', 'muted'],
    ['determined', 'suspect', 'closed', 'muted'],
    ['finalized', 'rebuilding', 'settled', 'muted'],
  ])('of a market that is %s and %s is %s', (status, trust, text, tone) => {
    expect(bookState({ status, trust })).toMatchObject({ text, tone });
  });
});

describe('times', () => {
  const at = Date.UTC(2026, 10, 23, 14, 3, 22, 45) * 1000;

  it('writes a time of day in UTC', () => {
    expect([formatClock(at, 'utc'), formatPreciseClock(at, 'utc'), isoTime(at)]).toEqual([
      '14:03:22Z',
      '14:03:22.045Z',
      '2026-11-23T14:03:22.045Z',
    ]);
  });

  it('adds the date of another day, and the year of another year', () => {
    const moments = [at, at - DAY_US, at - 365 * DAY_US].map((us) => formatMoment(us, at, 'utc'));
    expect(moments).toEqual(['14:03:22Z', 'Nov 22 14:03:22Z', 'Nov 23 2025 14:03:22Z']);
  });

  it('reads an ISO time, and nothing else', () => {
    expect([parseIsoTime('2026-11-23T14:03:22Z'), parseIsoTime('yesterday')]).toEqual([at - 45_000, null]);
  });

  it.each([
    [-5, '0.0 s'],
    [300, '0.3 s'],
    [9_949, '9.9 s'],
    [9_950, '10 s'],
    [12_000, '12 s'],
    [59_499, '59 s'],
    [59_500, '1 m'],
    [240_000, '4 m'],
    [11_520_000, '3 h 12 m'],
    [7_200_000, '2 h'],
    [187_200_000, '2 d 4 h'],
    [null, '–'],
  ])('writes an age of %s ms as %s', (ms, text) => {
    expect(formatAge(ms)).toBe(text);
  });

  it.each([
    [0, '0 ms'],
    [0.08, '0.08 ms'],
    [4.2, '4.2 ms'],
    [41, '41 ms'],
    [1_240, '1.2 s'],
    [-0.08, `${MINUS}0.08 ms`],
    [-4.2, `${MINUS}4.2 ms`],
    [-41, `${MINUS}41 ms`],
    [-1_240, `${MINUS}1.2 s`],
    [-0.001, '0.00 ms'],
  ])('writes a span of %d ms as %s', (ms, text) => {
    expect(formatSpan(ms)).toBe(text);
  });

  it.each([
    [null, '–'],
    [0, '0.0 ms'],
    [0.04, '0.0 ms'],
    [-0.04, '0.0 ms'],
    [3.25, '3.3 ms'],
    [-12.34, `${MINUS}12.3 ms`],
  ])('writes a measured time of %d ms as %s', (ms, text) => {
    expect(formatTenths(ms)).toBe(text);
  });

  it('writes the time between two steps with its sign', () => {
    expect([formatStep(0), formatStep(41), formatStep(-41)]).toEqual(['+0 ms', '+41 ms', `${MINUS}41 ms`]);
  });

  it('writes the time until a market closes', () => {
    expect([formatUntil(at + 3_600_000_000, at), formatUntil(at, at), formatUntil(null, at)]).toEqual([
      '1 h',
      'closed',
      '–',
    ]);
  });
});

it('says what the watchdog of a dead bot did', () => {
  const text = (canceled: number, isDone = true): string => strikeText({ atUs: 0, canceled, isDone });
  expect(text(2)).toBe('the watchdog had canceled 2 orders, and none rests any more');
  expect(text(1)).toBe('the watchdog had canceled one order, and none rests any more');
  expect(text(0)).toBe('the watchdog had found that no order rests');
  expect(text(3, false)).toBe('the watchdog had given up: orders MAY STILL REST');
});

describe('the value of an overridden limit', () => {
  it.each([
    ['groupCostMax', 12_500_000, '12.50'],
    ['orderQtyMax', 2_000, '20'],
    ['priceMin', 350, '3.5 ¢'],
    ['spreadMax', 400, '4 ¢'],
    ['bookAgeMsMax', 1_500, `1${SPACE}500 ms`],
    ['workingOrdersMax', 12, '12'],
    ['limitOfALaterVersion', 1_500, `1${SPACE}500`],
  ])('%s of %d is written with its unit, also where nothing uses it up: %s', (limit, value, text) => {
    expect(formatNamedLimit(limit, value)).toBe(text);
  });
});
