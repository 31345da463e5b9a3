// `presage study`: searches a strategy's parameters over tapes, on every core, and shows what was found.
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { firstStopSignal } from '../app/process-events.ts';
import { UsageError } from '../app/usage-error.ts';
import { countedNoun } from '../report/text/figure-text.ts';
import { writeStudyTables } from '../research/export/study-tables.ts';
import { type StudyFile, readStudyFile } from '../research/study/study-file.ts';
import { TrialLedger, ledgerFolder } from '../research/ledger/trial-ledger.ts';
import { judgeBestTrial } from '../research/study/study-judgement.ts';
import { StudyState, shownEnd } from '../research/study/study-state.ts';
import { objectiveFigures } from '../research/trial/trial-figures.ts';
import { readTrialLines } from '../research/study/trial-log.ts';
import { type RunnerJob, superviseStudy } from '../research/workers/study-supervisor.ts';
import { wholeArgument } from './arguments/argument-parsers.ts';
import { ExitCode } from './output/exit-code.ts';
import { printLines, printRecord } from './output/print-lines.ts';
import { PROGRAM_FILE } from './program-file.ts';
import { studyWorkerCommand } from './study/study-worker.ts';
import { writeReportPages } from './study/study-report-page.ts';
import { splitText } from './study/split-text.ts';
import { unsealStudy } from './study/study-unseal.ts';
import { bestText, countTrials, countsText, failureText, verdictText, violationText } from './study/study-text.ts';

/** Creates the command. */
export function studyCommand() {
  return new Command('study')
    .addCommand(runningCommand('run', 'Run a study, or go on with it.'))
    .addCommand(runningCommand('resume', 'Go on with a study that has begun.'))
    .addCommand(studyWorkerCommand())
    .addCommand(statusCommand())
    .addCommand(bestCommand())
    .addCommand(reportCommand())
    .addCommand(unsealCommand())
    .addCommand(exportCommand())
    .addHelpText(
      'after',
      `
A study's file names the strategy, the space of its parameters, tapes, objectives, sampler and budget. Its trials are kept
in var/studies/<name>, below the current folder. The same file gives the same trials on any number of workers, also when it
was stopped or killed in between. A larger budget goes on; any other change is another study, and needs another name.

Examples:
  presage study run my-study.yaml
  presage study best my-study.yaml --top 3
  presage study export my-study.yaml --to var/my-study`,
    );
}

const HEAP_MB = 2048;
const HEAP_MB_MIN = 16;
const TOP = 10;

function runningCommand(name: 'run' | 'resume', description: string) {
  return new Command(name)
    .description(description)
    .argument('<file>', 'the study’s file')
    .option('--workers <count>', 'threads; default: the cores, at most the study’s lag', wholeArgument(1))
    .option('--heap <megabytes>', 'memory that a thread may use', wholeArgument(HEAP_MB_MIN), HEAP_MB)
    .option('--queue [address]', 'run trials on the workers of a Redis server; default address: PRESAGE_QUEUE_URL')
    .option('--store <place>', 'with --queue: the folder or s3://bucket/prefix through which tapes reach workers')
    .option('--json', 'print one JSON record for each trial, and one at the end')
    .addHelpText(
      'after',
      `
Ctrl-C stops the study. The trials under way run again on resume. A strategy that fails is a result, and is not tried again.
A trial that uses up all memory three times has failed.

With --queue the trials run in \`presage study worker\` processes on any machines. PRESAGE_QUEUE_SECRET signs what passes through the
queue, and is the same for all; PRESAGE_QUEUE_USER and PRESAGE_QUEUE_PASSWORD log in. The study's lag is the number of trials in
the queue at once: let it be at least twice the number of all workers' threads.

Exit code: 0 all trials have ended; 1 the study was stopped early, as by a full disk, or every trial failed; 2 the command, the
study’s file or the strategy is wrong.

Examples:
  presage study ${name} my-study.yaml
  presage study ${name} my-study.yaml --workers 2 --json
  presage study ${name} my-study.yaml --queue redis://127.0.0.1:6379 --store /mnt/studies`,
    )
    .action(async (file, { workers, heap, json = false, queue, store }) => {
      process.exitCode = await run(file, { name, workers, heap, json, queue: queueJob(queue, store) });
    });
}

