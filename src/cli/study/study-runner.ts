// The process that runs a study: it reads its job from its parent, shows progress, and prints the result.
import { watchedLoad } from '../../app/strategy/watched-load.ts';
import { UsageError, isUserError } from '../../app/usage-error.ts';
import { firstStopSignal } from '../../app/process-events.ts';
import { type RunnerJob, type RunnerNews, runnerJobSchema } from '../../research/workers/study-supervisor.ts';
import { TrialLedger, ledgerFolder } from '../../research/ledger/trial-ledger.ts';
import { TrialPool, type TrialPlace } from '../../research/workers/trial-pool.ts';
import { refuseNarrowLag, runStudy } from '../../research/study/run-study.ts';
import { type StudyFile, readStudyFile } from '../../research/study/study-file.ts';
import { type StudyPlan, planStudy } from '../../research/study/study-plan.ts';
import { samplerOf } from '../../research/study/study-samplers.ts';
import type { StudyState } from '../../research/study/study-state.ts';
import { REPEATS_MAX } from '../../research/study/trial-schedule.ts';
import { ExitCode, exitCodeOfFault } from '../output/exit-code.ts';
import { printLines } from '../output/print-lines.ts';
import { StudyProgress } from './study-progress.ts';
import { bestText, countTrials, countsText, failureText, violationText } from './study-text.ts';

const BEST_SHOWN = 5;

/** Runs the job that the parent sends. Returns the exit code. */
export async function runStudyProcess(): Promise<number> {
  const job = await receivedJob();
  const abort = new AbortController();
  // Without its parent no process watches over it: it stops, and the study can be resumed.
  process.once('disconnect', () => abort.abort());
  const { signal, release } = firstStopSignal();
  void signal.then(() => abort.abort());
  try {
    return await runJob(job, abort.signal);
  } finally {
    release();
    if (process.connected) process.disconnect();
  }
}

async function receivedJob(): Promise<RunnerJob> {
  if (process.send === undefined) throw new UsageError('study-runner: expected to be started by `presage study run`');
  return new Promise((resolve) => {
    process.once('message', (message) => resolve(runnerJobSchema.parse(message)));
  });
}

const sendNews = (news: RunnerNews): void => void (process.connected && process.send?.(news));

async function runJob(job: RunnerJob, signal: AbortSignal): Promise<number> {
  const study = readStudyFile(job.file);
  if (job.queue === null) refuseNarrowLag(study.lag, job.workers);
  const plan = await watchedLoad(() => planStudy(study));
  const ledger = new TrialLedger(ledgerFolder());
  // Store and queue may not answer, and know nothing of the signal.
  const place = await Promise.race([placeOf(job, plan), untilAborted(signal)]);
  if (place === null) {
    process.stderr.write('presage: stopped before the first trial began\n');
    return ExitCode.session;
  }
  const progress = new StudyProgress({ isJson: job.json, trialsMax: trialsMaxOf(study) });
  try {
    const state = await runStudy({
      plan,
      place,
      ledger,
      signal,
      lost: new Map(job.lost),
      onNews: (news) => {
        progress.showNews(news);
        if (news.type === 'started') sendNews({ type: 'started', n: news.n });
        if (news.type === 'ended') sendNews({ type: 'ended', n: news.line.n });
      },
    });
    progress.close();
    printEnd(state, study, job.json);
    if (signal.aborted)
      process.stderr.write('presage: the study was stopped; `presage study resume` goes on with it\n');
    else if (state.schedule.isExhausted)
      process.stderr.write(
        `presage: the study ends before its budget: its last ${REPEATS_MAX} proposals were earlier trials\n`,
      );
    return exitCodeOf(state, signal.aborted);
  } catch (fault) {
    progress.close();
    if (!isUserError(fault)) throw fault;
    process.stderr.write(`presage: ${fault.message}\n`);
    return exitCodeOfFault(fault);
  } finally {
    await place.close();
  }
}

/** The most trials that the study can have: those of its budget, or the points of a smaller grid; `null` without a bound. */
export function trialsMaxOf(study: StudyFile): number | null {
  const { trials = Infinity } = study.budget;
  const most = Math.min(trials, Number(samplerOf(study).size ?? Infinity));
  return most === Infinity ? null : most;
}

const untilAborted = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null));
  });

/** Returns the exit code of a study's end. Says so when no trial has given a result. */
function exitCodeOf(state: StudyState, isStopped: boolean): number {
  const { finished, pruned, failed, open } = countTrials(state);
  if (open > 0 || isStopped) return ExitCode.session;
  if (failed === 0 || finished + pruned > 0) return ExitCode.ok;
  const all = failed === 1 ? 'the only trial' : `all ${failed} trials`;
  process.stderr.write(`presage: ${all} failed: the study has no result; \`presage study report\` shows each error\n`);
  return ExitCode.session;
}

/** The threads of this process, or the workers of a queue. */
async function placeOf({ queue, workers, heapMb }: RunnerJob, plan: StudyPlan): Promise<TrialPlace> {
  const { setup, study } = plan;
  if (queue === null) return new TrialPool({ setup, workers, heapMb, trialMs: study.trialTime / 1000 });
  // The code of queues and buckets is large, and few studies need it.
  const { openQueuedPlace } = await import('./queued-study.ts');
  return openQueuedPlace(plan, queue);
}

function printEnd(state: StudyState, { constraints }: StudyFile, isJson: boolean): void {
  const counts = countTrials(state);
  const [best] = state.bestRows();
  if (isJson) {
    const { name, hash } = state.head;
    const shown = best && { n: best.row.n, trial: best.row.hash, params: best.row.params, figures: best.line.figures };
    return printLines([JSON.stringify({ type: 'study', name, hash, ...counts, best: shown ?? null })]);
  }
  printLines([
    countsText(counts),
    ...failureText(state),
    ...violationText(state, constraints),
    ...bestText(state, BEST_SHOWN),
  ]);
}
