// A folder of the real disk. Writes are synchronous and unbuffered, so that appended bytes survive the death of this
// process. Must never hold more files open than it writes.
import { type Dirent, closeSync, fdatasync, fdatasyncSync, ftruncateSync, lstatSync, openSync } from 'node:fs';
import { readSync, readdirSync, renameSync, rmSync, rmdirSync, statSync } from 'node:fs';
import { writeFileSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { threadId } from 'node:worker_threads';
import { makeFolder } from '../../log/make-folder.ts';
import { FolderLock, LOCK_NAME, lockOf } from './folder-lock.ts';
import { type Storage, StorageFault, codeOf } from './storage.ts';

/** Only the owner may read a bot's journal. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** The file being written, and the file being packed. */
const OPEN_FILES_MAX = 2;
/** The new content of a file before it gets the file's name. Bot, watchdog and command line may replace the same file. */
const UNFINISHED_NAME = `${process.pid}-${threadId}.new`;
/** Files that are not data: locks, and files that a crash during `replaceFile` left half-written. */
const isHidden = (name: string): boolean => name === LOCK_NAME || name.endsWith('.new');

/**
 * Opens the storage of a folder. The first append creates the folder.
 * @param check Called before every operation. Throws when the folder was replaced by another.
 */
export const fileStorage = (folder: string, check: () => void = () => undefined): Storage =>
  new FileStorage(folder, check);

class FileStorage implements Storage {
  readonly path: string;
  /**
   * Descriptors of the files that were appended to, by name, the latest last. Added at the first append. Removed when
   * too many are open, at a change of the file's name, at a replacement, and at the end.
   */
  readonly #fdByName = new Map<string, number>();
  #latest: { readonly name: string; readonly fd: number } | null = null;
  #isFolderMade = false;
  #lock: FolderLock | null = null;
  readonly #check: () => void;

  constructor(folder: string, check: () => void) {
    this.path = folder;
    this.#check = check;
  }

  listFiles(): string[] {
    return this.#entries().flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  }

  listNames(): string[] {
    return this.#entries().map(({ name }) => name);
  }

  #entries(): Dirent[] {
    return this.#try(this.path, 'cannot be listed', () => {
      try {
        const entries = readdirSync(this.path, { withFileTypes: true });
        return entries.filter(({ name }) => !isHidden(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
      } catch (fault) {
        if (codeOf(fault) === 'ENOENT') return [];
        throw fault;
      }
    });
  }

  changedAtMs(): number | null {
    return this.#try(
      this.path,
      'cannot be looked at',
      () => statSync(this.path, { throwIfNoEntry: false })?.mtimeMs ?? null,
    );
  }

  sizeOf(name: string): number {
    return this.#try(this.#pathOf(name), 'cannot be looked at', () => statSync(this.#pathOf(name)).size);
  }

  readBytes(name: string, from: number, count: number): Uint8Array {
    const bytes = Buffer.allocUnsafe(count);
    return bytes.subarray(0, this.readInto(name, from, bytes));
  }

  readInto(name: string, from: number, memory: Uint8Array): number {
    return this.#try(this.#pathOf(name), 'cannot be read', () => {
      const fd = openSync(this.#pathOf(name), 'r');
      try {
        let done = 0;
        for (let count = 1; count > 0 && done < memory.length; done += count)
          count = readSync(fd, memory, done, memory.length - done, from + done);
        return done;
      } finally {
        closeSync(fd);
      }
    });
  }

  appendBytes(name: string, bytes: Uint8Array): void {
    this.#try(this.#pathOf(name), 'cannot be written', () => {
      const fd = this.#fdForAppend(name);
      for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
    });
  }

  #fdForAppend(name: string): number {
    if (this.#latest?.name === name) return this.#latest.fd;
    const fd = this.#fdByName.get(name) ?? this.#openFile(name);
    this.#fdByName.delete(name);
    this.#fdByName.set(name, fd);
    this.#latest = { name, fd };
    const [oldest] = this.#fdByName.keys();
    if (this.#fdByName.size > OPEN_FILES_MAX && oldest !== undefined) this.#release(oldest);
    return fd;
  }

  #openFile(name: string): number {
    this.#makeFolder();
    const path = this.#pathOf(name);
    try {
      const fd = openSync(path, 'ax', FILE_MODE);
      syncFolder(this.path);
      return fd;
    } catch (fault) {
      if (codeOf(fault) !== 'EEXIST') throw fault;
      return openSync(path, 'a', FILE_MODE);
    }
  }

  truncateFile(name: string, size: number): void {
    this.#try(this.#pathOf(name), 'cannot be cut', () => {
      const fd = openSync(this.#pathOf(name), 'r+');
      try {
        ftruncateSync(fd, size);
      } finally {
        closeSync(fd);
      }
    });
  }

  renameFile(from: string, to: string): void {
    this.#release(from);
    this.#release(to);
    this.#try(this.#pathOf(from), `cannot be renamed to ${to}`, () => {
      renameSync(this.#pathOf(from), this.#pathOf(to));
      syncFolder(this.path);
    });
  }

  replaceFile(name: string, bytes: Uint8Array): void {
    this.#release(name);
    this.#try(this.#pathOf(name), 'cannot be written', () => {
      this.#makeFolder();
      const path = this.#pathOf(UNFINISHED_NAME);
      // Never writes into a file that a crash left here, or through a link.
      rmSync(path, { force: true });
      writeFileSync(path, bytes, { mode: FILE_MODE, flush: true, flag: 'wx' });
      renameSync(path, this.#pathOf(name));
      syncFolder(this.path);
    });
  }

  removeEntry(name: string): void {
    this.#release(name);
    const path = this.#pathOf(name);
    this.#try(path, 'cannot be removed', () => {
      if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) rmdirSync(path);
      else rmSync(path, { force: true });
    });
  }

  syncFile(name: string): void {
    this.#try(this.#pathOf(name), 'cannot be synced', () => fdatasyncSync(this.#fdForAppend(name)));
  }

  syncInBackground(name: string): Promise<void> {
    const path = this.#pathOf(name);
    const fd = this.#try(path, 'cannot be opened', () => openSync(path, 'r+'));
    return new Promise((resolve, reject) => {
      fdatasync(fd, (fault) => {
        closeSync(fd);
        if (fault) reject(toStorageFault(path, 'cannot be synced', fault));
        else resolve();
      });
    });
  }

  lockFolder(): void {
    this.#try(lockOf(this.path), 'cannot be made', () => {
      this.#makeFolder();
      this.#lock = FolderLock.acquire(this.path);
    });
  }

  close(): void {
    for (const name of this.#fdByName.keys()) this.#release(name);
    this.#lock?.release();
    this.#lock = null;
  }

  #release(name: string): void {
    const fd = this.#fdByName.get(name);
    if (fd === undefined) return;
    closeSync(fd);
    this.#fdByName.delete(name);
    if (this.#latest?.name === name) this.#latest = null;
  }

  /** Creates the folder once: a folder that is removed while in use is not created again. */
  #makeFolder(): void {
    if (this.#isFolderMade) return;
    const first = makeFolder(this.path, FOLDER_MODE);
    this.#isFolderMade = true;
    if (first === undefined) return;
    // Each new folder is an entry in its parent, so the parent is synced, too.
    for (let made = resolve(this.path); made.length >= first.length; made = dirname(made)) syncFolder(dirname(made));
  }

  #pathOf(name: string): string {
    return join(this.path, name);
  }

  #try<T>(path: string, problem: string, operation: () => T): T {
    try {
      this.#check();
      return operation();
    } catch (fault) {
      throw toStorageFault(path, problem, fault);
    }
  }
}

/** Syncs a folder, so that a new name in it survives a crash of the machine. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function toStorageFault(path: string, problem: string, fault: unknown): StorageFault {
  if (fault instanceof StorageFault) return fault;
  const code = codeOf(fault);
  const reason = code ?? String(fault);
  return new StorageFault(path, `${problem}: ${reason}`, { cause: fault, ...(code !== null && { code }) });
}
