// Public trades from CSV and Parquet: every fault counted with its place, and no good row changed by a bad one.
import * as fc from 'fast-check';
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../../../src/domain/units.ts';
import {
  type TestImportOptions,
  countsOf,
  importFiles,
  importTexts,
  kindsOf,
  marketRows,
} from '../../../support/tapes/imported-tape.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

const importing = (texts: string | readonly string[], options: TestImportOptions = {}) =>
  importTexts('trades-csv', typeof texts === 'string' ? [texts] : texts, options);

const HEADING = 'date,ticker,side_of_close,ts,price,quantity,direction,liquidity_event';
interface RowSaid {
  readonly second?: number;
  readonly ticker?: string;
  readonly price?: string;
  readonly qty?: string;
  readonly taker?: string;
  readonly passive?: string;
}
const row = ({
  second = 0,
  ticker = 'S-1-A',
  price = '0.4',
  qty = '2.0',
  taker = 'yes_taker',
  passive = 'lift_offer',
}: RowSaid = {}) =>
  `2026-01-02,${ticker},above,2026-01-02 10:00:${String(second).padStart(2, '0')}.5+00:00,${price},${qty},${taker},${passive}`;
const file = (...rows: readonly string[]): string => [HEADING, ...rows].join('\n');
const AT = Date.parse('2026-01-02T10:00:00.5Z') * 1000;

