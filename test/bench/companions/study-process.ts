// One independent process of backtests, without a pool: the control of a study. It warms up with its first trial.
import type { TrialSetup } from '../../../src/research/study/study-plan.ts';
import { TrialRunner, type TrialTask } from '../../../src/research/workers/trial-run.ts';
import { endWithParent, tellParent } from '../companion.ts';

/** A message of the scenario: first the setup with the trials, then a word to begin. */
export type StudyProcessMessage = { readonly setup: TrialSetup; readonly tasks: readonly TrialTask[] } | 'begin';

endWithParent();
let runner: TrialRunner | null = null;
let tasks: readonly TrialTask[] = [];
process.on('message', (message: StudyProcessMessage) => void answer(message));

async function answer(message: StudyProcessMessage): Promise<void> {
  if (message !== 'begin') {
    runner = new TrialRunner(message.setup);
    tasks = message.tasks;
    const [first] = tasks;
    if (first) await runner.runTrial(first);
    return tellParent('warm');
  }
  for (const task of tasks) await runner?.runTrial(task);
  tellParent('done');
}
tellParent('ready');
