// The context of an operator's command: the bot's config and data folder, its halts, the operator's own log, and a way
// to send the command to the bot. Must never need a healthy bot.
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { type BotConfig, dataFolderIn, readBotConfig } from '../../config/bot-config.ts';
import { ConfigError } from '../../base/config-error.ts';
import type { HaltScope, OperatorOrder } from '../../domain/operator-order.ts';
import { scopeKey } from '../../execution/operator/halts.ts';
import { LogFault, type Logger, openLog } from '../../log.ts';
import { type ControlResult, sendControlRequest } from '../../runtime/operator/control-client.ts';
import { controlPath } from '../../runtime/operator/control-path.ts';
import { machineNowMs, mustNotComeLate } from '../../runtime/operator/order-deadline.ts';
import { Latch } from '../../runtime/saved/latch.ts';
import { type Clock, SystemClock } from '../../runtime/session/system-clock.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { paperFolder } from '../session/paper-folder.ts';
import { UsageError } from '../usage-error.ts';

/** Time in which a healthy bot acknowledges a request, milliseconds. */
export const ACKNOWLEDGED_MS = 1000;

export const ACCOUNT_SCOPE: HaltScope = { type: 'account' };

/** The bot that an operator's command is about. */
export interface OperatorContext {
  readonly file: string;
  readonly config: BotConfig;
  /** The bot is a paper session: it has no order at the exchange, and no watchdog. */
  readonly isPaper: boolean;
  readonly dataFolder: string;
  readonly latch: Latch;
  readonly clock: Clock;
  /** Log of the operator's commands, whichever process carries them out. */
  readonly log: Logger;
  /** The user of this process. An order that names no other person gets this name. */
  readonly who: string;
  /** Called when the bot or its watchdog has received an order, and begins with it. */
  readonly onReceived?: () => void;
}

/** The bot that a halt is about. A halt needs no config: a person who has just broken it must still be able to halt. */
export interface HaltContext extends Omit<OperatorContext, 'config'> {
  /** `null` when it cannot be used. */
  readonly config: BotConfig | null;
  /** Why the config cannot be used. */
  readonly configFault?: string;
}

/**
 * Opens the context of a halt: of a config, or else of the data folder that is all that can be read of it.
 * @throws {UsageError} when the config cannot be used, and names no data folder of a bot; or when the config has none.
 */
export function openHaltContext(file: string, isPaper = false): HaltContext {
  try {
    return openOperatorContext(file, isPaper);
  } catch (fault) {
    if (!(fault instanceof ConfigError)) throw fault;
    const named = dataFolderIn(file);
    const dataFolder = named !== null && isPaper ? paperFolder(named) : named;
    if (dataFolder !== null && existsSync(dataFolder))
      return { ...haltContextIn(dataFolder, { file, isPaper }), configFault: fault.message };
    throw new UsageError(`${fault.message}\nNOTHING IS HALTED. ${OTHER_WAY}`, { cause: fault });
  }
}

/** Returns the context of a halt in a data folder, without the config. */
export const haltContextIn = (
  dataFolder: string,
  { file, isPaper }: Pick<OperatorContext, 'file' | 'isPaper'>,
): HaltContext => ({ file, config: null, isPaper, dataFolder, ...partsIn(dataFolder) });

const OTHER_WAY =
  'To halt a bot without its config, create a file named HALT in its data folder, or send the signal SIGUSR1 to it.';

/**
 * Opens the context of a config.
 * @param isPaper opens the context of its paper sessions, which have a data folder of their own.
 * @throws {ConfigError} when the config cannot be used.
 * @throws {UsageError} when the config names no data folder, or has no paper sessions.
 */
export const openOperatorContext = (file: string, isPaper = false): OperatorContext =>
  operatorContextOf({ file, config: readBotConfig(file), isPaper });

/**
 * Returns the context of a config that was read before.
 * @throws {UsageError} when the config names no data folder, or has no paper sessions.
 */
export function operatorContextOf(bot: Pick<OperatorContext, 'file' | 'config' | 'isPaper'>): OperatorContext {
  const dataFolder = dataFolderOf(bot);
  return { ...bot, dataFolder, ...partsIn(dataFolder) };
}

function partsIn(dataFolder: string): Pick<OperatorContext, 'clock' | 'log' | 'latch' | 'who'> {
  const clock = new SystemClock();
  const log = operatorLog(`${dataFolder}/operator.log`);
  const latch = new Latch(fileStorage(dataFolder), () => clock.now());
  return { clock, log, latch, who: `${userName()}, command line` };
}

