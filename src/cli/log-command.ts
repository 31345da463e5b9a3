// `presage log`: makes a running bot open its log again.
import { Command } from '@commander-js/extra-typings';
import { type ReopenedLog, reopenLogs } from '../app/operate/log-reopen.ts';
import { operatorContext, paperChoice } from './arguments/operator-options.ts';
import { ExitCode } from './output/exit-code.ts';
import { printRecord } from './output/print-lines.ts';

/** Creates the command. */
export function logCommand() {
  return new Command('log').addCommand(reopenCommand());
}

function reopenCommand() {
  return new Command('reopen')
    .description('Have a bot and its watchdog open their logs again, by the same name.')
    .requiredOption('--config <file>', 'the bot’s config')
    .addOption(paperChoice())
    .option('--json', 'print one JSON record')
    .addHelpText(
      'after',
      `
For logrotate, which moves a log away: without this the bot goes on writing to the moved file. A bot rolls its log by
itself, so most need no logrotate. It is also the remedy for a log that ended because its disk was full.

Exit code: 0 the logs are open, or no bot runs; 1 a bot runs and its log is not open; 2 a config is wrong.

Examples:
  presage log reopen --config config/local.yaml
  presage log reopen --config config/paper.yaml --paper`,
    )
    .action(async (options) => {
      const logs = await reopenLogs(operatorContext(options));
      printRecord(options.json, { type: 'log-reopen', logs }, logs.map(reopenText));
      process.exitCode = logs.some(({ trouble }) => trouble !== null) ? ExitCode.session : ExitCode.ok;
    });
}

function reopenText({ process: role, isRunning, file, trouble }: ReopenedLog): string {
  if (!isRunning) return `${role}: does not run`;
  return file === null ? `${role}: ${trouble ?? 'not opened'}` : `${role}: ${file} is open again`;
}
