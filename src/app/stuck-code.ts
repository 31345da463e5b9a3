// Ends a command whose main thread is kept by an endless loop of a strategy: no signal arrives there, so that neither
// Ctrl-C nor SIGTERM would end it. Must never end the program's own work, however long that takes.
import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { isByAuthor, thrownAt } from '../strategy/fault-place.ts';

/** The thread asks the main thread by this name whether the code of a strategy keeps it. */
const HOOK = Symbol.for('presage.stuck-code');
const BEAT_MS = 100;
/** The thread counts its own wakes, not the time: a process that was stopped and continued is not stuck. */
const WAKES = 20;
/** The thread asks twice. What goes on in between, as a run whose every event takes long, is not stuck. */
const ASKS = 2;
const STACK_FRAMES = 100;

const THREAD_SOURCE = `
const { workerData: { beats, wakeMs, wakesMax } } = require('node:worker_threads');
const { Session } = require('node:inspector');
const ASK = 'globalThis[Symbol.for("${HOOK.description}")]()';
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
    session.post('Runtime.terminateExecution', () => {
      session.disconnect();
      Atomics.store(beats, 1, 1);
    });
  });
}, wakeMs);
`;

export interface StuckCodeOptions {
  /** How long the code of a strategy may keep the main thread, milliseconds. */
  readonly afterMs: number;
  /** Called with the line that keeps the thread, as ` (quoter.ts:12)`. What the thread did is lost: this must end the process. */
  readonly onStuck: (place: string) => void;
}

/** A watch of the main thread. */
export interface StuckCodeWatch {
  /** Follows a time that goes on from event to event of a run. */
  readonly followTime: (timeOf: () => number) => void;
  readonly release: () => void;
}

/** Watches the main thread until it is released. */
export function watchStuckCode({ afterMs, onStuck }: StuckCodeOptions): StuckCodeWatch {
  let place = '';
  let readTime = (): number => 0;
  let asked: readonly number[] = [];
  // The beats of the main thread; then 1, once the stuck code is ended and nothing is attached to this process any more.
  const beats = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const timer = setInterval(() => {
    Atomics.add(beats, 0, 1);
    if (Atomics.load(beats, 1) === 1) onStuck(place);
  }, BEAT_MS);
  timer.unref();
  Reflect.set(globalThis, HOOK, (): boolean => {
    const stack = longStack();
    const [beat, time] = [Atomics.load(beats, 0), readTime()];
    const isSameCall = beat === asked[0] && time === asked[1];
    asked = [beat, time];
    // A package that this program runs may take long with a large file, and a person may think at a breakpoint.
    place = isSameCall && isByAuthor(stack) && debuggerUrl() === undefined ? thrownAt(stack) : '';
    // Nothing else may keep the process until the timer's next call: what waited for the stuck code never goes on.
    if (place !== '') timer.ref();
    return place !== '';
  });
  const workerData = { beats, wakeMs: Math.max(1, Math.round(afterMs / WAKES)), wakesMax: WAKES / ASKS };
  const worker = new Worker(THREAD_SOURCE, { eval: true, workerData, env: {}, execArgv: [] });
  // Without the thread nothing is watched, and all else works.
  worker.on('error', () => undefined).unref();
  return {
    followTime: (timeOf) => {
      readTime = timeOf;
    },
    release: () => {
      clearInterval(timer);
      Reflect.deleteProperty(globalThis, HOOK);
      void worker.terminate();
    },
  };
}

/** An error with the stack of the caller, deep enough to show a strategy behind the calls of a package. */
function longStack(): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = STACK_FRAMES;
  const stack = new Error('stuck');
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}
