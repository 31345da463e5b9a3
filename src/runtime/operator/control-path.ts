// The address of a process's control socket: a file in its data folder, or on Windows a named pipe. Must never return
// an address that the system would cut short.
import { createHash } from 'node:crypto';
import { join, relative, resolve } from 'node:path';

/** Thrown for a control socket that cannot be used. The message describes the problem. */
export class ControlFault extends Error {
  override readonly name = 'ControlFault';
  readonly path: string;

  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`);
    this.path = path;
  }
}

/** The paths of a control socket. */
export interface ControlPath {
  /** The address given to the operating system. */
  readonly address: string;
  /** The path shown to people. */
  readonly file: string;
  readonly pidFile: string;
  /** True: the socket is a file; false: it is a named pipe. */
  readonly isFile: boolean;
}

/** The longest socket address that every system accepts, in bytes, without the terminating zero. */
const ADDRESS_BYTES_MAX = 103;

/**
 * Returns the paths of a process's socket in a data folder. The bot has the role `control`.
 * @throws {ControlFault} when the folder's path is too long for a socket.
 */
export function controlPath(dataFolder: string, role: 'control' | 'watchdog'): ControlPath {
  const file = resolve(dataFolder, `${role}.sock`);
  const pidFile = join(dataFolder, `${role}.pid`);
  if (process.platform === 'win32') {
    const hash = createHash('sha256').update(file).digest('hex').slice(0, 24);
    return { address: `\\\\.\\pipe\\presage-${role}-${hash}`, file, pidFile, isFile: false };
  }
  const relativePath = relative(process.cwd(), file);
  const address = relativePath.length < file.length ? relativePath : file;
  const bytes = Buffer.byteLength(address);
  if (bytes <= ADDRESS_BYTES_MAX) return { address, file, pidFile, isFile: true };
  throw new ControlFault(
    file,
    `is too long a path for a socket: ${bytes} bytes, at most ${ADDRESS_BYTES_MAX}. Choose a shorter dataFolder`,
  );
}
