// `presage calibrate`: fits the simulated venue to sessions of one's own, and says how good the fit is.
import { rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command, Option } from '@commander-js/extra-typings';
import { UsageError } from '../app/usage-error.ts';
import { makeFolder } from '../log/make-folder.ts';
import { plainText, wrappedText } from '../report/text/text-columns.ts';
import { type Calibration, type CalibrationProgress, calibrate } from '../research/calibration/calibrate.ts';
import {
  calibrationHeadline,
  calibrationSentences,
  delayRows,
  fitRows,
  queueRows,
} from '../research/calibration/calibration-text.ts';
import { CROSSING_FILLS_MIN } from '../research/calibration/crossing-evidence.ts';
import { type FeedModel, HOUR_MIN, TRIPS_MIN, WAY_MIN } from '../research/calibration/latency-fit.ts';
import { FILLED_MIN, ORDERS_MIN, POSITIONS_MIN } from '../research/calibration/queue-fit.ts';
import { nameNewFile, temporaryName } from '../tape/baked/new-file.ts';
import { ExitCode } from './output/exit-code.ts';
import { printResult } from './output/print-result.ts';
import { progressBar } from './output/progress-bar.ts';
import { columns } from './output/text-format.ts';
import { newFilePath, openShowingProgress, reportingTapeFaults } from './tape/tape-opening.ts';
import { terminalWidth } from './output/terminal-size.ts';

interface CalibrateFlags {
  readonly out?: string;
  readonly feed: FeedModel;
  readonly json?: true;
}

const WIDTH_MAX = 120;

/** Creates the command. */
export function calibrateCommand() {
  return new Command('calibrate')
    .argument('<session...>', 'data folders, journals, or what `run --record` wrote; FOLDER#NAME for one session')
    .option('--out <file>', 'write the `simulation:` block to a new file')
    .addOption(
      new Option('--feed <delays>', 'the feed’s delays in the block: the tape’s own, or drawn from the sessions’')
        .choices(['recorded', 'drawn'] as const)
        .default('recorded' as const),
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Delays are fitted on the earlier 70 % of the requests and judged on the others; the block then uses all of them. The distance
is the largest between the distribution functions, 0 to 1; chance alone exceeds “by chance” in 5 of 100 cases.

The queue model is chosen on the earlier 60 % of the resting orders and judged on the others: each order is placed again in
the recorded books, without the session’s own quantity. It needs no strategy. Whether a quote that crosses an order fills it
follows from the fills that used up an order: a quote that wanted more leaves a rest in the book.

Least counts: ${TRIPS_MIN} answered orders and cancels; ${WAY_MIN} requests for a kind’s own table; ${HOUR_MIN} for an hour’s; ${ORDERS_MIN} resting orders, ${FILLED_MIN} of
them with a fill, for the queue; ${POSITIONS_MIN} queue positions from the venue for a choice by these, else what filled of each
order decides;
${CROSSING_FILLS_MIN} fills that used up an order, to turn fills by crossing quotes off.

Exit code: 0 delays were fitted; 1 the sessions say too little, a tape is damaged, or the file could not be written; 2 the
command or a place is wrong.

Examples:
  presage calibrate var/bot --out config/simulation.yaml
  presage parity var/bot/journal --simulation config/simulation.yaml
  presage calibrate var/bot/journal#m5x3k2 var/other --json`,
    )
    .action(async (places, flags) => {
      process.exitCode = await reportingTapeFaults(() => run(places, flags));
    });
}

function run(places: readonly string[], { out, feed, json }: CalibrateFlags): number {
  const file = out === undefined ? null : newFilePath(out);
  const display = new StageDisplay();
  let calibration: Calibration;
  try {
    calibration = calibrate(places, {
      feed,
      openTape: openShowingProgress,
      onProgress: (progress) => display.show(progress),
    });
  } finally {
    display.close();
  }
  const { block } = calibration;
  const isWritten = printResult({
    write: file === null || block === null ? null : () => writeBlock(file, block),
    linesOf: (isUnwritten) =>
      json
        ? [JSON.stringify({ type: 'calibration', ...calibration })]
        : render(calibration, isUnwritten ? undefined : out),
  });
  return block !== null && isWritten ? ExitCode.ok : ExitCode.session;
}

function writeBlock(file: string, block: string): void {
  try {
    makeFolder(dirname(file));
    writeNewFile(file, block);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`--out: the file cannot be written: ${problem}`, { cause });
  }
}

/** Writes a file under its name once it is complete. */
function writeNewFile(file: string, text: string): void {
  const part = temporaryName(file, 'new');
  try {
    writeFileSync(part, text, { flag: 'wx' });
    nameNewFile(part, file);
  } catch (fault) {
    rmSync(part, { force: true });
    throw fault;
  }
}

/** A bar for each stage of known length. */
class StageDisplay {
  #what = '';
  #bar = progressBar('');

  show({ what, share }: CalibrationProgress): void {
    if (share === null) return;
    if (what !== this.#what) {
      this.#bar.close();
      this.#bar = progressBar(what);
      this.#what = what;
    }
    this.#bar.update(Math.round(share * 1000), 1000);
  }

  close(): void {
    this.#bar.close();
  }
}

/** Renders a calibration, verdict first. */
export function render(calibration: Calibration, out?: string): string[] {
  const { latency, queue, block } = calibration;
  const width = Math.min(WIDTH_MAX, terminalWidth(process.stdout) ?? WIDTH_MAX);
  const wrapped = (text: string): string[] => wrappedText(plainText(text), width);
  return [
    ...wrapped(calibrationHeadline(calibration)),
    ...calibrationSentences(calibration).flatMap(wrapped),
    ...(latency.fit === null ? [] : ['', ...columns(delayRows(latency.fit)), '', ...columns(fitRows(latency.fit))]),
    ...(queue.fit === null ? [] : ['', ...columns(queueRows(queue.fit))]),
    ...(block === null ? [] : ['', ...(out === undefined ? block.trimEnd().split('\n') : [`block: ${out}`])]),
  ];
}
