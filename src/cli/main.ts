#!/usr/bin/env node
// The command line. Each command is a file; this one only joins them and decides how the process ends.
import { Command } from '@commander-js/extra-typings';
import { CommanderError } from 'commander';
import { ExitCode, guardOutput, isReaderGone, isUsers } from './command.ts';
import { backtestCommand } from './backtest.ts';
import { exchangeCommand } from './exchange.ts';
import { cancelAllCommand } from './cancel-all.ts';
import { flattenCommand } from './flatten.ts';
import { haltCommand } from './halt.ts';
import { keysCommand } from './keys.ts';
import { overrideCommand } from './override.ts';
import { paperCommand } from './paper.ts';
import { parityCommand } from './parity.ts';
import { resumeCommand } from './resume.ts';
import { journalCommand } from './journal.ts';
import { recordCommand } from './record.ts';
import { runCommand } from './run.ts';
import { version } from './version.ts';
import { statusCommand } from './status.ts';
import { tapeCommand } from './tape.ts';
import { watchdogCommand } from './watchdog.ts';

const program = new Command('presage')
  .description('Automated trading on prediction-market exchanges: one strategy file for backtest, paper and live.')
  .version(version)
  .showHelpAfterError('(add --help for what is possible)')
  .showSuggestionAfterError()
  .exitOverride()
  .addCommand(runCommand())
  .addCommand(paperCommand())
  .addCommand(backtestCommand())
  .addCommand(statusCommand())
  .addCommand(haltCommand())
  .addCommand(resumeCommand())
  .addCommand(cancelAllCommand())
  .addCommand(flattenCommand())
  .addCommand(overrideCommand())
  .addCommand(exchangeCommand())
  .addCommand(keysCommand())
  .addCommand(journalCommand())
  .addCommand(parityCommand())
  .addCommand(recordCommand())
  .addCommand(tapeCommand())
  .addCommand(watchdogCommand(), { hidden: true })
  .addHelpText(
    'after',
    `
Begin here:
  presage run --config config/demo.yaml --for 30s   two strategies on the built-in exchange: no account, no network
  presage run --help                                what a run can be told
  presage record --config config/demo.yaml --for 1m what anyone may see, on a tape: see \`presage tape\`
  presage backtest --config config/backtest.yaml    the same strategies over a recorded tape
  presage halt --config <file>                      stop everything, now`,
  );
throwAll(program);
guardOutput(process.stdout);

/** Commands of commands too: each ends by itself otherwise, with an exit code that is not ours. */
function throwAll({ commands }: Pick<Command, 'commands'>): void {
  for (const command of commands) throwAll(command.exitOverride());
}

try {
  await program.parseAsync();
} catch (fault) {
  process.exitCode = endWith(fault);
}

function endWith(fault: unknown): number {
  // Commander has said its piece; help and version are no failures.
  if (fault instanceof CommanderError) return fault.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
  if (isReaderGone(fault)) return ExitCode.ok;
  if (isUsers(fault)) {
    process.stderr.write(`presage: ${fault.message}\n`);
    return ExitCode.usage;
  }
  const told = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
  process.stderr.write(`presage: a fault in the program itself, please report it:\n${told}\n`);
  return ExitCode.session;
}
