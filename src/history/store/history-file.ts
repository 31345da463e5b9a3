// The file of the history: opens it for one writer or many readers, and puts a damaged file aside. Must never delete
// anything but a history, which can always be made again.
import { existsSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../log/make-folder.ts';
import { FolderLock } from '../../tape/journal/folder-lock.ts';
import { codeOf } from '../../tape/journal/storage.ts';
import { HISTORY_VERSION } from './history-schema.ts';
import { HistoryFault, type HistoryStore, type OpenStore } from './history-store.ts';

/** The history's folder within the data folder. */
export const HISTORY_FOLDER = 'history';
const FILE_NAME = 'history.db';
const FOLDER_MODE = 0o700;

/** Path of a data folder's history. */
export const historyFileOf = (dataFolder: string): string => join(dataFolder, HISTORY_FOLDER, FILE_NAME);

/** Network file systems, by their numbers on Linux. Locks and shared memory are not safe there. */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x564c, 'NCP'],
  [0x5346414f, 'AFS'],
  [0x01021997, '9P'],
  [0x65735546, 'FUSE'],
]);

/**
 * Name of the network file system that holds a folder; `null` for a local or unknown file system.
 * @param typeOf returns the number of the folder's file system.
 */
export function networkFileSystem(
  folder: string,
  typeOf = (path: string): number => statfsSync(path).type,
): string | null {
  try {
    // A number has a sign on some systems.
    return NETWORK_TYPES.get(typeOf(folder) >>> 0) ?? null;
  } catch {
    return null;
  }
}

/** A history that this process may change. */
export interface WritableHistory {
  readonly store: HistoryStore;
  /** True when the file is new and empty. */
  readonly isNew: boolean;
  /** Reason why an earlier file was not continued, or `null`. */
  readonly remade: string | null;
  close(): void;
}

/**
 * Opens a data folder's history for writing. A file of another version is removed, and a damaged file is renamed.
 * @throws {StorageFault} when another process writes the history.
 * @throws {HistoryFault} when the history lies on a network file system, its folder cannot be made, or its disk is full.
 */
export function openForWriting(
  dataFolder: string,
  openStore: OpenStore,
  { isRemade = false }: { readonly isRemade?: boolean } = {},
): WritableHistory {
  const folder = join(dataFolder, HISTORY_FOLDER);
  makeHistoryFolder(folder);
  const network = networkFileSystem(folder);
  if (network !== null)
    throw new HistoryFault(`${folder}: expected a local disk, found ${network}: its locks are not safe for a database`);
  const lock = FolderLock.acquire(folder);
  try {
    const file = historyFileOf(dataFolder);
    if (isRemade) removeHistory(file);
    const remade = isRemade ? null : setUnusableAside(file, openStore);
    const isNew = !existsSync(file);
    const store = openStore(file, { isReadOnly: false });
    const close = (): void => {
      try {
        store.close();
      } finally {
        lock.release();
      }
    };
    return { store, isNew, remade, close };
  } catch (fault) {
    lock.release();
    throw fault;
  }
}

function makeHistoryFolder(folder: string): void {
  try {
    makeFolder(folder, FOLDER_MODE);
  } catch (cause) {
    throw new HistoryFault(
      `${folder}: expected a folder that can be made, for the index of the journals, found ${codeOf(cause) ?? String(cause)}: copy the data folder to where files can be written, and name it with --data`,
      { cause },
    );
  }
}

/** Removes or renames a history that cannot be continued. Returns the reason, or `null`. */
function setUnusableAside(file: string, openStore: OpenStore): string | null {
  if (!existsSync(file)) return null;
  const problem = problemOf(file, openStore);
  if (problem === null) return null;
  if (problem.isDamage) {
    for (const suffix of ['', '-wal', '-shm']) renameIfThere(`${file}${suffix}`, `${file}.damaged${suffix}`);
    return `${problem.text}; the old file is ${file}.damaged`;
  }
  removeHistory(file);
  return problem.text;
}

function problemOf(file: string, openStore: OpenStore): { readonly text: string; readonly isDamage: boolean } | null {
  let store: HistoryStore | null = null;
  try {
    store = openStore(file, { isReadOnly: false });
    const [check] = store.all<{ quick_check: string }>('PRAGMA quick_check(1)');
    if (check?.quick_check !== 'ok')
      return { text: `the history was damaged: ${check?.quick_check ?? 'no answer'}`, isDamage: true };
    const version = versionOf(store);
    if (version === HISTORY_VERSION) return null;
    return { text: `the history had version ${version}, this program makes ${HISTORY_VERSION}`, isDamage: false };
  } catch (fault) {
    // A full disk says nothing about the file.
    if (fault instanceof HistoryFault) throw fault;
    return {
      text: `the history was damaged: ${fault instanceof Error ? fault.message : String(fault)}`,
      isDamage: true,
    };
  } finally {
    store?.close();
  }
}

const versionOf = (store: HistoryStore): number =>
  store.all<{ user_version: number }>('PRAGMA user_version')[0]?.user_version ?? 0;

function removeHistory(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
}

function renameIfThere(from: string, to: string): void {
  rmSync(to, { force: true });
  if (existsSync(from)) renameSync(from, to);
}

/**
 * Opens a data folder's history for reading, also while another process writes to it.
 * @throws {HistoryFault} when there is no history, or the history has another version.
 */
export function openForReading(dataFolder: string, openStore: OpenStore): HistoryStore {
  const file = historyFileOf(dataFolder);
  if (!existsSync(file))
    throw new HistoryFault(`${file}: expected a history, found none: \`presage history rebuild\` makes it`);
  const store = openStore(file, { isReadOnly: true });
  const version = versionOf(store);
  if (version === HISTORY_VERSION) return store;
  store.close();
  throw new HistoryFault(
    `${file}: expected a history of version ${HISTORY_VERSION}, found ${version}: \`presage history rebuild\` makes it again`,
  );
}
