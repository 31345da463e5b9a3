// A folder of the real disk. Plain synchronous writes: nothing is kept back in this process, so that what was appended
// survives its death. Must never hold more files open than it writes.
import {
  type Dirent,
  closeSync,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
} from 'node:fs';
import { readFileSync, readSync, readdirSync, renameSync, rmSync, rmdirSync, statSync } from 'node:fs';
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Storage, StorageFault } from './storage.ts';

/** Only its owner may read what a bot did. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const LOCK_NAME = 'lock';
/** The one being written, and the one being packed. */
const OPEN_FILES_MAX = 2;
/** What is not data: locks and what a crash left half-written by `replace`. */
const isHidden = (name: string): boolean => name === LOCK_NAME || name.endsWith('.new');

/** Folders that this process has claimed. */
const CLAIMED = new Set<string>();

/** The storage of a folder, which is made by the first append. */
export const fileStorage = (folder: string): Storage => new FileStorage(folder);

class FileStorage implements Storage {
  readonly place: string;
  /** Files that were appended to, the latest last. */
  readonly #open = new Map<string, number>();
  #latest: { readonly name: string; readonly fd: number } | null = null;
  #isClaimed = false;

  constructor(folder: string) {
    this.place = folder;
  }

  list(): string[] {
    return this.#entries().flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  }

  names(): string[] {
    return this.#entries().map(({ name }) => name);
  }

  #entries(): Dirent[] {
    return this.#try(this.place, 'cannot be listed', () => {
      try {
        const entries = readdirSync(this.place, { withFileTypes: true });
        return entries.filter(({ name }) => !isHidden(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
      } catch (fault) {
        if (codeOf(fault) === 'ENOENT') return [];
        throw fault;
      }
    });
  }

  changedAtMs(): number | null {
    return statSync(this.place, { throwIfNoEntry: false })?.mtimeMs ?? null;
  }

  size(name: string): number {
    return this.#try(this.#pathOf(name), 'cannot be looked at', () => statSync(this.#pathOf(name)).size);
  }

  read(name: string, from: number, count: number): Uint8Array {
    const bytes = Buffer.allocUnsafe(count);
    return bytes.subarray(0, this.fill(name, from, bytes));
  }

