// Calculates SHA-256 over files. Large files are hashed on another thread during the import: hashing takes as long as a
// fifth of the import. Must never fail because the thread fails.
import * as crypto from 'node:crypto';
import * as fs from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { Worker } from 'node:worker_threads';

/** Hashing this many bytes takes about as long as starting a thread. */
const THREAD_BYTES_MIN = 32 << 20;

/** A thread is worth its start for enough bytes, when a core is idle. */
const isWorthThread = (bytes: number): boolean =>
  bytes >= THREAD_BYTES_MIN && (loadavg()[0] ?? 0) < availableParallelism();

/** A file, with its size before it was read. */
export interface HashedFile {
  readonly file: string;
  readonly bytes: number;
}

type Builtins = Pick<typeof crypto, 'createHash'> & Pick<typeof fs, 'closeSync' | 'openSync' | 'readSync'>;

/**
 * Returns the hash of files in hexadecimal. The thread gets this function as text. The function must therefore use only
 * its parameters.
 * @throws the system's error for a file that cannot be read.
 */
function hashOf(files: readonly string[], { createHash, openSync, readSync, closeSync }: Builtins): string {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafeSlow(262_144);
  for (const file of files) {
    const fd = openSync(file, 'r');
    try {
      for (let count = readSync(fd, chunk); count > 0; count = readSync(fd, chunk))
        hash.update(chunk.subarray(0, count));
    } finally {
      closeSync(fd);
    }
  }
  return hash.digest('hex');
}

const THREAD_SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const hashOf = ${hashOf.toString()};
parentPort.postMessage(hashOf(workerData, { ...require('node:crypto'), ...require('node:fs') }));
`;

/** A hash made on another thread. It rejects when the thread fails or is stopped. */
export class ThreadHash {
  readonly digest: Promise<string>;
  readonly #worker: Worker;

  constructor(files: readonly string[]) {
    this.#worker = new Worker(THREAD_SOURCE, { eval: true, workerData: files, env: {}, execArgv: [] });
    this.digest = new Promise((resolve, reject) => {
      this.#worker.once('message', resolve);
      this.#worker.once('error', reject);
      this.#worker.once('exit', () => reject(new Error('the thread that hashes ended before its time')));
    });
    // An unused hash must not raise an unhandled rejection.
    this.digest.catch(() => undefined);
  }

  stop(): void {
    void this.#worker.terminate();
  }
}

/** The hash of several files, read one after another. The caller must always call `close`. */
export class FileHash {
  readonly #files: readonly HashedFile[];
  readonly #thread: ThreadHash | null;

  /** @param onThread True to use another thread. Default: true for many bytes and an idle core. */
  constructor(files: readonly HashedFile[], onThread?: boolean) {
    this.#files = files;
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    this.#thread = (onThread ?? isWorthThread(bytes)) ? new ThreadHash(this.#names) : null;
  }

  get #names(): readonly string[] {
    return this.#files.map(({ file }) => file);
  }

  /** Returns the hash of the files in hexadecimal. Files that changed their size meanwhile are hashed again. */
  async digest(): Promise<string> {
    const made = await this.#thread?.digest.catch(() => null);
    return made !== undefined && made !== null && this.#isUnchanged()
      ? made
      : hashOf(this.#names, { ...crypto, ...fs });
  }

  #isUnchanged(): boolean {
    return this.#files.every(({ file, bytes }) => fs.statSync(file).size === bytes);
  }

  close(): void {
    this.#thread?.stop();
  }
}
