// A thread of a study that collects its garbage after each trial, so that the memory it keeps can be read.
import { runTrial as runPlainTrial } from '../../../src/research/workers/trial-worker.ts';
import type { TrialResult, TrialTask } from '../../../src/research/workers/trial-run.ts';

export async function runTrial(task: TrialTask): Promise<TrialResult> {
  const result = await runPlainTrial(task);
  global.gc?.();
  return result;
}
