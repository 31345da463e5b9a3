// An update of the history that dies after its facts are committed, before the money is counted: the next update counts it.
import { afterEach, describe, expect, it } from 'vitest';
import { updateHistory } from '../../src/history/history-index.ts';
import type { HistoryStore, OpenStore } from '../../src/history/store/history-store.ts';
import { openLibsqlStore } from '../../src/history/store/libsql-store.ts';
import { HistoryFolder, simulateJournal } from './simulated-history.ts';

const folders: HistoryFolder[] = [];
const newFolder = (): HistoryFolder => {
  const folder = new HistoryFolder();
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

/** Opens a store that dies when the money is counted. */
const openDying: OpenStore = (path, options) => {
  const store = openLibsqlStore(path, options);
  const dying: HistoryStore = {
    exec: (sql) => store.exec(sql),
    run: (sql, values) => store.run(sql, values),
    all: (sql, values) => store.all(sql, values),
    inTransaction: () => {
      throw new Error('the process dies');
    },
    rollBack: () => store.rollBack(),
    close: () => store.close(),
  };
  return dying;
};

describe('an update that dies before the money is counted', () => {
  it('is completed by the next, also without a new entry', async () => {
    const { storage } = await simulateJournal(1);
    const [whole, cut] = [newFolder(), newFolder()];
    await whole.update(storage);
    const sources = [{ name: 'journal', storage }];
    const dying = updateHistory({ dataFolder: cut.path, sources, openStore: openDying });
    await expect(dying).rejects.toThrow('the process dies');
    await cut.update(storage);
    expect(whole.rows()['settlement']).not.toEqual([]);
    expect(cut.rows()).toEqual(whole.rows());
  });
});
