// `presage halt`: stops new orders and cancels the resting ones, even when the bot hangs. The halt is saved before
// anything else. Must never exit with 0 while an order of the scope may rest.
import { Command } from '@commander-js/extra-typings';
import { cancelLines } from './show/cancel-text.ts';
import {
  type OperatorOptions,
  reasonArgument,
  resumeHint,
  scopeChoice,
  withinChoice,
  PAPER_ORDERS_TEXT,
  paperChoice,
} from './arguments/operator-options.ts';
import { printRecord } from './output/print-lines.ts';
import { scopeText } from '../app/operate/halt-text.ts';
import type { HaltScope } from '../domain/operator-order.ts';
import { ExitCode } from './output/exit-code.ts';
import { haltBot } from '../app/operate/halt-order.ts';
import { openHaltContext } from '../app/operate/operator-context.ts';

interface HaltOptions extends OperatorOptions {
  readonly scope: HaltScope;
  readonly reason: string;
  readonly within: number;
}

/** Creates the command. */
export function haltCommand() {
  return new Command('halt')
    .requiredOption('--config <file>', 'the bot’s config')
    .addOption(scopeChoice())
    .option('--reason <text>', 'why, for the person who lifts it', reasonArgument, 'by hand')
    .addOption(withinChoice('10s'))
    .addOption(paperChoice())
    .option('--json', 'print one JSON record')
    .addHelpText(
      'after',
      `
First the halt is saved in the data folder: from then on no order is sent, and a restart stays halted. Then the bot is
asked to cancel; if it does not answer, its watchdog is; if that does not answer either, this command cancels by itself,
with the config's own key. At the end it reads the exchange's own list of orders and prints what that shows.
When the config cannot be used, its data folder is enough to save the halt and to ask the bot and its watchdog.

Without this command: a file or folder named HALT in the data folder halts the account (the file's text is the reason), and
so do the signals SIGUSR1 and SIGUSR2 to the bot or to its watchdog.
${PAPER_ORDERS_TEXT}
Exit code: 0 nothing of the scope rests; 1 not done in time: orders that may still rest are listed; 2 a config or key is wrong;
with a wrong key or venue, what the bot and its watchdog did is printed all the same.

Examples:
  presage halt --config config/local.yaml
  presage halt --config config/local.yaml --scope strategy=quoter --reason "quotes look odd"
  presage halt --config config/local.yaml --within 3s --json
  presage halt --config config/paper.yaml --paper --reason "look at it first"`,
    )
    .action(async (options) => {
      process.exitCode = await halt(options);
    });
}

async function halt(options: HaltOptions): Promise<number> {
  const { config, paper, scope, reason, within } = options;
  const context = openHaltContext(config, paper);
  const { latchFault, report } = await haltBot(context, { scope, reason, withinMs: within });
  const latched =
    latchFault === null ? [`${scopeText(scope)} is halted: no new order, over restarts too`] : [latchFault];
  printRecord(options.json, { type: 'halt', scope, reason, isLatched: latchFault === null, ...report }, [
    ...latched,
    ...cancelLines(report),
    resumeHint(context, scope),
  ]);
  if (report.venueFault !== null) return ExitCode.usage;
  return report.isDone && latchFault === null ? ExitCode.ok : ExitCode.session;
}
