// Where a process's control socket is: in its data folder, or a named pipe of the same name where sockets have no files.
// Must never hand out an address that the system would cut short.
import { createHash } from 'node:crypto';
import { join, relative, resolve } from 'node:path';

/** A control socket that cannot be used: who has it, or what is wrong with it. */
export class ControlFault extends Error {
  override readonly name = 'ControlFault';
  readonly path: string;

  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`);
    this.path = path;
  }
}

/** Where a control socket is. */
export interface ControlPath {
  /** What the system is given. */
  readonly address: string;
  /** What a person is told. */
  readonly file: string;
  /** Where the process that has it writes its number. */
  readonly pidFile: string;
  /** Whether it lies in the file system. */
  readonly isFile: boolean;
}

/** The shortest of the systems' bounds, in bytes, its final zero off. */
const ADDRESS_BYTES_MAX = 103;

/**
 * The socket of a role in a data folder.
 * @throws {ControlFault} when the folder's path is too long for one.
 */
export function controlPath(dataFolder: string, role: 'control' | 'watchdog'): ControlPath {
  const file = resolve(dataFolder, `${role}.sock`);
  const pidFile = join(dataFolder, `${role}.pid`);
  if (process.platform === 'win32') {
    const hash = createHash('sha256').update(file).digest('hex').slice(0, 24);
    return { address: `\\\\.\\pipe\\presage-${role}-${hash}`, file, pidFile, isFile: false };
  }
  const near = relative(process.cwd(), file);
  const address = near.length < file.length ? near : file;
  const bytes = Buffer.byteLength(address);
  if (bytes <= ADDRESS_BYTES_MAX) return { address, file, pidFile, isFile: true };
  throw new ControlFault(
    file,
    `is too long a path for a socket: ${bytes} bytes, at most ${ADDRESS_BYTES_MAX}. Choose a shorter dataFolder`,
  );
}
