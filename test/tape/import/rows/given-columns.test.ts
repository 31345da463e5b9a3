// Columns with unusual names: sizes of quotes, times under any name.
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../../../src/domain/units.ts';
import { countsOf, importTexts, marketRows } from '../../../support/tapes/imported-tape.ts';

const columnsOf = (...pairs: readonly (readonly [string, string])[]) => ({ columns: new Map(pairs) });

describe('columns that the user names', () => {
  const text = 'sym,when,px,n,who\nM-1,2026-01-02T15:00:00Z,0.41,3,yes\n';
  const names = columnsOf(['ticker', 'sym'], ['ts', 'when'], ['price', 'px'], ['quantity', 'n'], ['direction', 'who']);
  const row = { kind: 'print', row: { price: 4100, qty: 300, side: 'buy' } };

  it('columns that the user names are read from CSV', async () => {
    const imported = await importTexts('trades-csv', [text], names);
    expect(imported.report.findings).toEqual([]);
    expect(marketRows(imported)).toMatchObject([row]);
  });

  it('columns that the user names are read from Parquet', async () => {
    const file = parquetWriteBuffer({
      columnData: [
        { name: 'sym', data: ['M-1'], type: 'STRING' },
        { name: 'when', data: ['2026-01-02T15:00:00Z'], type: 'STRING' },
        { name: 'px', data: ['0.41'], type: 'STRING' },
        { name: 'n', data: ['3'], type: 'STRING' },
        { name: 'who', data: ['yes'], type: 'STRING' },
      ],
    });
    const imported = await importTexts('trades-parquet', [new Uint8Array(file)], { ending: '.parquet', ...names });
    expect(imported.report.findings).toEqual([]);
    expect(marketRows(imported)).toMatchObject([row]);
  });

  it("columns that the user names have the unit of the format's name, and precede any other", async () => {
    const both = 'ticker,ts,yes_price,cents,count,taker_side\nM-1,1767366000,99,41,3,yes\n';
    const imported = await importTexts('trades-csv', [both], columnsOf(['yes_price', 'cents']));
    expect(marketRows(imported)).toMatchObject([row]);
    expect(countsOf(imported.report)).toEqual({ 'unknown-column': 1 });
  });

  it('columns that the user names are read in that unit alone, also under a name of another unit', async () => {
    const cents = 'ticker,ts,price,count,taker_side\nM-1,1767366000,41,3,yes\n';
    const trades = await importTexts('trades-csv', [cents], columnsOf(['yes_price', 'price']));
    expect(marketRows(trades)).toMatchObject([row]);
    const dollars = 'ticker,ts,yes_bid,yes_ask\nM-1,1767366000,0.41,0.45\n';
    const names = columnsOf(['yes_bid_dollars', 'yes_bid'], ['yes_ask_dollars', 'yes_ask']);
    const quotes = await importTexts('quotes-csv', [dollars], names);
    expect(marketRows(quotes)).toMatchObject([{ row: { bids: [[4100, 100]], asks: [[4500, 100]] } }]);
  });

  it("columns that the user names must be among the format's own and the file's", async () => {
    await expect(importTexts('trades-csv', [text], columnsOf(['cost', 'px']))).rejects.toThrow(
      /^column: expected one of ticker, market_ticker, ts, .*, found "cost"$/,
    );
    await expect(importTexts('trades-csv', [text], columnsOf(['ticker', 'symbol']))).rejects.toThrow(
      'expected a column symbol, found sym, when, px, n, who',
    );
    await expect(importTexts('feed-jsonl', ['{}'], columnsOf(['ticker', 'sym']))).rejects.toThrow(
      '--column: expected an option of feed-jsonl (--time-zone, --dialect), found one that only other formats read',
    );
  });
});

it.each(['recv_ms', 'received_at', 'ts_ms', 'timestamp_ns', 'datetime', 'captureTime'])(
  'a column of times may be called %s',
  async (name) => {
    const { report } = await importTexts('trades-csv', [
      `ticker,${name},price,quantity,direction\nM-1,1767366000000,0.41,3,yes\n`,
    ]);
    expect(report.findings).toEqual([]);
    expect(report.facts.from).toBe(1_767_366_000_000_000);
  },
);

describe('quotes with sizes', () => {
  const quotes = (...rows: readonly string[]) =>
    ['ticker,ts,yes_bid_dollars,yes_ask_dollars,yes_bid_size_fp,no_bid_size', ...rows].join('\n');

  it('quotes have their own sizes; a size of zero is an empty side, and no size is the usual one', async () => {
    const imported = await importTexts(
      'quotes-csv',
      [quotes('M-1,1767366000,0.41,0.45,12.50,3', 'M-1,1767366001,0.41,0.45,0.00,3', 'M-1,1767366002,0.41,0.45,,4')],
      { quoteQty: contracts(2) },
    );
    expect(imported.report.findings).toEqual([]);
    expect(marketRows(imported)).toMatchObject([
      { row: { bids: [[4100, 1250]], asks: [[4500, 300]] } },
      { row: { bids: [], asks: [[4500, 300]] } },
      { row: { bids: [[4100, 200]], asks: [[4500, 400]] } },
    ]);
    expect(imported.report.facts.assumptions).toContain(
      'A quote without a size is taken to be for 2 contracts, alone on its side.',
    );
  });

  it('sizes are not assumed where all are given; a changed size is a change; an unreadable one is a bad row', async () => {
    const { report } = await importTexts('quotes-csv', [
      quotes(
        'M-1,1767366000,0.41,0.45,1,3',
        'M-1,1767366001,0.41,0.45,2,3',
        'M-1,1767366002,0.41,0.45,2,3',
        'M-1,1767366003,0.41,0.45,x,3',
      ),
    ]);
    expect(report.facts.assumptions.join(' ')).not.toContain('without a size');
    expect(countsOf(report)).toEqual({ 'unchanged-quote': 1, 'bad-row': 1 });
  });

  it('sizes are read from Parquet, too', async () => {
    const columns = {
      ticker: 'M-1',
      recv_ms: '1767366000000',
      yes_bid: '41',
      no_bid: '55',
      bid_size: '7',
      no_bid_size: '8',
    };
    const columnData = Object.entries(columns).map(([name, value]) => ({
      name,
      data: [value],
      type: 'STRING' as const,
    }));
    const imported = await importTexts('quotes-parquet', [new Uint8Array(parquetWriteBuffer({ columnData }))], {
      ending: '.parquet',
    });
    expect(marketRows(imported)).toMatchObject([{ row: { bids: [[4100, 700]], asks: [[4500, 800]] } }]);
  });
});
