// The lock of a folder: a file that names the process which has the folder, made in one step, so that of several
// processes one gets it. Must never be taken from a living process, and never follow a link.
import { constants, lstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { closeSync, fstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StorageFault, codeOf } from './storage.ts';

/** A system without links to follow has no such flag, and none is added. */
const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
export const LOCK_NAME = 'lock';
const MODE = 0o600;
/** A lock that says nothing is being written by its process, unless it has said nothing for so long. */
const WRITTEN_WITHIN_MS = 2000;
/** So often it is looked again while another process takes the lock of a dead one, and so long in between. */
const TRIES_MAX = 300;
const PAUSE_MS = 10;

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
      const fd = make(path) ?? replaceDead(path);
      if (fd !== null) return new FolderLock(path, fd);
      pause();
    }
    throw new StorageFault(folder, 'could not be taken from a dead process: others are at it without end');
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

/**
 * Puts a lock of this process in the place of a dead one's, in one step, and leaves it open; `null` when another process
 * is about to. Two that have found the same lock dead must not both replace it: a file beside it lets one in at a time,
 * which looks again.
 */
function replaceDead(path: string): number | null {
  const dead = deadLock(path);
  if (dead === null) return null;
  const door = `${path}.taking.new`;
  const fd = make(door);
  if (fd === null) {
    // One who died in there is not waited for.
    if (deadLock(door) !== null) rmSync(door, { force: true });
    return null;
  }
  try {
    return textOf(path) === dead ? replaceWith(path, `${path}.${process.pid}.new`) : null;
  } finally {
    closeSync(fd);
    rmSync(door, { force: true });
  }
}

function replaceWith(path: string, own: string): number | null {
  rmSync(own, { force: true });
  const fd = make(own);
  if (fd !== null) renameSync(own, path);
  return fd;
}

/**
 * What a lock says whose process is dead; `null` when there is none.
 * @throws {StorageFault} when a living process has it, or it is no plain file.
 */
function deadLock(path: string): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (!stat.isFile()) throw new StorageFault(path, 'expected a plain file, found something else');
  const text = textOf(path);
  if (text === null) return null;
  const holder = holderIn(text);
  const isBeingWritten = holder === null && Date.now() - stat.mtimeMs < WRITTEN_WITHIN_MS;
  if (!isBeingWritten && (holder === null || !isAlive(holder))) return text;
  throw new StorageFault(dirname(path), `is in use by process ${holder?.pid ?? '?'}: one at a time may write it`);
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (fault) {
    if (codeOf(fault) === 'ENOENT') return null;
    throw fault;
  }
}

/** Another process needs a moment. */
const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);

/** A process, and what tells it from a later one of the same number. */
interface Holder {
  readonly pid: number;
  readonly bornAt: string;
}

/** The process that a lock names; `null` when it names none. */
function holderIn(text: string): Holder | null {
  const [, pid, bornAt = ''] = /^([1-9]\d*)(?: (\d*))?\n$/.exec(text) ?? [];
  return pid === undefined ? null : { pid: Number(pid), bornAt };
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
