// The file of the history: another version, damage, two writers, a reader beside a writer, a network disk.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { updateHistory } from '../../src/history/history-index.ts';
import { askHistory, readHistoryStatus } from '../../src/history/history-reader.ts';
import {
  historyFileOf,
  networkFileSystem,
  openForReading,
  openForWriting,
} from '../../src/history/store/history-file.ts';
import { HistoryFault, type HistoryStore, type OpenStore } from '../../src/history/store/history-store.ts';
import { HISTORY_VERSION, TABLES } from '../../src/history/store/history-schema.ts';
import { openLibsqlStore } from '../../src/history/store/libsql-store.ts';
import { journalOn, start } from '../support/tapes/journal-entries.ts';
import { MemoryDisk } from '../support/tapes/memory-storage.ts';

const fakeStore = (store: HistoryStore): HistoryStore => ({
  exec: (sql) => store.exec(sql),
  run: (sql, values) => store.run(sql, values),
  all: (sql, values) => store.all(sql, values),
  inTransaction: (work) => store.inTransaction(work),
  rollBack: () => store.rollBack(),
  close: () => store.close(),
});

describe('the file of the history', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'presage-history-file-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is made in an empty data folder, and says that no journal is there', async () => {
    const { answer, update } = await askHistory({ dataFolder: folder }, readHistoryStatus);
    expect(update?.faults).toEqual([]);
    expect(answer).toMatchObject({ journals: [], sessions: 0, fills: 0 });
  });

  it('is refused in a folder that does not exist', async () => {
    await expect(updateHistory({ dataFolder: join(folder, 'nowhere') })).rejects.toThrow('expected a data folder');
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });

  it('is made again when it has another version', async () => {
    await updateHistory({ dataFolder: folder });
    const store = openLibsqlStore(historyFileOf(folder), { isReadOnly: false });
    store.exec('PRAGMA user_version = 999');
    store.close();
    expect(() => openForReading(folder, openLibsqlStore)).toThrow('found 999');
    const { remade } = await updateHistory({ dataFolder: folder });
    expect(remade).toContain('version 999');
    openForReading(folder, openLibsqlStore).close();
  });

  it('is renamed aside and made again when it is damaged', async () => {
    mkdirSync(join(folder, 'history'));
    writeFileSync(historyFileOf(folder), 'no database at all '.repeat(1000));
    const { remade } = await updateHistory({ dataFolder: folder });
    expect(remade).toContain('damaged');
    expect(readFileSync(`${historyFileOf(folder)}.damaged`, 'utf8')).toContain('no database');
    openForReading(folder, openLibsqlStore).close();
  });

  it('is renamed aside when a page in its middle is overwritten', async () => {
    await updateHistory({ dataFolder: folder });
    const file = historyFileOf(folder);
    const bytes = readFileSync(file);
    bytes.fill(0xff, 4096, 3 * 4096);
    writeFileSync(file, bytes);
    const { remade } = await updateHistory({ dataFolder: folder });
    expect(remade).toContain('damaged');
    expect(existsSync(`${file}.damaged`)).toBe(true);
  });

  it('has one writer, beside which a reader reads what was committed', () => {
    const writer = openForWriting(folder, openLibsqlStore);
    writer.store.exec(TABLES);
    expect(() => openForWriting(folder, openLibsqlStore)).toThrow('is in use by process');
    writer.store.exec("BEGIN IMMEDIATE; INSERT INTO event_group VALUES ('A', 'S')");
    const reader = openForReading(folder, openLibsqlStore);
    expect(reader.all('SELECT * FROM event_group')).toEqual([]);
    writer.store.exec('COMMIT');
    expect(reader.all('SELECT * FROM event_group')).toEqual([{ name: 'A', series: 'S' }]);
    reader.close();
    writer.close();
  });

  it('answers a question as of its last update while another process writes it', async () => {
    await updateHistory({ dataFolder: folder });
    const writer = openForWriting(folder, openLibsqlStore);
    const { update, answer } = await askHistory({ dataFolder: folder }, readHistoryStatus);
    writer.close();
    expect(update).toBeNull();
    expect(answer.sessions).toBe(0);
  });

  it('lets no reader change it', () => {
    const writer = openForWriting(folder, openLibsqlStore);
    writer.store.exec(TABLES);
    const reader = openForReading(folder, openLibsqlStore);
    expect(() => reader.exec("INSERT INTO event_group VALUES ('A', 'S')")).toThrow();
    expect(() => reader.run('DELETE FROM session', [])).toThrow();
    reader.close();
    writer.close();
  });

  it('keeps nothing of a transaction that fails', () => {
    const writer = openForWriting(folder, openLibsqlStore);
    const { store } = writer;
    store.exec(TABLES);
    expect(() =>
      store.inTransaction(() => {
        store.run('INSERT INTO event_group VALUES (?, ?)', ['A', 'S']);
        throw new Error('it fails');
      }),
    ).toThrow('it fails');
    expect(store.all('SELECT * FROM event_group')).toEqual([]);
    expect(store.all('PRAGMA user_version')).toEqual([{ user_version: HISTORY_VERSION }]);
    writer.close();
  });

  it('is left as it is when its disk is full', async () => {
    await updateHistory({ dataFolder: folder });
    const file = historyFileOf(folder);
    const before = readFileSync(file);
    const openOnFullDisk: OpenStore = (path) => {
      const store = openLibsqlStore(path, { isReadOnly: false });
      // The database may not grow by a page: SQLite then answers as on a full disk.
      store.exec('PRAGMA max_page_count = 1');
      const fill = (): never => {
        store.exec('CREATE TABLE filler (text); INSERT INTO filler VALUES (zeroblob(1000000))');
        throw new Error('expected a full disk');
      };
      return { ...fakeStore(store), all: fill };
    };
    expect(() => openForWriting(folder, openOnFullDisk)).toThrow(
      `${file}: the history cannot be used, and was left as it is: database or disk is full; make room on its disk`,
    );
    expect(existsSync(`${file}.damaged`)).toBe(false);
    expect(readFileSync(file).length).toBe(before.length);
    await updateHistory({ dataFolder: folder });
  });

  it('ends a transaction that a full disk has ended with that reason', () => {
    const writer = openForWriting(folder, openLibsqlStore);
    const { store } = writer;
    store.exec(TABLES);
    store.exec('PRAGMA max_page_count = 1');
    const fill = (): void => store.exec('CREATE TABLE filler (text); INSERT INTO filler VALUES (zeroblob(1000000))');
    expect(() => store.inTransaction(fill)).toThrow(HistoryFault);
    expect(() => store.inTransaction(fill)).toThrow('database or disk is full');
    writer.close();
  });

  it('gives the full disk as the reason when the disk fills up while a journal is read', async () => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open());
    journal.writeInput(start('s1'));
    await journal.close('stopped');
    const openAlmostFull: OpenStore = (path, options) => {
      const store = openLibsqlStore(path, options);
      const run: HistoryStore['run'] = (sql, values) => {
        if (!sql.startsWith('INSERT INTO session')) return store.run(sql, values);
        store.exec('PRAGMA max_page_count = 1');
        return store.run('INSERT INTO event_group VALUES (?, ?)', ['A', 'S'.repeat(1_000_000)]);
      };
      return { ...fakeStore(store), run };
    };
    const sources = [{ name: 'journal', storage: disk.open() }];
    const update = updateHistory({ dataFolder: folder, sources, openStore: openAlmostFull });
    await expect(update).rejects.toThrow('database or disk is full');
  });

  it('can be written again after a close that failed, as on a full disk', () => {
    const openFailing: OpenStore = (path, options) => {
      const store = openLibsqlStore(path, options);
      const close = (): never => {
        store.close();
        throw new HistoryFault('the disk is full');
      };
      return { ...fakeStore(store), close };
    };
    const writer = openForWriting(folder, openFailing);
    expect(() => writer.close()).toThrow('the disk is full');
    openForWriting(folder, openLibsqlStore).close();
  });

  it('asks to try again where another process works with it, and not for room on the disk', () => {
    const writer = openForWriting(folder, openLibsqlStore);
    writer.store.exec(TABLES);
    const other = openLibsqlStore(historyFileOf(folder), { isReadOnly: false });
    other.exec('PRAGMA busy_timeout = 1');
    writer.store.inTransaction(() => {
      writer.store.exec('CREATE TABLE held (text)');
      expect(() => other.exec('CREATE TABLE mine (text)')).toThrow(
        /was left as it is: database is locked; another process works with it: try again$/,
      );
    });
    other.close();
    writer.close();
  });

  it('is refused where its folder cannot be made, and says what to do', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => openForWriting(join(folder, 'file'), openLibsqlStore)).toThrow(
      /history: expected a folder that can be made, for the index of the journals, found ENOTDIR: copy the data folder/,
    );
  });

  it('names a network file system by its number, signed or not, and no local one', () => {
    expect(networkFileSystem('/', () => 0x6969)).toBe('NFS');
    expect(networkFileSystem('/', () => 0xff534d42 | 0)).toBe('CIFS');
    expect(networkFileSystem('/', () => 0xef53)).toBeNull();
    expect(
      networkFileSystem('/', () => {
        throw new Error('not supported');
      }),
    ).toBeNull();
  });
});
