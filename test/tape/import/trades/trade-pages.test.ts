// Public trades in answers of the venue's REST API: pages, newest first, one after the other.
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  areRecordingsAbsent,
  countsOf,
  importFiles,
  importTexts,
  marketRows,
  recordings,
  skipReason,
} from '../../../support/tapes/imported-tape.ts';
import { linesOf } from '../../../support/tapes/captured-messages.ts';

const trade = (id: number, extra: object = {}): object => ({
  trade_id: `t-${id}`,
  ticker: 'M-1',
  count_fp: '1.50',
  yes_price_dollars: '0.5200',
  no_price_dollars: '0.4800',
  taker_outcome_side: 'no',
  taker_book_side: 'ask',
  created_time: `2026-01-02T15:00:${String(id).padStart(2, '0')}.250001Z`,
  is_block_trade: false,
  ...extra,
});
const page = (...trades: object[]): object => ({ trades, cursor: 'c' });

describe('pages of trades', () => {
  it('pages of trades, newest first, one a line, are imported oldest first', async () => {
    const imported = await importTexts(
      'trades-json',
      [linesOf(page(trade(4), trade(3)), page(trade(2), trade(1)), page())],
      { ending: '.jsonl' },
    );
    expect(imported.report.findings).toEqual([]);
    expect(imported.report.read).toBe(4);
    expect(marketRows(imported)).toMatchObject(
      [1, 2, 3, 4].map((id) => ({ kind: 'print', row: { tradeId: `t-${id}`, side: 'sell', price: 5200, qty: 150 } })),
    );
    expect(marketRows(imported)[0]?.row.at).toBe(Date.parse('2026-01-02T15:00:01Z') * 1000 + 250_001);
  });

  it('pages of trades may begin with a byte order mark, as one value and one a line', async () => {
    const text = JSON.stringify(page(trade(1)));
    const lines = `\uFEFF${linesOf(page(trade(2)), page(trade(3)))}`;
    for (const [texts, ending, read] of [
      [`\uFEFF${text}`, '.json', 1],
      [lines, '.jsonl', 2],
    ] as const) {
      const { report } = await importTexts('trades-json', [texts], { ending });
      expect(report).toMatchObject({ read, findings: [] });
    }
  });

  it('pages of trades in a packed file that is cut, or not packed at all, are refused with the reason', async () => {
    const text = Buffer.from(JSON.stringify(page(trade(1))));
    for (const [bytes, reason] of [
      [gzipSync(text).subarray(0, -12), 'cannot be read: the packed file ends too early (Z_BUF_ERROR)'],
      [text, 'cannot be read: no gzip begins here, as the file’s name says (Z_DATA_ERROR: incorrect header check)'],
    ] as const)
      await expect(importTexts('trades-json', [bytes], { ending: '.json.gz' })).rejects.toThrow(reason);
  });

  it('pages of trades that cannot be read count as read: lines, answers and single trades', async () => {
    const lines = ['{', JSON.stringify({ error: 'x' }), JSON.stringify(page(trade(1), trade(2, { count_fp: 'x' })))];
    const { report } = await importTexts('trades-json', [lines.join('\n')], { ending: '.jsonl' });
    expect(report.read).toBe(4);
    expect(countsOf(report)).toEqual({ 'bad-row': 3 });
  });

  it('pages of trades keep the order of trades at the same time', async () => {
    const same = { created_time: '2026-01-02T15:00:00Z' };
    const imported = await importTexts(
      'trades-json',
      [JSON.stringify(page(trade(9), trade(3, same), trade(2, same), trade(1, same)))],
      { ending: '.json' },
    );
    expect(marketRows(imported).map(({ row }) => 'tradeId' in row && row.tradeId)).toEqual([
      't-1',
      't-2',
      't-3',
      't-9',
    ]);
  });

  it('pages of trades in several files that overlap count each trade once', async () => {
    const texts = [page(trade(4), trade(3)), page(trade(3), trade(2))].map((each) =>
      JSON.stringify({ fetched_at: 1, response: each }),
    );
    const { report } = await importTexts('trades-json', texts, { ending: '.json' });
    expect(countsOf(report)).toEqual({ 'doubled-trade-id': 1 });
    expect(report.facts.counts).toMatchObject({ print: 3 });
  });

  it('pages of trades may be in whole cents, hold blocks, or be single trades', async () => {
    const old = {
      trade_id: 'o',
      ticker: 'M-1',
      count: 3,
      yes_price: 42,
      no_price: 58,
      taker_side: 'yes',
      created_time: '2023-01-02T15:00:00Z',
    };
    const imported = await importTexts(
      'trades-json',
      [JSON.stringify([old, trade(1), trade(2, { is_block_trade: true })])],
      { ending: '.json' },
    );
    expect(countsOf(imported.report)).toEqual({ 'off-book-trade': 1 });
    expect(marketRows(imported)).toMatchObject([
      { row: { side: 'buy', price: 4200, qty: 300 } },
      { row: { side: 'sell' } },
    ]);
  });

  it('unreadable trades are reported one at a time', async () => {
    const lines = linesOf(
      page(trade(1, { yes_price_dollars: 'x' }), trade(2, { created_time: undefined }), trade(3)),
      { markets: [] },
      'no JSON',
    );
    const { report } = await importTexts('trades-json', [lines], { ending: '.jsonl' });
    expect(countsOf(report)).toEqual({ 'bad-row': 4 });
    expect(report.facts.counts).toMatchObject({ print: 1 });
  });

  it.skipIf(areRecordingsAbsent)(`pages of trades of the real exchange are read${skipReason}`, async () => {
    const { report } = await importFiles('trades-json', [
      join(recordings, 'kalshi-rest-2026-01/trades_list_response.json'),
    ]);
    expect(report.findings).toEqual([]);
    expect(report).toMatchObject({ read: 5, markets: 1, facts: { counts: { print: 5 } } });
  });
});
