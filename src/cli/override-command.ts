// `presage override`: changes one limit for a while, with a reason. Must never change a limit without an end.
import { Command } from '@commander-js/extra-typings';
import { type OperatorOptions, reasonArgument, operatorContext, paperChoice } from './arguments/operator-options.ts';
import { printRecord } from './output/print-lines.ts';
import { RISK_LIMITS } from '../risk/risk-limits.ts';
import { durationArgument } from './arguments/argument-parsers.ts';
import { ExitCode } from './output/exit-code.ts';
import { type OverrideOutcome, limitValue, overrideLimit } from '../app/operate/override-order.ts';

interface OverrideOptions extends OperatorOptions {
  readonly limit: string;
  readonly value: string;
  readonly strategy?: string;
  readonly for: number;
  readonly reason: string;
}

/** Creates the command. */
export function overrideCommand() {
  return new Command('override')
    .requiredOption('--config <file>', 'the bot’s config')
    .requiredOption('--limit <name>', 'its name, as in the config')
    .requiredOption('--value <value>', 'the new value, written as in a config')
    .requiredOption('--for <duration>', 'how long', durationArgument)
    .requiredOption('--reason <text>', 'why: recorded in the journal', reasonArgument)
    .option('--strategy <name>', 'for this strategy alone')
    .addOption(paperChoice())
    .option('--json', 'print one JSON record')
    .addHelpText(
      'after',
      `
Limits:
${RISK_LIMITS.map(({ configName, meaning }) => `  ${configName.padEnd(22)} ${meaning}`).join('\n')}

The config's own value ends an override before its time.

Exit code: 0 it applies; 1 the bot refused it or does not answer; 2 the command or a config is wrong.

Examples:
  presage override --config config/local.yaml --limit orderQtyMax --value 5 --for 30m --reason "thin books today"
  presage override --config config/paper.yaml --paper --limit orderQtyMax --value 5 --for 30m --reason "try it"`,
    )
    .action(async (options) => {
      process.exitCode = await override(options);
    });
}

async function override(options: OverrideOptions): Promise<number> {
  const { limit, value, strategy, for: forMs, reason, json } = options;
  // The value is checked before the config is read: a wrong value starts nothing.
  limitValue(limit, value);
  const context = operatorContext(options);
  const outcome = await overrideLimit(context, { limit, value, strategy, forMs, reason });
  const { override: begun, isEnd, isDone, refusal } = outcome;
  printRecord(json, { type: 'override', override: begun, isEnd, isDone, ...(isDone ? {} : { refusal }) }, [
    isDone ? doneText(outcome, value) : `NOT SET: ${refusal ?? ''}`,
  ]);
  return isDone ? ExitCode.ok : ExitCode.session;
}

const doneText = ({ info, override: { until }, isEnd }: OverrideOutcome, value: string): string =>
  isEnd
    ? `${info.configName} is ${value} again, as in the config`
    : `${info.configName} is ${value} until ${new Date(until / 1000).toISOString()}`;
