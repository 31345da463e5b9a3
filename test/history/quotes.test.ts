// The best prices of a market by the minute: which message of a minute counts, how long they are kept, how many are read.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY_US } from '../../src/history/account/daily-fold.ts';
import { FactTables } from '../../src/history/facts/fact-tables.ts';
import { PAST_ROWS_MAX, readMarketPast } from '../../src/history/queries/market-past.ts';
import { type WritableHistory, openForWriting } from '../../src/history/store/history-file.ts';
import { TABLES } from '../../src/history/store/history-schema.ts';
import { openLibsqlStore } from '../../src/history/store/libsql-store.ts';

const MINUTE_US = 60_000_000;
const ALWAYS = { fromUs: 0, toUs: Number.MAX_SAFE_INTEGER };

let folder = '';
let history: WritableHistory;
let tables: FactTables;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-quotes-'));
  history = openForWriting(folder, openLibsqlStore);
  history.store.exec(TABLES);
  tables = new FactTables(history.store, true);
});
afterEach(() => {
  history.close();
  rmSync(folder, { recursive: true, force: true });
});

const setQuote = (atUs: number, bid: number, ticker = 'A'): void =>
  tables.setQuote(tables.marketNamed(ticker), { atUs, bestBid: bid, bestAsk: null });
const bids = (span = ALWAYS): (number | null)[] =>
  readMarketPast(history.store, 'A', span).quotes.map(({ bid }) => bid);

describe('the best prices of a market', () => {
  it('are those of the last message of each minute, in whatever sequence the messages are read', () => {
    setQuote(5 * MINUTE_US + 30, 20);
    setQuote(5 * MINUTE_US + 10, 10);
    setQuote(6 * MINUTE_US, 30);
    setQuote(7 * MINUTE_US, 99, 'B');
    expect(bids()).toEqual([20, 30]);
    expect(bids({ fromUs: 5 * MINUTE_US + 40, toUs: 6 * MINUTE_US - 1 })).toEqual([20]);
  });

  it('hold at the begin of a span although they are of an earlier day', () => {
    setQuote(2 * DAY_US - MINUTE_US, 20);
    setQuote(3 * DAY_US - MINUTE_US, 77, 'B');
    setQuote(3 * DAY_US + 2 * MINUTE_US, 30);
    expect(bids({ fromUs: 3 * DAY_US + MINUTE_US, toUs: ALWAYS.toUs })).toEqual([20, 30]);
  });

  it('are kept for the day of the last entry and the three before', () => {
    for (let day = 1; day <= 6; day++) setQuote(day * DAY_US + 1, day);
    tables.dropOldQuotes(6 * DAY_US + 5);
    expect(bids()).toEqual([3, 4, 5, 6]);
    tables.dropOldQuotes(6 * DAY_US + 9);
    expect(bids()).toEqual([3, 4, 5, 6]);
  });

  it('are answered in a bounded number, the newest', () => {
    history.store.inTransaction(() => {
      for (let n = 0; n < PAST_ROWS_MAX + 50; n++) setQuote(DAY_US + n * MINUTE_US, n);
    });
    const found = bids({ fromUs: DAY_US + 10, toUs: ALWAYS.toUs });
    expect(found.slice(-2)).toEqual([PAST_ROWS_MAX + 48, PAST_ROWS_MAX + 49]);
    // One more: the prices that held when the span began.
    expect(found).toHaveLength(PAST_ROWS_MAX + 1);
  });
});
