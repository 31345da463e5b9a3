// The units are exact, in range, and convert to text and back without loss. Big integers are the oracle.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionFault } from '../../src/base/assert.ts';
import {
  PAYOUT,
  cents,
  complement,
  contracts,
  dollars,
  formatMoney,
  formatPrice,
  formatQty,
  formatScaled,
  fromMillis,
  fromSeconds,
  micros,
  money,
  mulDivCeil,
  mulDivFloor,
  notional,
  parseScaled,
  price,
  qty,
} from '../../src/domain/units.ts';
import { ceilDiv, floorDiv } from '../support/reports/rational.ts';
import { runCount } from '../support/runner/property-runs.ts';

const safe = fc.maxSafeInteger();
const positive = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const isSafe = (value: bigint): boolean =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);

describe('a unit', () => {
  it('a unit takes every safe integer of its range unchanged', () => {
    fc.assert(
      fc.property(safe, fc.integer({ min: 0, max: PAYOUT }), (value, cell) => {
        expect(price(cell)).toBe(cell);
        for (const unit of [qty, money, micros]) expect(unit(value)).toBe(value);
      }),
    );
  });

  it.each([
    ['price', price, [-1, 10_001, 0.5, Number.NaN, Number.POSITIVE_INFINITY]],
    ['qty', qty, [0.5, 2 ** 53, -(2 ** 53), Number.NaN, Number.NEGATIVE_INFINITY]],
    ['money', money, [0.1, 2 ** 53, Number.NaN]],
    ['time', micros, [1.5, 2 ** 60, Number.NaN]],
  ] as const)('a value that is no %s is refused by name', (what, unit, wrong) => {
    for (const value of wrong) {
      expect(() => unit(value)).toThrow(AssertionFault);
      expect(() => unit(value)).toThrow(`${what} ${value} is not`);
    }
  });

  it('no unit holds a negative zero', () => {
    for (const unit of [price, qty, money, micros]) expect(unit(-0)).toBe(0);
  });

  it('cents, contracts, dollars and times count in their own steps', () => {
    expect([cents(42), contracts(3), dollars(-2), fromMillis(1.5), fromSeconds(2)]).toEqual([
      4200, 300, -2_000_000, 1500, 2_000_000,
    ]);
  });

  it('a decimal fraction is converted by its digits, although floating point cannot hold it', () => {
    expect([cents(0.29), contracts(1.1), contracts(-0.07), dollars(0.07), dollars(4.35)]).toEqual([
      29, 110, -7, 70_000, 4_350_000,
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: PAYOUT }), fc.integer({ min: -1e15, max: 1e15 }), (cell, amount) => {
        expect(cents(Number(formatScaled(cell, 2)))).toBe(cell);
        expect(contracts(Number(formatQty(qty(amount))))).toBe(amount);
        expect(dollars(Number(formatMoney(money(amount))))).toBe(amount);
      }),
    );
  });

  it('a fraction of more decimals than the unit is refused', () => {
    for (const wrong of [() => cents(0.125), () => contracts(0.001), () => dollars(1e-7)]) {
      expect(wrong).toThrow(AssertionFault);
    }
  });

  it('the prices of both outcomes add up to a dollar', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: PAYOUT }), (cell) => {
        expect(price(cell) + complement(price(cell))).toBe(PAYOUT);
        expect(complement(complement(price(cell)))).toBe(cell);
      }),
    );
  });
});

describe('a cost', () => {
  it('a cost is exactly price times quantity, or refused when too large to be exact', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: PAYOUT }), safe, (p, q) => {
        const exact = BigInt(p) * BigInt(q);
        if (isSafe(exact)) expect(BigInt(notional(price(p), qty(q)))).toBe(exact);
        else expect(() => notional(price(p), qty(q))).toThrow(AssertionFault);
      }),
    );
  });
});

