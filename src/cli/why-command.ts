// `presage why`: why a strategy traded in a market at a moment, or why it did not. Must never change a journal.
import { constants, setPriority } from 'node:os';
import { Command } from '@commander-js/extra-typings';
import type { BacktestProgress } from '../../backtest/backtest-run.ts';
import { type WhyPlace, answerBacktestWhy, openWhySource, whyDay, whyTime } from '../app/why/why-run.ts';
import { firstStopSignal } from '../app/process-events.ts';
import { UsageError } from '../app/usage-error.ts';
import { answerWhy, answerWhyOrder, unknownMarketText } from '../why/answer-why.ts';
import type { WhyProgress } from '../why/replayed-facts.ts';
import type { WhyAnswer } from '../why/why-answer.ts';
import { type IndexNews, type IndexedSession, buildWhyIndex, followWhyIndex } from '../why/why-index.ts';
import type { WhySource } from '../why/why-source.ts';
import { ExitCode } from './output/exit-code.ts';
import { parentGone, pidArgument } from './arguments/parent-process.ts';
import { printLines, printRecord } from './output/print-lines.ts';
import { progressDisplay } from './show/backtest-progress.ts';
import { whyProgress } from './show/why-progress.ts';
import { whyLines, whyOrderLines } from './show/why-text.ts';
import { openShowingProgress, reportingTapeFaults } from './tape/tape-opening.ts';

interface WhyFlags extends WhyPlace {
  readonly backtest?: string;
  readonly market?: string;
  readonly at?: string;
  readonly strategy?: string;
  readonly session?: string;
  readonly order?: string;
  readonly build?: true;
  readonly follow?: true;
  readonly parentPid?: number;
  readonly json?: true;
}

/** Creates the command. */
export function whyCommand() {
  return new Command('why')
    .option('--config <file>', 'the bot’s config')
    .option('--data <folder>', 'the bot’s data folder, in place of the config')
    .option('--backtest <file>', 'a backtest’s config: the backtest runs again, and its run is asked')
    .option('--market <ticker>', 'the market')
    .option('--at <time>', 'ISO, a time of the session’s day such as 14:02:10 (UTC), or a time ago such as -5m')
    .option('--strategy <name>', 'only this strategy (default: each one)')
    .option('--session <name>', 'this session (default: the one that ran then)')
    .option('--order <client order id>', 'follow one order from its cause to its last fill')
    .option('--build', 'index every session, so that later answers need no replay')
    .option('--follow', 'keep the index of the session that runs, until stopped')
    .option('--parent-pid <number>', 'with --follow: end when this process has gone', pidArgument)
    .option('--strategies <folder>', 'look for the strategies’ files here')
    .option('--allow-changed', 'replay even when strategies’ files have changed')
    .option('--json', 'print JSON: one line for each answer')
    .addHelpText(
      'after',
      `
The second that begins at the time is asked about. Without an index the session is replayed from its
beginning; with one (--build) the answer is looked up. The index of a session that runs is kept by --follow, at the
lowest priority, a second or two behind. The index lies in <data folder>/why and may be deleted. A replay runs the
strategies' files that the journal names: ask only journals that you trust, or name your own files with --strategies.

Exit code: 0 answered, or --follow was stopped; 1 stopped, or a backtest's tape is damaged; 2 the command or a file is wrong, no session had the market, or the session cannot be replayed.

Examples:
  presage why --config config/demo.yaml --market RAIN-OSLO-DAY --at 14:02:10
  presage why --config config/demo.yaml --market RAIN-OSLO-DAY --at -5m --strategy quoter
  presage why --config config/demo.yaml --order m5x3k2-0-h
  presage why --config config/demo.yaml --build
  presage why --config config/demo.yaml --follow
  presage why --backtest config/backtest.yaml --market RAIN-OSLO-DAY --at 2026-11-21T16:48:10Z`,
    )
    .action(async (flags) => {
      process.exitCode = await runWhy(flags);
    });
}

/** Options that choose what the command does, each with the options that do nothing beside it. */
const IDLE_FLAGS: readonly (readonly [keyof WhyFlags, readonly (keyof WhyFlags)[]])[] = [
  ['backtest', ['config', 'data', 'session', 'order', 'build', 'follow', 'parentPid', 'strategies', 'allowChanged']],
  ['data', ['config']],
  ['follow', ['build', 'order', 'market', 'at', 'strategy', 'session']],
  ['build', ['order', 'market', 'at', 'strategy', 'session']],
  ['order', ['market', 'at', 'strategy']],
];

/**
 * An option that would do nothing is refused.
 * @throws {UsageError} for an option that does nothing beside another one.
 */
