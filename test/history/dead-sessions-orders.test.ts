// Orders of sessions that died, in journals written by hand: their end is seen by no session, only by the next session's
// list of resting orders.
import { afterEach, describe, expect, it } from 'vitest';
import { listOrders, listSessions, listTrades } from '../../src/history/queries/history-queries.ts';
import { clientOrderId, venueOrderId } from '../../src/domain/ids.ts';
import { contracts, micros } from '../../src/domain/units.ts';
import type { JournalWriter } from '../../src/tape/journal/journal-writer.ts';
import { MemoryDisk } from '../support/tapes/memory-storage.ts';
import { AT, MANIFEST, answer, journalOn, place, read, start } from '../support/tapes/journal-entries.ts';
import { HistoryFolder } from './simulated-history.ts';

const folders: HistoryFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const answered = (status: number, body: object) =>
  ({ type: 'answered', status, body: JSON.stringify(body), retryAfter: null, venueAt: micros(AT) }) as const;

const orderAtVenue = (id: number, status: string) => ({
  order_id: `venue-${id}`,
  client_order_id: `s1-maker-${id}`,
  ticker: 'RAIN-26-A',
  side: 'yes',
  action: 'buy',
  type: 'limit',
  yes_price: 42,
  no_price: 58,
  status,
  initial_count: 10,
  fill_count: 0,
  remaining_count: status === 'resting' ? 10 : 0,
  created_time: '2025-11-21T04:40:00Z',
});

const FILL = {
  trade_id: 'trade-1',
  order_id: 'venue-1',
  client_order_id: 's1-maker-1',
  ticker: 'RAIN-26-A',
  side: 'yes',
  action: 'buy',
  yes_price: 42,
  no_price: 58,
  count: 10,
  is_taker: false,
  fee_cost: '0.010000',
  created_time: '2025-11-21T04:40:00.00003Z',
};

/** A session that places orders, which the venue accepts, and dies. */
function writeDeadSession(journal: JournalWriter, ids: readonly number[]): void {
  journal.writeInput(start('s1'));
  for (const id of ids) {
    const command = place(id);
    journal.writeCommands([command]);
    const order = orderAtVenue(id, 'resting');
    journal.writeInput(answer(command, answered(201, { order }), AT + 10));
  }
}

interface ListPage {
  readonly ids: readonly number[];
  /** Cursor of the next page; empty on the last page. */
  readonly cursor?: string;
  /** Cursor of this page; `null` for the first page. */
  readonly page?: string | null;
}

/** A page of the next session's list of resting orders. */
function writeList(journal: JournalWriter, { ids, cursor = '', page = null }: ListPage): void {
  const target = { what: 'orders', status: 'working', since: null } as const;
  const command = { ...read(page === null ? 100 : 101), target, cursor: page };
  journal.writeCommands([command]);
  const orders = ids.map((id) => orderAtVenue(id, 'resting'));
  journal.writeInput(answer(command, answered(200, { orders, cursor }), AT + 60));
}

const ordersOf = (folder: HistoryFolder) =>
  folder
    .read((store) => listOrders(store).rows)
    .toReversed()
    .map(({ clientOrderId, state, endedUs, endWhy }) => [clientOrderId, state, endedUs, endWhy]);

const OVER = ['canceled', AT + 60, 'nothing of it rests at the venue'];
const WORKING = ['working', null, null];

/** Returns the disk of a session that died with resting orders, and an empty history. */
function afterDeadSession(orders: readonly number[]): { readonly disk: MemoryDisk; readonly folder: HistoryFolder } {
  const disk = new MemoryDisk();
  const folder = new HistoryFolder();
  folders.push(folder);
  const journal = journalOn(disk.open());
  writeDeadSession(journal, orders);
  journal.flush();
  return { disk, folder };
}