describe('a file of trades', () => {
  it('a file of trades becomes prints on the YES scale, dated by the venue', async () => {
    const imported = await importing(
      file(row(), row({ second: 1, price: '0.985', qty: '0.25', taker: 'no_taker', passive: 'hit_bid' })),
    );
    expect(marketRows(imported)).toEqual([
      { kind: 'print', row: { at: AT, exchangeAt: AT, market: 0, side: 'buy', price: 4000, qty: 200, tradeId: '' } },
      {
        kind: 'print',
        row: { at: AT + 1e6, exchangeAt: AT + 1e6, market: 0, side: 'sell', price: 9850, qty: 25, tradeId: '' },
      },
    ]);
    expect(imported.report.findings).toEqual([]);
    expect(imported.report.read).toBe(2);
  });

  it('a file of trades may write the mark of a block trade as true, t, yes or 1; another word is a bad row', async () => {
    const words = ['true', 'T', 'yes', '1', 'false', 'f', 'no', '0', '', 'block'];
    const rows = words.map((word, at) => `M-1,${1_767_348_000 + at},52,3,yes,${word}`);
    const { report } = await importing(['ticker,ts,yes_price,count,taker_side,is_block_trade', ...rows].join('\n'));
    expect(report.facts.counts).toMatchObject({ print: 5 });
    expect(countsOf(report)).toEqual({ 'off-book-trade': 4, 'bad-row': 1 });
    expect(report.findings[1]?.examples[0]?.what).toBe('expected true or false for a block trade, found "block"');
  });

  it('a file of trades may spell its columns as the REST API does', async () => {
    const text = [
      'trade_id,ticker,created_time,yes_price_dollars,count_fp,taker_outcome_side,taker_book_side,is_block_trade',
      'a,M-1,2026-01-02T10:00:00.5Z,0.5200,1.50,no,ask,false',
      'b,M-1,2026-01-02T10:00:00.5Z,0.5200,1.50,no,ask,true',
      'a,M-1,2026-01-02T10:00:00.5Z,0.5200,1.50,no,ask,false',
    ].join('\r\n');
    const imported = await importing(text);
    expect(marketRows(imported)).toMatchObject([{ row: { side: 'sell', price: 5200, qty: 150, tradeId: 'a' } }]);
    expect(countsOf(imported.report)).toEqual({ 'off-book-trade': 1, 'doubled-trade-id': 1 });
  });

  it('a file of trades may have its price in dollars in one row and in cents in another', async () => {
    const text = [
      'ticker,ts,yes_price_dollars,yes_price,count,taker_side',
      'M-1,1767348000,0.5200,,1,yes',
      'M-1,1767348001,,53,1,yes',
      'M-1,1767348002,0.5400,99,1,yes',
      'M-1,1767348003,,,1,yes',
    ].join('\n');
    const imported = await importing(text);
    expect(marketRows(imported)).toMatchObject([5200, 5300, 5400].map((price) => ({ row: { price } })));
    expect(countsOf(imported.report)).toEqual({ 'bad-row': 1 });
  });

  it.each([
    ['a heading with a carriage return', '\r\n', '\n'],
    ['a heading without one', '\n', '\r\n'],
    ['old line ends', '\r', '\r'],
  ])('a file of trades may mix line ends: %s', async (_name, afterHeading, afterRow) => {
    const rows = [0, 1, 2].map((second) => row({ second }));
    const imported = await importing(`${HEADING}${afterHeading}${rows.join(afterRow)}${afterRow}`);
    expect(marketRows(imported)).toHaveLength(3);
    expect(imported.report.findings).toEqual([]);
  });

  it('a file of trades counts rows that cannot be read among those that were read', async () => {
    const text = file(row(), `${row()},more`, 'few', `"a"b,${row()}`, row({ price: 'x' }));
    const { report } = await importing(text);
    expect(report.read).toBe(5);
    expect(countsOf(report)).toEqual({ 'bad-row': 4 });
  });

  it('a file of trades whose heading cannot be read is refused at that line', async () => {
    await expect(importing(`"ticker"x,ts\n${row()}`)).rejects.toThrow(
      /line 1: expected a line that names the columns: Invalid/,
    );
  });

  it('a file of trades is read with cents, a byte order mark, quotes, and blank lines', async () => {
    const text = '\uFEFFticker,ts,yes_price,count,taker_side\n\n"M-1",1767348000,52,3,"yes"\n\n';
    expect(marketRows(await importing(text))).toMatchObject([{ row: { side: 'buy', price: 5200, qty: contracts(3) } }]);
  });

  it('two files of trades are one stream by time', async () => {
    const imported = await importing([file(row(), row({ second: 4 })), file(row({ second: 2, ticker: 'S-1-B' }))]);
    expect(marketRows(imported).map(({ row: { at, market } }) => [at - AT, imported.nameOf(market)])).toEqual([
      [0, 'S-1-A'],
      [2e6, 'S-1-B'],
      [4e6, 'S-1-A'],
    ]);
  });

  it('a file of trades lists the assumptions about its markets', async () => {
    const { facts, report } = await importing(file(row({ price: '0.405' }), row({ second: 3, ticker: 'S-1-B' })));
    const others = facts.flatMap((fact) => (fact.kind === 'other' ? [fact.row] : []));
    expect(others).toMatchObject([
      {
        kind: 'event-group',
        group: { eventTicker: 'S-1', seriesTicker: 'S', isExclusive: false, tickers: ['S-1-A', 'S-1-B'] },
      },
      {
        kind: 'market',
        market: {
          ticker: 'S-1-A',
          status: 'active',
          openAt: Date.parse('2026-01-02T10:00:00Z') * 1000,
          closeAt: Date.parse('2026-01-02T11:00:00Z') * 1000,
          grid: { cellCount: 999 },
        },
      },
      { kind: 'market', market: { ticker: 'S-1-B', result: null, grid: { cellCount: 99 } } },
    ]);
    const assumptions = report.facts.assumptions.join('\n');
    expect(assumptions).toContain('2 markets have no definition');
    expect(assumptions).toContain('1 event group has no definition');
    expect(assumptions).toContain('Only trades were recorded: no book is known.');
  });

  it('a file of trades has no book unless an empty one is requested', async () => {
    expect(kindsOf(await importing(file(row())))).toEqual(['event-group', 'market', 'print']);
    const imported = await importing(file(row()), { emptyBooks: true });
    expect(kindsOf(imported)).toEqual(['event-group', 'market', 'snapshot', 'print']);
    expect(imported.report.facts.assumptions).toContain('No books were recorded: each begins empty, and stays so.');
  });
});

