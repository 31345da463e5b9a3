// `presage compare`: two runs, two sessions, or a run and a session, group by group: the verdict first.
import { Command } from '@commander-js/extra-typings';
import { openComparedRun } from '../research/compare/open-compared-run.ts';
import {
  comparisonHeadline,
  comparisonSentences,
  figureRows,
  partingLines,
} from '../research/compare/comparison-text.ts';
import { writeComparisonPage } from '../research/compare/comparison-file.ts';
import { type RunComparison, compareRuns } from '../research/compare/group-comparison.ts';
import { checkPage } from '../app/report-page.ts';
import { plainText, wrappedText } from '../report/text/text-columns.ts';
import { seedArgument } from './arguments/argument-parsers.ts';
import { ExitCode } from './output/exit-code.ts';
import { printResult } from './output/print-result.ts';
import { columns } from './output/text-format.ts';
import { progressDisplay } from './show/backtest-progress.ts';
import { stoppedBySignal } from './tape/stoppable-work.ts';
import { reportingTapeFaults } from './tape/tape-opening.ts';
import { terminalWidth } from './output/terminal-size.ts';

interface CompareFlags {
  readonly strategies?: string;
  readonly seed: number;
  readonly html?: string | undefined;
  readonly json?: true | undefined;
}

const WIDTH_MAX = 120;

/** Creates the command. */
export function compareCommand() {
  return new Command('compare')
    .argument('<a>', 'a backtest’s config, the folder of `backtest --export`, or a session’s journal or data folder')
    .argument('<b>', 'the other one')
    .option('--strategies <folder>', 'look for the strategies’ files of a session here')
    .option('--seed <number>', 'seed of resamples and permutations', seedArgument, 1)
    .option('--html <file>', 'write the comparison as one page that opens without a network')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
A config is run now. A session is replayed from its journal: its last session, or the named one, as in var/bot/journal#NAME.
Event groups of both sides are paired: the markets of a group win and lose together. The probability p is that of a
difference in profit at least as large when luck alone decides which side gained in each event group (permutation of signs).
Intervals are by Student’s t where fewer than 30 event groups differ, and by bootstrap from there on. Event groups that
neither side traded are in none.

Orders and denials are compared one by one, with their times when both are backtests. Denials of sessions are not compared.
For a session beside its own tape, \`presage parity\` says more.

Exit code: 0 compared, whatever the verdict; 1 a run was stopped, a tape is damaged, or the page could not be written; 2 the
command, a place or a strategy is wrong, or the two have no event group in common.

Examples:
  presage compare var/run-a var/run-b
  presage compare config/backtest.yaml var/run-a --html var/compare.html
  presage compare var/bot/journal#m5x3k2 config/backtest.yaml --json`,
    )
    .action(async (a, b, flags) => {
      process.exitCode = await reportingTapeFaults(() => compare([a, b], flags));
    });
}

async function compare([a, b]: readonly [string, string], { strategies, seed, html, json }: CompareFlags) {
  if (html !== undefined) checkPage(html);
  const { signal, release } = stoppedBySignal();
  const open = async (place: string) => {
    const display = progressDisplay(place);
    try {
      return await openComparedRun(place, {
        hooks: { signal, onProgress: (progress) => display.showProgress(progress) },
        ...(strategies !== undefined && { strategies }),
      });
    } finally {
      display.close();
    }
  };
  try {
    const first = await open(a);
    return report(compareRuns(first, await open(b), { seed }), { html, json });
  } catch (fault) {
    // A run that a signal stopped is no mistake of the command.
    signal.throwIfAborted();
    throw fault;
  } finally {
    release();
  }
}

function report(comparison: RunComparison, { html, json }: Pick<CompareFlags, 'html' | 'json'>): number {
  const isWritten = printResult({
    write: html === undefined ? null : () => writeComparisonPage(html, comparison),
    linesOf: (isUnwritten) =>
      json
        ? [JSON.stringify({ type: 'comparison', ...comparison })]
        : comparisonText(comparison, isUnwritten ? undefined : html),
  });
  return isWritten ? ExitCode.ok : ExitCode.session;
}

function comparisonText(comparison: RunComparison, html: string | undefined): string[] {
  const { first, second, figures, parting } = comparison;
  const width = Math.min(WIDTH_MAX, terminalWidth(process.stdout) ?? WIDTH_MAX);
  const wrapped = (text: string): string[] => wrappedText(plainText(text), width);
  return [
    ...wrapped(comparisonHeadline(comparison)),
    ...comparisonSentences(comparison).flatMap(wrapped),
    '',
    ...[first, second].map(({ name, kind }, side) => plainText(`${side === 0 ? 'A' : 'B'}  ${kind}  ${name}`)),
    '',
    ...columns(figureRows(figures)),
    ...(parting === null ? [] : ['', ...partingLines(parting).map(plainText)]),
    ...(html === undefined ? [] : ['', `page: ${html}`]),
  ];
}
