// Threads that run trials, by piscina: one trial a thread, because an abort ends the whole thread. Must never give up a
// trial in silence: each ends with a result, a lost thread, or its time limit.
import { extname, join } from 'node:path';
import { Piscina } from 'piscina';
import { UsageError } from '../../app/usage-error.ts';
import type { TrialSetup } from '../study/study-plan.ts';
import type { TrialResult, TrialTask, UnusableStudy } from './trial-run.ts';
import { afterRunning } from './running-time.ts';
import { isWornOutFault } from './worn-out.ts';

/** The outcome of handing a trial to a thread. */
export type TrialOutcome =
  | { readonly type: 'result'; readonly result: TrialResult }
  /** The thread ran out of memory. */
  | { readonly type: 'memory'; readonly error: string }
  /** The trial took too long, and its thread was ended. */
  | { readonly type: 'time' }
  /** Workers on other machines were lost with the trial, one after the other. */
  | { readonly type: 'lost' }
  /** The caller aborted. */
  | { readonly type: 'aborted' };

/** Threads that cannot start with the memory that they are given. The study is not to blame. */
export class StartFault extends UsageError {}

/** A place where trials run. */
export interface TrialPlace {
  /** Number of trials that run at once. */
  readonly size: number;
  /** @throws whatever is wrong with the program itself. */
  runTrial(task: TrialTask, signal: AbortSignal): Promise<TrialOutcome>;
  close(): Promise<void>;
}

export interface TrialPoolOptions {
  readonly setup: TrialSetup;
  readonly workers: number;
  /** Milliseconds that a trial may take; a stop of the process does not count. */
  readonly trialMs: number;
  /** Megabytes of heap of a thread. @default 2048 */
  readonly heapMb?: number;
  /** File of the thread's code. @default the one of this build */
  readonly workerFile?: string;
}

const HEAP_MB = 2048;
/**
 * Megabytes for new objects of a thread: twice the default of Node.js. With the default, two threads of one process run
 * about 6 % slower than two processes.
 */
const YOUNG_MB = 96;
/**
 * Has piscina load the thread's code by `import`. By `require`, Node.js aborts the whole process when the thread runs out of
 * memory, or is ended, while the code is being linked.
 */
const NO_REQUIRE = '--no-experimental-require-module';
const LOADING_FLAGS = process.allowedNodeEnvironmentFlags.has(NO_REQUIRE) ? [NO_REQUIRE] : [];
const WORKER_FILE = join(import.meta.dirname, `trial-worker${extname(import.meta.filename)}`);

/** A pool of threads. */
export class TrialPool implements TrialPlace {
  readonly size: number;
  readonly #pool: Piscina;
  readonly #trialMs: number;
  readonly #heapMb: number;
  /** Aborts when no thread can start: the pool makes no more, and trials would wait for ever. */
  readonly #noThread = new AbortController();

  constructor({ setup, workers, trialMs, heapMb = HEAP_MB, workerFile = WORKER_FILE }: TrialPoolOptions) {
    this.size = workers;
    this.#trialMs = trialMs;
    this.#heapMb = heapMb;
    this.#pool = new Piscina({
      filename: workerFile,
      name: 'runTrial',
      minThreads: workers,
      maxThreads: workers,
      concurrentTasksPerWorker: 1,
      // A blocking wait would stop the timers of a run that yields.
      atomics: 'disabled',
      workerData: setup,
      execArgv: LOADING_FLAGS,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB },
    });
    // A thread that ends between two trials is replaced; what a trial meets is reported by the trial.
    this.#pool.on('error', (fault: unknown) => {
      if (this.#pool.threads.length === 0) this.#noThread.abort(this.#startFault(fault));
    });
  }

  async runTrial(task: TrialTask, signal: AbortSignal): Promise<TrialOutcome> {
    const limit = new AbortController();
    const endLimit = afterRunning(this.#trialMs, () => limit.abort());
    try {
      const result = await this.#resultOf(task, AbortSignal.any([signal, limit.signal, this.#noThread.signal]));
      return { type: 'result', result };
    } catch (fault) {
      this.#noThread.signal.throwIfAborted();
      if (limit.signal.aborted) return { type: 'time' };
      if (signal.aborted) return { type: 'aborted' };
      if (isOutOfMemory(fault)) return { type: 'memory', error: fault.message };
      throw fault;
    } finally {
      endLimit();
    }
  }

  #startFault(fault: unknown): unknown {
    if (!isOutOfMemory(fault)) return fault;
    return new StartFault(
      `--heap: expected memory enough for a thread to start, found ${this.#heapMb} MB, and each thread ran out of it before its trial began`,
    );
  }

  /** Hands a trial over again when its thread was worn out, and ended before it began. */
  async #resultOf(task: TrialTask, signal: AbortSignal): Promise<TrialResult> {
    for (;;) {
      try {
        const result: TrialResult | UnusableStudy = await this.#pool.run(task, { signal });
        if (result.end === 'unusable') throw new UsageError(result.error);
        return result;
      } catch (fault) {
        if (!isWornOutFault(fault)) throw fault;
      }
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

const isOutOfMemory = (fault: unknown): fault is Error =>
  fault instanceof Error && 'code' in fault && fault.code === 'ERR_WORKER_OUT_OF_MEMORY';
