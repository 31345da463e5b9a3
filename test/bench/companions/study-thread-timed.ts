// A thread of a study that adds the time of each trial, in milliseconds, to its figures.
import { runTrial as runPlainTrial } from '../../../src/research/workers/trial-worker.ts';
import type { TrialResult, TrialTask, UnusableStudy } from '../../../src/research/workers/trial-run.ts';

export async function runTrial(task: TrialTask): Promise<TrialResult | UnusableStudy> {
  const begun = performance.now();
  const result = await runPlainTrial(task);
  const threadMs = performance.now() - begun;
  return result.end === 'finished' ? { ...result, figures: { ...result.figures, threadMs } } : result;
}
