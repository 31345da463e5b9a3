// `presage cancel-all`: cancels all resting orders, or those of a scope. Nothing is halted: strategies may quote again
// at once.
import { Command } from '@commander-js/extra-typings';
import { cancelLines } from './show/cancel-text.ts';
import {
  type OperatorOptions,
  reasonArgument,
  scopeChoice,
  withinChoice,
  operatorContext,
  PAPER_ORDERS_TEXT,
  paperChoice,
} from './arguments/operator-options.ts';
import { printRecord } from './output/print-lines.ts';
import type { HaltScope } from '../domain/operator-order.ts';
import { ExitCode } from './output/exit-code.ts';
import { refuseUnknownStrategy } from '../app/operate/operator-context.ts';
import { cancelScope } from '../app/operate/cancel-escalation.ts';

interface CancelAllOptions extends OperatorOptions {
  readonly scope: HaltScope;
  readonly reason: string;
  readonly within: number;
}

/** Creates the command. */
export function cancelAllCommand() {
  return new Command('cancel-all')
    .requiredOption('--config <file>', 'the bot’s config')
    .addOption(scopeChoice())
    .option('--reason <text>', 'why, for the log', reasonArgument, 'by hand')
    .addOption(withinChoice('10s'))
    .addOption(paperChoice())
    .option('--json', 'print one JSON record')
    .addHelpText(
      'after',
      `${PAPER_ORDERS_TEXT}
Exit code: 0 all orders are canceled; 1 not done in time: orders that may still rest are listed; 2 a config or key is wrong;
with a wrong key or venue, what the bot and its watchdog did is printed all the same.

Examples:
  presage cancel-all --config config/local.yaml
  presage cancel-all --config config/local.yaml --scope market=RAIN-OSLO-DAY
  presage cancel-all --config config/paper.yaml --paper`,
    )
    .action(async (options) => {
      process.exitCode = await cancelAll(options);
    });
}

async function cancelAll(options: CancelAllOptions): Promise<number> {
  const context = operatorContext(options);
  const { scope, reason, within } = options;
  refuseUnknownStrategy(context, scope);
  context.log.warn({ scope, reason, who: context.who }, 'cancel-all ordered');
  const report = await cancelScope(context, { type: 'cancel-all', scope, reason }, within);
  context.log.warn({ ...report }, 'cancel-all carried out');
  context.log.flush();
  const again = report.isPaperOver ? [] : ['nothing is halted: a running bot may quote again'];
  printRecord(options.json, { type: 'cancel-all', scope, reason, ...report }, [...cancelLines(report), ...again]);
  if (report.venueFault !== null) return ExitCode.usage;
  return report.isDone ? ExitCode.ok : ExitCode.session;
}
