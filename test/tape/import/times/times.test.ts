// Times as people write them, and wall-clock times of a zone.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Micros, micros } from '../../../../src/domain/units.ts';
import { instantOfDigits, parseMoment } from '../../../../src/domain/parsed-time.ts';
import { isoMicros } from '../../../../src/tape/format/iso-time.ts';
import { TimeZone } from '../../../../src/tape/import/times/time-zone.ts';

const utc = (text: string): Micros => micros(Date.parse(text) * 1000);

describe('a time', () => {
  it.each([
    ['2026-01-02 00:19:38.676144+00:00', '2026-01-02T00:19:38.676144Z'],
    ['2026-01-02T01:19:38.676144+0100', '2026-01-02T00:19:38.676144Z'],
    ['2026-01-01T19:49:38Z', '2026-01-01T19:49:38.000000Z'],
    ['2026-01-01 19:49:38 UTC', '2026-01-01T19:49:38.000000Z'],
    ['2026-01-01T19:49:38.123456789-04:30', '2026-01-02T00:19:38.123456Z'],
    ['1767313178', '2026-01-02T00:19:38.000000Z'],
    ['1767313178.6761', '2026-01-02T00:19:38.676100Z'],
    ['1767313178676', '2026-01-02T00:19:38.676000Z'],
    ['1767313178676144', '2026-01-02T00:19:38.676144Z'],
    ['1767313178676144999', '2026-01-02T00:19:38.676144Z'],
  ])('the time %s is an instant', (text, expected) => {
    const moment = parseMoment(text);
    expect(moment?.kind).toBe('instant');
    expect(moment?.kind === 'instant' && isoMicros(moment.at)).toBe(expected);
  });

  it('of whole digits is the same whether it is read as a text or as a number', () => {
    const counts = fc
      .integer({ min: 9, max: 15 })
      .chain((digits) =>
        fc.integer({ min: 10 ** (digits - 1), max: 10 ** digits - 1 }).map((value) => ({ value, digits })),
      );
    fc.assert(
      fc.property(counts, ({ value, digits }) => {
        const moment = parseMoment(String(value));
        const at = instantOfDigits(value, digits);
        expect(moment).toEqual(Number.isSafeInteger(at) ? { kind: 'instant', at } : null);
      }),
    );
  });

  it('a time without an offset is a wall-clock time', () => {
    expect(parseMoment('2025-12-04T12:27:16.079996')).toEqual({
      kind: 'wall',
      wall: utc('2025-12-04T12:27:16Z') + 79_996,
    });
  });

  it.each(['', 'noon', '2026-02-30T00:00:00Z', '2026-13-01', '2026-01-01T24:00:00Z', '12', '-5', '2026-01-01'])(
    'the text %s is no time',
    (text) => {
      expect(parseMoment(text)).toBeNull();
    },
  );

  it('a time is read as it was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1e15, max: 4e15 }), (at) => {
        expect(parseMoment(isoMicros(at as Micros))).toEqual({ kind: 'instant', at });
        expect(parseMoment(at)).toEqual({ kind: 'instant', at });
      }),
    );
  });
});

describe('a time zone', () => {
  const pacific = new TimeZone('America/Los_Angeles');
  const momentsOf = (wall: string): string[] => pacific.instantsOf(utc(`${wall}Z`)).map(isoMicros);

  it('a time zone has winter and summer time', () => {
    expect(momentsOf('2025-12-04T12:00:00')).toEqual(['2025-12-04T20:00:00.000000Z']);
    expect(momentsOf('2025-07-04T12:00:00')).toEqual(['2025-07-04T19:00:00.000000Z']);
  });

  it('a time zone has an hour that comes twice', () => {
    expect(momentsOf('2025-11-02T01:30:00')).toEqual(['2025-11-02T08:30:00.000000Z', '2025-11-02T09:30:00.000000Z']);
    expect(momentsOf('2025-11-02T00:59:59')).toHaveLength(1);
    expect(momentsOf('2025-11-02T02:00:00')).toHaveLength(1);
  });

  it('a time zone has an hour that is skipped', () => {
    expect(momentsOf('2025-03-09T02:30:00')).toEqual([]);
    expect(momentsOf('2025-03-09T03:00:00')).toEqual(['2025-03-09T10:00:00.000000Z']);
  });

  it('a time zone is refused when its name is unknown', () => {
    expect(() => new TimeZone('US/Nowhere')).toThrow(
      'time zone: expected a name such as America/Los_Angeles, found "US/Nowhere"',
    );
  });

  it('a time zone finds every instant among those of its wall-clock time', () => {
    const zones = ['America/Los_Angeles', 'Europe/Oslo', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC'];
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 1.5e9, max: 2e9 }), (name, seconds) => {
        const zone = new TimeZone(name);
        const at = micros(seconds * 1_000_000);
        expect(zone.instantsOf(micros(at + zone.offsetAt(at)))).toContain(at);
      }),
    );
  });
});