/** @throws {UsageError} when only one of `--queue` and `--store` is given. */
function queueJob(queue: string | true | undefined, store: string | undefined): RunnerJob['queue'] {
  if (queue === undefined && store === undefined) return null;
  if (queue === undefined) throw new UsageError('--store: expected --queue too');
  if (store === undefined) throw new UsageError('--queue: expected --store too, through which tapes reach workers');
  return { ...(queue !== true && { flag: queue }), store: store.startsWith('s3://') ? store : resolve(store) };
}

interface RunFlags {
  readonly name: 'run' | 'resume';
  readonly workers: number | undefined;
  readonly heap: number;
  readonly json: boolean;
  readonly queue: RunnerJob['queue'];
}

async function run(file: string, { name, workers, heap, json, queue }: RunFlags): Promise<number> {
  const study = readStudyFile(file);
  if (name === 'resume') begunState(study);
  const { signal, release } = firstStopSignal();
  const abort = new AbortController();
  void signal.then(() => abort.abort());
  try {
    const count = workers ?? Math.min(availableParallelism(), study.lag);
    return await superviseStudy({
      job: { file: resolve(file), workers: count, heapMb: heap, json, queue },
      command: [process.execPath, PROGRAM_FILE, 'study-runner'],
      signal: abort.signal,
      onRestart: (why) => process.stderr.write(`presage: the process of the study ended: ${why}; another goes on\n`),
    });
  } finally {
    release();
  }
}

/** Creates the hidden command that runs a study in its own process. */
export function studyRunnerCommand() {
  return new Command('study-runner').action(async () => {
    const { runStudyProcess } = await import('./study/study-runner.ts');
    process.exitCode = await runStudyProcess();
  });
}

/** @throws {UsageError} when the study has not begun. */
function begunState({ study, folder }: StudyFile): StudyState {
  const state = StudyState.readFrom(readTrialLines(folder));
  if (state !== null) return state;
  throw new UsageError(`study ${study}: expected trials in ${folder}, found none; \`presage study run\` begins it`);
}

function statusCommand() {
  return new Command('status')
    .description('Count the trials of a study, also while it runs.')
    .argument('<file>', 'the study’s file')
    .option('--json', 'print one JSON record')
    .addHelpText('after', '\nExample:\n  presage study status my-study.yaml')
    .action((file, { json }) => {
      const study = readStudyFile(file);
      const state = begunState(study);
      const counts = countTrials(state);
      const { name, hash } = state.head;
      printRecord(json, { type: 'study-status', name, hash, ...counts }, [
        countsText(counts),
        ...failureText(state),
        ...violationText(state, study.constraints),
      ]);
    });
}

function bestCommand() {
  return new Command('best')
    .description('Show the best trials by the first objective, within the constraints.')
    .argument('<file>', 'the study’s file')
    .option('--top <count>', 'number of trials', wholeArgument(1), TOP)
    .option('--json', 'print one JSON record for each trial')
    .addHelpText('after', '\nExample:\n  presage study best my-study.yaml --top 3')
    .action((file, { top, json }) => {
      const state = begunState(readStudyFile(file));
      if (!json) return printLines(bestText(state, top));
      const best = state.bestRows().slice(0, top);
      printLines(
        best.map(({ row: { n, hash, params }, line: { values, figures } }) => {
          const shown = objectiveFigures(state.head.objectives, values);
          return JSON.stringify({ type: 'trial', n, trial: hash, params, values: shown, figures });
        }),
      );
    });
}

