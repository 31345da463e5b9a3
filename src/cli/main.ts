#!/usr/bin/env node
// The command line. Each command is a file; this one only joins them and decides how the process ends.
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { CommanderError } from 'commander';
import { ExitCode, guardOutput, isReaderGone, isUsers } from './command.ts';
import { backtestCommand } from './backtest.ts';
import { doctorCommand } from './doctor.ts';
import { driftCommand } from './drift.ts';
import { exchangeCommand } from './exchange.ts';
import { cancelAllCommand } from './cancel-all.ts';
import { flattenCommand } from './flatten.ts';
import { fittedHelp } from './help-text.ts';
import { haltCommand } from './halt.ts';
import { keysCommand } from './keys.ts';
import { ladderCommand } from './ladder.ts';
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
  .addCommand(doctorCommand())
  .addCommand(ladderCommand())
  .addCommand(driftCommand())
  .addCommand(tapeCommand())
  .addCommand(watchdogCommand(), { hidden: true })
  .addHelpText(
    'after',
    `
Begin here, with no account and no network:
  presage run --config config/demo.yaml --for 30s    trade on the exchange inside
  presage backtest --config config/backtest.yaml     the same over a tape
  presage record --config config/demo.yaml --for 1m  a tape of one's own
  presage halt --config <file>                       stop everything, now
  presage <command> --help                           what a command can be told`,
  );
prepare(program);
guardOutput(process.stdout);

/**
 * Commands of commands too: each would end by itself otherwise, with an exit code that is not ours, and its help would be
 * as wide as it was written.
 */
function prepare(command: CommandUnknownOpts): void {
  command
    .exitOverride()
    .showHelpAfterError('(add --help for what is possible)')
    .configureOutput({ writeOut: (text) => void process.stdout.write(fittedHelp(text, process.stdout.columns ?? 80)) });
  for (const each of command.commands) prepare(each);
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
