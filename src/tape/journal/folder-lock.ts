// The lock of a folder: a file with the id of the process that may write there. The file is created atomically, for one
// process only. Must never take the lock of a living process, nor follow a link.
import { isProcessRunning } from './process-running.ts';
import { constants, lstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { closeSync, fstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StorageFault, codeOf } from './storage.ts';

/** `O_NOFOLLOW` is undefined on systems without it, and then adds no flag. */
const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
export const LOCK_NAME = 'lock';
const MODE = 0o600;
/** A younger lock without a process id may still be half written. Milliseconds. */
const WRITTEN_WITHIN_MS = 2000;
/** Most tries. A try fails when another process changes the lock at the same moment. */
const TRIES_MAX = 300;
const PAUSE_MS = 10;

/** Returns the path of a folder's lock file. */
export const lockOf = (folder: string): string => join(folder, LOCK_NAME);

/** A lock that this process holds. */
export class FolderLock {
  readonly #path: string;
  /** While this stays open, no other file can get the inode. */
  readonly #fd: number;

  private constructor(path: string, fd: number) {
    this.#path = path;
    this.#fd = fd;
  }

  /**
   * Acquires the lock of a folder.
   * @throws {StorageFault} when a living process holds the lock, the lock is not a plain file, or it cannot be written.
   *   Also when other processes keep changing it.
   */
  static acquire(folder: string): FolderLock {
    const path = lockOf(folder);
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const fd = createLock(path) ?? replaceDead(path);
      if (fd !== null) return new FolderLock(path, fd);
      pause();
    }
    throw new StorageFault(folder, 'could not be taken over from a dead process: other processes keep trying');
  }

  /** Releases the lock. A file that has replaced it is left alone. */
  release(): void {
    const isOwn = lstatSync(this.#path, { throwIfNoEntry: false })?.ino === fstatSync(this.#fd).ino;
    if (isOwn) rmSync(this.#path, { force: true });
    closeSync(this.#fd);
  }
}

/** True when a living process of this machine holds the lock of a folder. Changes nothing. */
export function isLocked(folder: string): boolean {
  try {
    return deadLock(lockOf(folder)) === null && textOf(lockOf(folder)) !== null;
  } catch (fault) {
    if (fault instanceof StorageFault) return true;
    throw fault;
  }
}

/**
 * Creates the file and leaves it open. Returns `null` when the name is taken.
 * @throws {StorageFault} when the file cannot be created or written, as on a full disk. No file is then left.
 */
function createLock(path: string): number | null {
  let fd: number | null = null;
  try {
    fd = openSync(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, MODE);
    writeFileSync(fd, `${process.pid} ${startTimeOf(process.pid)}\n`);
    return fd;
  } catch (cause) {
    const code = codeOf(cause);
    if (fd === null && code === 'EEXIST') return null;
    if (fd !== null) removeUnwritten(path, fd);
    throw new StorageFault(dirname(path), `cannot be locked: ${code ?? String(cause)}`, {
      cause,
      ...(code !== null && { code }),
    });
  }
}

function removeUnwritten(path: string, fd: number): void {
  closeSync(fd);
  rmSync(path, { force: true });
}

/**
 * Replaces a dead process's lock atomically, and leaves the new lock open. Returns `null` when the lock is gone, or
 * when another process replaces it. Two processes that found the same dead lock must not both replace it. So a second
 * lock file admits one process at a time, and that process checks again.
 */
function replaceDead(path: string): number | null {
  const deadText = deadLock(path);
  if (deadText === null) return null;
  const guardPath = `${path}.taking.new`;
  const fd = createLock(guardPath);
  if (fd === null) {
    // The second lock of a dead process is removed.
    if (deadLock(guardPath) !== null) rmSync(guardPath, { force: true });
    return null;
  }
  try {
    return textOf(path) === deadText ? replaceWith(path, `${path}.${process.pid}.new`) : null;
  } finally {
    closeSync(fd);
    rmSync(guardPath, { force: true });
  }
}

function replaceWith(path: string, ownPath: string): number | null {
  rmSync(ownPath, { force: true });
  const fd = createLock(ownPath);
  if (fd !== null) renameSync(ownPath, path);
  return fd;
}

/**
 * Returns the text of a lock whose process is dead; `null` without a lock. A lock without a process id counts as dead
 * if older than `WRITTEN_WITHIN_MS`.
 * @throws {StorageFault} when a living process holds or may be writing the lock, or the lock is not a plain file.
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

/** Gives another process time to finish. */
const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);

/** A process id and start time. A later process may have the same id. */
interface Holder {
  readonly pid: number;
  readonly startTime: string;
}

/** Reads the process that a lock names, or returns `null`. */
function holderIn(text: string): Holder | null {
  const [, pid, startTime = ''] = /^([1-9]\d*)(?: (\d*))?\n$/.exec(text) ?? [];
  return pid === undefined ? null : { pid: Number(pid), startTime };
}

/**
 * Process ids are reused, so the start time is compared, too. The first process of a container has the same id each
 * time.
 */
const isAlive = ({ pid, startTime: lockedStart }: Holder): boolean =>
  isProcessRunning(pid) && startTimeOf(pid) === lockedStart;

/** Start time of a process in clock ticks since boot; empty when the system does not report it. */
function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in parentheses, may hold any character. The start time is the twentieth field after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
