// The timeline of a journal written by hand: alarms, halts by risk, the operator's actions with the person who gave them.
import { afterEach, describe, expect, it } from 'vitest';
import { openForWriting } from '../../src/history/store/history-file.ts';
import { openLibsqlStore } from '../../src/history/store/libsql-store.ts';
import { updateHistory } from '../../src/history/history-index.ts';
import { listTimeline } from '../../src/history/queries/history-queries.ts';
import { readMarketPast } from '../../src/history/queries/market-past.ts';
import { strategyName, ticker } from '../../src/domain/ids.ts';
import type { OperatorOrder } from '../../src/domain/operator-order.ts';
import { micros } from '../../src/domain/units.ts';
import type { TapedNotice } from '../../src/tape/format/input-lines.ts';
import { MemoryDisk } from '../support/tapes/memory-storage.ts';
import { AT, frame, journalOn, start } from '../support/tapes/journal-entries.ts';
import { HistoryFolder } from './simulated-history.ts';

const folders: HistoryFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const ALARM: TapedNotice = {
  type: 'alarm',
  code: 'feed-lag',
  at: micros(AT + 1),
  text: 'messages 900 ms late',
  figures: {},
};
const halt = (strategy: string | null): TapedNotice => ({
  type: 'halt',
  halt: {
    scope: strategy === null ? { type: 'account' } : { type: 'strategy', strategy: strategyName(strategy) },
    by: strategy === null ? 'risk' : 'fault',
    reason: strategy === null ? 'dailyLossMax: 50.1 of 50' : 'it threw: no',
    since: micros(AT + 2),
  },
});
const MARKET = { type: 'market', ticker: ticker('RAIN-26-A') } as const;
const ORDERS: readonly OperatorOrder[] = [
  { type: 'halt', scope: MARKET, by: 'operator', reason: 'odd prices', who: 'anna' },
  { type: 'halt', scope: { type: 'account' }, by: 'watchdog', reason: 'no sign for 20 s' },
  { type: 'resume', scope: { type: 'account' }, reason: 'looked at', who: 'ben' },
  { type: 'cancel-all', scope: { type: 'account' }, reason: 'tidying' },
  { type: 'flatten', reason: 'over', who: 'anna' },
];

async function historyOf(notices: readonly TapedNotice[], orders: readonly OperatorOrder[]): Promise<HistoryFolder> {
  const disk = new MemoryDisk();
  const journal = journalOn(disk.open());
  journal.writeInput(start('s1'));
  journal.writeInput(frame('{}', AT + 1));
  journal.writeNotices(notices);
  for (const [index, order] of orders.entries())
    journal.writeInput({ type: 'event', event: { kind: 'operator', at: micros(AT + 10 + index), order } });
  await journal.close('stopped');
  const folder = new HistoryFolder();
  folders.push(folder);
  await folder.update(disk.open());
  return folder;
}

const KINDS = ['alarm', 'halt', 'resume', 'cancel-all', 'flatten'];

