#!/usr/bin/env node
// Runs the command line, and decides how the process exits. The halt signals are handled first: without a handler,
// SIGUSR1 opens a debugger.
import '../app/halt-signals.ts';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { CommanderError } from 'commander';
import { ExitCode, exitCodeOfFault, guardOutput, isReaderGone } from './output/exit-code.ts';
import { fittedHelp } from './output/help-text.ts';
import { parseErrorText } from './arguments/parse-errors.ts';
import { presageProgram, requestedCommand, withoutHelpCommand } from './program.ts';
import { escapeOutput } from './output/terminal-escapes.ts';
import { compileSoon, raiseInliningBudget } from '../app/compiler-settings.ts';
import { onStrayFault, refuseExitToStrategies } from '../app/author-faults.ts';
import { isUserError } from '../app/usage-error.ts';
import { terminalWidth } from './output/terminal-size.ts';

/** Commands that V8 compiles better within its own budget. A backtest raises it by itself for a long tape. */
const OWN_BUDGET: ReadonlySet<string | undefined> = new Set(['backtest', 'study', 'journal', 'why']);
if (!OWN_BUDGET.has(process.argv[2])) raiseInliningBudget();
if (process.argv[2] === 'run') compileSoon();
for (const stream of [process.stdout, process.stderr]) escapeOutput(stream);
const args = withoutHelpCommand(process.argv.slice(2));
const program = await presageProgram(requestedCommand(args));
prepare(program);
guardOutput(process.stdout);

/** Commands that run the code of strategies in this process. */
const RUNS_STRATEGIES: ReadonlySet<string | undefined> = new Set(
  'run paper backtest compare study study-runner journal why parity doctor strategy certify certifier'.split(' '),
);
if (RUNS_STRATEGIES.has(process.argv[2])) {
  refuseExitToStrategies();
  onStrayFault((text) => {
    process.stderr.write(`presage: ${text}\n`);
    process.exit(ExitCode.session);
  });
}
/** Milliseconds after its end in which such a command must have left, although a strategy keeps a timer or a socket open. */
const LEAVES_WITHIN_MS = 2000;

/**
 * Without this, a command would end the process with an exit code that is not ours. Its help would not fit the
 * terminal.
 */
function prepare(command: CommandUnknownOpts): void {
  command
    .exitOverride()
    .showHelpAfterError('(add --help for what is possible)')
    .configureOutput({
      getOutHelpWidth: () => terminalWidth(process.stdout) ?? 80,
      getErrHelpWidth: () => terminalWidth(process.stderr) ?? 80,
      writeOut: (text) => void process.stdout.write(fittedHelp(text, terminalWidth(process.stdout) ?? 80)),
      outputError: (text, tell) => tell(parseErrorText(command, text)),
    });
  for (const each of command.commands) prepare(each);
}

try {
  await program.parseAsync(args, { from: 'user' });
} catch (fault) {
  process.exitCode = endWith(fault);
}
// The command has ended all that it began; what a strategy's code began would keep the process.
if (RUNS_STRATEGIES.has(process.argv[2])) setTimeout(() => process.exit(), LEAVES_WITHIN_MS).unref();

function endWith(fault: unknown): number {
  // Commander has already printed its message. Help and version are not failures.
  if (fault instanceof CommanderError) return fault.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
  if (isReaderGone(fault)) return ExitCode.ok;
  if (isUserError(fault)) {
    process.stderr.write(`presage: ${fault.message}\n`);
    return exitCodeOfFault(fault);
  }
  const problem = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
  process.stderr.write(`presage: a fault in the program itself, please report it:\n${problem}\n`);
  return ExitCode.session;
}
