// The thread that runs trials, one at a time, warm from one to the next. Must never talk to anything but its pool.
import { workerData } from 'node:worker_threads';
import { UsageError } from '../../app/usage-error.ts';
import { garbageCollector } from '../../runtime/plugins/collect-garbage.ts';
import type { TrialSetup } from '../study/study-plan.ts';
import { BakedFault } from '../../tape/baked/baked-fault.ts';
import { TapeFault } from '../../tape/format/tape-fault.ts';
import { HeapWatch, WORN_OUT_EXIT } from './worn-out.ts';
import { type TrialResult, TrialRunner, type TrialTask, type UnusableStudy } from './trial-run.ts';

/** Faults of a tape. */
const UNUSABLE = [UsageError, BakedFault, TapeFault];

let runner: TrialRunner | null = null;
const heap = new HeapWatch({ usedBytes: () => process.memoryUsage().heapUsed, collect: () => garbageCollector()() });
let isWornOut = false;

/** Runs a trial. The pool calls it by name. A worn-out thread ends instead, and the pool hands the trial to another. */
export async function runTrial(task: TrialTask): Promise<TrialResult | UnusableStudy> {
  if (isWornOut) process.exit(WORN_OUT_EXIT);
  runner ??= new TrialRunner(setupOf(workerData));
  try {
    const result = await runner.runTrial(task);
    isWornOut = heap.isWornOut();
    return result;
  } catch (fault) {
    // A thrown error would lose its class on the way to the pool.
    if (UNUSABLE.some((kind) => fault instanceof kind) && fault instanceof Error)
      return { end: 'unusable', error: fault.message };
    throw fault;
  }
}

/** The pool wraps the data that it was given. */
function setupOf(data: unknown): TrialSetup {
  const inner: unknown = Array.isArray(data) ? data[1] : data;
  // tidy: as (the pool of this program gives the setup that it was made with)
  return inner as TrialSetup;
}
