// Protects the data folder of a running bot: no other user may write there, and the folder must stay the same. Must
// never accept another folder of the same name, or another lock file.
import { closeSync, existsSync, fstatSync, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StorageFault } from '../../tape/journal/storage.ts';
import { SAVED_FOLDER } from './saved-state.ts';

/** The journal's folder within the data folder. */
export const JOURNAL_FOLDER = 'journal';
/** Subfolders to which only their owner may write. */
const SUBFOLDERS = [JOURNAL_FOLDER, SAVED_FOLDER];
const OTHERS_WRITE_MASK = 0o022;

/**
 * Refuses a data folder that others may write to: a file there can halt trading or lift a halt. A missing folder is
 * accepted: it will be created for its owner alone.
 * @throws {StorageFault} which names the folder, and its mode or owner.
 */
export function refuseWritableFolder(folder: string): void {
  refuseFile(folder);
  for (const path of [folder, ...SUBFOLDERS.map((name) => join(folder, name))]) {
    const problem = writableProblem(path);
    if (problem !== null) throw new StorageFault(path, problem);
  }
}

/**
 * Refuses a data folder that is a file, or lies below one. A missing folder is accepted.
 * @throws {StorageFault} which names the file.
 */
function refuseFile(folder: string): void {
  const top = nearestExisting(resolve(folder));
  if (statSync(top).isDirectory()) return;
  const below = top === resolve(folder) ? '' : `, because the data folder is ${folder}`;
  throw new StorageFault(top, `expected a folder${below}, found a file`);
}

/** Returns the path, or the nearest one above it that exists. */
function nearestExisting(path: string): string {
  let found = path;
  while (!existsSync(found) && dirname(found) !== found) found = dirname(found);
  return found;
}

/**
 * Returns the reason why other users can change a folder, or `null`. A missing folder passes, and so does every folder
 * on Windows.
 */
function writableProblem(path: string): string | null {
  // Windows has no user ids; access control lists apply there.
  const userId = process.getuid?.();
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || userId === undefined) return null;
  const mode = stat.mode & 0o777;
  if ((mode & OTHERS_WRITE_MASK) !== 0)
    return `expected a folder that only its owner may write, found mode ${mode.toString(8)} (chmod 700 it)`;
  // A process that runs as root, as in a container, may use a folder of any owner. A folder of root is accepted,
  // because root may write anywhere anyway.
  if (userId === 0 || stat.uid === userId || stat.uid === 0) return null;
  return `expected a folder of the user that runs this (${userId}), found one of user ${stat.uid}`;
}

/** A recorded file or folder. Device and inode distinguish it from another of the same name. */
interface HeldPath {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
  /** Kept open, so that the inode is not reused; `null` when the path cannot be opened. */
  readonly fd: number | null;
}

/** Checks that the files and folders of a session are still the recorded ones. */
export class FolderGuard {
  readonly #held: readonly HeldPath[];

  constructor(paths: readonly string[]) {
    this.#held = paths.map(holdPath);
  }

  /**
   * Checks that every file and folder is still the recorded one.
   * @throws {StorageFault} when a file or folder was removed or replaced.
   */
  checkUnchanged(): void {
    for (const { path, device, inode } of this.#held) {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat === undefined) throw new StorageFault(path, 'was removed while the bot ran');
      if (stat.dev !== device || stat.ino !== inode)
        throw new StorageFault(path, 'was replaced by another while the bot ran');
    }
  }

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
 * Opens a path if possible. A socket cannot be opened, but its listener keeps the inode in use. Windows opens no
 * folder.
 */
function tryOpen(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch {
    return null;
  }
}
