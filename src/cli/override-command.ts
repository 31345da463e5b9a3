// `presage override`: sets one limit to another value, for a limited time and with a reason. The value is checked
// against the table of limits here, and again by risk. Must never set a limit without an end.
import { Command } from '@commander-js/extra-typings';
import { type OperatorOptions, reasonArgument } from './arguments/operator-options.ts';
import { printRecord } from './output/print-lines.ts';
import { parseLimit } from '../config/limit-fields.ts';
import { strategyName } from '../domain/ids.ts';
import type { LimitOverride } from '../domain/operator-order.ts';
import { micros } from '../domain/units.ts';
import { type LimitInfo, RISK_LIMITS, findLimit } from '../risk/risk-limits.ts';
import { durationArgument } from './arguments/argument-parsers.ts';
import { ExitCode } from './output/exit-code.ts';
import { sendOrderToBot, openOperatorContext, botTroubleText } from '../app/operate/operator-context.ts';
import { UsageError } from '../app/usage-error.ts';

interface OverrideOptions extends OperatorOptions {
  readonly limit: string;
  readonly value: string;
  readonly strategy?: string;
  readonly for: number;
  readonly reason: string;
}

const WITHIN_MS = 5000;

/** Creates the command. */
export function overrideCommand() {
  return new Command('override')
    .description(
      'Set one limit to another value for a while, a day at most. A bot must run; the limit returns by itself.',
    )
    .requiredOption('--config <file>', 'the bot’s config')
    .requiredOption('--limit <name>', 'its name, as in the config')
    .requiredOption('--value <value>', 'the new value, written as in a config')
    .requiredOption('--for <duration>', 'how long', durationArgument)
    .requiredOption('--reason <text>', 'why: recorded in the journal', reasonArgument)
    .option('--strategy <name>', 'for this strategy alone')
    .option('--json', 'print one JSON record')
    .addHelpText(
      'after',
      `
Limits:
${RISK_LIMITS.map(({ configName, meaning }) => `  ${configName.padEnd(22)} ${meaning}`).join('\n')}

Exit code: 0 it applies; 1 the bot refused it or does not answer; 2 the command or a config is wrong.

Example:
  presage override --config config/local.yaml --limit orderQtyMax --value 5 --for 30m --reason "thin books today"`,
    )
    .action(async (options) => {
      process.exitCode = await overrideLimit(options);
    });
}

async function overrideLimit(options: OverrideOptions): Promise<number> {
  const info = limitNamed(options.limit);
  const parsed = parseLimit(info, options.value);
  if ('expected' in parsed)
    throw new UsageError(`--value: expected ${parsed.expected}, found ${JSON.stringify(options.value)}`);
  const context = openOperatorContext(options.config);
  const override: LimitOverride = {
    limit: info.name,
    value: parsed.value,
    strategy: options.strategy === undefined ? null : strategyName(options.strategy),
    until: micros(context.clock.now() + options.for * 1000),
    reason: options.reason,
  };
  context.log.warn({ override }, 'override ordered');
  context.log.flush();
  const answer = await sendOrderToBot(context, { type: 'override', override }, WITHIN_MS);
  const report = answer.type === 'answered' && answer.reply.type === 'done' ? answer.reply.report : null;
  const isDone = report?.isDone ?? false;
  const refusal = report?.remarks.join('; ') || botTroubleText(answer);
  printRecord(options.json, { type: 'override', override, isDone, ...(isDone ? {} : { refusal }) }, [
    isDone
      ? `${info.configName} is ${options.value} until ${new Date(override.until / 1000).toISOString()}`
      : `NOT SET: ${refusal}`,
  ]);
  return isDone ? ExitCode.ok : ExitCode.session;
}

function limitNamed(name: string): LimitInfo {
  const info = findLimit(name);
  if (info) return info;
  const names = RISK_LIMITS.map(({ configName }) => configName).join(', ');
  throw new UsageError(`--limit: expected one of ${names}, found ${JSON.stringify(name)}`);
}
