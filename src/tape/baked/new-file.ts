// Names files while they are written, and when they are complete. Must never replace a file that another program has made in the meantime.
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';

/**
 * Returns the name of a file until it is complete. The name contains the process id, which shows later whether its writer
 * died, and a text of its own: two processes or threads that write one file must not write to the same part.
 */
export const temporaryName = (path: string, ending: 'new' | 'part'): string =>
  `${path}.${process.pid}-${randomBytes(4).toString('hex')}.${ending}`;

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
