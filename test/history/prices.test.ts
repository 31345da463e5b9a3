// The last price of a market in the history: which message counts, a market whose result is known, and the price before a
// session.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Market } from '../../src/domain/market.ts';
import { NO_QTY, type Micros, cents } from '../../src/domain/units.ts';
import { FactTables } from '../../src/history/facts/fact-tables.ts';
import { type MarketFactEvent, MarketFacts } from '../../src/history/facts/market-facts.ts';
import { type WritableHistory, openForWriting } from '../../src/history/store/history-file.ts';
import { TABLES } from '../../src/history/store/history-schema.ts';
import { openLibsqlStore } from '../../src/history/store/libsql-store.ts';
import { M0, aMarket, after, tickerOf } from '../support/engine/builders.ts';

let folder = '';
let history: WritableHistory;
let tables: FactTables;
let facts: MarketFacts;
beforeEach(() => {
  sessionId = 1;
  folder = mkdtempSync(join(tmpdir(), 'presage-prices-'));
  history = openForWriting(folder, openLibsqlStore);
  history.store.exec(TABLES);
  tables = new FactTables(history.store, true);
  facts = new MarketFacts({ tables, marketOf: () => tables.marketNamed(tickerOf(0)) });
});
afterEach(() => {
  history.close();
  rmSync(folder, { recursive: true, force: true });
});

let seq = 0;
let sessionId = 1;
function record(at: Micros, event: MarketFactEvent): void {
  seq += 1;
  facts.recordEvent(event, { sessionId, seq, atUs: at });
}
const describeAt = (at: Micros, over: Partial<Market>): void =>
  record(at, { kind: 'market', at, market: aMarket(0, over) });
const change = (at: Micros, more: Pick<Market, 'status' | 'result' | 'settlementValue'>): void =>
  record(at, { kind: 'market-changed', at, exchangeAt: at, market: M0, ...more });
const quote = (at: Micros, bid: number, ask: number): void =>
  record(at, {
    kind: 'ticker',
    at,
    exchangeAt: at,
    market: M0,
    lastPrice: null,
    bestBid: cents(bid),
    bestAsk: cents(ask),
    volume: NO_QTY,
    openInterest: NO_QTY,
  });
const DETERMINED = { status: 'determined', result: 'yes', settlementValue: cents(100) } as const;

/** The last price of the market, once everything is written. */
function lastPrice(): number | undefined {
  facts.writePrices();
  tables.writeChanges();
  return history.store.all<{ yes: number }>('SELECT yes FROM price ORDER BY day DESC LIMIT 1')[0]?.yes;
}

describe('the last price of a market', () => {
  it('is the mid of the last quote', () => {
    quote(after(0), 40, 44);
    quote(after(10), 30, 35);
    expect(lastPrice()).toBe(cents(32.5));
  });

  it('is that of the latest time, also when a journal with an earlier quote of the day is read afterwards', () => {
    quote(after(10), 30, 34);
    expect(lastPrice()).toBe(cents(32));
    facts = new MarketFacts({ tables, marketOf: () => tables.marketNamed(tickerOf(0)) });
    quote(after(5), 60, 64);
    expect(lastPrice()).toBe(cents(32));
  });

  it('is the settlement value once the result is known, whatever is still quoted', () => {
    quote(after(0), 40, 44);
    change(after(10), DETERMINED);
    quote(after(20), 1, 99);
    expect(lastPrice()).toBe(cents(100));
  });

  it('is quoted again where an embedded exchange begins again with the same market', () => {
    describeAt(after(0), DETERMINED);
    expect(lastPrice()).toBe(cents(100));
    describeAt(after(1000), { status: 'active', result: null, settlementValue: null });
    quote(after(1010), 20, 24);
    expect(lastPrice()).toBe(cents(22));
  });
});

describe('the settlements of a market', () => {
  const SETTLED = { status: 'finalized', result: 'yes', settlementValue: cents(100) } as const;
  const OPEN = { status: 'active', result: null, settlementValue: null } as const;
  const settlements = (): unknown[] =>
    history.store
      .all<Record<string, number | null>>(
        'SELECT session_id, at_us, price, until_session FROM settlement ORDER BY session_id',
      )
      .map((row) => Object.values(row));

  it('are one for each session in which an embedded exchange settles it, with quotes in between', () => {
    describeAt(after(0), OPEN);
    change(after(10), SETTLED);
    sessionId = 2;
    describeAt(after(1000), OPEN);
    quote(after(1010), 20, 24);
    expect(lastPrice()).toBe(cents(22));
    change(after(1020), { ...SETTLED, result: 'no', settlementValue: cents(0) });
    expect(settlements()).toEqual([
      [1, after(10), cents(100), 2],
      [2, after(1020), cents(0), null],
    ]);
  });

  it('are one at an exchange that says it in each session, and calls it open once more in the session', () => {
    change(after(10), SETTLED);
    describeAt(after(20), OPEN);
    sessionId = 2;
    describeAt(after(1000), SETTLED);
    change(after(1010), SETTLED);
    expect(settlements()).toEqual([[1, after(10), cents(100), null]]);
  });
});

describe('the price before a session', () => {
  const addSession = (name: string): void =>
    void tables.addSession({
      name,
      journal: 'journal',
      profile: 'service',
      is_paper: 0,
      started_us: after(0),
      last_us: after(0),
      ended_us: null,
      how: 'open',
      version: null,
      config_hash: null,
      strategies: '[]',
      is_whole: 1,
      opened_us: null,
      opened_cash_micros: null,
    });
  const pricesBefore = (): readonly (readonly [string, number])[] =>
    history.store
      .all<{ name: string; yes: number }>(
        'SELECT s.name, p.yes FROM price_before p JOIN session s ON s.id = p.session_id ORDER BY s.id',
      )
      .map(({ name, yes }) => [name, yes]);

  it('is the last one of each market of ours, and stays when later prices come', () => {
    addSession('first');
    quote(after(0), 40, 44);
    lastPrice();
    addSession('before it was ours');
    tables.describeMarket(tables.marketNamed(tickerOf(0)), { is_ours: 1 });
    lastPrice();
    addSession('second');
    quote(after(10), 10, 14);
    lastPrice();
    addSession('third');
    expect(pricesBefore()).toEqual([
      ['second', cents(42)],
      ['third', cents(12)],
    ]);
  });
});
