// Sessions that were killed: they show as crashed before another session begins, and nothing is written to the journal.
import { readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { updateHistory } from '../../src/history/history-index.ts';
import { markDeadSessions } from '../../src/history/queries/dead-sessions.ts';
import { listSessions } from '../../src/history/queries/history-queries.ts';
import { fileStorage } from '../../src/tape/journal/file-storage.ts';
import { lockOf } from '../../src/tape/journal/folder-lock.ts';
import type { Storage } from '../../src/tape/journal/storage.ts';
import { journalOn, start } from '../support/tapes/journal-entries.ts';
import { HistoryFolder } from './simulated-history.ts';

const folders: HistoryFolder[] = [];
const held: Storage[] = [];
afterEach(() => {
  for (const storage of held.splice(0)) storage.close();
  for (const folder of folders.splice(0)) folder.remove();
});

const LONG_AGO = new Date('2026-01-01T00:00:00Z');

/** A journal whose only session has no end. The lock is as a process left it, or as the living process holds it. */
async function unendedSession(lock: 'none' | 'dead' | 'living', changedAt: Date): Promise<HistoryFolder> {
  const folder = new HistoryFolder();
  folders.push(folder);
  const journal = join(folder.path, 'journal');
  const storage = fileStorage(journal);
  const writer = journalOn(storage);
  writer.writeInput(start('s1'));
  writer.flush();
  if (lock === 'living') held.push(storage);
  else storage.close();
  // No process has an id of this size.
  if (lock === 'dead') writeFileSync(lockOf(journal), '4194999 1\n');
  for (const name of readdirSync(journal)) if (name !== 'lock') utimesSync(join(journal, name), changedAt, changedAt);
  await updateHistory({ dataFolder: folder.path });
  return folder;
}

const endOf = (folder: HistoryFolder): string | undefined =>
  folder.read((store) => markDeadSessions(folder.path, listSessions(store).rows))[0]?.how;

const bytesOf = (folder: HistoryFolder): string[] => {
  const journal = join(folder.path, 'journal');
  return readdirSync(journal).map((name) => `${name} ${readFileSync(join(journal, name)).toString('hex')}`);
};

describe('a session without an end', () => {
  it('has crashed when the process that its lock names is dead', async () => {
    const folder = await unendedSession('dead', LONG_AGO);
    const before = bytesOf(folder);
    expect(endOf(folder)).toBe('crashed');
    expect(bytesOf(folder)).toEqual(before);
  });

  it('is open while its process holds the lock, however long it has written nothing', async () => {
    expect(endOf(await unendedSession('living', LONG_AGO))).toBe('open');
  });

  it('is open while its journal grows, though no process of this machine holds the lock', async () => {
    expect(endOf(await unendedSession('dead', new Date()))).toBe('open');
  });

  it('has crashed when its journal has no lock', async () => {
    expect(endOf(await unendedSession('none', LONG_AGO))).toBe('crashed');
  });
});