describe('findings of trades', () => {
  it.each([
    ['a price of nothing', row({ price: '0' }), 'expected a price between 0 and 1 dollar, found "0"'],
    [
      'a price finer than prices are',
      row({ price: '0.40005' }),
      'expected a price between 0 and 1 dollar, found "0.40005"',
    ],
    ['a price in floating point', row({ price: '4e-1' }), 'expected a price between 0 and 1 dollar, found "4e-1"'],
    ['no quantity', row({ qty: '' }), 'expected a number of contracts of two decimals, found ""'],
    ['a negative quantity', row({ qty: '-1' }), 'expected a number of contracts of two decimals, found "-1"'],
    ['another side', row({ taker: 'maybe' }), `expected the taker's action, such as yes or no, found "maybe"`],
    [
      'sides that disagree',
      row({ passive: 'hit_bid' }),
      'expected a side that agrees with "yes_taker", found "hit_bid"',
    ],
    ['no market', row({ ticker: '' }), 'expected the name of a market, found nothing'],
    ['another time', row().replace('10:00:00.5', '10:77:00'), 'expected a time, found "2026-01-02 10:77:00+00:00"'],
    ['a cell too few', 'a,b', 'expected 8 cells, found 2'],
    ['a cell too many', `${row()},x`, 'expected 8 cells, found 9'],
  ])('a trade with %s is left out, and its place is reported', async (_name, bad, what) => {
    const imported = await importing(file(row(), bad, row({ second: 1 })));
    expect(marketRows(imported)).toHaveLength(2);
    expect(imported.report.findings).toMatchObject([
      { kind: 'bad-row', count: 1, resolution: 'left out', examples: [{ line: 3, what }] },
    ]);
  });

  it('a quote that does not end spoils its own line and no other', async () => {
    const imported = await importing(file(row(), `"${row()}`, row({ second: 1 }), 'x"y,z', row({ second: 2 })));
    expect(marketRows(imported)).toHaveLength(3);
    expect(imported.report.findings.map(({ kind, examples }) => [kind, examples.map(({ line }) => line)])).toEqual([
      ['bad-row', [3, 5]],
    ]);
  });

  it('unknown columns are named, those about the end of a market are not read', async () => {
    const { report } = await importing(`${HEADING},moon\n${row()},full`);
    expect(report.findings).toMatchObject([
      { kind: 'unknown-column', count: 1, examples: [{ line: 1, what: '"moon"' }] },
    ]);
  });

  it('rows that equal another are counted, and left out on request', async () => {
    const text = file(row(), row(), row(), row({ second: 1 }));
    const kept = await importing(text);
    expect(marketRows(kept)).toHaveLength(4);
    expect(kept.report.findings).toMatchObject([{ kind: 'duplicate', count: 2, resolution: 'kept' }]);
    const dropped = await importing(text, { duplicates: 'drop' });
    expect(marketRows(dropped)).toHaveLength(2);
    expect(dropped.report.findings).toMatchObject([
      { kind: 'duplicate', count: 2, resolution: 'left out, as requested' },
    ]);
  });

  it('a trade back in time is kept in its place, with its own venue time', async () => {
    const imported = await importing(file(row({ second: 5 }), row({ second: 3 }), row({ second: 6 })));
    expect(marketRows(imported).map(({ row: { at, exchangeAt } }) => [at - AT, Number(exchangeAt) - AT])).toEqual([
      [5e6, 5e6],
      [5e6, 3e6],
      [6e6, 6e6],
    ]);
    expect(countsOf(imported.report)).toEqual({ 'back-in-time': 1 });
    expect(imported.report.facts.assumptions.join()).not.toContain('rows had a time before');
  });

  it('a short file whose newest row comes first is refused, also with several rows of one second', async () => {
    const text = file(...[9, 9, 8, 8, 8, 3].map((second) => row({ second })));
    await expect(importing(text)).rejects.toThrow(
      /line 7: expected the oldest row first, found the newest first: sort the file by its time/,
    );
  });

  it('a short file of several pieces of the same time is kept, with the rows that go back counted', async () => {
    const piece = [1, 2, 3].map((second) => row({ second }));
    const { report } = await importing(file(...piece, ...piece, ...piece));
    expect(countsOf(report)).toMatchObject({ 'back-in-time': 4 });
  });

  it('a file whose newest row comes first is refused', async () => {
    const rows = Array.from({ length: 1200 }, (_each, at) => `M-1,${1_767_348_000 - at},52,3,yes`);
    await expect(importing(['ticker,ts,yes_price,count,taker_side', ...rows].join('\n'))).rejects.toThrow(
      'expected the oldest row first, found the newest first: sort the file by its time',
    );
  });

  it.each([
    ['without a heading', '', 'line 1: expected a line that names the columns, found none'],
    [
      'without a column',
      'ticker,ts,price,quantity\n',
      'line 1: expected a column direction or taker_outcome_side or taker_side',
    ],
    [
      'without a price',
      'ticker,ts,quantity,direction\nM-1,1767348000,3,yes',
      'line 1: expected a column price or yes_price_dollars or yes_price, found ticker, ts, quantity, direction',
    ],
    ['with a column twice', `${HEADING},ts\n`, 'line 1: expected columns of different names, found ts twice'],
    [
      'of times without a zone',
      `${HEADING}\n${row().replace('+00:00', '')}`,
      'line 2: expected a time zone to be given',
    ],
  ])('a file %s is refused', async (_name, text, message) => {
    await expect(importing(text)).rejects.toThrow(message);
  });

  it('a missing file, and one not packed as its name says, are refused', async () => {
    await expect(importFiles('trades-csv', ['/nowhere/x.csv'])).rejects.toThrow(
      '/nowhere/x.csv: expected a file that can be read, found ENOENT',
    );
    await expect(importTexts('trades-csv', [file(row())], { ending: '.csv.gz' })).rejects.toThrow(
      'cannot be read further',
    );
  });
});