function reportCommand() {
  return new Command('report')
    .description('Judge the best trial of a study, and list the trials within the constraints, the best first.')
    .argument('<file>', 'the study’s file')
    .option('--html <file>', 'also write one HTML page that needs no network')
    .option('--trials-html <count>', 'with --html: also the own reports of this many best trials', wholeArgument(1))
    .option('--json', 'print one JSON record for every trial with its end, and one for the verdict and the split')
    .addHelpText(
      'after',
      `
The verdict leads: whether the best trial is better than luck, by the number of trials that were really tried. The ledger,
var/research/ledger.jsonl, counts the trials of all studies on the same event groups, also of studies that were deleted.

The page shows every trial: as lines through parameters and values, as slices and maps of what was sampled, the importance of
parameters, in sample against out of sample, and a table to sort. --trials-html runs the best trials again and writes the
report of each in a folder beside the page, which links them.

Examples:
  presage study report my-study.yaml --json
  presage study report my-study.yaml --html var/study.html --trials-html 10`,
    )
    .action(async (file, { json, html, trialsHtml }) => {
      if (trialsHtml !== undefined && html === undefined)
        throw new UsageError('--trials-html: expected --html too, which links the reports');
      const study = readStudyFile(file);
      const state = begunState(study);
      const ledger = new TrialLedger(ledgerFolder());
      const judgement = await judgeBestTrial({ state, folder: study.folder, ledger, seed: study.seed });
      const { rows } = state.schedule;
      const pages =
        html === undefined
          ? null
          : await writeReportPages({ file, study, state, judgement, html, trials: trialsHtml ?? 0 });
      if (!json)
        return printLines([
          ...verdictText(judgement),
          ...splitText(state, judgement?.split ?? null),
          countsText(countTrials(state)),
          ...failureText(state),
          ...violationText(state, study.constraints),
          ...bestText(state, rows.length),
          ...(html === undefined ? [] : ['', `page: ${html}${pagesText(pages)}`]),
        ]);
      const trials = rows.map((row) => {
        const { n, hash, params, of } = row;
        const line = state.endOf(row);
        const ended = line && shownEnd(line, state.head);
        return JSON.stringify({ type: 'trial', n, trial: hash, params, sameAs: of, ended });
      });
      printLines([
        ...trials,
        JSON.stringify({
          type: 'study-verdict',
          ...(judgement ?? { n: null, verdict: null, unsettled: null, split: null }),
          parts: state.head.split,
        }),
      ]);
    });
}

const pagesText = (count: number | null): string =>
  count === null || count === 0 ? '' : `, with ${countedNoun(count, 'report')} of trials`;

function unsealCommand() {
  return new Command('unseal')
    .description('Run one trial over the sealed test of a study. The look is counted for ever.')
    .argument('<file>', 'the study’s file')
    .option('--trial <number>', 'number of the trial; default: the best', wholeArgument(0))
    .option('--json', 'print one JSON record')
    .addHelpText(
      'after',
      `
A sealed test proves something once. Each look is written to the ledger, var/research/ledger.jsonl, before the trial runs, and
every verdict on these event groups counts all looks: with three looks a probability is three times as high.

Exit code: 0 the trial has run; 2 the study has no sealed part, no such trial, or the trial failed there.

Example:
  presage study unseal my-study.yaml`,
    )
    .action(async (file, { trial, json }) => {
      const study = readStudyFile(file);
      await unsealStudy({ study, state: begunState(study), n: trial ?? null, isJson: json });
      process.exitCode = ExitCode.ok;
    });
}

function exportCommand() {
  return new Command('export')
    .description('Write the trials of a study and their results by event group as Parquet and CSV.')
    .argument('<file>', 'the study’s file')
    .option('--to <folder>', 'folder of the tables; default: tables in the study’s own folder')
    .option('--json', 'print one JSON record')
    .addHelpText('after', '\nExample:\n  presage study export my-study.yaml --to var/my-study')
    .action(async (file, { to, json }) => {
      const study = readStudyFile(file);
      const folder = resolve(to ?? join(study.folder, 'tables'));
      const counts = await writeStudyTables(folder, { state: begunState(study), folder: study.folder });
      const lines = Object.entries(counts).map(([name, rows]) => `${join(folder, name)}: ${rows} rows`);
      printRecord(json, { type: 'study-export', folder, rows: counts }, lines);
      process.exitCode = ExitCode.ok;
    });
}