describe('the timeline', () => {
  it('names in contracts what an opening lists and the journals do not explain', async () => {
    const folder = await historyOf([], []);
    const history = openForWriting(folder.path, openLibsqlStore);
    const { store } = history;
    store.run("INSERT INTO market VALUES (1, 'RAIN-26-A', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1)", []);
    store.run('UPDATE session SET opened_us = ?', [AT + 5]);
    store.run('INSERT INTO adjustment SELECT id, 1, 1250, -300 FROM session', []);
    history.close();
    const [row] = folder.read((read) => listTimeline(read, { kinds: ['journal'] }).rows);
    expect(row).toMatchObject({
      scope: 'market RAIN-26-A',
      text: 'the venue held −3 contracts, the journals give 12.5',
    });
  });

  it('has alarms and the halts of risk, which no input says', async () => {
    const folder = await historyOf([ALARM, halt(null), halt('maker')], []);
    const rows = folder.read((store) => listTimeline(store, { kinds: KINDS }).rows);
    expect(rows.map(({ kind, code, scope, who, text, atUs }) => [kind, code, scope, who, text, atUs])).toEqual([
      ['alarm', 'feed-lag', '', '', 'messages 900 ms late', AT + 1],
      ['halt', 'risk', 'account', 'risk', 'dailyLossMax: 50.1 of 50', AT + 1],
      ['halt', 'fault', 'strategy maker', 'fault', 'it threw: no', AT + 1],
    ]);
  });

  it('repeats no row on the next page when new rows have come in between', async () => {
    const disk = new MemoryDisk();
    const folder = new HistoryFolder();
    folders.push(folder);
    const storage = disk.open();
    const journal = journalOn(storage);
    journal.writeInput(start('s1'));
    journal.writeNotices([ALARM, ALARM, halt(null), ALARM]);
    journal.flush();
    await folder.update(storage);
    const all = folder.read((store) => listTimeline(store).rows);
    const first = folder.read((store) => listTimeline(store, {}, { limit: 2 }));
    journal.writeInput(frame('{}', AT + 5));
    journal.writeNotices([ALARM]);
    journal.flush();
    await folder.update(storage);
    const rest = folder.read((store) => listTimeline(store, {}, { limit: 9, cursor: first.next ?? '' }));
    expect([...first.rows, ...rest.rows]).toEqual(all);
    expect(all).toHaveLength(5);
    for (const cursor of ['12', 'WzFd', ''])
      expect(() => folder.read((store) => listTimeline(store, {}, { cursor }))).toThrow(
        'cursor: expected that of a page',
      );
  });

  it('has the payouts of a session when asked for the session', async () => {
    const folder = await historyOf([], []);
    const history = openForWriting(folder.path, openLibsqlStore);
    const { store } = history;
    store.run("INSERT INTO market VALUES (1, 'RAIN-26-A', NULL, NULL, NULL, NULL, 'yes', NULL, NULL, 1)", []);
    store.run('INSERT INTO payout SELECT 1, id, ?, 1000, 10000, 10000000, 5800000 FROM session', [AT + 5]);
    history.close();
    const rows = folder.read((read) => listTimeline(read, { session: 's1', kinds: ['settlement'] }).rows);
    expect(rows).toMatchObject([{ session: 's1', micros: 10_000_000, scope: 'market RAIN-26-A' }]);
  });

  it('names who gave an order, when and why', async () => {
    const folder = await historyOf([], ORDERS);
    const rows = folder.read((store) => listTimeline(store, { kinds: KINDS }).rows);
    expect(rows.toReversed().map(({ kind, scope, who, text, atUs }) => [kind, scope, who, text, atUs])).toEqual([
      ['halt', 'market RAIN-26-A', 'anna', 'odd prices', AT + 10],
      ['halt', 'account', 'watchdog', 'no sign for 20 s', AT + 11],
      ['resume', 'account', 'ben', 'looked at', AT + 12],
      ['cancel-all', 'account', 'operator', 'tidying', AT + 13],
      ['flatten', 'account', 'anna', 'over', AT + 14],
    ]);
  });

  it('has the value of an overridden limit as a config writes it', async () => {
    const override = { strategy: null, until: micros(AT + 99), reason: 'thin books' };
    const orders: readonly OperatorOrder[] = [
      { type: 'override', override: { ...override, limit: 'orderQtyMax', value: 700 } },
      { type: 'override', override: { ...override, limit: 'dailyLossMax', value: 2_500_000 } },
    ];
    const folder = await historyOf([], orders);
    const rows = folder.read((store) => listTimeline(store, { kinds: ['override'] }).rows);
    expect(rows.toReversed().map(({ code, text }) => [code, text])).toEqual([
      ['orderQtyMax', 'orderQtyMax is 7: thin books'],
      ['dailyLossMax', 'dailyLossMax is 2.5: thin books'],
    ]);
  });

  it('is the same when the journal is read in parts', async () => {
    const storage = new MemoryDisk().open();
    const journal = journalOn(storage);
    const folder = new HistoryFolder();
    folders.push(folder);
    journal.writeInput(start('s1'));
    for (const notices of [[ALARM], [halt(null), ALARM], [halt('maker')]]) {
      journal.writeNotices(notices);
      journal.flush();
      await folder.update(storage);
    }
    const rows = folder.rows();
    await folder.update(storage, true);
    expect(folder.rows()).toEqual(rows);
    expect(rows['event']?.filter(({ kind }) => kind !== 'session')).toHaveLength(4);
  });
});

describe('the spans without data', () => {
  it('are those in which no session ran, or its feed was down', async () => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open());
    journal.writeInput(start('s1'));
    journal.writeInput({ type: 'feed-up', at: micros(AT + 1), connection: 1 });
    journal.writeInput({ type: 'feed-down', at: micros(AT + 10), reason: 'lost' });
    journal.writeInput({ type: 'feed-down', at: micros(AT + 12), reason: 'refused' });
    journal.writeInput({ type: 'feed-up', at: micros(AT + 20), connection: 2 });
    journal.writeInput(frame('{}', AT + 30));
    await journal.close('stopped');
    const folder = new HistoryFolder();
    folders.push(folder);
    await folder.update(disk.open());
    const gapsOf = (fromUs: number, toUs: number): unknown =>
      folder
        .read((store) => readMarketPast(store, 'RAIN-26-A', { fromUs, toUs }).gaps)
        .map((gap) => [gap.fromUs - AT, gap.toUs - AT]);
    expect(gapsOf(AT - 100, AT + 100)).toEqual([
      [-100, 0],
      [10, 20],
      [30, 100],
    ]);
    expect(gapsOf(AT + 2, AT + 9)).toEqual([]);
    // It was down before the span began.
    expect(gapsOf(AT + 13, AT + 25)).toEqual([[13, 20]]);
    expect(gapsOf(AT + 13, AT + 15)).toEqual([[13, 15]]);
  });

  it('are none while one of two sessions at once has data', async () => {
    const [first, second] = [new MemoryDisk(), new MemoryDisk()];
    const long = journalOn(first.open());
    long.writeInput(start('s1'));
    long.writeInput({ type: 'feed-down', at: micros(AT + 50), reason: 'lost' });
    long.writeInput({ type: 'feed-up', at: micros(AT + 60), connection: 2 });
    long.writeInput(frame('{}', AT + 90));
    await long.close('stopped');
    const short = journalOn(second.open());
    short.writeInput(start('s2', AT + 10));
    short.writeInput(frame('{}', AT + 55));
    await short.close('stopped');
    const folder = new HistoryFolder();
    folders.push(folder);
    const sources = [
      { name: 'a', storage: first.open() },
      { name: 'b', storage: second.open() },
    ];
    await updateHistory({ dataFolder: folder.path, sources });
    const pastOf = (fromUs: number, toUs: number): unknown => {
      const { gaps, lastUs } = folder.read((store) => readMarketPast(store, 'RAIN-26-A', { fromUs, toUs }));
      return [...gaps.map((gap) => [gap.fromUs - AT, gap.toUs - AT]), lastUs - AT];
    };
    expect(pastOf(AT + 1, AT + 100)).toEqual([[55, 60], [90, 100], 90]);
    expect(pastOf(AT + 52, AT + 57)).toEqual([[55, 57], 57]);
  });
});
