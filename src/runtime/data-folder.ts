// The data folder as a running bot has it: written by its owner alone, and the same from the start of the session to its
// end. Must never take another folder, or another process's lock, of the same name for its own.
import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StorageFault } from '../tape/storage.ts';
import { SAVED_FOLDER } from './state-keeper.ts';

/** Where in a data folder the journal is. */
export const JOURNAL_FOLDER = 'journal';
/** Folders in it that are written in, too. */
const SUBFOLDERS = [JOURNAL_FOLDER, SAVED_FOLDER];
/** Writing by the group, and by all others. */
const OTHERS_WRITE_MASK = 0o022;

/**
 * Refuses a data folder in which others may write: a file there halts, or lifts a halt. One that is not there yet is
 * made for its owner alone.
 * @throws {StorageFault} which names the folder, its mode or owner, and the remedy.
 */
export function refuseOpenFolder(folder: string): void {
  for (const path of [folder, ...SUBFOLDERS.map((name) => join(folder, name))]) {
    const problem = openProblem(path);
    if (problem !== null) throw new StorageFault(path, problem);
  }
}

/** Why others may write in a folder; `null` when they may not, or there is no such folder. */
function openProblem(path: string): string | null {
  // Windows has no such modes: there the folder is as its own lists of access say.
  const own = process.getuid?.();
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || own === undefined) return null;
  const mode = stat.mode & 0o777;
  if ((mode & OTHERS_WRITE_MASK) !== 0)
    return `expected a folder that only its owner may write, found mode ${mode.toString(8)} (chmod 700 it)`;
  // A process that runs as root may use a folder of any owner, as in a container.
  if (own === 0 || stat.uid === own || stat.uid === 0) return null;
  return `expected a folder of the user that runs this (${own}), found one of user ${stat.uid}`;
}

/** A file or folder that is held, with what tells it from another of the same name. */
interface Held {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
  /** Kept open, so that no other is given its inode; `null` for what cannot be opened. */
  readonly fd: number | null;
}

/** The files and folders by which a session has its data folder. */
export class FolderHold {
  readonly #held: readonly Held[];

  /** Holds what is there now. */
  constructor(paths: readonly string[]) {
    this.#held = paths.map(hold);
  }

  /**
   * Sees that all is as it was.
   * @throws {StorageFault} when one of them was removed, or another has taken its place.
   */
  check(): void {
    for (const { path, device, inode } of this.#held) {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat === undefined) throw new StorageFault(path, 'was removed while the bot ran');
      if (stat.dev !== device || stat.ino !== inode)
        throw new StorageFault(path, 'was replaced by another while the bot ran');
    }
  }

  /** Lets go. */
  release(): void {
    for (const { fd } of this.#held) if (fd !== null) closeSync(fd);
  }
}

function hold(path: string): Held {
  const fd = tryOpen(path);
  const { dev: device, ino: inode } = fd === null ? statSync(path) : fstatSync(fd);
  return { path, device, inode, fd };
}

/** A socket cannot be opened: the process that listens on it keeps its inode. On Windows a folder cannot, either. */
function tryOpen(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch {
    return null;
  }
}
