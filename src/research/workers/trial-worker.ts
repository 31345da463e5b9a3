// The thread that runs trials, one at a time, warm from one to the next. Must never talk to anything but its pool.
import { workerData } from 'node:worker_threads';
import type { TrialSetup } from '../study/study-plan.ts';
import { type TrialResult, TrialRunner, type TrialTask } from './trial-run.ts';

let runner: TrialRunner | null = null;
/** Bytes of heap after the first trial. */
let firstHeap = 0;

/** A thread whose heap has grown by this factor, and by this many bytes, ends after its trial: something leaks. */
const GROWTH_MAX = 2;
const GROWTH_BYTES_MIN = 128 * 1024 * 1024;

/** Runs a trial. The pool calls it by name. */
export async function runTrial(task: TrialTask): Promise<TrialResult> {
  runner ??= new TrialRunner(setupOf(workerData));
  const result = await runner.runTrial(task);
  const { heapUsed } = process.memoryUsage();
  if (firstHeap === 0) firstHeap = heapUsed;
  // The pool starts another thread once this one has delivered its result.
  if (heapUsed > Math.max(GROWTH_MAX * firstHeap, firstHeap + GROWTH_BYTES_MIN)) setTimeout(() => process.exit(0), 1);
  return result;
}

/** The pool wraps the data that it was given. */
function setupOf(data: unknown): TrialSetup {
  const inner: unknown = Array.isArray(data) ? data[1] : data;
  // tidy: as (the pool of this program gives the setup that it was made with)
  return inner as TrialSetup;
}
