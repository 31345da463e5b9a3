// `presage sessions`: lists the sessions of a bot.
import { SESSION_COLUMNS } from '../history/export/history-columns.ts';
import { markDeadSessions } from '../history/queries/dead-sessions.ts';
import { listSessions } from '../history/queries/history-queries.ts';
import {
  answerQuestion,
  dataFolderOf,
  filterOf,
  questionCommand,
  limitOf,
  limitOption,
} from './history/history-question.ts';

/** Creates the command. */
export function sessionsCommand() {
  return questionCommand('sessions')
    .addOption(limitOption())
    .addHelpText(
      'after',
      `
The end is open while the last session runs, and crashed when a session left none. After a kill it
becomes crashed half a minute after the last entry.

Exit code: 0 all well; 1 a journal is damaged; 2 the command or a file is wrong.

Examples:
  presage sessions --config config/local.yaml
  presage sessions --data var/local --json`,
    )
    .action(async (options) => {
      process.exitCode = await answerQuestion(options, {
        columns: SESSION_COLUMNS,
        spare: ['journal', 'version', 'profile', 'last'],
        ask: (store) =>
          markDeadSessions(dataFolderOf(options), listSessions(store, filterOf(options), limitOf(options)).rows),
        whenEmpty: 'no sessions in the journals for this question',
      });
    });
}
