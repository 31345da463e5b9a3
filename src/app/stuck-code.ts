// Ends a command whose main thread is kept by an endless loop of a strategy: no signal arrives there, so that neither
// Ctrl-C nor SIGTERM would end it. Must never end the program's own work, however long that takes.
import { closeSync } from 'node:fs';
import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { isByAuthor, thrownAt } from '../strategy/fault-place.ts';
import { exitProcess } from './author-faults.ts';

/** The thread calls a function of this name in the main thread, in the middle of what goes on there. */
const HOOK = Symbol.for('presage.stuck-code');
const BEAT_MS = 100;
/** The thread counts its own wakes, not the time: a process that was stopped and continued is not stuck. */
const WAKES = 20;
/** The thread asks twice. What goes on in between, as a run whose every event takes long, is not stuck. */
const ASKS = 2;
const STACK_FRAMES = 100;
/** Live, a strategy that takes longer than two seconds is halted. At its load, and in a backtest, it has the time to prepare. */
export const STUCK_MS = 60_000;

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
  session.post('Runtime.evaluate', { expression: ASK }, () => session.disconnect());
}, wakeMs);
`;

export interface StuckCodeOptions {
  /** How long the code of a strategy may keep the main thread, milliseconds. */
  readonly afterMs: number;
  /**
   * Reports the line that keeps the thread, as ` (quoter.ts:12)`, and returns the exit code. The process then ends: what the
   * thread did is lost.
   */
  readonly onStuck: (place: string) => number;
}

/** A watch of the main thread. */
export interface StuckCodeWatch {
  /** Follows a time that goes on from event to event of a run. */
  readonly followTime: (timeOf: () => number) => void;
  readonly release: () => void;
}

/** Watches the main thread until it is released. */
export function watchStuckCode({ afterMs, onStuck }: StuckCodeOptions): StuckCodeWatch {
  let readTime = (): number => 0;
  let asked: readonly number[] = [];
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const timer = setInterval(() => void Atomics.add(beats, 0, 1), BEAT_MS);
  timer.unref();
  Reflect.set(globalThis, HOOK, (): void => {
    const stack = longStack();
    const [beat, time] = [Atomics.load(beats, 0), readTime()];
    const isSameCall = beat === asked[0] && time === asked[1];
    asked = [beat, time];
    // A package that this program runs may take long with a large file, and a person may think at a breakpoint.
    if (isSameCall && isByAuthor(stack) && debuggerUrl() === undefined) endProcess(onStuck(thrownAt(stack)));
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

/**
 * Ends the process within the stuck call. To end only the call would be no way out: Node aborts when a timer's callback is
 * ended so.
 */
function endProcess(exitCode: number): void {
  // Node would print there that it waits for a debugger, which is the thread.
  closeSync(2);
  exitProcess(exitCode);
}

/** An error with the stack of the caller, deep enough to show a strategy behind the calls of a package. */
function longStack(): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = STACK_FRAMES;
  const stack = new Error('stuck');
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}
