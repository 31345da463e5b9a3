// Behavior common to all imports: progress, aborts, and no leftovers.
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../../src/base/assert.ts';
import { eventTicker, ticker } from '../../../src/domain/ids.ts';
import { CENT_GRID } from '../../../src/domain/price-grid.ts';
import { micros, qty } from '../../../src/domain/units.ts';
import { BakedWriter } from '../../../src/tape/baked/baked-writer.ts';
import {
  type Definitions,
  IMPORTERS,
  type ImportProgress,
  type ImportReport,
  importerNamed,
} from '../../../src/tape/import/import-formats.ts';
import type { TestImportOptions } from '../../support/tapes/imported-tape.ts';
import { captureWire } from '../../../src/venues/trade-api/captures/capture-dialects.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-run-import-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const rows = (count: number): string =>
  [
    'ticker,ts,yes_price,count,taker_side',
    ...Array.from({ length: count }, (_each, at) => `M-1,${1_767_348_000 + at},${1 + (at % 99)},1,yes`),
  ].join('\n');

/** Few rows that fill several chunks: spaces may follow a cell. */
const longRows = (count: number): string => rows(count).replaceAll(',1,yes', `,1,yes${' '.repeat(400)}`);

/** Definition of a market without rows, with a result. */
const SETTLED: Definitions = {
  markets: [
    {
      ticker: ticker('ELSEWHERE-1'),
      eventTicker: eventTicker('ELSEWHERE'),
      title: 'Elsewhere',
      status: 'finalized',
      openAt: micros(0),
      closeAt: micros(1),
      canCloseEarly: false,
      grid: CENT_GRID,
      result: 'yes',
      settlementValue: null,
      determinedAt: null,
      settledAt: null,
      settlementDelay: micros(0),
    },
  ],
  groups: [],
  series: [],
};

function importing(text: string, options: TestImportOptions = {}): Promise<ImportReport> {
  const file = join(folder, 'trades.csv');
  writeFileSync(file, text);
  const writer = new BakedWriter(join(folder, 'out.arrow'));
  const importer = must(importerNamed('trades-csv'), 'a format');
  return importer.importFiles({ files: [file], writer, wire: captureWire, venue: 'service', ...options });
}

