// `presage backtest`: a config's strategies over a tape, with a simulated venue, and what came of it.
import { existsSync } from 'node:fs';
import { contractsText } from '../domain/amounts.ts';
import { Command, Option } from '@commander-js/extra-typings';
import { OrderExplanation } from '../../backtest/order-explanation.ts';
import { type FlipCheck, checkOutcomeFlip } from '../../backtest/outcome-flip-check.ts';
import { type BacktestRun, sessionName } from '../../backtest/backtest-run.ts';
import { type BacktestConfig, readBacktestConfig } from '../config/backtest-config.ts';
import { configErrorOf } from '../config/yaml.ts';
import { countedNoun, countText } from '../report/text/figure-text.ts';
import { renderJson } from '../report/text/json-report.ts';
import type { Report } from '../report/statement/report.ts';
import { reportOfRun } from '../report/statement/statement.ts';
import { renderText } from '../report/text/text-report.ts';
import type { RowSource } from '../tape/baked/tape-rows.ts';
import { type ChosenMarkets, chooseMarkets } from '../app/backtest/backtest-markets.ts';
import { cashArgument, momentArgument, seedArgument } from './arguments/argument-parsers.ts';
import { type BacktestFlags, withFlags } from '../app/backtest/backtest-overrides.ts';
import { progressDisplay } from './show/backtest-progress.ts';
import { type BacktestHooks, paramsSources, backtestRecord, runBacktestOnce } from '../app/backtest/backtest-session.ts';
import { ExitCode, UsageError, firstStopSignal, outputClosed } from './output/exit-code.ts';
import { momentText } from './journal/journal-text.ts';
import { reservePage, writePage } from '../app/report-page.ts';
import { TAPE_ARGUMENT, openTapeAt, reportingTapeFaults, printLines } from '../app/tape-place.ts';

/** The command. */
export function backtestCommand() {
  return new Command('backtest')
    .description(
      'Replay a tape to the strategies of a config: same limits, budgets and engine as live, a simulated venue.',
    )
    .requiredOption('--config <file>', 'the backtest’s config: tape, cash, markets, strategies, limits, simulation')
    .option('--tape <place>', 'this tape in place of the config’s: a recording’s or journal’s folder, or a baked file')
    .option('--from <moment>', 'trade from here on; what comes before only builds the books', momentArgument)
    .option('--to <moment>', 'end here', momentArgument)
    .option('--seed <number>', 'what every chance in the run comes from', seedArgument)
    .option('--cash <dollars>', 'what the account opens with', cashArgument)
    .option('--markets <names...>', 'only these markets or event groups, with commas or spaces between')
    .option('--strategy <place>', 'this strategy, a file or an installed package, in place of the config’s')
    .option('--param <name=value...>', 'a parameter of the one strategy')
    .option('--html <file>', 'write the report as one page that opens without a network')
    .option('--json', 'print the report as one JSON object')
    .option('--explain <order>', 'tell the story of an order, by its id such as b1-0-2')
    .addOption(
      new Option(
        '--check <what>',
        'outcome-flip: run again with the outcomes turned over; until they are known, every decision must be the same',
      ).choices(['outcome-flip'] as const),
    )
    .addHelpText(
      'after',
      `
The same tape, config and seed decide the same, to the byte: the decision hash says so. Ctrl-C ends the run; what was done
so far is reported, marked as partial. A second one ends it at once, with 130. A strategy that asks for the time of day, or
for chance, ends the run by name.

Exit code: 0 all well; 1 the run was ended early, a strategy failed and was halted, the session never became ready, a check
failed, the books do not balance, or the tape is damaged; 2 the command, the config or a strategy is wrong, or there is no
tape, or none of the config’s markets on it.

Examples:
  presage backtest --config config/backtest.yaml
  presage backtest --config config/backtest.yaml --html report.html --seed 7
  presage backtest --config config/backtest.yaml --explain b1-0-2
  presage backtest --config config/backtest.yaml --check outcome-flip
  presage backtest --config config/backtest.yaml --strategy mine.ts --param qtyContracts=10`,
    )
    .action(async (flags) => {
      process.exitCode = await reportingTapeFaults(() => backtest(flags));
    });
}

async function backtest(flags: BacktestFlags): Promise<number> {
  const config = withFlags(readBacktestConfig(flags.config), flags);
  const source = openTapeAt(tapeOf(config, flags));
  const { signal, release } = firstStopSignal();
  // Nobody is to die of a reader that is gone.
  void outputClosed(process.stdout);
  const abort = new AbortController();
  void signal.then(() => abort.abort());
  const display = progressDisplay('replaying');
  const listening: BacktestHooks = {
    signal: abort.signal,
    onProgress: (progress) => display.showProgress(progress),
    paramsFrom: paramsSources(flags),
  };
  try {
    const chosen = chooseMarkets(config, flags.markets, source);
    tellMissing(chosen);
    const run = { ...chosen, source, listening, flags, end: () => display.close() };
    if (flags.check !== undefined) return await check(run);
    return flags.explain === undefined ? await reported(run) : await explained(run, flags.explain);
  } finally {
    display.close();
    release();
    source.close();
  }
}

