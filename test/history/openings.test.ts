// The openings of sessions around a payout: an exchange may list a settled market's position until the cash has come.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clientOrderId, tradeId, venueOrderId } from '../../src/domain/ids.ts';
import { cents, contracts, dollars } from '../../src/domain/units.ts';
import { DerivedTables } from '../../src/history/account/derived-tables.ts';
import type { MarketFact, SessionFact } from '../../src/history/facts/fact-rows.ts';
import { FactTables, type OpeningFigures } from '../../src/history/facts/fact-tables.ts';
import { type WritableHistory, openForWriting } from '../../src/history/store/history-file.ts';
import { TABLES } from '../../src/history/store/history-schema.ts';
import { openLibsqlStore } from '../../src/history/store/libsql-store.ts';
import { M0, after, tickerOf } from '../support/engine/builders.ts';

let folder = '';
let history: WritableHistory;
let tables: FactTables;
let market: MarketFact;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-openings-'));
  history = openForWriting(folder, openLibsqlStore);
  history.store.exec(TABLES);
  tables = new FactTables(history.store, true);
  market = tables.marketNamed(tickerOf(0));
});
afterEach(() => {
  history.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the account of a new session. */
function openSession(
  name: string,
  { askedUs, cash, held = null }: { askedUs: number; cash: number; held?: OpeningFigures | null },
): SessionFact {
  const unknown = { ended_us: null, how: 'open', version: null, config_hash: null, strategies: '[]' } as const;
  const times = { started_us: askedUs, last_us: askedUs, opened_us: null, opened_cash_micros: null };
  const facts = { name, journal: 'journal', profile: 'service', is_paper: 0, is_whole: 1 } as const;
  const session = tables.addSession({ ...facts, ...unknown, ...times });
  tables.setOpening(session, held === null ? [] : [[market, held]]);
  Object.assign(session, { opened_us: askedUs, opened_cash_micros: cash });
  tables.saveSession(session);
  return session;
}

/** Derives rows from the new facts, as an update does. */
function update(): void {
  tables.writeChanges();
  new DerivedTables(history.store).deriveMarkets(tables.takeTouched());
}

const derived = (): unknown =>
  ['payout', 'flow', 'cash_move', 'position'].map((table) => history.store.all(`SELECT * FROM ${table}`));

function fillAt(atUs: number, sessionId: number): void {
  const terms = { side: 'buy', price: cents(40), qty: contracts(10), fee: dollars(0), liquidity: 'maker' } as const;
  const ids = { tradeId: tradeId('t1'), venueOrderId: venueOrderId('v1'), clientOrderId: clientOrderId('s1-maker-1') };
  tables.describeMarket(market, { is_ours: 1 });
  const place = { sessionId, seq: 1, atUs };
  tables.addFill({ fill: { ...terms, ...ids, market: M0, exchangeAt: null }, place, scope: '', market, order: null });
}

describe('an opening after the settlement of a market', () => {
  it('moves the payout to the session that still lists the position, also when the history is read in parts', () => {
    const first = openSession('s1', { askedUs: after(0), cash: 100_000_000 });
    fillAt(after(10), first.id);
    tables.addSettlement(market, { sessionId: first.id, atUs: after(20), price: cents(100) });
    tables.describeMarket(market, { status: 'finalized', settlement_price: cents(100), settled_us: after(20) });
    update();
    const held = { qty: 1000, cost: 4_000_000, realized: 0, fees: 0 };
    openSession('s2', { askedUs: after(10_000), cash: 96_000_000, held });
    update();
    openSession('s3', { askedUs: after(20_000), cash: 106_000_000 });
    update();
    const inParts = derived();
    expect(history.store.all('SELECT session_id, kind FROM cash_move')).toEqual([{ session_id: 1, kind: 'opening' }]);
    new DerivedTables(history.store).deriveMarkets(new Set([market.id]));
    expect(derived()).toEqual(inParts);
  });
});
