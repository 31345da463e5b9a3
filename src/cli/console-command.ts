// `presage console`: serves the operator's console, and prints its address.
import { spawn } from 'node:child_process';
import { Command } from '@commander-js/extra-typings';
import { firstStopSignal } from '../app/process-events.ts';
import { hasPaperSessions } from '../app/session/paper-folder.ts';
import { type RunningConsole, startConsole } from '../console/server/console-run.ts';
import { parentGone, pidArgument } from './arguments/parent-process.ts';
import { ExitCode } from './output/exit-code.ts';
import { printRecord } from './output/print-lines.ts';
import { PROGRAM_FILE } from './program-file.ts';

interface ConsoleOptions {
  readonly config?: readonly string[];
  readonly paper?: true;
  readonly data?: readonly string[];
  readonly index?: true;
  readonly settings?: string;
  readonly listen?: string;
  readonly page?: string;
  readonly parentPid?: number;
  readonly openLink?: true;
  readonly json?: true;
}

/** Creates the command. */
export function consoleCommand() {
  return new Command('console')
    .option('--config <file>', 'a bot’s config; may be repeated', collect)
    .option('--paper', 'the paper session of each config, in place of the live bot')
    .option('--data <folder>', 'the data folder of a bot whose config is not here: watched, not controlled', collect)
    .option('--index', 'keep the index of why for the folders of --data, too: this runs what their journals name')
    .option('--settings <file>', 'the console’s own settings: hosts, TLS, proxy, token file')
    .option('--listen <address>', 'HOST:PORT or unix:PATH; port 0 for any that is free (default 127.0.0.1:8765)')
    .option('--page <folder>', 'serve the page from this folder, in place of the built one')
    .option('--parent-pid <number>', 'end when this process has gone', pidArgument)
    .option('--open-link', 'open the address in the browser of this machine')
    .option('--json', 'print one JSON line with the address')
    .addHelpText(
      'after',
      `
The printed link logs in once, within a minute. Later logins need a token: the file console.token in the data folder of the
first bot has one line for each person, NAME ROLE TOKEN, with the role reader, operator or scrape. It is made at the first
start, with one operator, and read again when it changes; every person then logs in again. To add a person:
  echo "ana reader $(openssl rand -hex 32)" >> var/demo/console.token

The console works while a bot is dead: it then shows the halts, and what was last known with its time. It never has the
exchange's key. A report or an answer to why runs the strategies' files that the journal names: of a folder given by --data,
open only what you trust.

Beyond this machine it listens only with settings that name tls or behindProxy. From elsewhere, a tunnel needs neither:
  ssh -L 8765:127.0.0.1:8765 user@machine

Exit code: 0 stopped by a signal, or its parent process has gone; 2 a config, an address or the token file is wrong.

Examples:
  presage console --config config/demo.yaml
  presage console --config nba.yaml --config weather.yaml --listen 127.0.0.1:8800
  presage console --config config/paper.yaml --paper
  presage console --data /backup/demo --settings console.yaml`,
    )
    .action(async (options) => {
      process.exitCode = await serveConsole(options);
    });
}

const collect = (text: string, earlier: readonly string[] | undefined): readonly string[] => [...(earlier ?? []), text];

async function serveConsole(options: ConsoleOptions): Promise<number> {
  const {
    config = [],
    paper: isPaper,
    data = [],
    index = false,
    settings,
    listen,
    page,
    parentPid,
    openLink,
    json,
  } = options;
  const stop = firstStopSignal();
  const running = await startConsole({
    configs: config,
    isPaper,
    folders: data,
    indexesFolders: index,
    settings,
    listen,
    pageFolder: page,
    program: [process.execPath, ...process.execArgv, PROGRAM_FILE],
  });
  const { server } = running;
  const url = server.loginLink();
  printRecord(json, { type: 'listening', url }, [`console: ${url}`]);
  if (!server.hasPage) process.stderr.write('presage: the page is not built (npm run build); the API is served\n');
  for (const bot of running.bots) warnOfPaper(bot);
  if (openLink) openInBrowser(url);
  await Promise.race([stop.signal, parentGone(parentPid)]);
  stop.release();
  return endConsole(running);
}

/** A bot that has only traded on paper has nothing to show but its paper sessions. */
function warnOfPaper(bot: RunningConsole['bots'][number]): void {
  const { name, config, dataFolder, isPaper } = bot;
  if (config === null || isPaper || bot.folderFacts().hasRun || !hasPaperSessions(dataFolder)) return;
  process.stderr.write(
    `presage: ${name} has only run on paper: presage console --config ${config.file} --paper shows its paper sessions\n`,
  );
}

async function endConsole(running: RunningConsole): Promise<number> {
  await running.close();
  return ExitCode.ok;
}

/** Programs that open an address, by platform. */
const OPENERS: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

function openInBrowser(url: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => process.stderr.write('presage: no browser could be opened: open the address yourself\n'));
  child.unref();
}