describe('an order that rested when its session died', () => {
  it('ends when the next session finds that it does not rest, also when the journal is read in parts', async () => {
    const { disk, folder } = afterDeadSession([1, 2]);
    await folder.update(disk.open());
    expect(ordersOf(folder)).toEqual([
      ['s1-maker-1', ...WORKING],
      ['s1-maker-2', ...WORKING],
    ]);
    const next = journalOn(disk.open());
    next.writeInput(start('s2', AT + 50));
    writeList(next, { ids: [2] });
    await next.close('stopped');
    await folder.update(disk.open());
    expect(ordersOf(folder)).toEqual([
      ['s1-maker-1', ...OVER],
      ['s1-maker-2', ...WORKING],
    ]);
    const rows = folder.rows();
    await folder.update(disk.open(), true);
    expect(folder.rows()).toEqual(rows);
  });

  it('ends in its state when it was on its way, and no later list holds it', async () => {
    const disk = new MemoryDisk();
    const folder = new HistoryFolder();
    folders.push(folder);
    const journal = journalOn(disk.open());
    journal.writeInput(start('s1'));
    journal.writeCommands([place(1)]);
    journal.flush();
    await folder.update(disk.open());
    expect(ordersOf(folder)).toEqual([['s1-maker-1', 'in-flight', null, null]]);
    const next = journalOn(disk.open());
    next.writeInput(start('s2', AT + 50));
    writeList(next, { ids: [] });
    await next.close('stopped');
    await folder.update(disk.open());
    expect(ordersOf(folder)).toEqual([['s1-maker-1', 'in-flight', AT + 60, 'nothing of it rests at the venue']]);
    expect(folder.read((store) => listOrders(store, { state: 'open' }).rows)).toEqual([]);
    const rows = folder.rows();
    await folder.update(disk.open(), true);
    expect(folder.rows()).toEqual(rows);
  });

  it('ends with its session on paper, whose account no other session has', async () => {
    const disk = new MemoryDisk();
    const folder = new HistoryFolder();
    folders.push(folder);
    const paper = { manifest: { ...MANIFEST, isPaper: true } } as const;
    const journal = journalOn(disk.open(), paper);
    journal.writeInput(start('s1'));
    journal.writeCommands([place(1)]);
    journal.flush();
    await folder.update(disk.open());
    expect(ordersOf(folder)).toEqual([['s1-maker-1', 'in-flight', null, null]]);
    const next = journalOn(disk.open(), paper);
    next.writeInput(start('s2', AT + 50));
    next.writeCommands([{ ...place(2), clientOrderId: clientOrderId('s2-maker-2') }]);
    await next.close('stopped');
    await folder.update(disk.open());
    expect(ordersOf(folder)).toMatchObject([
      ['s1-maker-1', 'canceled', AT, 'ended with its paper session'],
      ['s2-maker-2', 'canceled', expect.any(Number), 'ended with its paper session'],
    ]);
    const rows = folder.rows();
    await folder.update(disk.open(), true);
    expect(folder.rows()).toEqual(rows);
  });

  it('has its fills in its own session, though the next session learns of them', async () => {
    const { disk, folder } = afterDeadSession([1]);
    const next = journalOn(disk.open());
    next.writeInput(start('s2', AT + 50));
    const command = { ...read(100), target: { what: 'fills', since: null } } as const;
    next.writeCommands([command]);
    next.writeInput(answer(command, answered(200, { fills: [FILL], cursor: '' }), AT + 60));
    await next.close('stopped');
    await folder.update(disk.open());
    expect(folder.read((store) => listTrades(store).rows)).toMatchObject([{ session: 's1', qty: 1000 }]);
    expect(folder.read((store) => listSessions(store).rows)).toMatchObject([
      { session: 's2', fills: 0 },
      { session: 's1', fills: 1 },
    ]);
  });

  it('goes on when only a part of the list was read', async () => {
    const { disk, folder } = afterDeadSession([1]);
    const next = journalOn(disk.open());
    next.writeInput(start('s2', AT + 50));
    writeList(next, { ids: [2], cursor: 'more' });
    await next.close('stopped');
    await folder.update(disk.open());
    expect(ordersOf(folder)).toEqual([['s1-maker-1', ...WORKING]]);
  });

  it('ends when the last page of the list has come and no page held it, also when the pages are read apart', async () => {
    const { disk, folder } = afterDeadSession([1, 2, 3]);
    const storage = disk.open();
    const next = journalOn(storage);
    next.writeInput(start('s2', AT + 50));
    writeList(next, { ids: [2], cursor: 'more' });
    next.flush();
    await folder.update(storage);
    writeList(next, { ids: [3], page: 'more' });
    await next.close('stopped');
    await folder.update(disk.open());
    expect(ordersOf(folder)).toEqual([
      ['s1-maker-1', ...OVER],
      ['s1-maker-2', ...WORKING],
      ['s1-maker-3', ...WORKING],
    ]);
    const rows = folder.rows();
    await folder.update(disk.open(), true);
    expect(folder.rows()).toEqual(rows);
  });

  it('goes on while its own session still runs: a list may be older than the order', async () => {
    const disk = new MemoryDisk();
    const folder = new HistoryFolder();
    folders.push(folder);
    const journal = journalOn(disk.open());
    writeDeadSession(journal, [1]);
    writeList(journal, { ids: [] });
    await journal.close('stopped');
    await folder.update(disk.open());
    expect(ordersOf(folder)).toEqual([['s1-maker-1', ...WORKING]]);
  });

  it('goes on at another venue, whose list does not hold the orders of this one', async () => {
    const { disk, folder } = afterDeadSession([1]);
    await folder.update(disk.open());
    expect(ordersOf(folder)).toEqual([['s1-maker-1', ...WORKING]]);
    const next = journalOn(disk.open(), { manifest: { ...MANIFEST, profile: 'kalshi' } });
    next.writeInput(start('s2', AT + 50));
    writeList(next, { ids: [] });
    await next.close('stopped');
    await folder.update(disk.open());
    expect(ordersOf(folder)).toEqual([['s1-maker-1', ...WORKING]]);
    await folder.update(disk.open(), true);
    expect(ordersOf(folder)).toEqual([['s1-maker-1', ...WORKING]]);
  });
});

describe('an order that was decreased', () => {
  it('is filled when all that the change left had traded before the answer', async () => {
    const disk = new MemoryDisk();
    const folder = new HistoryFolder();
    folders.push(folder);
    const journal = journalOn(disk.open());
    writeDeadSession(journal, [1]);
    const { clientOrderId: id, ticker, validUntil } = place(1);
    const ids = { id: 50, clientOrderId: id, venueOrderId: venueOrderId('venue-1'), ticker, createdAt: micros(AT) };
    const decrease = { type: 'decrease', lane: 'reduce', validUntil, ...ids, leavesQty: contracts(4) } as const;
    journal.writeCommands([decrease]);
    const fills = { ...read(100), target: { what: 'fills', since: null } } as const;
    journal.writeCommands([fills]);
    const cursor = '';
    journal.writeInput(answer(fills, answered(200, { fills: [{ ...FILL, count: 6 }], cursor }), AT + 60));
    const counts = { initial_count: 6, fill_count: 6, remaining_count: 0 };
    const order = { ...orderAtVenue(1, 'executed'), ...counts };
    journal.writeInput(answer(decrease, answered(200, { order }), AT + 70));
    await journal.close('stopped');
    await folder.update(disk.open());
    expect(ordersOf(folder)).toEqual([['s1-maker-1', 'filled', AT + 70, 'traded']]);
  });
});
