// Price and quantity of amended orders in the history, whichever of answer, report and fill comes first or never comes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MarketIndex, clientOrderId, tradeId, venueOrderId } from '../../src/domain/ids.ts';
import type { OrderReport } from '../../src/domain/event.ts';
import { type Micros, cents, contracts, micros, money } from '../../src/domain/units.ts';
import type { AmendCommand } from '../../src/domain/venue-command.ts';
import { FactTables } from '../../src/history/facts/fact-tables.ts';
import { type OrderFactEvent, OrderFacts } from '../../src/history/facts/order-facts.ts';
import { type WritableHistory, openForWriting } from '../../src/history/store/history-file.ts';
import { TABLES } from '../../src/history/store/history-schema.ts';
import { openLibsqlStore } from '../../src/history/store/libsql-store.ts';
import { AT, place } from '../support/tapes/journal-entries.ts';

const { clientOrderId: ID, ticker, side, validUntil } = place(1);
const VENUE_ID = venueOrderId('venue-1');
const M0 = 0 as MarketIndex;

let folder = '';
let history: WritableHistory;
let tables: FactTables;
let facts: OrderFacts;
let seq = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-amended-'));
  history = openForWriting(folder, openLibsqlStore);
  history.store.exec(TABLES);
  tables = new FactTables(history.store, true);
  facts = new OrderFacts({ tables, marketOf: () => tables.marketNamed(ticker), scope: '' });
  facts.recordCommand(place(1), placeAt(0), null);
  const accepted = { kind: 'order-accepted', clientOrderId: ID, venueOrderId: VENUE_ID, isFinished: false } as const;
  record(1, { ...accepted, at: at(1), exchangeAt: null, filledQty: contracts(0), leavesQty: contracts(10) });
});
afterEach(() => {
  history.close();
  rmSync(folder, { recursive: true, force: true });
});

const at = (offset: number): Micros => micros(AT + offset);
const placeAt = (offset: number) => ({ sessionId: 1, seq: ++seq, atUs: at(offset) });
const record = (offset: number, event: OrderFactEvent): void => facts.recordEvent(event, placeAt(offset));

/** Sends an amend to 44 ¢ and a quantity. */
function amend(offset: number, qty = 10): void {
  const ids = { id: 50, clientOrderId: ID, venueOrderId: VENUE_ID, ticker, createdAt: at(offset), validUntil };
  const command: AmendCommand = { type: 'amend', lane: 'new', ...ids, side, price: cents(44), qty: contracts(qty) };
  facts.recordCommand(command, placeAt(offset), null);
}
const lose = (offset: number): void =>
  record(offset, { kind: 'amend-lost', at: at(offset), clientOrderId: ID, reason: 'no answer' });

const report = (over: Partial<OrderReport> = {}): OrderReport => ({
  venueOrderId: VENUE_ID,
  clientOrderId: ID,
  market: M0,
  side,
  price: cents(44),
  status: 'working',
  filledQty: contracts(0),
  leavesQty: contracts(10),
  createdAt: null,
  updatedAt: null,
  reason: null,
  ...over,
});
const update = (offset: number, over: Partial<OrderReport> = {}): void =>
  record(offset, { kind: 'order-updated', at: at(offset), order: report(over) });
const list = (offset: number, askedAt: number, over: Partial<OrderReport> = {}): void =>
  record(offset, {
    kind: 'orders',
    at: at(offset),
    askedAt: at(askedAt),
    commandId: 9,
    cursor: null,
    rows: [report(over)],
  });
const fill = (offset: number, qty: number): void =>
  record(offset, {
    kind: 'fill',
    at: at(offset),
    fill: {
      tradeId: tradeId(`trade-${offset}`),
      venueOrderId: VENUE_ID,
      clientOrderId: ID,
      market: M0,
      side,
      price: cents(44),
      qty: contracts(qty),
      fee: money(0),
      liquidity: 'maker',
      exchangeAt: null,
    },
  });
/** The answer to the amend: filled and left contracts, and the time by the venue's clock. */
const answer = (offset: number, [filledQty, leavesQty]: readonly [number, number], exchangeAt?: number): void =>
  record(offset, {
    kind: 'amend-accepted',
    at: at(offset),
    clientOrderId: ID,
    price: cents(44),
    filledQty: contracts(filledQty),
    leavesQty: contracts(leavesQty),
    ...(exchangeAt !== undefined && { exchangeAt: at(exchangeAt) }),
  });

/** Price in cents, quantity in contracts, and state. */
function order(): unknown[] {
  const { price = 0, qty = 0, state } = tables.orderOf(clientOrderId(ID)) ?? {};
  return [price / 100, qty / 100, state];
}
const OLD = { price: cents(42) };

describe('an amend whose answer is lost', () => {
  it('shows in the next report of the venue', () => {
    amend(10, 12);
    lose(20);
    expect(order()).toEqual([42, 10, 'working']);
    update(30, { leavesQty: contracts(12) });
    expect(order()).toEqual([44, 12, 'working']);
  });

  it('shows in a list that was asked for afterwards, and an older list does not undo it', () => {
    amend(10);
    lose(20);
    list(40, 30);
    expect(order()).toEqual([44, 10, 'working']);
    list(50, 5, OLD);
    expect(order()).toEqual([44, 10, 'working']);
  });

  it('shows in the report that the order has ended, also after its fills', () => {
    amend(10);
    lose(20);
    fill(25, 10);
    expect(order()).toEqual([42, 10, 'filled']);
    update(30, { status: 'filled', filledQty: contracts(10), leavesQty: contracts(0) });
    expect(order()).toEqual([44, 10, 'filled']);
  });
});

describe('reports of an amended order', () => {
  it('do not undo the amend when they are older by the clock of the venue', () => {
    amend(10);
    answer(20, [0, 10], 15);
    update(30, { ...OLD, updatedAt: at(12) });
    expect(order()).toEqual([44, 10, 'working']);
    update(40, { price: cents(45), updatedAt: at(16) });
    expect(order()).toEqual([45, 10, 'working']);
  });

  it('do not undo the amend when they do not know a fill', () => {
    amend(10);
    answer(20, [0, 10]);
    fill(25, 4);
    update(30, OLD);
    expect(order()).toEqual([44, 10, 'working']);
  });
});

describe('an order that trades before its amend is answered', () => {
  it('has the new price once the answer has come', () => {
    amend(10);
    fill(15, 10);
    answer(20, [0, 10]);
    expect(order()).toEqual([44, 10, 'filled']);
  });

  it('goes on when only its old quantity has traded', () => {
    amend(10, 20);
    fill(15, 10);
    expect(order()).toEqual([42, 10, 'pending-amend']);
    answer(20, [10, 10]);
    expect(order()).toEqual([44, 20, 'working']);
    fill(25, 10);
    expect(order()).toEqual([44, 20, 'filled']);
  });

  it('is filled when a greater quantity is refused', () => {
    amend(10, 20);
    fill(15, 10);
    record(20, { kind: 'amend-refused', at: at(20), clientOrderId: ID, code: 'no' });
    expect(order()).toEqual([42, 10, 'filled']);
  });
});
