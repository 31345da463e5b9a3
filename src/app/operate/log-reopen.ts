// Makes a bot and its watchdog open their logs again, after logrotate or a full disk. Must never start a process.
import { sendControlRequest } from '../../runtime/operator/control-client.ts';
import { controlPath } from '../../runtime/operator/control-path.ts';
import { ACKNOWLEDGED_MS, type OperatorContext, botTroubleText } from './operator-context.ts';

/** The result for the log of one process. */
export interface ReopenedLog {
  readonly process: 'bot' | 'watchdog';
  readonly isRunning: boolean;
  /** Path of the log that was opened again. */
  readonly file: string | null;
  /** Why a running process did not open its log again. */
  readonly trouble: string | null;
}

/** Sends the request to the bot and to its watchdog. A paper session has none. */
export async function reopenLogs({
  dataFolder,
  isPaper,
}: Pick<OperatorContext, 'dataFolder' | 'isPaper'>): Promise<ReopenedLog[]> {
  const roles = isPaper ? (['bot'] as const) : (['bot', 'watchdog'] as const);
  return Promise.all(roles.map((role) => reopenLogOf(dataFolder, role)));
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
