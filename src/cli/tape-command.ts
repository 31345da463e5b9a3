// `presage tape`: inspects, verifies, slices, merges, exports and bakes tapes. Must never change recorded data: results
// are new files.
import { Command } from '@commander-js/extra-typings';
import { TAPE_EXIT_CODES, newFilePath, reportingTapeFaults, openShowingProgress } from './tape/tape-opening.ts';
import { printLines } from './output/print-lines.ts';
import { verifyBakedFile } from '../tape/baked/verify-baked.ts';
import { bakedCopyFault } from '../tape/tools/open-tape.ts';
import { countedNoun } from '../report/text/figure-text.ts';
import { segmentsOf } from '../tape/format/segment-files.ts';
import type { Storage } from '../tape/journal/storage.ts';
import { type TapeSummary, verifyTape } from '../tape/tools/verify-tape.ts';
import { ExitCode } from './output/exit-code.ts';
import { renderSummary } from './journal-command.ts';
import { progressBar } from './output/progress-bar.ts';
import { exportCommand, mergeCommand, sliceCommand } from './tape/tape-files.ts';
import { importCommand } from './tape/tape-import.ts';
import { sampleCommand } from './tape/tape-sample.ts';
import { renderInfo, tapeInfo } from './tape/tape-info.ts';
import { TAPE_ARGUMENT, tapeAt } from '../app/tape-place.ts';

/** Creates the command. */
export function tapeCommand() {
  return new Command('tape')
    .addCommand(infoCommand())
    .addCommand(verifyCommand())
    .addCommand(sliceCommand())
    .addCommand(mergeCommand())
    .addCommand(exportCommand())
    .addCommand(bakeCommand())
    .addCommand(importCommand())
    .addCommand(sampleCommand())
    .addHelpText(
      'after',
      `
A tape is the folder of a recording (\`presage record\`) or of a journal, or a baked .arrow file. A folder is baked when it
is first used: its public part is read once and saved in it as baked.arrow, to be replayed at memory speed.`,
    );
}

function infoCommand() {
  return new Command('info')
    .description('Summarize a tape: its source, markets, times, counts and gaps.')
    .argument('<tape>', TAPE_ARGUMENT)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `${TAPE_EXIT_CODES}\nExamples:\n  presage tape info tapes/rain\n  presage tape info rain.arrow --json`,
    )
    .action(async (tape, { json }) => {
      process.exitCode = await reportingTapeFaults(() => {
        const info = tapeInfo(tape);
        printLines(json ? [JSON.stringify(info)] : renderInfo(info));
        return ExitCode.ok;
      });
    });
}

function verifyCommand() {
  return new Command('verify')
    .description('Read everything, and name the first thing that does not fit.')
    .argument('<tape>', TAPE_ARGUMENT)
    .option('--json', 'print one JSON object')
    .addHelpText('after', `${TAPE_EXIT_CODES}\nExample:\n  presage tape verify tapes/rain`)
    .action(async (tape, { json = false }) => {
      process.exitCode = await reportingTapeFaults(() => verify(tape, json));
    });
}

function verify(tape: string, json: boolean): number {
  const place = tapeAt(tape);
  if (place.type === 'baked') return verifyFile(place.path, json);
  const summary = verifyRaw(tape, place.storage);
  const copyFault = bakedCopyFault(place.path)?.message ?? null;
  const lines = renderSummary(summary);
  if (copyFault !== null) lines.push(`DAMAGED: ${copyFault}`);
  printLines(json ? [JSON.stringify({ ...summary, copyFault })] : lines);
  return summary.fault === null && copyFault === null ? ExitCode.ok : ExitCode.session;
}

function verifyRaw(tape: string, storage: Storage): TapeSummary {
  const total = segmentsOf(storage).reduce((sum, { name }) => sum + storage.sizeOf(name), 0);
  const bar = progressBar(`reading ${tape}`);
  try {
    return verifyTape(storage, (bytes) => bar.update(bytes, total));
  } finally {
    bar.close();
  }
}

function verifyFile(path: string, json: boolean): number {
  const { rows } = verifyBakedFile(path);
  printLines([json ? JSON.stringify({ rows, fault: null }) : `${rows} rows; every byte fits its checksum`]);
  return ExitCode.ok;
}

function bakeCommand() {
  return new Command('bake')
    .description('Make a tape ready for replay, if it is not: its public part, normalized, in columns.')
    .argument('<tape>', 'the folder of a recording or journal')
    .option('--out <file>', 'the baked file; else baked.arrow in the tape’s folder')
    .option('--json', 'print one JSON object: what is on the tape')
    .addHelpText(
      'after',
      `${TAPE_EXIT_CODES}
A backtest bakes by itself when needed: when the tape, or the program that bakes it, has changed.

Example:
  presage tape bake recordings/2026-11-21T074500Z --out rain.arrow`,
    )
    .action(async (tape, { out, json }) => {
      process.exitCode = await reportingTapeFaults(() => {
        const source = openShowingProgress(tape, out === undefined ? {} : { bakedFile: newFilePath(out) });
        source.close();
        const { facts } = source;
        printLines([
          json ? JSON.stringify(facts) : `${out ?? tape}: ${facts.rows} rows, ${countedNoun(facts.gaps.length, 'gap')}`,
        ]);
        return ExitCode.ok;
      });
    });
}
