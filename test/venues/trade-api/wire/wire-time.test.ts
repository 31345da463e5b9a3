// Times on the wire, against the platform's own calendar.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../../src/domain/units.ts';
import { runCount } from '../../../support/runner/property-runs.ts';
import { formatTime, parseTime } from '../../../../src/venues/trade-api/wire/wire-time.ts';

describe('times in RFC 3339', () => {
  it('reads and writes times as the platform does, to the millisecond', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1700-01-01'), max: new Date('2250-01-01'), noInvalidDate: true }),
        (date) => {
          expect(parseTime(date.toISOString())).toBe(date.getTime() * 1000);
          expect(parseTime(formatTime(micros(date.getTime() * 1000)))).toBe(date.getTime() * 1000);
          expect(new Date(formatTime(micros(date.getTime() * 1000))).getTime()).toBe(date.getTime());
        },
      ),
    );
  });

  it.each([
    ['2026-06-11T06:29:47.42784Z', 1_781_159_387_427_840],
    ['2026-06-11T06:29:47Z', 1_781_159_387_000_000],
    ['2026-06-11T08:29:47+02:00', 1_781_159_387_000_000],
    ['2026-06-11T01:29:47-05:00', 1_781_159_387_000_000],
    ['2026-06-11T06:29:47.427840999Z', 1_781_159_387_427_840],
    ['2024-02-29T00:00:00Z', 1_709_164_800_000_000],
  ])('%s is %d', (text, at) => {
    expect(parseTime(text)).toBe(at);
  });

  it.each([
    '',
    '2026-06-11',
    '2026-13-01T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-06-11T24:00:00Z',
    'soon',
    '0001-01-01T00:00:00Z',
  ])('%j is not a time', (text) => {
    expect(parseTime(text)).toBeNull();
  });

  it('reads the texts of this pattern and no others', () => {
    const pattern = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,12})?(?:[Zz]|[+-]\d\d:\d\d)$/;
    const fraction = fc.constantFrom(
      '',
      '.',
      '.1',
      '.123456',
      '.1234567',
      '.123456789012',
      '.1234567890123',
      '.1x',
      '٣',
    );
    const zone = fc.constantFrom('Z', 'z', '', '+02:00', '-11:59', '+2:00', '+02-00', '-0a:00', '+02:000', 'ZZ', ' Z');
    const mark = fc.constantFrom('', '', '', '-', ':', 'T', 'x', ' ', '7');
    fc.assert(
      fc.property(fraction, zone, fc.nat(18), mark, (digits, end, place, put) => {
        const usual = '2026-01-15T08:02:07';
        const text = `${put === '' ? usual : usual.slice(0, place) + put + usual.slice(place + 1)}${digits}${end}`;
        // Another digit may name a month, day or hour that does not exist.
        if (pattern.test(text) && put !== '7') expect(parseTime(text)).not.toBeNull();
        if (!pattern.test(text)) expect(parseTime(text)).toBeNull();
      }),
      { numRuns: runCount(3000) },
    );
  });

  it('leaves out trailing zeros of the fraction', () => {
    expect(formatTime(micros(1_781_159_387_427_840))).toBe('2026-06-11T06:29:47.42784Z');
    expect(formatTime(micros(1_781_159_387_000_000))).toBe('2026-06-11T06:29:47Z');
  });
});
