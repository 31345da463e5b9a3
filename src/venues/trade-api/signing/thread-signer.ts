// Signs on another thread, so that the event loop computes no signature. Must never lose a request: when the thread fails,
// the loop signs in its place.
import { Worker } from 'node:worker_threads';
import type { Signing } from '../profiles/wire-profile.ts';
import type { PrivateKey } from './key-files.ts';
import { type Signer, createSigner } from './signers.ts';
import type { SignatureAnswer, SignatureRequest, SigningThreadData } from './signing-thread.ts';

export interface ThreadSignerOptions {
  readonly signing: Signing;
  readonly key: PrivateKey;
  /** The thread's program. Default: the one beside this file. */
  readonly program?: URL;
}

interface WaitingText {
  readonly text: string;
  readonly resolve: (signature: string) => void;
  readonly reject: (error: Error) => void;
}

/** A signer with a thread of its own. The thread starts with the first signature. */
export class ThreadSigner {
  readonly #options: ThreadSignerOptions;
  readonly #signHere: Signer;
  /** Texts that the thread has not signed yet, by number. Removed when their answers come, or when the thread ends. */
  readonly #waiting = new Map<number, WaitingText>();
  #worker: Worker | null = null;
  #lastId = 0;
  #isOver = false;

  constructor(options: ThreadSignerOptions) {
    this.#options = options;
    this.#signHere = createSigner(options.signing, options.key);
  }

  /** Signs on the thread. Rejects when the text cannot be signed. */
  readonly sign: Signer = (text) => {
    if (this.#isOver) return this.#signHere(text);
    this.#worker ??= this.#startThread();
    this.#lastId += 1;
    const request: SignatureRequest = [this.#lastId, text];
    const signature = new Promise<string>((resolve, reject) => {
      this.#waiting.set(this.#lastId, { text, resolve, reject });
    });
    // The empty list of transfers distinguishes this from the method of a window, which needs an origin.
    this.#worker.postMessage(request, []);
    return signature;
  };

  #startThread(): Worker {
    const { signing, key, program } = this.#options;
    const workerData: SigningThreadData = { signing, scheme: key.scheme, key: key.object };
    // The thread needs no environment, and must not inherit a debugger or a profiler.
    const worker = new Worker(program ?? new URL('./signing-thread.js', import.meta.url), {
      workerData,
      env: {},
      execArgv: [],
    });
    worker.on('message', (answer: SignatureAnswer) => this.#onAnswer(answer));
    worker.on('error', () => this.#onEnd());
    worker.on('exit', () => this.#onEnd());
    worker.unref();
    return worker;
  }

  #onAnswer([id, signature]: SignatureAnswer): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    if (signature === null) waiting.reject(new Error('the text could not be signed'));
    else waiting.resolve(signature);
  }

  /** Signs here what the thread has left. */
  #onEnd(): void {
    this.#isOver = true;
    const left = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { text, resolve, reject } of left) Promise.resolve(text).then(this.#signHere).then(resolve, reject);
  }

  /** Ends the thread. Later texts are signed on the event loop. */
  stop(): void {
    this.#isOver = true;
    void this.#worker?.terminate();
  }
}
