// A log file that rolls when it is full: `bot.log` becomes `bot.log.1`, the former `bot.log.1` becomes `bot.log.2`, and
// the oldest is removed. Lines are never split. Must never end the program: when the log cannot be written, that is
// reported once, and further lines are dropped.
import { mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { destination } from 'pino';

/** Destination and maximum size of a log. */
export interface RollingFileOptions {
  readonly file: string;
  /**
   * Maximum bytes of one file. A single longer line has a file of its own, and a file that cannot be rolled grows on.
   */
  readonly bytesMax: number;
  /** Full files kept besides the one being written. */
  readonly kept: number;
  /** Called once when the log can no longer be written. */
  readonly onLost: (fault: Error) => void;
}

/** Only the owner may read a bot's log. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

type Stream = ReturnType<typeof destination>;

/** The file as a stream for pino. */
export class RollingFile {
  readonly #options: RollingFileOptions;
  #stream: Stream;
  #bytes: number;
  #isLost = false;

  /** @throws when the file cannot be opened. */
  constructor(options: RollingFileOptions) {
    this.#options = options;
    mkdirSync(dirname(options.file), { recursive: true, mode: FOLDER_MODE });
    this.#stream = this.#open();
    this.#bytes = statSync(options.file).size;
  }

  #open(): Stream {
    const stream = destination({ dest: openSync(this.#options.file, 'a', FILE_MODE), sync: false });
    return dropOnError(stream, (fault) => this.#reportLost(fault));
  }

  #reportLost(fault: Error): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#options.onLost(fault);
  }

  write(line: string): void {
    if (this.#isLost) return;
    const bytes = Buffer.byteLength(line);
    if (this.#bytes > 0 && this.#bytes + bytes > this.#options.bytesMax) this.#roll();
    this.#bytes += bytes;
    this.#stream.write(line);
  }

  flush(done?: (fault?: Error) => void): void {
    this.#stream.flush(done);
  }

  /** Continues in a new file; where none can be opened, in the old one until it is full again. */
  #roll(): void {
    this.#bytes = 0;
    const before = this.#stream;
    try {
      this.#shift();
      this.#stream = this.#open();
    } catch {
      return;
    }
    // The old stream writes its buffered lines to its open file, whatever the file's name is now.
    before.end();
  }

  #shift(): void {
    const { file, kept } = this.#options;
    rmSync(`${file}.${kept}`, { force: true });
    for (let nth = kept - 1; nth >= 1; nth--) moveIfThere(`${file}.${nth}`, `${file}.${nth + 1}`);
    renameSync(file, `${file}.1`);
  }
}

/** A stream that nothing is written to after its first error. */
export function dropOnError(stream: Stream, onLost: (fault: Error) => void): Stream {
  stream.on('error', (fault: Error) => {
    // Buffered data would be written again at exit, without end.
    Object.assign(stream, { write: () => true, end: nothing, flushSync: nothing, destroy: nothing });
    onLost(fault);
  });
  return stream;
}

const nothing = (): void => undefined;

function moveIfThere(from: string, to: string): void {
  if (statSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, to);
}
