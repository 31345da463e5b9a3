// Names files while they are written, and when they are complete, and removes those whose writer died. Must never replace a file that
// another program has made in the meantime, nor remove one that may still be written.
import { isProcessRunning } from '../journal/process-running.ts';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, linkSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Digits that name this machine or container: a process id means nothing on another one. */
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

/**
 * Returns the name of a file until it is complete. The name contains the process id and the machine, which show later whether its
 * writer died, and a text of its own: two processes or threads that write one file must not write to the same part.
 */
export const temporaryName = (path: string, ending: 'new' | 'part'): string =>
  `${path}.${process.pid}-${HOST}${randomBytes(4).toString('hex')}.${ending}`;

/** The end of a temporary name of this machine. An earlier version had the process id alone. */
const TEMPORARY_END = new RegExp(String.raw`^\.(\d+)(?:-${HOST}[\da-f]{8})?\.(?:new|part)$`);

/** Removes the temporary files of a path whose writers died on this machine, as by SIGKILL. */
export function removeAbandoned(path: string): void {
  const [folder, start] = [dirname(path), basename(path)];
  for (const name of namesIn(folder)) {
    const pid = name.startsWith(start) ? TEMPORARY_END.exec(name.slice(start.length))?.[1] : undefined;
    if (pid !== undefined && !isProcessRunning(Number(pid))) tryRemove(join(folder, name));
  }
}

/** A file that cannot be removed, such as one of another user, must not keep the new one from being written. */
function tryRemove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    return;
  }
}

/** A folder that cannot be listed has nothing that could be removed. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Codes with which a file system refuses hard links as such. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Thrown when the name of a new file is in use. */
export class NameTaken extends Error {
  override readonly name = 'NameTaken';

  constructor() {
    super('a file of that name was made in the meantime');
  }
}

/**
 * Renames a complete file to a new name.
 * @throws {NameTaken} when a file has the name; the file keeps the name that it had.
 */
export function nameNewFile(part: string, path: string): void {
  try {
    linkSync(part, path);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : null;
    if (code === 'EEXIST' || existsSync(path)) throw new NameTaken();
    if (!NO_LINKS.has(code)) throw cause;
    return renameSync(part, path);
  }
  rmSync(part);
}
