// `presage run`: runs and shows one live session, then prints the account.
import { Command, Option } from '@commander-js/extra-typings';
import type { ConsoleNews } from '../app/session/console-process.ts';
import { LIVE_MODE, type SessionMode, runSession } from '../app/session/session-run.ts';
import { durationArgument, seedArgument, sessionArgument } from './arguments/argument-parsers.ts';
import { boundedWrite } from './output/bounded-output.ts';
import { ExitCode } from './output/exit-code.ts';
import { printLines } from './output/print-lines.ts';
import { rawStream } from './output/terminal-escapes.ts';
import { isColored } from './screen/page-line.ts';
import type { PageKey } from './screen/page-view.ts';
import { TerminalKeys } from './screen/terminal-keys.ts';
import { timeMembers } from './show/notice-record.ts';
import { fromMillis } from '../domain/units.ts';
import { PROGRAM_FILE } from './program-file.ts';
import type { ConsoleDisplay, Output } from './show/display-options.ts';
import { type DisplayMode, makeDisplay } from './show/session-display.ts';
import { endingRecord, renderEnding } from './show/session-ending.ts';
import { terminalHeight, terminalWidth } from './output/terminal-size.ts';

/** Options of the command line. */
export interface RunOptions {
  readonly config: string;
  readonly for?: number;
  readonly json?: true;
  readonly lines?: true;
  readonly seed?: number;
  readonly record?: string | true;
  readonly report?: string;
  readonly profile?: string;
  readonly takeOver?: string;
  /** Address of the console beside the run. `true`: the console's own default. */
  readonly console?: string | true;
  readonly metrics?: string;
}

export const consoleOption = () =>
  new Option(
    '--console [address]',
    'start `presage console` beside the run, at this address or its default, and print its link',
  );

/** Creates a command that runs a session, with the options of every such command. */
export const sessionCommand = (name: string) =>
  new Command(name)
    .requiredOption('--config <file>', 'the bot’s config: venue, markets, strategies, limits')
    .option('--for <duration>', 'stop after this time, such as 30s or 2h', durationArgument)
    .option('--json', 'print JSON lines: snapshots, what happens, and the account at the end')
    .option('--lines', 'print plain lines even on a terminal')
    .option('--profile <name>', 'the profile that the embedded exchange speaks, in place of the config’s')
    .option('--seed <number>', 'the embedded exchange’s seed, in place of its config’s', seedArgument)
    .option('--record [folder]', 'record the whole session here too; without a folder, in recordings/<date and time>')
    .option('--report <file>', 'write the report at the end, as one page that opens without a network')
    .option('--metrics <address>', 'serve Prometheus metrics at this address and port, such as 127.0.0.1:9464');

/** Creates the command. */
export function runCommand() {
  return sessionCommand('run')
    .option(
      '--take-over <session>',
      'cancel the orders of this session, which is dead and whose data folder is lost',
      sessionArgument,
    )
    .addOption(consoleOption())
    .addHelpText(
      'after',
      `
Ctrl-C (or SIGTERM, or a closed terminal or pipe) cancels every order, waits for the answers, compares the account with
the exchange and prints it. A second Ctrl-C exits at once, with 130: orders that still rest are left to the watchdog, if
the config has one.

While it runs: \`presage status\`, \`halt\`, \`cancel-all\`, \`flatten\`, \`override\`, each with the same --config. A strategy that
throws is halted, over restarts too, until \`presage resume --scope strategy=NAME\`.

Only one bot may trade on an account: when orders of a session rest that did not run on this data folder, the start is
refused with the name of that session.

With --console a page in the browser shows the run: the printed link logs in once. The console is a process of its own, which
ends with the run; a console that dies does not touch the run.

Exit code: 0 all well; 1 the session ended badly (a fault, also of a strategy, a difference, orders left); 2 a config, key or
file is wrong.

Examples:
  presage run --config config/demo.yaml --for 30s  the demo, on the exchange inside
  presage run --config config/local.yaml --json    against \`presage exchange\`
  presage run --config config/demo.yaml --record   the session on a tape
  presage run --config config/demo.yaml --console 127.0.0.1:0    with the operator’s console, at any free port
  presage run --config config/demo.yaml --metrics 127.0.0.1:9464   metrics for Prometheus`,
    )
    .action(async (options) => {
      process.exitCode = await showSession(options);
    });
}