describe('a division', () => {
  const check = (a: number, b: number, c: number): void => {
    const product = BigInt(a) * BigInt(b);
    for (const [divide, oracle] of [
      [mulDivFloor, floorDiv],
      [mulDivCeil, ceilDiv],
    ] as const) {
      const exact = oracle(product, BigInt(c));
      if (isSafe(exact)) expect(divide(a, b, c)).toBe(Number(exact));
      else expect(() => divide(a, b, c)).toThrow(AssertionFault);
    }
  };

  it('a division rounds as big integers do, for any size and sign', () => {
    fc.assert(fc.property(safe, safe, positive, check), { numRuns: runCount(500) });
  });

  it('a division rounds as big integers do where the product is barely safe', () => {
    const near = fc.integer({ min: 0, max: 1000 }).map((less) => Number.MAX_SAFE_INTEGER - less);
    fc.assert(fc.property(near, fc.constantFrom(1, -1, 2, -2), fc.integer({ min: 1, max: 1000 }), check));
  });

  it('a division rounds as big integers do on small numbers', () => {
    const small = fc.integer({ min: -300, max: 300 });
    fc.assert(fc.property(small, small, fc.integer({ min: 1, max: 30 }), check), { numRuns: runCount(500) });
  });

  it.each([0, -1, Number.NaN])('division by %s is refused', (divisor) => {
    expect(() => mulDivFloor(1, 1, divisor)).toThrow(AssertionFault);
    expect(() => mulDivCeil(1, 1, divisor)).toThrow(AssertionFault);
  });
});

describe('a decimal text', () => {
  it('a decimal text parses back to the same value, for every amount and number of decimals', () => {
    // At most seventeen digits are parsed, fifteen of them before the point.
    fc.assert(
      fc.property(safe, fc.integer({ min: 2, max: 8 }), (value, decimals) => {
        expect(parseScaled(formatScaled(value, decimals), decimals)).toBe(value);
      }),
    );
  });

  it('a value formats as big integers say', () => {
    fc.assert(
      fc.property(safe, fc.integer({ min: 1, max: 8 }), (value, decimals) => {
        const scale = 10n ** BigInt(decimals);
        const size = BigInt(Math.abs(value));
        const fraction = String(size % scale).padStart(decimals, '0');
        expect(formatScaled(value, decimals)).toBe(`${value < 0 ? '-' : ''}${size / scale}.${fraction}`);
      }),
    );
  });

  it('a decimal text parses digit by digit, as big integers say', () => {
    const digits = (lengthMax: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${lengthMax}}$`));
    fc.assert(
      fc.property(fc.boolean(), digits(12), digits(6), fc.nat(5), (isNegative, whole, fraction, zeros) => {
        const text = `${isNegative ? '-' : ''}${whole}.${fraction}${'0'.repeat(zeros)}`;
        const size = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
        const exact = isNegative ? -size : size;
        expect(parseScaled(text, 6)).toBe(isSafe(exact) ? Number(exact) : null);
      }),
      { numRuns: runCount(500) },
    );
  });

  it.each([
    ['0.4200', 4, 4200],
    ['.42', 4, null],
    ['0.42000', 4, 4200],
    ['0.42001', 4, null],
    ['13.00', 2, 1300],
    ['13', 2, 1300],
    ['-0.00', 2, 0],
    ['-1.5', 2, -150],
    ['+1', 2, null],
    ['1.', 2, null],
    ['', 2, null],
    [' 1', 2, null],
    ['1 ', 2, null],
    ['1e3', 2, null],
    ['1,000.00', 2, null],
    ['0x10', 2, null],
    ['٣', 2, null],
    ['NaN', 2, null],
    ['Infinity', 2, null],
    ['1.2.3', 2, null],
    ['999999999999999.99', 6, null],
    ['9007199254.740991', 6, Number.MAX_SAFE_INTEGER],
    ['9007199254.740992', 6, null],
    ['1234567890123456', 0, null],
    ['7\n', 0, null],
    ['1.0x', 4, null],
    ['1.00000x', 4, null],
    ['-', 2, null],
    ['--1', 2, null],
    ['5.0', 0, 5],
    ['5.1', 0, null],
  ])('%j with %i decimals is %s', (text, decimals, value) => {
    expect(parseScaled(text, decimals)).toBe(value);
  });

  it('prices show four decimals, quantities two, money six', () => {
    expect([formatPrice(price(5)), formatQty(qty(-1250)), formatMoney(money(-1))]).toEqual([
      '0.0005',
      '-12.50',
      '-0.000001',
    ]);
    expect(formatScaled(-7, 0)).toBe('-7');
  });
});
