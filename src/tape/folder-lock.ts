// The lock of a folder: a file that names the process which has the folder, made in one step, so that of several
// processes one gets it. Must never be taken from a living process, and never follow a link.
import { constants, linkSync, lstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { closeSync, fstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StorageFault, codeOf } from './storage.ts';

/** Absent where the system has no links to follow. */
const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = constants;
export const LOCK_NAME = 'lock';
const MODE = 0o600;
/** A lock that says nothing is being written by its process, unless it has said nothing for so long. */
const WRITTEN_WITHIN_MS = 2000;
/** Each try that meets a lock of a dead process removes it. */
const TRIES_MAX = 5;

/** Its file. */
export const lockOf = (folder: string): string => join(folder, LOCK_NAME);

/** A lock that this process has. */
export class FolderLock {
  readonly #path: string;
  /** Kept open: as long as it is, no other file is given its inode. */
  readonly #fd: number;

  private constructor(path: string, fd: number) {
    this.#path = path;
    this.#fd = fd;
  }

  /**
   * Takes the lock of a folder.
   * @throws {StorageFault} when a living process has it, or what bears its name is no plain file.
   */
  static take(folder: string): FolderLock {
    const path = lockOf(folder);
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const fd = make(path);
      if (fd !== null) return new FolderLock(path, fd);
      const found = look(path);
      if (found !== null) removeDead(path, found.inode);
    }
    throw new StorageFault(path, 'was taken by other processes again and again');
  }

  /** Gives it back; what has taken its place meanwhile is left alone. */
  release(): void {
    const isOwn = lstatSync(this.#path, { throwIfNoEntry: false })?.ino === fstatSync(this.#fd).ino;
    if (isOwn) rmSync(this.#path, { force: true });
    closeSync(this.#fd);
  }
}

/** Writes the file that is not there yet, and leaves it open; `null` when something bears the name. */
function make(path: string): number | null {
  try {
    const fd = openSync(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, MODE);
    writeFileSync(fd, `${process.pid} ${bornAt(process.pid)}\n`);
    return fd;
  } catch (fault) {
    if (codeOf(fault) === 'EEXIST') return null;
    throw fault;
  }
}

/** The lock of a process that is dead; `null` when it was removed meanwhile. */
function look(path: string): { readonly inode: number } | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (!stat.isFile()) throw new StorageFault(path, 'expected a plain file, found something else');
  const holder = holderOf(path);
  const isBeingWritten = holder === null && Date.now() - stat.mtimeMs < WRITTEN_WITHIN_MS;
  if (isBeingWritten || (holder !== null && isAlive(holder)))
    throw new StorageFault(dirname(path), `is in use by process ${holder?.pid ?? '?'}: one at a time may write it`);
  return { inode: stat.ino };
}

/** Removes a dead lock, and no other: what was moved away although it is another is put back. */
function removeDead(path: string, inode: number): void {
  const aside = `${path}.${process.pid}.new`;
  try {
    renameSync(path, aside);
    if (lstatSync(aside).ino !== inode) linkSync(aside, path);
  } catch (fault) {
    // Another process was faster: the next try meets what it did.
    if (codeOf(fault) !== 'ENOENT' && codeOf(fault) !== 'EEXIST') throw fault;
  }
  rmSync(aside, { force: true });
}

/** A process, and what tells it from a later one of the same number. */
interface Holder {
  readonly pid: number;
  readonly bornAt: string;
}

/** The process that a lock names; `null` when it names none. */
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
