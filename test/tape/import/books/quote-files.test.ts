// Best prices from CSV: time zones with repeated and skipped hours, rows whose sides meet, assumed sizes.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../../../src/domain/units.ts';
import {
  type TestImportOptions,
  countsOf,
  importTexts,
  kindsOf,
  marketRows,
} from '../../../support/tapes/imported-tape.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

const PACIFIC = { timeZone: 'America/Los_Angeles' } as const;
const importing = (text: string, options: TestImportOptions = PACIFIC) => importTexts('quotes-csv', [text], options);

const HEADING = 'timestamp,market_ticker,best_yes_bid,best_no_bid,implied_no_ask,implied_yes_ask';
const quote = (time: string, yes: number, no: number) => `${time},M-1,${yes},${no},${100 - yes},${100 - no}`;
const ofOther = (row: string): string => row.replace('M-1', 'M-2');
const file = (...rows: readonly string[]): string => [HEADING, ...rows].join('\n');
const utc = (text: string): number => Date.parse(text) * 1000;

describe('a file of quotes', () => {
  it('a file of quotes becomes books of one level a side, dated by the clock of its zone', async () => {
    const imported = await importing(
      file(
        quote('2025-12-04T12:27:16.079996', 45, 54),
        quote('2025-12-04T12:27:17', 0, 54),
        quote('2025-12-04T12:27:18', 45, 0),
      ),
    );
    const at = utc('2025-12-04T20:27:16Z') + 79_996;
    expect(marketRows(imported)).toMatchObject([
      { kind: 'snapshot', row: { at, exchangeAt: null, bids: [[4500, 100]], asks: [[4600, 100]] } },
      { kind: 'snapshot', row: { bids: [], asks: [[4600, 100]] } },
      { kind: 'snapshot', row: { bids: [[4500, 100]], asks: [] } },
    ]);
    expect(imported.report.facts.assumptions).toEqual(
      expect.arrayContaining([
        'A quote without a size is taken to be for 1 contract, alone on its side.',
        'Times without an offset are those of a clock in America/Los_Angeles.',
      ]),
    );
    expect(imported.report.facts.counts['print']).toBe(0);
  });

  it('a file of quotes has the requested size', async () => {
    const imported = await importing(file(quote('2025-12-04T12:00:00', 45, 54)), {
      ...PACIFIC,
      quoteQty: contracts(25),
    });
    expect(marketRows(imported)).toMatchObject([{ row: { bids: [[4500, 2500]] } }]);
  });

  it('a file of quotes may be in dollars, of YES alone', async () => {
    const text = 'ticker,ts,yes_bid_dollars,yes_ask_dollars\nM-1,1764880036079996,0.4505,0.4610';
    expect(marketRows(await importing(text, {}))).toMatchObject([
      { row: { bids: [[4505, 100]], asks: [[4610, 100]] } },
    ]);
  });

  it.each([
    ['ticker,ts,price,count', 'yes_bid_dollars, found ticker, ts, price, count'],
    ['ticker,ts,yes_bid', 'yes_ask_dollars, found ticker, ts, yes_bid'],
  ])('a file without the columns of a side is no file of quotes: %s', async (heading, message) => {
    const row = ['M-1', '1764880036', '40', '1'].slice(0, heading.split(',').length).join(',');
    await expect(importing(`${heading}\n${row}`, {})).rejects.toThrow(message);
  });

  it('a column of a side may have a name of its own', async () => {
    const columns = new Map([
      ['yes_bid', 'b'],
      ['yes_ask', 'a'],
    ]);
    const imported = await importing('ticker,ts,b,a\nM-1,1764880036,40,45', { columns });
    expect(marketRows(imported)).toMatchObject([{ row: { bids: [[4000, 100]], asks: [[4500, 100]] } }]);
  });

  it('quotes of several event groups are one stream by time', async () => {
    const imported = await importTexts(
      'quotes-csv',
      [
        file(quote('2025-12-04T12:00:00', 1, 2), quote('2025-12-04T12:00:09', 3, 2)),
        file(ofOther(quote('2025-12-04T12:00:05', 5, 5))),
      ],
      PACIFIC,
    );
    expect(marketRows(imported).map(({ row }) => imported.nameOf(row.market))).toEqual(['M-1', 'M-2', 'M-1']);
  });
});

