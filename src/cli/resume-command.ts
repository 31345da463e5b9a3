// `presage resume`: lifts the halts of one scope. A running bot lifts its halts itself; without a bot, the saved halts
// are deleted. Must never lift a halt that an unresponsive bot still holds.
import { Command } from '@commander-js/extra-typings';
import { type OperatorOptions, reasonArgument, scopeChoice } from './arguments/operator-options.ts';
import { printRecord } from './output/print-lines.ts';
import { scopeText, haltText } from '../app/operate/halt-text.ts';
import type { HaltScope } from '../domain/operator-order.ts';
import { scopeKey } from '../execution/operator/halts.ts';
import { ExitCode } from './output/exit-code.ts';
import {
  type OperatorContext,
  sendOrderToBot,
  openOperatorContext,
  refuseUnknownStrategy,
  botTroubleText,
} from '../app/operate/operator-context.ts';

interface ResumeOptions extends OperatorOptions {
  readonly scope: HaltScope;
  readonly reason: string;
}

const WITHIN_MS = 5000;

/** Creates the command. */
export function resumeCommand() {
  return new Command('resume')
    .description(
      'Lift a halt: of the account by default, no matter what ordered it. Narrower halts have to be lifted by name.',
    )
    .requiredOption('--config <file>', 'the bot’s config')
    .requiredOption('--reason <text>', 'why it is safe again: recorded in the journal', reasonArgument)
    .addOption(scopeChoice())
    .option('--json', 'print one JSON record')
    .addHelpText(
      'after',
      `
Exit code: 0 lifted, or there was nothing to lift; 1 the bot does not answer, and is still halted; 2 a config is wrong.

Examples:
  presage resume --config config/local.yaml --reason "the exchange is back to normal"
  presage resume --config config/local.yaml --scope strategy=quoter --reason "mended in version 3"`,
    )
    .action(async (options) => {
      process.exitCode = await resume(options);
    });
}

async function resume(options: ResumeOptions): Promise<number> {
  const context = openOperatorContext(options.config);
  const { scope, reason } = options;
  refuseUnknownStrategy(context, scope);
  context.log.warn({ scope, reason }, 'resume ordered');
  context.log.flush();
  const answer = await sendOrderToBot(context, { type: 'resume', scope, reason }, WITHIN_MS);
  if (answer.type === 'absent') return resumeOnDisk(context, options);
  const isDone = answer.type === 'answered' && answer.reply.type === 'done';
  // A bot that did not answer may still act: the saved halts decide.
  const halts = context.latch.readHalts();
  const isLifted = isDone && halts.every((halt) => scopeKey(halt.scope) !== scopeKey(scope));
  printRecord(options.json, { type: 'resume', scope, reason, isDone: isLifted, halts }, [
    isLifted ? `${scopeText(scope)} is resumed` : `${scopeText(scope)} is STILL HALTED: ${botTroubleText(answer)}`,
    ...halts.map(haltText),
  ]);
  return isLifted ? ExitCode.ok : ExitCode.session;
}

function resumeOnDisk({ latch }: OperatorContext, { scope, reason, json }: ResumeOptions): number {
  const lifted = latch.liftHalts(scope);
  const halts = latch.readHalts();
  printRecord(json, { type: 'resume', scope, reason, isDone: true, lifted, halts }, [
    lifted.length === 0 ? `${scopeText(scope)} was not halted` : `${scopeText(scope)} is resumed; no bot runs now`,
    ...halts.map(haltText),
  ]);
  return ExitCode.ok;
}
