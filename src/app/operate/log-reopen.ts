// Makes a bot and its watchdog open their logs again, after logrotate or a full disk. Must never start a process.
import { readBotConfig } from '../../config/bot-config.ts';
import { sendControlRequest } from '../../runtime/operator/control-client.ts';
import { controlPath } from '../../runtime/operator/control-path.ts';
import { UsageError } from '../usage-error.ts';
import { ACKNOWLEDGED_MS, botTroubleText } from './operator-context.ts';

/** The result for the log of one process. */
export interface ReopenedLog {
  readonly process: 'bot' | 'watchdog';
  readonly isRunning: boolean;
  /** Path of the log that was opened again. */
  readonly file: string | null;
  /** Why a running process did not open its log again. */
  readonly trouble: string | null;
}

/**
 * Sends the request to the bot and the watchdog of a config.
 * @throws {ConfigError} when the config cannot be used.
 * @throws {UsageError} when the config names no data folder.
 */
export async function reopenLogs(file: string): Promise<ReopenedLog[]> {
  const { dataFolder } = readBotConfig(file);
  if (dataFolder === undefined)
    throw new UsageError(`${file}: expected dataFolder, in which a bot can be reached, found none`);
  return Promise.all([reopenLogOf(dataFolder, 'bot'), reopenLogOf(dataFolder, 'watchdog')]);
}

async function reopenLogOf(dataFolder: string, process: ReopenedLog['process']): Promise<ReopenedLog> {
  const path = controlPath(dataFolder, process === 'bot' ? 'control' : 'watchdog');
  const within = { acknowledgedWithinMs: ACKNOWLEDGED_MS, doneWithinMs: 2 * ACKNOWLEDGED_MS };
  const result = await sendControlRequest(path, { type: 'log-reopen' }, within);
  const isRunning = result.type !== 'absent';
  if (result.type === 'answered' && result.reply.type === 'reopened')
    return { process, isRunning, file: result.reply.file, trouble: null };
  return { process, isRunning, file: null, trouble: isRunning ? botTroubleText(result) : null };
}
