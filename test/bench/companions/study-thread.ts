// A thread of a study that collects its garbage after each trial, so that the memory it keeps can be read.
import { setTimeout as delay } from 'node:timers/promises';
import { runTrial as runPlainTrial } from '../../../src/research/workers/trial-worker.ts';
import type { TrialResult, TrialTask, UnusableStudy } from '../../../src/research/workers/trial-run.ts';

export async function runTrial(task: TrialTask): Promise<TrialResult | UnusableStudy> {
  const result = await runPlainTrial(task);
  // V8 gives freed pages back a moment after a collection.
  for (let round = 0; round < 3; round++) {
    global.gc?.();
    await delay(50);
  }
  return result;
}