describe('an import', () => {
  it('an import reports its progress, with or without results', async () => {
    for (const definitions of [undefined, SETTLED]) {
      const reports: ImportProgress[] = [];
      await importing(longRows(8000), { definitions, onProgress: (progress) => reports.push(progress) });
      expect(reports.length).toBeGreaterThan(2);
      const bytes = reports.map((progress) => progress.bytes);
      expect(bytes).toEqual(bytes.toSorted((a, b) => a - b));
      const last = must(reports.at(-1), 'progress');
      expect(last.bytes).toBe(last.bytesTotal);
    }
  });

  it('an aborted import rejects with the reason, and leaves no file', async () => {
    const stop = new AbortController();
    const report = importing(rows(100_000), {
      definitions: SETTLED,
      signal: stop.signal,
      onProgress: () => stop.abort(new Error('enough')),
    });
    await expect(report).rejects.toThrow('enough');
    expect(readdirSync(folder)).toEqual(['trades.csv']);
  });

  it('a failed import leaves no file', async () => {
    await expect(importing('ticker,ts\nM-1,1767348000')).rejects.toThrow('expected a column');
    expect(readdirSync(folder)).toEqual(['trades.csv']);
  });

  it('an import that can use no row says what it read and why it used none, and leaves no file', async () => {
    const columns = 'ticker,ts,yes_price,count,taker_side\n';
    await expect(importing(columns, { definitions: SETTLED })).rejects.toThrow(
      'found nothing: of 0 rows or messages, none could be used. No tape was made',
    );
    await expect(importing(`${columns}M-1,x,40,1,yes\nM-1,1795000000,x,1,yes\n`)).rejects.toThrow(
      /of 2 rows or messages, none could be used. No tape was made:\n {2}2 bad-row: left out; first in .*trades\.csv, line 2: /,
    );
    expect(readdirSync(folder)).toEqual(['trades.csv']);
    expect((await importing(rows(1))).facts.rows).toBeGreaterThan(0);
  });

  it('an import of a capture in which nothing but gaps is found makes no tape', async () => {
    const file = join(folder, 'capture.jsonl');
    writeFileSync(file, '1767348000000 {"type":"orderbook_delta","sid":1,"seq":2,"msg":{}}\n1767348000001 {broken\n');
    const importer = must(importerNamed('feed-jsonl'), 'a format');
    const writer = new BakedWriter(join(folder, 'out.arrow'));
    const work = importer.importFiles({ files: [file], writer, wire: captureWire, venue: 'service' });
    await expect(work).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['capture.jsonl']);
  });

  it('an import gives the same tape for the same files', async () => {
    const [first, second] = [await importing(rows(50)), await importing(rows(50))];
    expect(second).toEqual(first);
    expect(first.facts.sourceHash).toMatch(/^[0-9a-f]{64}$/);
    expect((await importing(rows(51))).facts.sourceHash).not.toBe(first.facts.sourceHash);
  });

  it('an import of a folder is refused', async () => {
    const importer = must(importerNamed('trades-csv'), 'a format');
    const writer = new BakedWriter(join(folder, 'out.arrow'));
    const report = importer.importFiles({ files: [folder], writer, wire: captureWire, venue: 'service' });
    await expect(report).rejects.toThrow('expected a file, found a folder');
  });

  /** Imports one file with this content. */
  function importOf(format: string, name: string, content: Buffer | string): Promise<unknown> {
    const file = join(folder, name);
    writeFileSync(file, content);
    const writer = new BakedWriter(join(folder, 'strange.arrow'));
    return must(importerNamed(format), 'a format').importFiles({
      files: [file],
      writer,
      wire: captureWire,
      venue: 'service',
    });
  }

  it.each([
    ['a packed file without its ending', gzipSync('ticker,ts,yes_price,count,taker_side\n'), 'let its name end in .gz'],
    ['text in UTF-16', Buffer.from('\ufeffticker,ts', 'utf16le'), 'expected text in UTF-8, found text in UTF-16'],
    ['a baked tape', Buffer.from('ARROW1\0\0'), 'found an Arrow file, such as a baked tape'],
    ['Parquet', Buffer.from('PAR1\x15\x04'), 'found a Parquet file: import it by a format for Parquet'],
    ['a page', '<!DOCTYPE html><html>', 'found a page of HTML'],
    ['other bytes', Buffer.from([1, 2, 3]), 'found a file that is not text'],
  ])('an import of %s as text is refused with what it is', async (_, bytes, expected) => {
    await expect(importOf('trades-csv', 'strange.csv', bytes)).rejects.toThrow(expected);
  });

  it.each([
    ['text', 'ticker,ts\n', 'expected a Parquet file, found text'],
    ['a baked tape', 'ARROW1\0\0', 'expected a Parquet file, found an Arrow file'],
  ])('an import of %s as Parquet is refused with what it is', async (_, bytes, expected) => {
    await expect(importOf('trades-parquet', 'strange.parquet', bytes)).rejects.toThrow(expected);
  });

  it('an import of one file under two names is refused', async () => {
    const [file, link] = [join(folder, 'once.csv'), join(folder, 'again.csv')];
    writeFileSync(file, rows(3));
    symlinkSync(file, link);
    const writer = new BakedWriter(join(folder, 'twice.arrow'));
    const importer = must(importerNamed('trades-csv'), 'a format');
    const report = importer.importFiles({ files: [file, link], writer, wire: captureWire, venue: 'service' });
    await expect(report).rejects.toThrow(
      /again.csv: expected each file once, found it a second time, after .*once.csv/,
    );
  });

  it('imports know their formats by name', () => {
    const names = IMPORTERS.map(({ name }) => name);
    expect(names).toEqual([
      'feed-jsonl',
      'books-json',
      'trades-csv',
      'trades-parquet',
      'trades-json',
      'quotes-csv',
      'quotes-parquet',
      'candles-json',
    ]);
    expect(names.map((name) => importerNamed(name)?.name)).toEqual(names);
    expect(importerNamed('xml')).toBeUndefined();
  });
});

describe('an option of other formats', () => {
  it.each<[string, TestImportOptions, string]>([
    [
      'trades-csv',
      { quoteQty: qty(100) },
      '--quote-qty: expected an option of trades-csv (--time-zone, --duplicates, --column)',
    ],
    ['feed-jsonl', { ticker: ticker('M-1') }, '--ticker: expected an option of feed-jsonl (--time-zone, --dialect)'],
    ['trades-json', { timeZone: 'Asia/Tokyo' }, '--time-zone: expected an option of trades-json (--duplicates)'],
    ['books-json', { dialect: 'dollars' }, '--dialect: expected an option of books-json (--time-zone, --ticker)'],
    ['quotes-parquet', { duplicates: 'drop' }, '--duplicates: expected an option of quotes-parquet'],
  ])('is refused by %s, and leaves no file', async (format, options, message) => {
    const [file, out] = [join(folder, 'any'), join(folder, 'out.arrow')];
    writeFileSync(file, '');
    const importer = must(importerNamed(format), format);
    const common = { files: [file], writer: new BakedWriter(out), wire: captureWire, venue: 'v' };
    await expect(importer.importFiles({ ...common, ...options })).rejects.toThrow(message);
    expect(readdirSync(folder)).toEqual(['any']);
  });
});
