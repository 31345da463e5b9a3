// The commands, joined into one program. Parses nothing by itself, so that help and documents can be made of it.
// Must load no more than is asked for: loading takes longer than most commands, and who halts is in a hurry.
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { version } from '../app/package-version.ts';

/** Where each command is, in the order of the help. */
const COMMANDS: Readonly<Record<string, () => Promise<CommandUnknownOpts>>> = {
  run: async () => (await import('./run-command.ts')).runCommand(),
  paper: async () => (await import('./paper-command.ts')).paperCommand(),
  backtest: async () => (await import('./backtest-command.ts')).backtestCommand(),
  status: async () => (await import('./status-command.ts')).statusCommand(),
  halt: async () => (await import('./halt-command.ts')).haltCommand(),
  resume: async () => (await import('./resume-command.ts')).resumeCommand(),
  'cancel-all': async () => (await import('./cancel-all-command.ts')).cancelAllCommand(),
  flatten: async () => (await import('./flatten-command.ts')).flattenCommand(),
  override: async () => (await import('./override-command.ts')).overrideCommand(),
  exchange: async () => (await import('./exchange-command.ts')).exchangeCommand(),
  keys: async () => (await import('./keys-command.ts')).keysCommand(),
  journal: async () => (await import('./journal-command.ts')).journalCommand(),
  parity: async () => (await import('./parity-command.ts')).parityCommand(),
  record: async () => (await import('./record-command.ts')).recordCommand(),
  doctor: async () => (await import('./doctor-command.ts')).doctorCommand(),
  ladder: async () => (await import('./ladder-command.ts')).ladderCommand(),
  drift: async () => (await import('./drift-command.ts')).driftCommand(),
  tape: async () => (await import('./tape-command.ts')).tapeCommand(),
  'new-strategy': async () => (await import('./new-strategy-command.ts')).newStrategyCommand(),
  strategy: async () => (await import('./strategy-command.ts')).strategyCommand(),
  certify: async () => (await import('./certify-command.ts')).certifyCommand(),
  certifier: async () => (await import('./certify-command.ts')).certifierCommand(),
  watchdog: async () => (await import('./watchdog-command.ts')).watchdogCommand(),
};
/** Commands that no person types. */
const HIDDEN: ReadonlySet<string> = new Set(['certifier', 'watchdog']);
/** What no command is needed for. */
const VERSION: ReadonlySet<string> = new Set(['-V', '--version']);

/**
 * The command line; whoever parses with it decides how the process ends.
 * @param asked a command's name: then it is the only one. None for the version; all, where there is no such command.
 */
export async function presageProgram(asked = ''): Promise<CommandUnknownOpts> {
  const program: CommandUnknownOpts = new Command('presage')
    .description('Automated trading on prediction-market exchanges: one strategy file for backtest, paper and live.')
    .version(version)
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
  const commands = await Promise.all(namesFor(asked).map(async (name) => COMMANDS[name]?.()));
  commands.forEach((command) => command && program.addCommand(command, { hidden: HIDDEN.has(command.name()) }));
  return program;
}

function namesFor(asked: string): readonly string[] {
  if (VERSION.has(asked)) return [];
  return Object.hasOwn(COMMANDS, asked) ? [asked] : Object.keys(COMMANDS);
}
