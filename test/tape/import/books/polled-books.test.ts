// Order books polled over REST, in any form of recording.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ticker } from '../../../../src/domain/ids.ts';
import {
  type TestImportOptions,
  areRecordingsAbsent,
  countsOf,
  importTexts,
  marketRows,
  recordings,
  skipReason,
} from '../../../support/tapes/imported-tape.ts';
import { MS, linesOf } from '../../../support/tapes/captured-messages.ts';

const importing = (text: string, options: TestImportOptions & { readonly ending?: string } = {}) =>
  importTexts('books-json', [text], { ending: '.jsonl', ...options });

const BOOK = {
  yes_dollars: [
    ['0.4100', '50.00'],
    ['0.4200', '13.00'],
  ],
  no_dollars: [['0.5500', '7.00']],
};
const SNAPSHOT = {
  kind: 'snapshot',
  row: {
    at: MS * 1000,
    exchangeAt: null,
    bids: [
      [4100, 5000],
      [4200, 1300],
    ],
    asks: [[4500, 700]],
  },
};

it('a polled book in an address with an invalid escape is of the market as it is written there', async () => {
  const imported = await importing(JSON.stringify({ ts: MS, url: '/markets/%E0%A4%A/orderbook', orderbook_fp: BOOK }));
  expect(imported.nameOf(0)).toBe('%E0%A4%A');
});

describe('a polled order book', () => {
  const URL = 'https://x.test/trade-api/v2/markets/M-1/orderbook?depth=10';
  const written: readonly (readonly [string, unknown])[] = [
    ['the answer with a time and a ticker next to it', { ts: MS, ticker: 'M-1', orderbook_fp: BOOK }],
    [
      'the answer in a wrapper',
      { polled_at: new Date(MS).toISOString(), market_ticker: 'M-1', response: { orderbook_fp: BOOK } },
    ],
    [
      'the answer as text, its market in the address',
      { recv_ms: MS, url: URL, response_body: JSON.stringify({ orderbook_fp: BOOK }) },
    ],
    [
      'a request next to the answer',
      { _metadata: { recorded_at: new Date(MS).toISOString(), ticker: 'M-1' }, response: { orderbook_fp: BOOK } },
    ],
    ['the bare sides', { time: MS / 1000, market: 'M-1', ...BOOK }],
    [
      'figures without quotes',
      {
        ts: MS,
        ticker: 'M-1',
        orderbook: {
          yes_dollars: [
            [0.41, 50],
            [0.42, 13],
          ],
          no_dollars: [[0.55, 7]],
        },
      },
    ],
    [
      'whole cents',
      {
        ts: MS,
        ticker: 'M-1',
        orderbook: {
          yes: [
            [41, 50],
            [42, 13],
          ],
          no: [[55, 7]],
        },
      },
    ],
    ['an answer of several markets', { ts: MS, orderbooks: [{ ticker: 'M-1', orderbook_fp: BOOK }] }],
  ];
  it.each(written)('a polled order book may be %s', async (_name, line) => {
    const imported = await importing(linesOf(line as object));
    expect(imported.report.findings).toEqual([]);
    expect(marketRows(imported)).toMatchObject([SNAPSHOT]);
    expect(imported.nameOf(0)).toBe('M-1');
  });

  it('a polled order book may have an empty side, or two', async () => {
    const imported = await importing(
      linesOf(
        { ts: MS, ticker: 'M-1', orderbook: { yes: null, no: null } },
        { ts: MS + 1, ticker: 'M-1', orderbook_fp: { yes_dollars: [], no_dollars: [['0.5500', '7.00']] } },
      ),
    );
    expect(imported.report.findings).toEqual([]);
    expect(marketRows(imported)).toMatchObject([
      { row: { bids: [], asks: [] } },
      { row: { bids: [], asks: [[4500, 700]] } },
    ]);
  });

  it('a polled order book without readable sides, time, market or figures is left out and reported', async () => {
    const { report } = await importing(
      linesOf(
        { ts: MS, ticker: 'M-1', orderbook_fp: { bid: [], ask: [] } },
        { ticker: 'M-1', orderbook_fp: BOOK },
        { ts: MS, orderbook_fp: BOOK },
        { ts: MS, ticker: 'M-1', orderbook_fp: { ...BOOK, no_dollars: [['0.55', 'many']] } },
        'no JSON',
        { ts: MS, ticker: 'M-1', orderbook_fp: BOOK },
      ),
    );
    expect(countsOf(report)).toEqual({ 'bad-row': 5 });
    expect(report.facts.counts).toMatchObject({ snapshot: 1 });
    expect(report.findings[0]?.examples.map(({ line }) => line).toSorted()).toEqual([1, 2, 3, 4, 5]);
  });

  it('a polled order book that names no market has that of the option', async () => {
    const imported = await importing(linesOf({ ts: MS, orderbook_fp: BOOK }), { ticker: ticker('M-7') });
    expect(imported.nameOf(0)).toBe('M-7');
  });

  it('polled order books of several files are one stream by time, with an assumption about the time in between', async () => {
    const poll = (ms: number) => JSON.stringify([{ ts: MS + ms, ticker: 'M-1', orderbook_fp: BOOK }]);
    const imported = await importTexts('books-json', [poll(2000), poll(1000)], { ending: '.json' });
    expect(marketRows(imported).map(({ row }) => row.at)).toEqual([(MS + 1000) * 1000, (MS + 2000) * 1000]);
    expect(imported.report.facts.assumptions.join(' ')).toContain('each is taken to hold until the next poll');
    expect(imported.report.coverage.share).toBe(1);
  });

  it.skipIf(areRecordingsAbsent)(
    `a polled order book that was recorded with its address is read${skipReason}`,
    async () => {
      const lines = readFileSync(join(recordings, 'kalshi-ws-2026-07/rest.jsonl'), 'utf8').trim().split('\n');
      const timed = lines.map((line, at) => JSON.stringify({ ...(JSON.parse(line) as object), recv_ms: MS + at }));
      const books = timed.filter((line) => line.includes('/orderbook'));
      const { report } = await importing(books.join('\n'));
      expect(report.findings).toEqual([]);
      expect(report).toMatchObject({ read: 5, markets: 5 });
    },
  );
});