function refuseIdleFlags(flags: WhyFlags): void {
  for (const [chosen, idle] of IDLE_FLAGS) {
    const found = flags[chosen] === undefined ? undefined : idle.find((name) => flags[name] !== undefined);
    if (found !== undefined)
      throw new UsageError(
        `${flagOf(found)}: expected no such option with ${flagOf(chosen)}, which leaves no use for it`,
      );
  }
  if (flags.parentPid !== undefined && flags.follow === undefined)
    throw new UsageError('--parent-pid: expected --follow too, which it ends');
}

const flagOf = (name: string): string => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

async function runWhy(flags: WhyFlags): Promise<number> {
  refuseIdleFlags(flags);
  const { signal, release } = stopSignal();
  const progress = whyProgress(process.stderr);
  const options = { onProgress: progress.show, signal };
  try {
    if (flags.backtest !== undefined) return await answerBacktest(flags, flags.backtest, signal);
    const source = openWhySource(flags);
    if (flags.follow) return await follow(source, flags, { ...options, clear: progress.clear });
    if (flags.build) return await build(source, flags, { ...options, clear: progress.clear });
    if (flags.order !== undefined) {
      const question = { clientOrderId: flags.order, session: flags.session };
      const chain = await answerWhyOrder(source, question, options);
      progress.clear();
      printLines(flags.json ? [JSON.stringify(chain)] : whyOrderLines(chain));
      return ExitCode.ok;
    }
    const { market, at } = marketAndTime(flags);
    const nowUs = Date.now() * 1000;
    const atUs = whyTime(at, { dayUs: whyDay(source, flags.session) ?? nowUs, nowUs });
    const { strategy, session } = flags;
    const answers = await answerWhy(source, { ticker: market, atUs, strategy, session }, options);
    progress.clear();
    return printAnswers(answers, flags);
  } finally {
    release();
  }
}

/** Runs the backtest again, with a display of its progress. */
async function answerBacktest(flags: WhyFlags, file: string, signal: AbortSignal): Promise<number> {
  const { market, at } = marketAndTime(flags);
  const question = { ticker: market, at, strategy: flags.strategy };
  const display = progressDisplay('replaying');
  const onProgress = (progress: BacktestProgress): void => display.showProgress(progress);
  const options = { file, question, nowUs: Date.now() * 1000, signal, onProgress, openTape: openShowingProgress };
  try {
    return await reportingTapeFaults(async () => {
      const answers = await answerBacktestWhy(options);
      display.close();
      return printAnswers(answers, flags);
    });
  } finally {
    display.close();
  }
}

function marketAndTime({ market, at }: WhyFlags): { readonly market: string; readonly at: string } {
  if (market !== undefined && at !== undefined) return { market, at };
  throw new UsageError(
    `expected --market and --at, or --order, or --build; found no ${market === undefined ? '--market' : '--at'}`,
  );
}

function printAnswers(answers: readonly WhyAnswer[], { json }: WhyFlags): number {
  printLines(
    json
      ? answers.map((answer) => JSON.stringify(answer))
      : answers.flatMap((answer, place) => [...(place > 0 ? [''] : []), ...whyLines(answer)]),
  );
  return unknownMarketText(answers) === null ? ExitCode.ok : ExitCode.usage;
}

interface BuildOptions {
  readonly onProgress: (progress: WhyProgress) => void;
  readonly signal: AbortSignal;
  readonly clear: () => void;
}

async function build(source: WhySource, { json }: WhyFlags, options: BuildOptions): Promise<number> {
  const built = await buildWhyIndex(source, options);
  options.clear();
  printLines(json ? [JSON.stringify({ type: 'why-index', sessions: built })] : built.map(indexedText));
  return options.signal.aborted ? ExitCode.session : ExitCode.ok;
}

const indexedText = ({ session, inputs, leftOut }: IndexedSession): string =>
  `session ${session}: ${leftOut ?? `indexed, ${inputs ?? 0} inputs`}`;

/** Keeps the index until the signal, or until the parent process has gone. */
async function follow(source: WhySource, { json, parentPid }: WhyFlags, options: BuildOptions): Promise<number> {
  const ended = new AbortController();
  void parentGone(parentPid).then(() => ended.abort());
  // Trading and the console come first.
  setPriority(constants.priority.PRIORITY_LOW);
  const onNews = (news: IndexNews): void => {
    options.clear();
    const { session } = news;
    const text =
      news.type === 'indexed'
        ? indexedText(news)
        : `session ${session}: the index has all that was written, ${news.inputs} inputs`;
    printRecord(json, { ...news, type: `why-${news.type}` }, [text]);
  };
  await followWhyIndex(source, { ...options, signal: AbortSignal.any([options.signal, ended.signal]), onNews });
  options.clear();
  return ExitCode.ok;
}

function stopSignal(): { readonly signal: AbortSignal; readonly release: () => void } {
  const { signal, release } = firstStopSignal();
  const abort = new AbortController();
  void signal.then(() => abort.abort());
  return { signal: abort.signal, release };
}
