// Protects the data folder of a running bot: no other user may write to it, and it stays the same folder from start to
// end. Must never accept another folder of the same name, or another lock file.
import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StorageFault } from '../../tape/journal/storage.ts';
import { SAVED_FOLDER } from './saved-state.ts';

/** The journal's folder within the data folder. */
export const JOURNAL_FOLDER = 'journal';
/** Subfolders that must be writable by their owner only, too. */
const SUBFOLDERS = [JOURNAL_FOLDER, SAVED_FOLDER];
/** Mode bits that let the group or others write. */
const OTHERS_WRITE_MASK = 0o022;

/**
 * Refuses a data folder that others may write to: a file in it can halt trading, or lift a halt. A folder that does not
 * exist yet is accepted: it is created for its owner alone.
 * @throws {StorageFault} which names the folder, and its mode or owner.
 */
export function refuseWritableFolder(folder: string): void {
  for (const path of [folder, ...SUBFOLDERS.map((name) => join(folder, name))]) {
    const problem = writableProblem(path);
    if (problem !== null) throw new StorageFault(path, problem);
  }
}

/**
 * Returns the reason why a folder is not safe from other users. Returns `null` when it is safe, does not exist, or
 * cannot be checked (on Windows).
 */
function writableProblem(path: string): string | null {
  // Windows has no such modes; access control lists apply there.
  const userId = process.getuid?.();
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || userId === undefined) return null;
  const mode = stat.mode & 0o777;
  if ((mode & OTHERS_WRITE_MASK) !== 0)
    return `expected a folder that only its owner may write, found mode ${mode.toString(8)} (chmod 700 it)`;
  // A process that runs as root, as in a container, may use a folder of any owner. A folder of root is accepted, too:
  // root may write anywhere.
  if (userId === 0 || stat.uid === userId || stat.uid === 0) return null;
  return `expected a folder of the user that runs this (${userId}), found one of user ${stat.uid}`;
}

/** A recorded file or folder, with the numbers that distinguish it from another of the same name. */
interface HeldPath {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
  /** Kept open, so that its inode is not reused; `null` when it cannot be opened. */
  readonly fd: number | null;
}

/** Checks that the files and folders of a session are still the same ones. */
export class FolderGuard {
  readonly #held: readonly HeldPath[];

  /** Records the files and folders as they are now. */
  constructor(paths: readonly string[]) {
    this.#held = paths.map(holdPath);
  }

  /**
   * Checks that every file and folder is still the one that was recorded.
   * @throws {StorageFault} when one of them was removed or replaced.
   */
  checkUnchanged(): void {
    for (const { path, device, inode } of this.#held) {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat === undefined) throw new StorageFault(path, 'was removed while the bot ran');
      if (stat.dev !== device || stat.ino !== inode)
        throw new StorageFault(path, 'was replaced by another while the bot ran');
    }
  }

  /** Closes the open files. */
  closeFiles(): void {
    for (const { fd } of this.#held) if (fd !== null) closeSync(fd);
  }
}

function holdPath(path: string): HeldPath {
  const fd = tryOpen(path);
  const { dev: device, ino: inode } = fd === null ? statSync(path) : fstatSync(fd);
  return { path, device, inode, fd };
}

/**
 * Opens a path if possible. A socket cannot be opened, but its listener keeps the inode in use. On Windows a folder
 * cannot be opened either.
 */
function tryOpen(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch {
    return null;
  }
}
