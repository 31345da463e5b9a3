// Forms and fields that only some dialects use: derived ids, filler, finer money, repeated parameters, and optional
// inline records.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Money } from '../../../../src/domain/units.ts';
import { type Ticker, ticker } from '../../../../src/domain/ids.ts';
import { codecOf } from '../../../../src/venues/trade-api/wire/codec.ts';
import { idOfName } from '../../../../src/venues/trade-api/wire/name-id.ts';
import { scalarOf } from '../../../../src/venues/trade-api/wire/scalars.ts';
import type { RecordSpec } from '../../../../src/venues/trade-api/wire/record-spec.ts';

const place = { record: 'r', field: 'f' };

describe('money', () => {
  it('encodes money with four decimals if the form says so, floored only if it says that, too', () => {
    const floored = scalarOf({ kind: 'money', form: 'dollars4', rounding: 'floor' });
    expect([floored.encode(520_099, place), floored.encode(-1, place)]).toEqual(['0.5200', '-0.0001']);
    const exact = scalarOf({ kind: 'money', form: 'dollars4' });
    expect(exact.encode(17_500, place)).toBe('0.0175');
    expect(exact.decode('0.017512', place)).toBe(17_512);
    expect(() => exact.encode(17_512, place)).toThrow(
      'r.f: expected dollars with at most four decimals, found "0.017512"',
    );
  });

  it('encodes money in hundredths of a cent as a whole number', () => {
    const form = scalarOf({ kind: 'money', form: 'centicents' });
    expect([form.encode(1_230_000, place), form.decode(12_300, place)]).toEqual([12_300, 1_230_000]);
    expect(() => form.encode(1, place)).toThrow(
      'r.f: expected a whole number of hundredths of a cent, found "0.000001"',
    );
  });
});

describe('an id derived from a name', () => {
  const spec: RecordSpec<{ readonly ticker: Ticker }> = {
    name: 'r',
    fields: { ticker: { kind: 'name', wire: 'ticker', also: [{ kind: 'name-id', wire: 'id' }] } },
  };
  const codec = codecOf(spec);

  it('an id accompanies the name and is ignored when decoding, whatever it is', () => {
    const written = codec.encode({ ticker: ticker('M-1') });
    expect(written).toEqual({ ticker: 'M-1', id: idOfName('M-1') });
    const notes: string[] = [];
    for (const id of [written['id'], 7, null, undefined])
      expect(codec.decode({ ticker: 'M-1', id }, (kind) => notes.push(kind))).toEqual({ ticker: 'M-1' });
    expect(notes).toEqual([]);
    expect(() => codec.decode({ id: idOfName('M-1') })).toThrow('r.ticker');
  });

  it('an id has the format of a UUID and differs for another name', () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 40 }), (names) => {
        const ids = names.map(idOfName);
        for (const id of ids) expect(id).toMatch(uuid);
        expect(new Set(ids).size).toBe(names.length);
      }),
    );
  });
});

describe('filler', () => {
  const codec = codecOf<{ readonly ticker: Ticker }>({
    name: 'r',
    fields: { ticker: { kind: 'name', wire: 'ticker' } },
    filler: { type: 'limit', tags: [] },
  });

  it('filler is encoded with its given value, and ignored with any value and with none', () => {
    expect(codec.encode({ ticker: ticker('M-1') })).toEqual({ ticker: 'M-1', type: 'limit', tags: [] });
    const notes: string[] = [];
    for (const type of ['limit', 'market', 3, undefined])
      expect(codec.decode({ ticker: 'M-1', type }, (kind) => notes.push(kind))).toEqual({ ticker: 'M-1' });
    expect(notes).toEqual([]);
  });
});

describe('a list in a query string', () => {
  interface Asked {
    readonly tickers: readonly Ticker[] | null;
  }
  const names = { kind: 'list', of: { kind: 'name' }, wire: 'tickers', optional: true } as const;
  const joined = codecOf<Asked>({ name: 'q', fields: { tickers: names } });
  const repeated = codecOf<Asked>({ name: 'q', fields: { tickers: { ...names, repeated: true } } });
  const tickers = [ticker('A'), ticker('B')];

  it('a list is one parameter with commas, or one parameter per item', () => {
    expect(joined.encodeQuery({ tickers })).toBe('?tickers=A%2CB');
    expect(repeated.encodeQuery({ tickers })).toBe('?tickers=A&tickers=B');
    expect(joined.decodeQuery({ tickers: ['A', 'B'] })).toEqual({ tickers });
    expect(joined.decodeQuery({ tickers: ['A,B'] })).toEqual({ tickers });
    expect(repeated.decodeQuery({ tickers: ['A', 'B'] })).toEqual({ tickers });
    expect(repeated.decodeQuery({ tickers: ['A,B'] })).toEqual({ tickers: ['A,B'] });
    expect(repeated.decodeQuery({})).toEqual({ tickers: null });
  });
});

describe('an inline record', () => {
  interface Outer {
    readonly name: string | null;
    readonly inner: { readonly paid: Money; readonly why: string | null } | null;
  }
  const codec = codecOf<Outer>({
    name: 'outer',
    fields: {
      name: { kind: 'text', wire: 'name', optional: true },
      inner: {
        kind: 'inline',
        optional: true,
        of: {
          name: 'inner',
          fields: {
            paid: { kind: 'money', form: 'dollars', wire: 'paid' },
            why: { kind: 'text', wire: 'why', optional: true },
          },
          filler: { kind: 'inner' },
          ignored: ['fun'],
        },
      },
    },
  });

  it('an inline record is null when none of its members is present', () => {
    expect(codec.decode({ name: 'n' })).toEqual({ name: 'n', inner: null });
    expect(codec.encode({ name: 'n', inner: null })).toEqual({ name: 'n' });
  });

  it('an inline record must be complete when one of its members is present', () => {
    const notes: string[] = [];
    const whole = { paid: '1.5', kind: 'inner', fun: 1 };
    expect(codec.decode(whole, (kind) => notes.push(kind))).toEqual({
      name: null,
      inner: { paid: 1_500_000, why: null },
    });
    expect(notes).toEqual([]);
    expect(() => codec.decode({ why: 'so' })).toThrow('inner.paid');
  });
});
