// SHA-256 over files. Large files are hashed on another thread while they are imported, because hashing costs as much
// as a fifth of the import. Must never hash other bytes than the files', nor fail where a thread fails.
import * as crypto from 'node:crypto';
import * as fs from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { Worker } from 'node:worker_threads';

/** Minimum bytes for which a thread is worth its start, which takes about as long as hashing this many bytes. */
const THREAD_BYTES_MIN = 32 << 20;

/** True when a thread is worth its start: enough bytes, and an idle core. */
const isWorthThread = (bytes: number): boolean =>
  bytes >= THREAD_BYTES_MIN && (loadavg()[0] ?? 0) < availableParallelism();

/** A file with its size before it was read. */
export interface HashedFile {
  readonly file: string;
  readonly bytes: number;
}

type Builtins = Pick<typeof crypto, 'createHash'> & Pick<typeof fs, 'closeSync' | 'openSync' | 'readSync'>;

/**
 * Hash of files, in hexadecimal. The thread gets this function as text: it must use only its parameters.
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

/** A hash made on another thread. It rejects when the thread fails, or is stopped before its end. */
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

/** The hash of some files, one after another. The caller must call `close` in every case. */
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

  /** The hash in hexadecimal of the files as they are now. */
  async digest(): Promise<string> {
    const made = await this.#thread?.digest.catch(() => null);
    return made !== undefined && made !== null && this.#isUnchanged()
      ? made
      : hashOf(this.#names, { ...crypto, ...fs });
  }

  /** True when every file has the size that it had before it was read. */
  #isUnchanged(): boolean {
    return this.#files.every(({ file, bytes }) => fs.statSync(file).size === bytes);
  }

  /** Stops the thread. */
  close(): void {
    this.#thread?.stop();
  }
}
