// `presage flatten`: halts the account, cancels every order, and closes every position at the prices of the books.
import { Command } from '@commander-js/extra-typings';
import {
  type OperatorOptions,
  reasonArgument,
  resumeHint,
  withinChoice,
  operatorContext,
  paperChoice,
  botOptions,
  type HintContext,
} from './arguments/operator-options.ts';
import { printRecord } from './output/print-lines.ts';
import { ExitCode } from './output/exit-code.ts';
import { type FlattenOutcome, flattenBot } from '../app/operate/flatten-order.ts';
import { ACCOUNT_SCOPE } from '../app/operate/operator-context.ts';

interface FlattenOptions extends OperatorOptions {
  readonly reason: string;
  readonly within: number;
}

/** Creates the command. */
export function flattenCommand() {
  return new Command('flatten')
    .requiredOption('--config <file>', 'the bot’s config')
    .option('--reason <text>', 'why, for the person who lifts the halt', reasonArgument, 'by hand')
    .addOption(withinChoice('30s'))
    .addOption(paperChoice())
    .option('--json', 'print one JSON record')
    .addHelpText(
      'after',
      `
Positions are closed with orders that never rest, within the config's limits: price band, size, distance from the mid. A
position that cannot be closed within them, because the book is empty there or the market is not open, is reported, and is
tried again until the market closes. The account stays halted until \`presage resume\`. This needs a healthy running bot.

\`presage halt\` or \`presage resume\` of the whole account ends it sooner, as does the end of the session: positions then
stay open. A halt by a fault, by risk or by the watchdog does not end it, nor does a halt of one strategy or market.

Exit code: 0 flat, and nothing rests; 1 not flat: what is left is listed, or no bot runs; 2 a
config is wrong.

Examples:
  presage flatten --config config/local.yaml --within 1m
  presage flatten --config config/paper.yaml --paper`,
    )
    .action(async (options) => {
      process.exitCode = await flatten(options);
    });
}

async function flatten(options: FlattenOptions): Promise<number> {
  const context = operatorContext(options);
  const { reason, within } = options;
  const outcome = await flattenBot(context, { reason, withinMs: within });
  const { isFlat, isHalted, report, trouble } = outcome;
  printRecord(options.json, { type: 'flatten', reason, isFlat, isHalted, report, trouble }, [
    isFlat ? 'flat: nothing is held and nothing rests' : `NOT FLAT${trouble === null ? '' : `: ${trouble}`}`,
    ...(report?.left ?? []).map(({ ticker, state }) => `an order in ${ticker} is ${state}`),
    ...(report?.remarks ?? []),
    ...flattenHints(context, outcome),
  ]);
  return isFlat ? ExitCode.ok : ExitCode.session;
}

/** Says whether the account is halted after a flatten, and what helps now. */
export function flattenHints(
  context: HintContext,
  { isAbsent, isHalted }: Pick<FlattenOutcome, 'isAbsent' | 'isHalted'>,
): string[] {
  const halted = isHalted
    ? `the account is halted; ${resumeHint(context, ACCOUNT_SCOPE)}`
    : `the account is NOT HALTED; to halt it without the bot’s help: presage halt ${botOptions(context)}`;
  const absent = context.isPaper
    ? 'no paper session runs: its positions ended with it'
    : 'start a bot on this config first: positions are closed by it';
  return isAbsent ? [absent, halted] : [halted];
}
