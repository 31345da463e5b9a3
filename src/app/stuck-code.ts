// Ends a command whose main thread is kept by an endless loop of a strategy: no signal arrives there, so that neither
// Ctrl-C nor SIGTERM would end it. Must never end the program's own work, however long that takes.
import { Worker } from 'node:worker_threads';
import { isByAuthor, thrownAt } from '../strategy/fault-place.ts';

/** The thread asks the main thread for its stack by this name. */
const HOOK = Symbol.for('presage.stuck-code');
const BEAT_MS = 100;
/** The thread counts its own wakes, not the time: a process that was stopped and continued is not stuck. */
const WAKES = 20;

const THREAD_SOURCE = `
const { workerData: { beats, wakeMs, wakesMax } } = require('node:worker_threads');
const { Session } = require('node:inspector');
const ASK = 'Error.stackTraceLimit = 100; globalThis[Symbol.for("${HOOK.description}")](new Error("stuck"))';
let last = -1;
let wakes = 0;
setInterval(() => {
  const now = Atomics.load(beats, 0);
  wakes = now === last ? wakes + 1 : 0;
  last = now;
  if (wakes < wakesMax) return;
  wakes = 0;
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression: ASK, returnByValue: true }, (fault, answer) => {
    if (fault || answer.result.value !== true) return session.disconnect();
    session.post('Runtime.terminateExecution', () => session.disconnect());
  });
}, wakeMs);
`;

export interface StuckCodeOptions {
  /** How long the code of a strategy may keep the main thread, milliseconds. */
  readonly afterMs: number;
  /** Called with the line that keeps the thread, as ` (quoter.ts:12)`. What the thread did is lost: this must end the process. */
  readonly onStuck: (place: string) => void;
}

/** Watches the main thread until it is released. */
export function watchStuckCode({ afterMs, onStuck }: StuckCodeOptions): { readonly release: () => void } {
  let place = '';
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const timer = setInterval(() => {
    Atomics.add(beats, 0, 1);
    if (place !== '') onStuck(place);
  }, BEAT_MS);
  timer.unref();
  Reflect.set(globalThis, HOOK, (stuck: Error): boolean => {
    // A package that this program runs may take long with a large file.
    place = isByAuthor(stuck) ? thrownAt(stuck) : '';
    // Nothing else may keep the process until the timer's next call: what waited for the stuck code never goes on.
    if (place !== '') timer.ref();
    return place !== '';
  });
  const workerData = { beats, wakeMs: Math.max(1, Math.round(afterMs / WAKES)), wakesMax: WAKES };
  const worker = new Worker(THREAD_SOURCE, { eval: true, workerData, env: {}, execArgv: [] });
  // Without the thread nothing is watched, and all else works.
  worker.on('error', () => undefined).unref();
  return {
    release: () => {
      clearInterval(timer);
      void worker.terminate();
    },
  };
}
