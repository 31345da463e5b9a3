// A thread that reads the delta messages of captures, one chunk of lines after another. Must never lose a chunk: when the
// thread fails, the import reads the rest alone.
import { Worker } from 'node:worker_threads';
import type { ChunkRequest, ScanRequest } from './scan-chunk.ts';

/** Threads that no import uses, by their program. A new one would have to compile its code again. */
const idleByProgram = new Map<string, ScanThread>();

/** A thread that serves one import at a time. */
export class ScanThread {
  readonly #program: string;
  readonly #worker: Worker;
  /** Calls for the chunks that the thread has, oldest first. Removed when answered, or when the thread ends. */
  #waiting: ((isScanned: boolean) => void)[] = [];
  #isOver = false;

  private constructor(program: string) {
    this.#program = program;
    // The thread needs no environment, and must not inherit a debugger or a profiler.
    this.#worker = new Worker(new URL(program), { env: {}, execArgv: [] });
    this.#worker.on('message', () => this.#answer());
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
    this.#worker.unref();
  }

  /** Returns true when a thread of the program has run before, and waits for work. */
  static isReady(program: URL): boolean {
    return idleByProgram.has(program.href);
  }

  /**
   * Begins a capture on an idle thread, or on a new one. The caller must call `release`. Returns `null` when the system
   * refuses a new thread.
   */
  static begin(program: URL, dialect: string): ScanThread | null {
    const idle = idleByProgram.get(program.href);
    idleByProgram.delete(program.href);
    const thread = idle ?? ScanThread.#start(program);
    if (thread !== null) thread.#send({ kind: 'capture', dialect });
    return thread;
  }

  static #start(program: URL): ScanThread | null {
    try {
      return new ScanThread(program.href);
    } catch {
      return null;
    }
  }

  /** Has a chunk read. Resolves to false when the thread has failed: its result is then without meaning. */
  scan(request: ChunkRequest): Promise<boolean> {
    if (this.#isOver) return Promise.resolve(false);
    return new Promise((resolve) => {
      // The process must not end while the import waits for nothing but the thread.
      this.#worker.ref();
      this.#waiting.push(resolve);
      this.#send(request);
    });
  }

  #send(request: ScanRequest): void {
    // The empty list of transfers distinguishes this from the method of a window, which needs an origin.
    this.#worker.postMessage(request, []);
  }

  #answer(): void {
    this.#waiting.shift()?.(true);
    if (this.#waiting.length === 0) this.#worker.unref();
  }

  #end(): void {
    this.#isOver = true;
    if (idleByProgram.get(this.#program) === this) idleByProgram.delete(this.#program);
    for (const answer of this.#waiting.splice(0)) answer(false);
  }

  /** Keeps the thread for the next import, unless it still works or has failed. */
  release(): void {
    if (this.#isOver) return;
    if (this.#waiting.length === 0 && !idleByProgram.has(this.#program)) idleByProgram.set(this.#program, this);
    else void this.#worker.terminate();
  }
}
