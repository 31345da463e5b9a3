// Runs a console: reads configs, follows bots, serves the page. Must never print, and never hold the venue's key.
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { dataFolderOf } from '../../app/operate/operator-context.ts';
import { paperName } from '../../app/session/paper-folder.ts';
import { UsageError } from '../../app/usage-error.ts';
import { readBotConfig } from '../../config/bot-config.ts';
import {
  type ConsoleConfig,
  type ListenAddress,
  consoleDefaults,
  isLoopbackListen,
  parseListen,
  readConsoleConfig,
} from '../../config/console-config.ts';
import { type Logger, openLog } from '../../log.ts';
import { BotFolder } from '../bots/bot-folder.ts';
import { FollowClientSource } from '../bots/follow-client-source.ts';
import { ConsoleBot, type ConsoleBotOptions } from '../bots/console-bot.ts';
import { AlertHandlers } from '../controls/alert-handlers.ts';
import { ControlHandlers } from '../controls/control-handlers.ts';
import type { LiveClients } from '../live/live-response.ts';
import type { ProgramCommand } from './child-program.ts';
import type { ConsoleApp } from './console-app.ts';
import { consoleMetricsText } from './console-metrics.ts';
import { ConsoleServer } from './console-server.ts';
import { HistoryHandlers } from './history-handlers.ts';
import { builtPageFolder } from './page-folder.ts';
import { ReportHandlers } from './report-handlers.ts';
import { WhyHandlers } from './why-handlers.ts';
import { WhyIndexProcess } from './why-index-process.ts';

/** Options of a console. */
export interface ConsoleRunOptions {
  readonly configs: readonly string[];
  /** Shows and controls the paper sessions of the configs, in place of their live bots. @default false */
  readonly isPaper?: boolean | undefined;
  /** Data folders of bots whose configs are not here. These bots cannot be controlled. */
  readonly folders: readonly string[];
  /**
   * Keeps the index of `why` for these folders, too. An index runs the code that a journal names, and a folder alone may come
   * from anyone. @default false
   */
  readonly indexesFolders?: boolean | undefined;
  /** File of the console's settings. @default the settings' defaults. */
  readonly settings?: string | undefined;
  /** Address in place of the settings' address. */
  readonly listen?: string | undefined;
  /** Folder of the built page. @default the page of this program. */
  readonly pageFolder?: string | undefined;
  /**
   * Command of this program, which makes the reports of sessions and keeps the index of `why`. @default none: no reports,
   * and no index.
   */
  readonly program?: ProgramCommand | undefined;
}

/** A console that runs. */
export interface RunningConsole {
  readonly server: ConsoleServer;
  readonly bots: readonly ConsoleBot[];
  close(): Promise<void>;
}

const TOKEN_FILE = 'console.token';
const LOG_FILE = 'console.log';
const WATCHDOG_CHECK_MS = 1000;
/** A folder that does not exist: the console then only serves its API. */
const NO_PAGE = join(import.meta.dirname, 'page-is-not-built');

interface NamedBot {
  readonly name: string;
  readonly dataFolder: string;
  readonly config: ConsoleBotOptions['config'];
}

/**
 * Starts a console.
 * @throws {UsageError} when an option does not fit, the address is taken, or the token file cannot be used.
 * @throws {ConfigError} when a config or the settings cannot be used.
 */
export async function startConsole(options: ConsoleRunOptions): Promise<RunningConsole> {
  const config = settingsOf(options);
  const named = namedBots(options);
  const [first] = named;
  if (first === undefined) throw new UsageError('expected --config FILE or --data FOLDER, found neither');
  const log = openLog({ level: 'info', file: join(first.dataFolder, LOG_FILE) });
  const nowMs = (): number => Date.now();
  const bots = named.map(
    (bot) =>
      new ConsoleBot({
        ...bot,
        source: new FollowClientSource(bot.dataFolder),
        folder: new BotFolder(bot.dataFolder, { needsWatchdog: needsWatchdog(bot) }),
        nowMs,
      }),
  );
  const closeBots = (): void => bots.forEach((bot) => bot.close());
  try {
    const tokenFile = config.tokenFile ?? join(first.dataFolder, TOKEN_FILE);
    const pageFolder = options.pageFolder ?? builtPageFolder() ?? NO_PAGE;
    const controls = new ControlHandlers({ bots, log, nowMs });
    const history = new HistoryHandlers(bots, log);
    const why = new WhyHandlers({ bots, log, nowMs });
    const alerts = new AlertHandlers(bots, log);
    const reports = new ReportHandlers({ bots, log, program: options.program ?? null });
    const addRoutes = (app: ConsoleApp): void =>
      [controls, history, why, alerts, reports].forEach(({ addTo }) => addTo(app));
    const metricsText = (clients: LiveClients): Promise<string> => consoleMetricsText(bots, clients);
    const hooks = { addRoutes, onRefused: controls.onRefused, metricsText };
    const server = await ConsoleServer.open({ config, tokenFile, pageFolder, bots, log, nowMs, ...hooks });
    if (!server.hasPage) log.warn({ pageFolder }, 'the page is not built (npm run build): the API alone is served');
    const timer = setInterval(() => {
      for (const bot of bots) void bot.checkWatchdog();
    }, WATCHDOG_CHECK_MS);
    const indexes = keepIndexes(bots, options, log);
    const close = async (): Promise<void> => {
      clearInterval(timer);
      closeBots();
      await Promise.all([server.close(), ...indexes.map((index) => index.close())]);
      log.flush();
    };
    return { server, bots, close };
  } catch (fault) {
    closeBots();
    throw fault;
  }
}