const CONSOLE_PROGRAM = [process.execPath, ...process.execArgv, PROGRAM_FILE, 'console'] as const;

/** News of the console may come before the session has a display. */
class ShownConsole {
  #display: ConsoleDisplay | null = null;
  #early: ConsoleNews | null = null;

  showNews(news: ConsoleNews): void {
    if (this.#display === null) this.#early = news;
    else this.#display.showConsole(news);
  }

  useDisplay(display: ConsoleDisplay): ConsoleDisplay {
    this.#display = display;
    if (this.#early !== null) display.showConsole(this.#early);
    return display;
  }
}

/** Runs a session, shows it, and prints its result. Returns the exit code. */
export async function showSession(
  options: RunOptions,
  mode: SessionMode = LIVE_MODE,
  consoleProgram: readonly [program: string, ...args: string[]] = CONSOLE_PROGRAM,
): Promise<number> {
  const { config: file, for: forMs, seed, record, report, profile, takeOver, metrics, json } = options;
  const displayMode = displayModeOf(options);
  const shown = new ShownConsole();
  const { result, isGood } = await runSession({
    file,
    mode,
    forMs,
    seed,
    record,
    report,
    profile,
    takeOver,
    metrics,
    watchdogCommand: [process.execPath, ...process.execArgv, PROGRAM_FILE, 'watchdog'],
    ...(options.console !== undefined && {
      console: {
        command: consoleProgram,
        listen: options.console === true ? undefined : options.console,
        onNews: (news) => shown.showNews(news),
      },
    }),
    makeDisplay: (tickers, now) =>
      shown.useDisplay(
        makeDisplay(displayMode, {
          output: displayOutput(process.stdout, displayMode),
          tickers,
          now,
          // In the terminal's raw mode, Ctrl-C is only a key. Here the key becomes the usual signal again.
          onStop: () => process.kill(process.pid, 'SIGINT'),
        }),
      ),
    onResult: (ended) =>
      printLines(json ? [JSON.stringify(endingRecord(ended))] : renderEnding(ended, terminalWidth(process.stdout))),
  });
  if (result.end.type === 'refused') return ExitCode.usage;
  return isGood ? ExitCode.ok : ExitCode.session;
}

function displayModeOf({ json, lines }: RunOptions): DisplayMode {
  if (json) return 'json';
  return process.stdout.isTTY && !lines ? 'page' : 'lines';
}

/** Text is dropped while too much waits unread. */
function displayOutput(stream: NodeJS.WriteStream, mode: DisplayMode): Output {
  return {
    write: boundedWrite(mode === 'json' ? stream : rawStream(stream), (dropped) =>
      mode === 'json'
        ? `${JSON.stringify({ type: 'gap', ...timeMembers(fromMillis(Date.now())), dropped })}\n`
        : `... ${dropped} lines dropped: they were not read\n`,
    ),
    get isTTY() {
      return stream.isTTY;
    },
    get columns() {
      return terminalWidth(stream) ?? 200;
    },
    get rows() {
      return terminalHeight(stream) ?? 60;
    },
    isColored: isColored(process.env, stream.isTTY),
    onKeys: readTerminalKeys,
    onResize: (listener) => {
      stream.on('resize', listener);
      return () => void stream.off('resize', listener);
    },
  };
}

function readTerminalKeys(listener: (keys: readonly PageKey[]) => void): (() => void) | null {
  const keys = TerminalKeys.open(process.stdin, listener);
  return keys === null ? null : () => keys.close();
}
