// `presage watchdog`: the watchdog of a bot, started by `presage run`.
import { Command } from '@commander-js/extra-typings';
import { startWatchdog } from '../app/operate/watchdog-process.ts';

/** Creates the command. */
export function watchdogCommand() {
  return new Command('watchdog')
    .requiredOption('--config <file>', 'the bot’s config')
    .option('--session-config', 'watch by the config in the first line of standard input: the file may have changed')
    .action(({ config: file, sessionConfig = false }) => startWatchdog({ file, isSessionConfig: sessionConfig }));
}