/**
 * Returns the data folder of a config's live bot, or of its paper sessions.
 * @throws {UsageError} when the config names no data folder, or has no paper sessions.
 */
export function dataFolderOf({ file, config, isPaper }: Pick<OperatorContext, 'file' | 'config' | 'isPaper'>): string {
  if (config.dataFolder === undefined)
    throw new UsageError(`${file}: expected dataFolder, where a bot's halts are saved, found none`);
  if (isPaper && config.paper === undefined)
    throw new UsageError(`--paper: expected a section paper in ${file}, found none`);
  return isPaper ? paperFolder(config.dataFolder) : config.dataFolder;
}

/** Name of this process's user, or its number where no name is known, as in a container. */
export function userName(): string {
  try {
    return userInfo().username.slice(0, 100);
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Falls back to standard error, so that a command without a log is still carried out. */
function operatorLog(file: string): Logger {
  try {
    return openLog({ level: 'info', file });
  } catch (fault) {
    if (!(fault instanceof LogFault)) throw fault;
    process.stderr.write(`presage: ${fault.message}; commands of the operator are logged here\n`);
    return openLog({ level: 'info', file: null });
  }
}

/**
 * Refuses the scope of an unknown strategy: a misspelled name must not pass for a halt. The strategies of the sessions
 * that ran here are known, too: a running bot has those of the config with which it started.
 * @throws {UsageError} when neither the config, a saved halt nor a session names the strategy.
 */
export function refuseUnknownStrategy(
  { config, latch }: Pick<HaltContext, 'config' | 'latch'>,
  scope: HaltScope,
): void {
  if (scope.type !== 'strategy') return;
  const configured = config?.strategies.map(({ name }) => name) ?? [];
  // A data folder that cannot be read must not keep a strategy of the config from being halted.
  if (configured.includes(scope.strategy)) return;
  if (latch.readHalts().some((halt) => scopeKey(halt.scope) === scopeKey(scope))) return;
  const ran = latch.readSessions().flatMap(({ strategies }) => strategies);
  if (ran.includes(scope.strategy)) return;
  const names = config === null ? [...new Set(ran)] : configured;
  const known = names.length === 0 ? 'no strategy, for the config has none' : `one of ${names.join(', ')}`;
  throw new UsageError(`--scope: expected ${known}, found ${JSON.stringify(scope.strategy)}`);
}

/** Time kept for the way of the acknowledgment, milliseconds. */
const DELIVERY_MS = 250;

/**
 * Sends an operator's instruction to the bot and waits for its report. The journal gets the person with it. An
 * instruction that must not come late carries a deadline: a bot that wakes later does not begin it.
 */
export async function sendOrderToBot(
  { dataFolder, onReceived, who }: Pick<OperatorContext, 'dataFolder' | 'onReceived' | 'who'>,
  order: OperatorOrder,
  withinMs: number,
): Promise<ControlResult> {
  const request = { type: 'order', order: { ...order, who: order.who ?? who }, withinMs } as const;
  const send = (deadline: { readonly beginByMs?: number }): Promise<ControlResult> =>
    sendControlRequest(
      controlPath(dataFolder, 'control'),
      { ...request, ...deadline },
      {
        acknowledgedWithinMs: ACKNOWLEDGED_MS,
        doneWithinMs: withinMs + ACKNOWLEDGED_MS,
        ...(onReceived && { onReceived }),
      },
    );
  if (!mustNotComeLate(order)) return send({});
  const result = await send({ beginByMs: machineNowMs() + ACKNOWLEDGED_MS - DELIVERY_MS });
  return isUnknownDeadline(result) ? send({}) : result;
}

/** True when a bot of an older version has refused the deadline, which it does not know. */
const isUnknownDeadline = (result: ControlResult): boolean =>
  result.type === 'answered' && result.reply.type === 'refused' && /^request: .*"beginByMs"/.test(result.reply.why);

/** Explains why an instruction that must not come late was not carried out. */
export function lateOrderTroubleText(result: ControlResult): string {
  const isUnheard = result.type === 'silent' && !result.wasHeard;
  return `${botTroubleText(result)}${isUnheard ? '; it does not carry this out later' : ''}`;
}

/** Explains why a bot did not carry out a request. */
export function botTroubleText(result: ControlResult): string {
  switch (result.type) {
    case 'absent':
      return 'no bot runs on this data folder';
    case 'silent':
      return result.wasHeard ? 'the bot received the request and has not finished' : 'the bot runs and does not answer';
    case 'answered':
      return result.reply.type === 'refused' ? `the bot refused: ${result.reply.why}` : 'the bot answered';
  }
}
