// `presage tape sample`: makes a tape of many settled event groups, for studies.
import { Command } from '@commander-js/extra-typings';
import { stoppedBySignal } from './stoppable-work.ts';
import { type SampleTape, makeSampleTape } from '../../app/sample/sample-tape.ts';
import { countText, countedNoun } from '../../report/text/figure-text.ts';
import { seedArgument, wholeArgument } from '../arguments/argument-parsers.ts';
import { ExitCode } from '../output/exit-code.ts';
import { printRecord } from '../output/print-lines.ts';
import { progressBar } from '../output/progress-bar.ts';
import { TAPE_EXIT_CODES, newFilePath, reportingTapeFaults } from './tape-opening.ts';

const GROUPS = 120;
const GROUPS_MAX = 2000;

interface SampleFlags {
  readonly groups: number;
  readonly seed: number;
  readonly out: string;
  readonly json?: true;
}

/** Creates `presage tape sample`. */
export function sampleCommand() {
  return new Command('sample')
    .description('Make a tape of many settled event groups, for studies: the built-in exchange in virtual time.')
    .option('--groups <count>', 'number of event groups', wholeArgument(1, GROUPS_MAX), GROUPS)
    .option('--seed <number>', 'source of every random draw: the same seed makes the same tape', seedArgument, 1)
    .requiredOption('--out <file>', 'the new tape, a baked .arrow file')
    .option('--json', 'print one JSON record: the counts, and what is on the tape')
    .addHelpText(
      'after',
      `
An event group is listed every four minutes, and lives 8 to 15. The kinds take turns: three strikes on deci-cent prices
(HEAT), three exclusive outcomes (CUP), one market (RAIN), three ranges on tapered prices (RATE), two markets without fees
(VOTE). Simulated traders quote and trade: some know more than the quotes do, most do not.
backtest/data/sample-30.arrow is such a tape, of 30 groups.
${TAPE_EXIT_CODES}
Examples:
  presage tape sample --out sample-120.arrow
  presage tape sample --groups 30 --seed 7 --out sample-30.arrow`,
    )
    .action(async (options) => {
      process.exitCode = await reportingTapeFaults(() => makeSample(options));
    });
}

async function makeSample({ groups, seed, out, json }: SampleFlags): Promise<number> {
  const path = newFilePath(out);
  const { signal, release } = stoppedBySignal();
  const bar = progressBar('trading');
  try {
    const tape = await makeSampleTape({
      out: path,
      groups,
      seed,
      signal,
      onProgress: (listed) => bar.update(listed, groups),
    });
    printRecord(json, { type: 'sample-tape', out: path, seed, ...tape }, [sampleText(out, tape)]);
    return ExitCode.ok;
  } finally {
    bar.close();
    release();
  }
}

const sampleText = (out: string, { groups, markets, facts }: SampleTape): string =>
  `${out}: ${countedNoun(groups, 'event group')}, ${countedNoun(markets, 'market')}, ${countText(facts.rows)} rows`;