  fill(name: string, from: number, memory: Uint8Array): number {
    return this.#try(this.#pathOf(name), 'cannot be read', () => {
      const fd = openSync(this.#pathOf(name), 'r');
      try {
        let done = 0;
        for (let got = 1; got > 0 && done < memory.length; done += got)
          got = readSync(fd, memory, done, memory.length - done, from + done);
        return done;
      } finally {
        closeSync(fd);
      }
    });
  }

  append(name: string, bytes: Uint8Array): void {
    this.#try(this.#pathOf(name), 'cannot be written', () => {
      const fd = this.#appending(name);
      for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
    });
  }

  #appending(name: string): number {
    if (this.#latest?.name === name) return this.#latest.fd;
    const fd = this.#open.get(name) ?? this.#openFile(name);
    this.#open.delete(name);
    this.#open.set(name, fd);
    this.#latest = { name, fd };
    const [oldest] = this.#open.keys();
    if (this.#open.size > OPEN_FILES_MAX && oldest !== undefined) this.#release(oldest);
    return fd;
  }

  #openFile(name: string): number {
    this.#makeFolder();
    return openSync(this.#pathOf(name), 'a', FILE_MODE);
  }

  truncate(name: string, size: number): void {
    this.#try(this.#pathOf(name), 'cannot be cut', () => {
      const fd = openSync(this.#pathOf(name), 'r+');
      try {
        ftruncateSync(fd, size);
      } finally {
        closeSync(fd);
      }
    });
  }

  rename(from: string, to: string): void {
    this.#release(from);
    this.#release(to);
    this.#try(this.#pathOf(from), `cannot be renamed to ${to}`, () => {
      renameSync(this.#pathOf(from), this.#pathOf(to));
      this.#syncFolder();
    });
  }

  replace(name: string, bytes: Uint8Array): void {
    this.#release(name);
    this.#try(this.#pathOf(name), 'cannot be written', () => {
      this.#makeFolder();
      const path = this.#pathOf(`${name}.new`);
      writeFileSync(path, bytes, { mode: FILE_MODE, flush: true });
      renameSync(path, this.#pathOf(name));
      this.#syncFolder();
    });
  }

  remove(name: string): void {
    this.#release(name);
    const path = this.#pathOf(name);
    this.#try(path, 'cannot be removed', () => {
      if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) rmdirSync(path);
      else rmSync(path, { force: true });
    });
  }

  sync(name: string): void {
    this.#try(this.#pathOf(name), 'cannot be synced', () => fdatasyncSync(this.#appending(name)));
  }

  settle(name: string): Promise<void> {
    const path = this.#pathOf(name);
    const fd = this.#try(path, 'cannot be opened', () => openSync(path, 'r+'));
    return new Promise((resolve, reject) => {
      fdatasync(fd, (fault) => {
        closeSync(fd);
        if (fault) reject(explain(path, 'cannot be synced', fault));
        else resolve();
      });
    });
  }

  claim(): void {
    const path = this.#pathOf(LOCK_NAME);
    this.#try(path, 'cannot be made', () => {
      this.#makeFolder();
      const holder = holderOf(path);
      if (CLAIMED.has(this.place) || (holder !== null && isAlive(holder)))
        throw new StorageFault(this.place, `is in use by process ${holder?.pid ?? '?'}: one at a time may write it`);
      writeFileSync(path, `${process.pid} ${bornAt(process.pid)}\n`, { mode: FILE_MODE });
    });
    CLAIMED.add(this.place);
    this.#isClaimed = true;
  }

  close(): void {
    for (const name of this.#open.keys()) this.#release(name);
    if (!this.#isClaimed) return;
    this.#isClaimed = false;
    CLAIMED.delete(this.place);
    rmSync(this.#pathOf(LOCK_NAME), { force: true });
  }

  #release(name: string): void {
    const fd = this.#open.get(name);
    if (fd === undefined) return;
    closeSync(fd);
    this.#open.delete(name);
    if (this.#latest?.name === name) this.#latest = null;
  }

  #makeFolder(): void {
    mkdirSync(this.place, { recursive: true, mode: FOLDER_MODE });
  }

  /** A new name is in the folder, which is a file of its own. */
  #syncFolder(): void {
    const fd = openSync(this.place, 'r');
    try {
      fdatasyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  #pathOf(name: string): string {
    return join(this.place, name);
  }

  #try<T>(path: string, problem: string, act: () => T): T {
    try {
      return act();
    } catch (fault) {
      throw explain(path, problem, fault);
    }
  }
}

const codeOf = (fault: unknown): string | null =>
  fault instanceof Error && 'code' in fault && typeof fault.code === 'string' ? fault.code : null;

function explain(path: string, problem: string, fault: unknown): StorageFault {
  if (fault instanceof StorageFault) return fault;
  const code = codeOf(fault);
  const reason = code ?? String(fault);
  return new StorageFault(path, `${problem}: ${reason}`, { cause: fault, ...(code !== null && { code }) });
}

/** A process, and what tells it from a later one of the same number. */
interface Holder {
  readonly pid: number;
  readonly bornAt: string;
}

/** The process that a lock names; `null` when there is none, or it says nothing. */
function holderOf(path: string): Holder | null {
  try {
    const [, pid, bornAt = ''] = /^([1-9]\d*)(?: (\d*))?\n$/.exec(readFileSync(path, 'utf8')) ?? [];
    return pid === undefined ? null : { pid: Number(pid), bornAt };
  } catch (fault) {
    if (codeOf(fault) === 'ENOENT') return null;
    throw fault;
  }
}

/** Numbers are given out again, and the first process of a container has the same one each time. */
const isAlive = ({ pid, bornAt: then }: Holder): boolean => isRunning(pid) && bornAt(pid) === then;

/** A process that may not be signaled runs too. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return codeOf(fault) === 'EPERM';
  }
}

/** When a process began, in the system's own count since it booted; empty where the system does not tell. */
function bornAt(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in brackets, may hold anything; the moment is the twentieth word after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
