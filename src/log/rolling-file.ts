// A log file that rolls when it is full and at midnight UTC. `bot.log` becomes `bot.log.1`, `bot.log.1` becomes
// `bot.log.2`, and the oldest files are removed. Must never end the program, nor split a line. A log that cannot be
// written is reported once, and further lines are dropped.
import { type Stats, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { destination } from 'pino';
import { makeFolder } from './make-folder.ts';

/** Options of a log file that rolls. */
export interface RollingFileOptions {
  readonly file: string;
  /** Most bytes of one file. A single longer line has a file of its own. A file that cannot be rolled keeps growing. */
  readonly bytesMax: number;
  /** Most full files, besides the file being written. */
  readonly kept: number;
  /** Most bytes of all full files together. Default: no bound. */
  readonly bytesKeptMax?: number;
  /** Full files last written longer ago than this are removed. Milliseconds. Default: no bound. */
  readonly ageMsMax?: number;
  /** Called once when the log can no longer be written. */
  readonly onLost: (fault: Error) => void;
  /** Wall clock, milliseconds since the Unix epoch. Default: the machine's. */
  readonly now?: () => number;
}

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const DAY_MS = 86_400_000;

type Stream = ReturnType<typeof destination>;

/** A full file. A higher number is older. */
interface FullFile {
  readonly number: number;
  readonly stats: Stats;
}

/** The log file as a stream for pino. */
export class RollingFile {
  readonly #options: RollingFileOptions;
  readonly #now: () => number;
  #stream: Stream;
  #bytes: number;
  /** Start of the next UTC day, at which a new file is begun. Milliseconds since the Unix epoch. */
  #midnight: number;
  #isLost = false;

  /** @throws when the file cannot be opened. */
  constructor(options: RollingFileOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    makeFolder(dirname(options.file), FOLDER_MODE);
    this.#stream = this.#open();
    const { size, mtimeMs } = statSync(options.file);
    this.#bytes = size;
    this.#midnight = midnightAfter(size === 0 ? this.#now() : mtimeMs);
    this.#removeOldFiles();
  }

  #open(): Stream {
    const stream = destination({ dest: openSync(this.#options.file, 'a', FILE_MODE), sync: false });
    // An error of a closed stream is not reported.
    return dropOnError(stream, (fault) => stream === this.#stream && this.#reportLost(fault));
  }

  #reportLost(fault: Error): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#options.onLost(fault);
  }

  write(line: string): void {
    if (this.#isLost) return;
    const bytes = Buffer.byteLength(line);
    const isFull = this.#bytes + bytes > this.#options.bytesMax;
    if (this.#bytes > 0 && (isFull || this.#now() >= this.#midnight)) this.#roll();
    this.#bytes += bytes;
    this.#stream.write(line);
  }

  flush(done?: (fault?: Error) => void): void {
    this.#stream.flush(done);
  }

  /**
   * Opens the file again by its name. Another program may have moved the file. Earlier lines stay in the old file.
   * @throws when the file cannot be opened. Lines then still go to the old file.
   */
  reopenFile(): void {
    const before = this.#stream;
    this.#stream = this.#open();
    this.#isLost = false;
    this.#bytes = statSync(this.#options.file).size;
    this.#midnight = midnightAfter(this.#now());
    before.end();
  }

  /** Continues in a new file. If none can be opened, continues in the old file. */
  #roll(): void {
    this.#bytes = 0;
    this.#midnight = midnightAfter(this.#now());
    const before = this.#stream;
    try {
      this.#shiftFiles();
      this.#stream = this.#open();
    } catch {
      return;
    }
    // The old stream writes its buffered lines to its open file, even after the file was renamed.
    before.end();
    this.#removeOldFiles();
  }

  #shiftFiles(): void {
    const { file, kept } = this.#options;
    for (const { number } of this.#fullFiles().toReversed()) {
      if (number >= kept) rmSync(`${file}.${number}`);
      else renameSync(`${file}.${number}`, `${file}.${number + 1}`);
    }
    renameSync(file, `${file}.1`);
  }

  /** The full files, the newest first. */
  #fullFiles(): FullFile[] {
    const { file } = this.#options;
    const name = `${basename(file)}.`;
    return readdirSync(dirname(file))
      .filter((entry) => entry.startsWith(name) && /^[1-9]\d*$/.test(entry.slice(name.length)))
      .flatMap((entry) => {
        const stats = statSync(join(dirname(file), entry), { throwIfNoEntry: false });
        return stats === undefined ? [] : [{ number: Number(entry.slice(name.length)), stats }];
      })
      .sort((one, other) => one.number - other.number);
  }

  /** Removes the full files beyond the bounds of size and age. On a failure, the rest stay until the next time. */
  #removeOldFiles(): void {
    const { file, bytesKeptMax = Number.POSITIVE_INFINITY, ageMsMax = Number.POSITIVE_INFINITY } = this.#options;
    const oldest = this.#now() - ageMsMax;
    try {
      let bytes = 0;
      for (const { number, stats } of this.#fullFiles()) {
        bytes += stats.size;
        if (bytes > bytesKeptMax || stats.mtimeMs < oldest) rmSync(`${file}.${number}`);
      }
    } catch {
      return;
    }
  }
}

const midnightAfter = (atMs: number): number => (Math.floor(atMs / DAY_MS) + 1) * DAY_MS;

/** Makes a stream ignore everything that is written after its first error. */
export function dropOnError(stream: Stream, onLost: (fault: Error) => unknown): Stream {
  stream.on('error', (fault: Error) => {
    // Buffered data would be written again at exit, without end.
    Object.assign(stream, { write: () => true, end: nothing, flushSync: nothing, destroy: nothing });
    onLost(fault);
  });
  return stream;
}

const nothing = (): void => undefined;