/** Begins to keep the index of `why` for each bot with a config, and for each folder where that is asked. */
const keepIndexes = (
  bots: readonly ConsoleBot[],
  { program, indexesFolders = false }: ConsoleRunOptions,
  log: Logger,
): readonly WhyIndexProcess[] =>
  program === undefined
    ? []
    : bots
        .filter(({ config }) => config !== null || indexesFolders)
        .map(({ name: bot, dataFolder }) => new WhyIndexProcess({ program, bot, dataFolder, log }));

function settingsOf({ settings, listen }: ConsoleRunOptions): ConsoleConfig {
  const config = settings === undefined ? consoleDefaults() : readConsoleConfig(settings);
  return listen === undefined ? config : { ...config, listen: listenOf(listen, config) };
}

/** @throws {UsageError} when the text is not an address, or the settings do not allow the address. */
function listenOf(text: string, { tls, behindProxy }: ConsoleConfig): ListenAddress {
  const parsed = parseListen(text);
  if (parsed === null)
    throw new UsageError(
      `--listen: expected an address such as 127.0.0.1:8765 or unix:/run/console.sock, found ${JSON.stringify(text)}`,
    );
  if (isLoopbackListen(parsed) || tls !== undefined || behindProxy !== undefined) return parsed;
  throw new UsageError(
    `--listen: expected an address of this machine alone, such as 127.0.0.1:8765, unless the settings have tls or behindProxy; found ${JSON.stringify(text)}`,
  );
}

/** @throws {UsageError} when a config or a folder does not fit, or one is given twice. */
function namedBots({ configs, folders, isPaper = false }: ConsoleRunOptions): readonly NamedBot[] {
  if (isPaper && configs.length === 0) throw new UsageError('--paper: expected --config FILE beside it, found none');
  const bots = [...configs.map((file) => botOfConfig(file, isPaper)), ...folders.map(botOfDataFolder)];
  refuseRepeated(bots.map(({ dataFolder }) => dataFolder));
  const isOnPaper = ({ config }: UnnamedBot): boolean => config?.isPaper === true;
  const names = uniqueNames(bots.map((bot) => (isOnPaper(bot) ? dirname(bot.dataFolder) : bot.dataFolder)));
  return bots.map((bot, index) => {
    const name = names[index] ?? bot.dataFolder;
    return { ...bot, name: isOnPaper(bot) ? paperName(name) : name };
  });
}

type UnnamedBot = Omit<NamedBot, 'name'>;

/** @throws {UsageError} when the config names no data folder, or has no paper sessions. */
function botOfConfig(file: string, isPaper: boolean): UnnamedBot {
  const content = readBotConfig(file);
  const dataFolder = dataFolderOf({ file, config: content, isPaper });
  return { dataFolder, config: { file, content, isPaper } };
}

/** @throws {UsageError} when the folder does not exist. */
function botOfDataFolder(folder: string): UnnamedBot {
  if (!existsSync(folder)) throw new UsageError(`--data: expected a bot's data folder, found none at ${folder}`);
  return { dataFolder: resolve(folder), config: null };
}

/** True when a bot with real orders at an exchange has strategies. A paper session has no watchdog. */
function needsWatchdog({ config }: NamedBot): boolean {
  if (config === null || config.isPaper) return false;
  const { venue, watchdog, strategies } = config.content;
  return watchdog.enabled && venue.embedded === undefined && venue.key !== undefined && strategies.length > 0;
}

/** @throws {UsageError} when a folder is given twice. */
function refuseRepeated(folders: readonly string[]): void {
  const twice = folders.find((folder, index) => folders.indexOf(folder) < index);
  if (twice !== undefined) throw new UsageError(`expected each bot once, found ${twice} twice`);
}

/** Names each bot by its folder. Folders of the same name get the name of their parent folder, too. */
function uniqueNames(folders: readonly string[]): readonly string[] {
  const shortNames = folders.map((folder) => basename(folder));
  return folders.map((folder, index) => {
    const short = shortNames[index] ?? folder;
    const isUnique = shortNames.filter((name) => name === short).length === 1;
    return isUnique ? short : `${basename(dirname(folder))}-${short}`;
  });
}
