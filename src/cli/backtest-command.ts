// `presage backtest`: runs a config's strategies over a tape with a simulated venue, and prints the report.
import { Command, Option } from '@commander-js/extra-typings';
import type { BacktestRun } from '../../backtest/backtest-run.ts';
import type { FlipCheck } from '../../backtest/outcome-flip-check.ts';
import {
  type OpenedBacktest,
  type RunHooks,
  checkBacktest,
  explainOrder,
  openBacktest,
} from '../app/backtest/backtest-runs.ts';
import { raiseInliningBudgetForRows } from '../app/compiler-settings.ts';
import { firstStopSignal, outputClosed } from '../app/process-events.ts';
import { STUCK_MS, watchStuckCode } from '../app/stuck-code.ts';
import { runOpened } from '../research/runs/backtest-call.ts';
import { UsageError } from '../app/usage-error.ts';
import type { BacktestConfig } from '../config/backtest-config.ts';
import { contractsText } from '../domain/amounts.ts';
import { countText, countedNoun } from '../report/text/figure-text.ts';
import { renderJson } from '../report/text/json-report.ts';
import { isoMicros } from '../tape/format/iso-time.ts';
import { renderText } from '../report/text/text-report.ts';
import { cashArgument, seedArgument } from './arguments/argument-parsers.ts';
import { momentArgument } from './arguments/moment-argument.ts';
import { type BacktestFlags, namingFlags, overridesOf } from './arguments/backtest-flags.ts';
import { ExitCode } from './output/exit-code.ts';
import { printLines } from './output/print-lines.ts';
import { progressDisplay } from './show/backtest-progress.ts';
import { openShowingProgress, reportingTapeFaults } from './tape/tape-opening.ts';
import { terminalWidth } from './output/terminal-size.ts';

/** Creates the command. */
export function backtestCommand() {
  return new Command('backtest')
    .requiredOption('--config <file>', 'the backtest’s config: tape, cash, markets, strategies, limits, simulation')
    .option('--tape <place>', 'this tape in place of the config’s: a recording’s or journal’s folder, or a baked file')
    .option('--from <moment>', 'trade from this moment on; earlier data only builds the books', momentArgument)
    .option('--to <moment>', 'stop at this moment', momentArgument)
    .option('--seed <number>', 'seed of everything random in the run', seedArgument)
    .option('--cash <dollars>', 'opening cash of the account', cashArgument)
    .option('--markets <names...>', 'only these markets or event groups, with commas or spaces between')
    .option('--strategy <place>', 'this strategy, a file or an installed package, in place of the config’s')
    .option('--param <name=value...>', 'a parameter of the only strategy')
    .option('--html <file>', 'write the report as one page that opens without a network')
    .option('--export <folder>', 'write fills, orders, equity, forecasts, denials and groups as Parquet and CSV')
    .option('--json', 'print the report as one JSON object')
    .option('--explain <order>', 'explain an order, by its id such as b1-0-2')
    .addOption(
      new Option(
        '--check <what>',
        'outcome-flip: run again with flipped outcomes; until an outcome is known, every decision must be the same',
      ).choices(['outcome-flip'] as const),
    )
    .addHelpText(
      'after',
      `
The same tape, config and seed lead to the same decisions, byte for byte: the decision hash shows it. Ctrl-C stops the run;
what was done until then is reported and marked as partial. A second Ctrl-C exits at once, with 130. A strategy that asks
for the time of day, or for random numbers, ends the run with its name.

Exit code: 0 all well; 1 the run was stopped early, a strategy failed and was halted, the session never became ready, a check
failed, the accounts do not balance, the page or the tables could not be written, or the tape is damaged; 2 the command, the config or a strategy is wrong, or there is no
tape, or it has none of the config’s markets.

Examples:
  presage backtest --config config/backtest.yaml
  presage backtest --config config/backtest.yaml --html report.html --seed 7
  presage backtest --config config/backtest.yaml --explain b1-0-2
  presage backtest --config config/backtest.yaml --export var/run
  presage backtest --config config/backtest.yaml --check outcome-flip
  presage backtest --config config/backtest.yaml --strategy mine.ts --param qtyContracts=10`,
    )
    .action(async (flags) => {
      refuseIdleFlags(flags);
      process.exitCode = await reportingTapeFaults(() => backtest(flags));
    });
}

/** The report's flags do nothing in these. */
const OTHER_OUTPUTS = ['explain', 'check'] as const;

/**
 * An option that would do nothing is refused.
 * @throws {UsageError} for an option of the report beside `--explain` or `--check`, and for both of these.
 */
function refuseIdleFlags(flags: BacktestFlags): void {
  const output = OTHER_OUTPUTS.find((name) => flags[name] !== undefined);
  if (output === undefined) return;
  const idle = (['json', 'html', 'export', 'check'] as const).find(
    (name) => name !== output && flags[name] !== undefined,
  );
  if (idle !== undefined)
    throw new UsageError(
      `--${idle}: expected no such option with --${output}, which prints text in place of the report`,
    );
}

async function backtest(flags: BacktestFlags): Promise<number> {
  const { config: file, markets } = flags;
  const opened = namingFlags(() =>
    openBacktest({
      file,
      overrides: overridesOf(flags),
      ...(markets !== undefined && { markets }),
      openTape: openShowingProgress,
    }),
  );
  raiseInliningBudgetForRows(opened.source.facts.rows);
  const { signal, release } = firstStopSignal();
  // A closed output must not end the process.
  void outputClosed(process.stdout);
  const abort = new AbortController();
  void signal.then(() => abort.abort());
  const display = progressDisplay('replaying');
  const watch = watchStuckCode({ afterMs: STUCK_MS, onStuck: (place) => endStuck(place, display) });
  const hooks: RunHooks = {
    signal: abort.signal,
    onBegun: (timeOf) => watch.followTime(timeOf),
    onProgress: (progress) => display.showProgress(progress),
  };
  try {
    printMissing(opened);
    const running = { opened, hooks, closeDisplay: () => display.close() };
    if (flags.check !== undefined) return await printCheck(running);
    return await (flags.explain === undefined ? printReport(running, flags) : printExplanation(running, flags.explain));
  } finally {
    display.close();
    watch.release();
    release();
    opened.close();
  }
}