describe('bad rows of trades', () => {
  const good = [row(), row({ second: 1 }), row({ second: 1 }), row({ second: 2, ticker: 'S-1-B' }), row({ second: 4 })];
  const bad = fc.oneof(
    fc.constantFrom('"', 'x"', '""",', ',,,,,,,', row({ price: '1.5' }), row({ taker: '' }), `${row()}"`, HEADING),
    fc.string().filter((text) => text.trim() !== '' && !/[\n\r]/.test(text)),
  );

  it('bad trades, wherever they are, change nothing of the good ones', async () => {
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

describe('a Parquet file of trades', () => {
  const times = ['2026-01-02T10:00:00.500Z', '2026-01-02T10:00:01.500Z'];
  const parquet = (...changed: readonly ColumnSource[]): Uint8Array => {
    const columns: ColumnSource[] = [
      { name: 'ticker', data: ['S-1-A', 'S-1-A'], type: 'STRING' },
      { name: 'ts', data: times.map((time) => new Date(time)), type: 'TIMESTAMP' },
      { name: 'price', data: [0.57, 0.29], type: 'DOUBLE' },
      { name: 'quantity', data: [2, 0.25], type: 'DOUBLE' },
      { name: 'direction', data: ['yes_taker', 'no_taker'], type: 'STRING' },
    ];
    const names = new Set(changed.map(({ name }) => name));
    const columnData = [...columns.filter(({ name }) => !names.has(name)), ...changed];
    return new Uint8Array(parquetWriteBuffer({ columnData }));
  };
  const reading = (bytes: Uint8Array) => importTexts('trades-parquet', [bytes], { ending: '.parquet' });

  it('a Parquet file of trades becomes the same as CSV', async () => {
    const imported = await reading(parquet());
    expect(marketRows(imported)).toEqual([
      { kind: 'print', row: { at: AT, exchangeAt: AT, market: 0, side: 'buy', price: 5700, qty: 200, tradeId: '' } },
      {
        kind: 'print',
        row: { at: AT + 1e6, exchangeAt: AT + 1e6, market: 0, side: 'sell', price: 2900, qty: 25, tradeId: '' },
      },
    ]);
    expect(imported.report.findings).toEqual([]);
    expect(imported.report.read).toBe(2);
  });

  it('a Parquet file keeps times to the microsecond, as text and as counts', async () => {
    const text = await reading(
      parquet({ name: 'ts', data: times.map((time) => time.replace('500Z', '500123Z')), type: 'STRING' }),
    );
    const counted = await reading(
      parquet({ name: 'ts', data: [BigInt(AT + 123), BigInt(AT + 1e6 + 123)], type: 'INT64' }),
    );
    for (const imported of [text, counted])
      expect(marketRows(imported).map(({ row: { at } }) => at)).toEqual([AT + 123, AT + 1e6 + 123]);
  });

  it('a bad row of a Parquet file is named', async () => {
    const { report } = await reading(parquet({ name: 'price', data: [0.57, 1.5], type: 'DOUBLE' }));
    expect(report.findings).toMatchObject([{ kind: 'bad-row', count: 1, examples: [{ line: 2 }] }]);
  });

  it('a file that is not Parquet is refused', async () => {
    await expect(reading(new TextEncoder().encode('no parquet, whatever it is called'))).rejects.toThrow(
      'expected a Parquet file',
    );
  });
});
