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
import { HISTORY_VERSION, TABLES } from '../../src/history/store/history-schema.ts';
import { openLibsqlStore } from '../../src/history/store/libsql-store.ts';

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
