// `presage watchdog`: the watchdog of a bot, started by `presage run`.
import { Command } from '@commander-js/extra-typings';
import { startWatchdog } from '../app/operate/watchdog-process.ts';

/** Creates the command. */
export function watchdogCommand() {
  return new Command('watchdog')
    .requiredOption('--config <file>', 'the bot’s config')
    .action(({ config }) => startWatchdog(config));
}