describe('the clock of a zone', () => {
  it('a repeated hour is resolved by the rows before', async () => {
    const imported = await importing(
      file(
        ...['00:30:00', '01:10:00', '01:50:00', '01:05:00', '01:55:00', '02:10:00'].map((time, at) =>
          quote(`2025-11-02T${time}`, at + 1, 50),
        ),
      ),
    );
    expect(marketRows(imported).map(({ row }) => new Date(row.at / 1000).toISOString().slice(11, 16))).toEqual([
      '07:30',
      '08:10',
      '08:50',
      '09:05',
      '09:55',
      '10:10',
    ]);
    expect(countsOf(imported.report)).toEqual({ 'ambiguous-time': 4 });
    expect(imported.report.findings[0]?.examples[0]).toMatchObject({ line: 3 });
  });

  it('rows in a skipped hour are left out', async () => {
    const imported = await importing(file(quote('2025-03-09T01:59:59', 1, 50), quote('2025-03-09T02:30:00', 2, 50)));
    expect(marketRows(imported)).toHaveLength(1);
    expect(imported.report.findings).toMatchObject([
      {
        kind: 'nonexistent-time',
        count: 1,
        resolution: 'left out: the clock of the time zone never showed it; is the time zone right?',
        examples: [{ line: 3, what: '2025-03-09T02:30:00.000000 did not exist in America/Los_Angeles' }],
      },
    ]);
  });

  it('a time zone must be given where times have none, and must be known', async () => {
    const text = file(quote('2025-12-04T12:00:00', 45, 54));
    await expect(importing(text, {})).rejects.toThrow('expected a time zone to be given, found 2025-12-04T12:00:00');
    await expect(importing(text, { timeZone: 'Pacific' })).rejects.toThrow('time zone: expected a name such as');
  });
});

describe('findings of quotes', () => {
  it('an unchanged quote is named with its prices in cents, and with its empty side', async () => {
    const imported = await importing(file(quote('2025-12-04T12:00:00', 0, 54), quote('2025-12-04T12:00:01', 0, 54)));
    expect(imported.report.findings).toMatchObject([
      { kind: 'unchanged-quote', examples: [{ what: 'M-1: bid none, ask 46¢' }] },
    ]);
  });

  it('a quote whose sides meet is a gap until the next quote of the market', async () => {
    const at = (second: number): string => `2025-12-04T12:00:0${second}`;
    const imported = await importing(
      file(
        quote(at(0), 45, 54),
        quote(at(1), 45, 55),
        quote(at(2), 46, 55),
        ofOther(quote(at(3), 10, 10)),
        quote(at(4), 44, 54),
        quote(at(5), 60, 60),
      ),
    );
    expect(countsOf(imported.report)).toEqual({ 'locked-quote': 1, 'crossed-quote': 2 });
    const found = imported.report.findings.flatMap(({ examples }) => examples.map(({ what }) => what));
    expect(found.slice(0, 2)).toEqual(['M-1: bid 45¢, ask 45¢', 'M-1: bid 46¢, ask 45¢']);
    expect(kindsOf(imported).slice(3)).toEqual(['snapshot', 'feed-gap', 'snapshot', 'snapshot', 'feed-gap']);
    const noon = utc('2025-12-04T20:00:00Z');
    expect(imported.report.facts.gaps).toEqual([
      { from: noon + 1e6, to: noon + 4e6, reason: 'both sides of a quote meet', tickers: ['M-1'] },
      { from: noon + 5e6, to: noon + 5e6, reason: 'both sides of a quote meet', tickers: ['M-1'] },
    ]);
  });

  it.each([
    ['columns that disagree', '2025-12-04T12:00:01,M-1,45,54,55,47', 'expected one ask of YES, found ["54","47",null]'],
    [
      'a price beyond a dollar',
      '2025-12-04T12:00:01,M-1,101,54,-1,46',
      'expected one bid of YES, found ["101","-1",null]',
    ],
    [
      'a part of a cent',
      '2025-12-04T12:00:01,M-1,45.5,54,54.5,46',
      'expected one bid of YES, found ["45.5","54.5",null]',
    ],
    ['no market', '2025-12-04T12:00:01,,45,54,55,46', 'expected the name of a market, found nothing'],
    ['no time', 'soon,M-1,45,54,55,46', 'expected a time, found "soon"'],
    ['its heading again', HEADING, 'expected one bid of YES, found ["best_yes_bid","implied_no_ask",null]'],
  ])('a row with %s is left out, and named', async (_name, bad, what) => {
    const imported = await importing(file(quote('2025-12-04T12:00:00', 1, 2), bad, quote('2025-12-04T12:00:02', 3, 4)));
    expect(marketRows(imported)).toHaveLength(2);
    expect(imported.report.findings).toMatchObject([{ kind: 'bad-row', count: 1, examples: [{ line: 3, what }] }]);
  });

  it('bad rows of quotes, wherever they are, change nothing of the good ones', async () => {
    // The same hour twice: its instants depend on the rows before.
    const good = ['00:50', '01:30', '01:59', '01:01', '01:40', '02:00'].map((time, at) =>
      quote(`2025-11-02T${time}:00`, at + 1, 50),
    );
    const bad = fc.oneof(
      fc.constantFrom('"', ',,,,,', '2025-11-02T09:00:00,M-1,x,54,55,46', '2024-01-01T00:00:00,M-1,45,54,0,0'),
      fc.string().filter((text) => text.trim() !== '' && !/[\n\r]/.test(text)),
    );
    const expected = marketRows(await importing(file(...good)));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(good.length), bad), { maxLength: 10 }), async (inserted) => {
        const rows = [...good];
        for (const [at, text] of inserted) rows.splice(at, 0, text);
        const imported = await importing(file(...rows));
        expect(marketRows(imported)).toEqual(expected);
        expect(countsOf(imported.report)['bad-row'] ?? 0).toBe(inserted.length);
      }),
      { numRuns: runCount(60) },
    );
  });
});