/**
 * The tape's place.
 * @throws {ConfigError} when the config names one that is not there.
 */
function tapeOf({ tape }: BacktestConfig, flags: BacktestFlags): string {
  if (flags.tape !== undefined || existsSync(tape)) return tape;
  const message = `${TAPE_ARGUMENT} (${tape}: nothing is there)`;
  throw configErrorOf(flags.config, [{ code: 'custom', path: ['tape'], message, input: tape }]);
}

/** Before the run: with what is left of the config it may well trade nothing. */
function tellMissing({ missing, available: held }: ChosenMarkets): void {
  if (missing.length === 0) return;
  process.stderr.write(`presage: not on the tape, and not traded: ${missing.join(', ')}; it has ${held}\n`);
}

interface Running {
  readonly config: BacktestConfig;
  /** What the config names and the tape does not have. */
  readonly missing: readonly string[];
  readonly source: RowSource;
  readonly listening: BacktestHooks;
  readonly flags: BacktestFlags;
  /** Clears the progress away. */
  readonly end: () => void;
}

interface Judged {
  readonly report: Report;
  /** Why the run failed, in words; empty when it did not. */
  readonly failure: readonly string[];
  readonly code: number;
}

/** The report of a run, and how the command ends. */
function judged(run: BacktestRun, { config, source }: Pick<Running, 'config' | 'source'>): Judged {
  const report = reportOfRun(backtestRecord(run, config, source));
  const failure = report.neverReady !== null || report.faults.length > 0 ? [report.headline] : [];
  const isSound = run.isWhole && run.imbalances.length === 0 && failure.length === 0;
  return { report, failure, code: isSound ? ExitCode.ok : ExitCode.session };
}

/** One run, and its report. */
async function reported(running: Running): Promise<number> {
  const { config, missing, source, listening, flags, end } = running;
  const { html } = config.report;
  if (html !== undefined) reservePage(html);
  const run = await runBacktestOnce(config, source, listening);
  end();
  const { report, code } = judged(run, running);
  if (html !== undefined) writePage(html, report);
  if (flags.json) {
    const { isWhole, imbalances, unsettled, decisions } = run;
    const more = { isWhole, imbalances, unsettled, decisions, notOnTape: missing };
    printLines([JSON.stringify({ ...JSON.parse(renderJson(report)), ...more })]);
    return code;
  }
  process.stdout.write(renderText(report, { width: process.stdout.columns ?? 100 }));
  printLines([...endText(run, config), ...(html === undefined ? [] : [`report: ${html}`])]);
  return code;
}

const UNSETTLED_SHOWN = 15;
const PARTIAL = 'PARTIAL: the run was ended before the tape was';

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

/** One run, and the story of an order in it. */
async function explained(running: Running, order: string): Promise<number> {
  const { config, source, listening, end } = running;
  const explanation = new OrderExplanation(order);
  const run = await runBacktestOnce(config, source, { ...listening, ...explanation.observerOptions });
  end();
  const story = explanation.sentences();
  if (!run.isWhole) printLines([PARTIAL]);
  if (story === null && run.isWhole) {
    const { seed } = config;
    const shape = `${sessionName(seed)}-<strategy, from 0>-<number in base 36>`;
    throw new UsageError(
      `--explain: expected an order of the run, ${shape}, found ${JSON.stringify(order)}; the orders of --json name theirs, and what risk denied has no name`,
    );
  }
  const { failure, code } = judged(run, running);
  printLines([...failure, ...(story ?? []).map(({ at, who, what }) => `${momentText(at)}  ${who.padEnd(5)}  ${what}`)]);
  return code;
}

/** The run, and again with its outcomes turned over. */
async function check(running: Running): Promise<number> {
  const { config, source, listening, end } = running;
  const found = await checkOutcomeFlip(source, (over, more) =>
    runBacktestOnce(config, over, { ...listening, ...more, signal: anyOf(listening.signal, more.signal) }),
  );
  end();
  if (listening.signal?.aborted === true) {
    printLines(['PARTIAL: the check was ended before it was done']);
    return ExitCode.session;
  }
  const { failure, code } = judged(found.run, running);
  printLines([...failure, ...checkText(found)]);
  return found.difference === null ? code : ExitCode.session;
}

const anyOf = (...signals: (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((signal) => signal !== undefined));

function checkText({ difference, determinations, checked, compared, run }: FlipCheck): string[] {
  if (determinations === 0)
    return ['no outcome becomes known on this tape: there is nothing to turn over', `hash ${run.decisionHash}`];
  if (difference === null)
    return [
      `outcome-flip: no look ahead found: ${compared} decisions were the same until an outcome was known`,
      `outcomes became known at ${determinations} times; turned over from ${checked} of them on, each in a run of its own`,
      `hash ${run.decisionHash}`,
    ];
  return [
    `outcome-flip: LOOKS AHEAD: decision ${difference.index} depends on an outcome that was not known yet`,
    `  as it was:    ${difference.expected?.trim() ?? 'nothing was decided'}`,
    `  turned over:  ${difference.found?.trim() ?? 'nothing was decided'}`,
  ];
}
