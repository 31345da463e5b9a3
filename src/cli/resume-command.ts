// `presage resume`: lifts the halts of one scope. A running bot lifts its halts itself. Without a bot, the saved halts
// are deleted.
import { Command } from '@commander-js/extra-typings';
import {
  type OperatorOptions,
  paperChoice,
  reasonArgument,
  scopeChoice,
  operatorContext,
} from './arguments/operator-options.ts';
import { printRecord } from './output/print-lines.ts';
import { scopeText, haltText } from '../app/operate/halt-text.ts';
import type { HaltScope } from '../domain/operator-order.ts';
import { ExitCode } from './output/exit-code.ts';
import { type ResumeOutcome, resumeBot } from '../app/operate/resume-order.ts';

interface ResumeOptions extends OperatorOptions {
  readonly scope: HaltScope;
  readonly reason: string;
}

/** Creates the command. */
export function resumeCommand() {
  return new Command('resume')
    .requiredOption('--config <file>', 'the bot’s config')
    .requiredOption('--reason <text>', 'why it is safe again: recorded in the journal', reasonArgument)
    .addOption(scopeChoice())
    .addOption(paperChoice())
    .option('--json', 'print one JSON record')
    .addHelpText(
      'after',
      `
Exit code: 0 lifted, or there was nothing to lift; 1 the bot does not answer, and is still halted; 2 a config is wrong.

Examples:
  presage resume --config config/local.yaml --reason "the exchange is back to normal"
  presage resume --config config/local.yaml --scope strategy=quoter --reason "mended in version 3"
  presage resume --config config/paper.yaml --paper --reason "tried it"`,
    )
    .action(async (options) => {
      process.exitCode = await resume(options);
    });
}

async function resume(options: ResumeOptions): Promise<number> {
  const context = operatorContext(options);
  const { scope, reason, json } = options;
  const outcome = await resumeBot(context, { scope, reason });
  const { isLifted, lifted, wasHalted, halts } = outcome;
  const record = { type: 'resume', scope, reason, isDone: isLifted, wasHalted, ...(lifted && { lifted }), halts };
  printRecord(json, record, [resumeText(scope, outcome), ...halts.map(haltText)]);
  return isLifted ? ExitCode.ok : ExitCode.session;
}

/** Says in one line what a resume did. */
export function resumeText(
  scope: HaltScope,
  { lifted, wasHalted, trouble }: Pick<ResumeOutcome, 'lifted' | 'wasHalted' | 'trouble'>,
): string {
  const name = scopeText(scope);
  if (trouble !== null) return wasHalted ? `${name} is STILL HALTED: ${trouble}` : `${name} was not halted; ${trouble}`;
  if (!wasHalted && (lifted === null || lifted.length === 0)) return `${name} was not halted`;
  return lifted === null ? `${name} is resumed` : `${name} is resumed; no bot runs now`;
}
