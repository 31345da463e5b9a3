// The commands, joined into one program. Parses nothing by itself, so that help and documents can be made of it.
import { Command } from '@commander-js/extra-typings';
import { backtestCommand } from './backtest.ts';
import { cancelAllCommand } from './cancel-all.ts';
import { certifierCommand, certifyCommand } from './certify.ts';
import { doctorCommand } from './doctor.ts';
import { driftCommand } from './drift.ts';
import { exchangeCommand } from './exchange.ts';
import { flattenCommand } from './flatten.ts';
import { haltCommand } from './halt.ts';
import { journalCommand } from './journal.ts';
import { keysCommand } from './keys.ts';
import { ladderCommand } from './ladder.ts';
import { newStrategyCommand } from './new-strategy.ts';
import { overrideCommand } from './override.ts';
import { paperCommand } from './paper.ts';
import { parityCommand } from './parity.ts';
import { recordCommand } from './record.ts';
import { resumeCommand } from './resume.ts';
import { runCommand } from './run.ts';
import { statusCommand } from './status.ts';
import { strategyCommand } from './strategy.ts';
import { tapeCommand } from './tape.ts';
import { version } from './version.ts';
import { watchdogCommand } from './watchdog.ts';

/** The whole command line; whoever parses with it decides how the process ends. */
export const presageProgram = () =>
  new Command('presage')
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
    .addCommand(newStrategyCommand())
    .addCommand(strategyCommand())
    .addCommand(certifyCommand())
    .addCommand(certifierCommand(), { hidden: true })
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