function endStuck(place: string, display: { readonly close: () => void }): number {
  display.close();
  process.stderr.write(
    `presage: a strategy did not return within ${STUCK_MS / 1000} s${place}: the backtest has ended without a report\n`,
  );
  return ExitCode.session;
}

/** Printed before the run: without these markets, nothing may trade. */
function printMissing({ missing, available }: OpenedBacktest): void {
  if (missing.length === 0) return;
  process.stderr.write(`presage: not on the tape, and not traded: ${missing.join(', ')}; it has ${available}\n`);
}

interface Running {
  readonly opened: OpenedBacktest;
  readonly hooks: RunHooks;
  readonly closeDisplay: () => void;
}

async function printReport({ opened, hooks, closeDisplay }: Running, flags: BacktestFlags): Promise<number> {
  const { json, export: exportTo } = flags;
  const unwritten: string[] = [];
  const { reported, groups } = await runOpened(opened, {
    ...hooks,
    ...(exportTo !== undefined && { exportTo }),
    onUnwritten: ({ message }) => void unwritten.push(message),
  });
  const { run, report, isSound } = reported;
  closeDisplay();
  const { html } = opened.config.report;
  if (json) {
    const { isWhole, imbalances, unsettled, decisions } = run;
    const facts = { isWhole, imbalances, unsettled, decisions, notOnTape: opened.missing, groups };
    printLines([JSON.stringify({ ...JSON.parse(renderJson(report)), ...facts })]);
  } else {
    process.stdout.write(renderText(report, { width: terminalWidth(process.stdout) ?? 100 }));
    printLines([
      ...endText(run, opened.config),
      ...(unwritten.length > 0 ? [] : [...placeText('report', html), ...placeText('tables', exportTo)]),
    ]);
  }
  for (const message of unwritten) process.stderr.write(`presage: ${message}\n`);
  return isSound && unwritten.length === 0 ? ExitCode.ok : ExitCode.session;
}

const placeText = (what: string, place: string | undefined): string[] =>
  place === undefined ? [] : [`${what}: ${place}`];

const UNSETTLED_SHOWN = 15;
const PARTIAL = 'PARTIAL: the run was stopped before the end of the tape';

function endText(run: BacktestRun, config: BacktestConfig): string[] {
  const { driver, elapsedMs, isWhole, decisionHash, decisions, imbalances, unsettled } = run;
  const rate = Math.round((driver.rowsPassed * 1000) / Math.max(1, elapsedMs));
  return [
    '',
    ...(isWhole ? [] : [PARTIAL]),
    ...imbalances.map((text) => `DOES NOT BALANCE: ${text}`),
    ...unsettled
      .slice(0, UNSETTLED_SHOWN)
      .map(({ ticker, held, status }) => `open at the end: ${ticker}, ${contractsText(held)} held, ${status}`),
    ...(unsettled.length > UNSETTLED_SHOWN
      ? [`and ${unsettled.length - UNSETTLED_SHOWN} more markets: --json names them all`]
      : []),
    `${countedNoun(driver.rowsPassed, 'row')} in ${(elapsedMs / 1000).toFixed(1)} s, ${countText(rate)} a second; seed ${config.seed}`,
    `${countedNoun(decisions, 'decision')}; their hash:`,
    `  ${decisionHash}`,
  ];
}

async function printExplanation({ opened, hooks, closeDisplay }: Running, order: string): Promise<number> {
  const { run, failure, isSound, sentences } = await explainOrder(opened, order, hooks);
  closeDisplay();
  printLines([
    ...(run.isWhole ? [] : [PARTIAL]),
    ...failure,
    ...sentences.map(({ at, who, what }) => `${isoMicros(at)}  ${who.padEnd(7)}  ${what}`),
  ]);
  return isSound ? ExitCode.ok : ExitCode.session;
}

async function printCheck({ opened, hooks, closeDisplay }: Running): Promise<number> {
  const checked = await checkBacktest(opened, hooks);
  closeDisplay();
  if (checked === null) {
    printLines(['PARTIAL: the check was stopped before its end']);
    return ExitCode.session;
  }
  const { check, failure, isSound } = checked;
  printLines([...failure, ...checkText(check)]);
  return check.difference === null && isSound ? ExitCode.ok : ExitCode.session;
}

function checkText({ difference, determinations, checked, compared, run }: FlipCheck): string[] {
  if (determinations === 0)
    return ['no outcome becomes known on this tape: there is nothing to flip', `hash ${run.decisionHash}`];
  if (difference === null)
    return [
      `outcome-flip: no look ahead found: ${compared} decisions were the same until an outcome was known`,
      `outcomes became known at ${countedNoun(determinations, 'time')}; flipped from ${checked} of them on, each in a run of its own`,
      `hash ${run.decisionHash}`,
    ];
  return [
    `outcome-flip: LOOKS AHEAD: decision ${difference.index} depends on an outcome that was not known yet`,
    `  as it was:    ${difference.expected?.trim() ?? 'nothing was decided'}`,
    `flipped:      ${difference.found?.trim() ?? 'nothing was decided'}`,
  ];
}
