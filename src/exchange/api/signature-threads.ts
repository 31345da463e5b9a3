// Checks signatures on other threads, many in one message: verifying takes as long as all else that an order needs. Must
// never fail because a thread fails: what it had is then checked here.
import { verify } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { must } from '../../base/assert.ts';
import { type CheckedKey, type SignedMessage, isSigned } from '../../venues/trade-api/signing/signers.ts';

/** A signature to be checked, by the id of its key. */
export interface SignatureCheck extends SignedMessage {
  readonly keyId: string;
}

/** Checks signatures, and calls back later in any sequence. */
export interface SignatureChecker {
  check(check: SignatureCheck, done: (isSigned: boolean) => void): void;
}

/** A thread gets key ids, texts and signatures in turn, and answers with one boolean for each. */
const THREAD_SOURCE = `
const { parentPort, workerData: keys } = require('node:worker_threads');
const { verify } = require('node:crypto');
const isSigned = ${isSigned.toString()};
parentPort.on('message', (batch) => {
  const results = [];
  for (let at = 0; at < batch.length; at += 3)
    results.push(isSigned(keys.get(batch[at]), { text: batch[at + 1], signature: batch[at + 2] }, verify));
  parentPort.postMessage(results);
});
`;

const THREADS_MAX = 4;
/** Batches under way to one thread: it has the next one when it ends one. */
const BATCHES_MAX = 2;
/**
 * Longest batch. Its requests are answered together. With longer batches, loop and thread wait for each other in place of
 * working side by side; shorter ones cost more messages.
 */
const BATCH_MAX = 4;

interface Waiting {
  readonly check: SignatureCheck;
  readonly done: (isSigned: boolean) => void;
}

interface Thread {
  readonly worker: Worker;
  /** Batches under way, the oldest first. */
  readonly sent: Waiting[][];
}

/** Options of signature threads. */
export interface SignatureThreadsOptions {
  /** Default: one for each core but the event loop's, at least one and at most four. */
  readonly threads?: number;
  /** Starts a thread. Default: a thread of this process. */
  readonly start?: (source: string, keys: ReadonlyMap<string, CheckedKey>) => Worker;
}

const startThread = (source: string, keys: ReadonlyMap<string, CheckedKey>): Worker =>
  new Worker(source, { eval: true, workerData: keys, env: {}, execArgv: [] });

/** The threads of one exchange. They start at the first check, and do not keep the process alive. */
export class SignatureThreads implements SignatureChecker {
  readonly #keys: ReadonlyMap<string, CheckedKey>;
  readonly #options: SignatureThreadsOptions;
  #threads: Thread[] = [];
  #waiting: Waiting[] = [];
  #isStarted = false;
  #isPlanned = false;

  /** @param keys The keys of all checks, by id. */
  constructor(keys: ReadonlyMap<string, CheckedKey>, options: SignatureThreadsOptions = {}) {
    this.#keys = keys;
    this.#options = options;
  }

  check(check: SignatureCheck, done: (isSigned: boolean) => void): void {
    if (!this.#isStarted) this.#start();
    this.#waiting.push({ check, done });
    this.#plan();
  }

  /** Everything that arrives in one turn of the event loop leaves together. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#send();
      if (this.#waiting.length === 0) return;
      // Every thread has its batches: the loop helps with one check in each of its turns.
      this.#checkHere(this.#waiting.splice(0, 1));
      this.#plan();
    });
  }

  /** Ends the threads. Their checks are made here. */
  async stop(): Promise<void> {
    this.#isStarted = true;
    const workers = this.#threads.map(({ worker }) => worker);
    for (const thread of this.#threads) this.#drop(thread);
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #start(): void {
    this.#isStarted = true;
    const { threads = Math.min(THREADS_MAX, Math.max(1, availableParallelism() - 1)), start = startThread } =
      this.#options;
    for (let number = 0; number < threads; number++) this.#startOne(start);
  }

  #startOne(start: NonNullable<SignatureThreadsOptions['start']>): void {
    const thread: Thread = { worker: start(THREAD_SOURCE, this.#keys), sent: [] };
    thread.worker.unref();
    thread.worker.on('message', (results: readonly boolean[]) => this.#receive(thread, results));
    thread.worker.on('error', () => this.#drop(thread));
    thread.worker.on('exit', () => this.#drop(thread));
    this.#threads.push(thread);
  }

  #send(): void {
    if (this.#threads.length === 0) return this.#checkHere(this.#waiting.splice(0));
    for (let round = 1; round <= BATCHES_MAX; round++)
      for (const thread of this.#threads) if (thread.sent.length < round) this.#sendTo(thread);
  }

  #sendTo({ worker, sent }: Thread): void {
    if (this.#waiting.length === 0) return;
    const batch = this.#waiting.splice(0, BATCH_MAX);
    sent.push(batch);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(batch.flatMap(({ check: { keyId, text, signature } }) => [keyId, text, signature]));
  }

  #receive(thread: Thread, results: readonly boolean[]): void {
    const batch = thread.sent.shift();
    // The thread works on while the requests are answered.
    this.#send();
    batch?.forEach(({ done }, index) => done(results[index] === true));
  }

  /** Removes a thread that has ended, and checks here what it had. */
  #drop(thread: Thread): void {
    this.#threads = this.#threads.filter((other) => other !== thread);
    for (const batch of thread.sent.splice(0)) this.#checkHere(batch);
    if (this.#threads.length === 0) this.#checkHere(this.#waiting.splice(0));
  }

  #checkHere(batch: readonly Waiting[]): void {
    for (const { check, done } of batch)
      done(isSigned(must(this.#keys.get(check.keyId), 'the key of a check'), check, verify));
  }
}
