// Joins the commands into one program, without parsing. Must load no other command when one is requested: the load
// takes time, and a halt is urgent.
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { version } from '../app/package-version.ts';

/** Loaders of the commands, sorted as in the help. */
const COMMANDS: Readonly<Record<string, () => Promise<CommandUnknownOpts>>> = {
  run: async () => (await import('./run-command.ts')).runCommand(),
  paper: async () => (await import('./paper-command.ts')).paperCommand(),
  backtest: async () => (await import('./backtest-command.ts')).backtestCommand(),
  compare: async () => (await import('./compare-command.ts')).compareCommand(),
  study: async () => (await import('./study-command.ts')).studyCommand(),
  'study-runner': async () => (await import('./study-command.ts')).studyRunnerCommand(),
  status: async () => (await import('./status-command.ts')).statusCommand(),
  halt: async () => (await import('./halt-command.ts')).haltCommand(),
  resume: async () => (await import('./resume-command.ts')).resumeCommand(),
  'cancel-all': async () => (await import('./cancel-all-command.ts')).cancelAllCommand(),
  flatten: async () => (await import('./flatten-command.ts')).flattenCommand(),
  override: async () => (await import('./override-command.ts')).overrideCommand(),
  console: async () => (await import('./console-command.ts')).consoleCommand(),
  exchange: async () => (await import('./exchange-command.ts')).exchangeCommand(),
  alerts: async () => (await import('./alerts-command.ts')).alertsCommand(),
  keys: async () => (await import('./keys-command.ts')).keysCommand(),
  log: async () => (await import('./log-command.ts')).logCommand(),
  journal: async () => (await import('./journal-command.ts')).journalCommand(),
  history: async () => (await import('./history-command.ts')).historyCommand(),
  sessions: async () => (await import('./sessions-command.ts')).sessionsCommand(),
  trades: async () => (await import('./trades-command.ts')).tradesCommand(),
  orders: async () => (await import('./orders-command.ts')).ordersCommand(),
  timeline: async () => (await import('./timeline-command.ts')).timelineCommand(),
  pnl: async () => (await import('./pnl-command.ts')).pnlCommand(),
  why: async () => (await import('./why-command.ts')).whyCommand(),
  parity: async () => (await import('./parity-command.ts')).parityCommand(),
  calibrate: async () => (await import('./calibrate-command.ts')).calibrateCommand(),
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
/** Commands that only other commands start. */
const HIDDEN: ReadonlySet<string> = new Set(['certifier', 'study-runner', 'watchdog']);
/** Arguments that need no command. */
const VERSION: ReadonlySet<string> = new Set(['-V', '--version']);

/**
 * Creates the command line. The caller parses, and decides how the process exits.
 * @param requested name of the only command to load. An unknown name loads all commands. An option for the version
 *   loads none.
 */
export async function presageProgram(requested = ''): Promise<CommandUnknownOpts> {
  const program: CommandUnknownOpts = new Command('presage')
    .description('Automated trading on prediction-market exchanges: one strategy file for backtest, paper and live.')
    .version(version)
    .addHelpText(
      'after',
      `
Start here, with no account and no network:
  presage run --config config/demo.yaml --for 30s    trade on the embedded exchange
  presage backtest --config config/backtest.yaml     the same over a tape
  presage record --config config/demo.yaml --for 1m  a tape of your own
  presage halt --config <file>                       stop everything, now
  presage <command> --help                           the options of a command`,
    );
  const commands = await Promise.all(namesFor(requested).map(async (name) => COMMANDS[name]?.()));
  commands.forEach((command) => command && program.addCommand(command, { hidden: HIDDEN.has(command.name()) }));
  return program;
}

function namesFor(requested: string): readonly string[] {
  if (VERSION.has(requested)) return [];
  return Object.hasOwn(COMMANDS, requested) ? [requested] : Object.keys(COMMANDS);
}
