// Probabilities from a file: read whole or refused line by line, and never from a row of a later time.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Micros, fromSeconds, micros, probability } from '../../src/domain/units.ts';
import { FILE_META, fileText, probabilityFile } from '../../src/kit/file-params.ts';
import { ProbabilityTable } from '../../src/kit/probability-table.ts';
import { z } from 'zod';

/** The faults of a file, as its schema reports them. */
const faultsOf = (text: string): string[] =>
  probabilityFile()
    .safeParse(text)
    .error?.issues.map((each) => each.message) ?? [];
const NOON = fromSeconds(Date.UTC(2026, 10, 21, 12) / 1000);

describe('a probability file', () => {
  it('applies from each row’s time on, and always where rows have no time', () => {
    const table = probabilityFile().parse(
      'ticker,probability,at\nRAIN,0.62,\nRAIN,.655,2026-11-21T12:00:00Z\nSNOW,1,2026-11-21T13:00:00+01:00\n',
    );
    expect(table.tickers).toEqual(['RAIN', 'SNOW']);
    expect(table.lookup('RAIN', micros(NOON - 1))).toEqual({ at: 0, probability: 0.62 });
    expect(table.lookup('RAIN', NOON)).toEqual({ at: NOON, probability: 0.655 });
    expect(table.lookup('SNOW', micros(NOON - 1))).toBeNull();
    expect(table.lookup('SNOW', NOON)).toEqual({ at: NOON, probability: 1 });
    expect(table.lookup('HAIL', NOON)).toBeNull();
  });

  it('needs no times and accepts its columns in any order', () => {
    const table = probabilityFile().parse('\uFEFFProbability,Ticker\r\n0.5,RAIN\r\n\r\n 1e-1 , "SNOW" \r\n');
    expect(table.lookup('RAIN', micros(0))).toEqual({ at: 0, probability: 0.5 });
    expect(table.lookup('SNOW', micros(0))).toEqual({ at: 0, probability: 0.1 });
  });

  it.each([
    ['', 'line 1: expected a header ticker,probability[,at], found nothing'],
    ['RAIN,0.5\n', 'line 1: expected a header ticker,probability[,at], found RAIN,0.5'],
    ['ticker,probability,when\n', 'line 1: expected a header ticker,probability[,at], found ticker,probability,when'],
    [
      'ticker,ticker,probability\n',
      'line 1: expected a header ticker,probability[,at], found ticker,ticker,probability',
    ],
    ['ticker,probability\nA\n', 'line 2: expected 2 values, found 1'],
    ['ticker,probability\n,0.5\n', 'line 2, column ticker: expected a ticker, found nothing'],
    ['ticker,probability\n\nA,62%\n', 'line 3, column probability: expected a number from 0 to 1, found "62%"'],
    ['ticker,probability\nA,1.2\n', 'line 2, column probability: expected a number from 0 to 1, found "1.2"'],
    ['ticker,probability\nA,-0.1\n', 'line 2, column probability: expected a number from 0 to 1, found "-0.1"'],
    ['ticker,probability\nA,\n', 'line 2, column probability: expected a number from 0 to 1, found ""'],
    [
      'ticker,probability,at\nA,0.5,2026-11-21 12:00\n',
      'line 2, column at: expected a time with its zone, as 2026-11-21T12:00:00Z, found "2026-11-21 12:00"',
    ],
    [
      'ticker,probability\nA,0.5\nA,0.6\n',
      'line 3, column at: expected a later time than that of the previous row of A',
    ],
    ['ticker,probability\nA,0.5\nB,"0.6\n', 'line 3: expected CSV, found: Quote Not Closed'],
  ])('is refused with its line and column: %j', (text, fault) => {
    expect(faultsOf(text)).toEqual([expect.stringContaining(fault)]);
  });

  it('reports every fault, up to twenty', () => {
    const text = `ticker,probability\n${'A,two\n'.repeat(30)}`;
    expect(faultsOf(text)).toHaveLength(21);
    expect(faultsOf(text).at(-1)).toBe('and 10 more lines');
  });

  it('is marked as a file in its schema, whatever else the schema says', () => {
    const params = z.strictObject({
      forecast: probabilityFile().describe('our forecast'),
      notes: fileText().optional(),
      spare: fileText().default('none').describe('spare'),
    });
    const { properties } = z.toJSONSchema(params, { io: 'input' });
    expect(properties).toMatchObject({
      forecast: { type: 'string', presageFile: true, description: 'our forecast' },
      notes: { type: 'string', presageFile: true },
      spare: { type: 'string', presageFile: true, default: 'none' },
    });
    expect(fileText().meta()).toEqual(FILE_META);
    expect(params.parse({ forecast: 'ticker,probability\nA,1\n' }).forecast.lookup('A', micros(0))?.probability).toBe(
      1,
    );
  });
});

describe('a table of probabilities', () => {
  it('returns the latest row that is not of a later time', () => {
    const times = fc.uniqueArray(fc.nat({ max: 50 }), { maxLength: 12 }).map((each) => each.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(times, fc.integer({ min: -1, max: 51 }), (ats, now) => {
        const rows = ats.map((at) => ({ at: at as Micros, probability: probability(at / 100) }));
        const table = new ProbabilityTable(new Map([['A', rows]]));
        expect(table.lookup('A', now as Micros)).toEqual(rows.findLast(({ at }) => at <= now) ?? null);
      }),
    );
  });
});
