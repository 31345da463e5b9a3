// The commands, in the order of the help: what each takes and does, and how it is loaded. Must never import a command
// before it is requested: the load takes time, and a halt is urgent.
import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** A command that may not be loaded yet. */
export interface ListedCommand {
  /** Its options and arguments, as the help shows them; empty for a command of subcommands. */
  readonly takes: string;
  /** Says in a sentence or two what the command does. The help shows it. */
  readonly summary: string;
  /** True for a command that only other commands start. The help leaves it out. Default: false. */
  readonly isHidden?: boolean;
  /** Creates the command, without its description. */
  readonly load: () => Promise<CommandUnknownOpts>;
}

/** Lists every command by its name, in the order of the help. */
export const COMMANDS: Readonly<Record<string, ListedCommand>> = {
  run: {
    takes: '[options]',
    summary: 'Trade: run the strategies of a config until stopped. Without a key, only watch.',
    load: async () => (await import('./run-command.ts')).runCommand(),
  },
  paper: {
    takes: '[options]',
    summary: 'Trade on paper: the venue’s real feed, a simulated account. No order ever leaves this machine.',
    load: async () => (await import('./paper-command.ts')).paperCommand(),
  },
  backtest: {
    takes: '[options]',
    summary: 'Replay a tape to the strategies of a config: same limits, budgets and engine as live, a simulated venue.',
    load: async () => (await import('./backtest-command.ts')).backtestCommand(),
  },
  compare: {
    takes: '[options] <a> <b>',
    summary: 'Compare two runs or sessions by event group: whether they differ, by how much, and where they part.',
    load: async () => (await import('./compare-command.ts')).compareCommand(),
  },
  study: {
    takes: '',
    summary: 'Search the parameters of a strategy over tapes, on every core, and resume after any end.',
    load: async () => (await import('./study-command.ts')).studyCommand(),
  },
  'study-runner': {
    takes: '',
    summary: 'Run the study that the parent process sends.',
    isHidden: true,
    load: async () => (await import('./study-command.ts')).studyRunnerCommand(),
  },
  status: {
    takes: '[options]',
    summary: 'Show the status of a bot: phase, halts, orders, feed, budgets, account, drift, alarms.',
    load: async () => (await import('./status-command.ts')).statusCommand(),
  },
  halt: {
    takes: '[options]',
    summary: 'Stop all new orders and cancel resting ones, until `presage resume`. Works even when the bot hangs.',
    load: async () => (await import('./halt-command.ts')).haltCommand(),
  },
  resume: {
    takes: '[options]',
    summary:
      'Lift a halt: of the account by default, no matter what ordered it. Narrower halts have to be lifted by name.',
    load: async () => (await import('./resume-command.ts')).resumeCommand(),
  },
  'cancel-all': {
    takes: '[options]',
    summary: 'Cancel every resting order. Strategies may quote again at once: to prevent that, halt.',
    load: async () => (await import('./cancel-all-command.ts')).cancelAllCommand(),
  },
  flatten: {
    takes: '[options]',
    summary: 'Halt the account, cancel every order, and close every position at the prices of the books.',
    load: async () => (await import('./flatten-command.ts')).flattenCommand(),
  },
  override: {
    takes: '[options]',
    summary: 'Set one limit to another value for a while, a day at most. A bot must run; the limit returns by itself.',
    load: async () => (await import('./override-command.ts')).overrideCommand(),
  },
  console: {
    takes: '[options]',
    summary: 'See, understand and stop bots from a browser. A process of its own: it cannot slow a bot.',
    load: async () => (await import('./console-command.ts')).consoleCommand(),
  },
  exchange: {
    takes: '[options]',
    summary:
      'Run the local exchange: a real server on 127.0.0.1 that speaks the wire protocol, with agents that trade.',
    load: async () => (await import('./exchange-command.ts')).exchangeCommand(),
  },
  alerts: {
    takes: '',
    summary: 'Messages to people: see `alerts` in the config.',
    load: async () => (await import('./alerts-command.ts')).alertsCommand(),
  },
  keys: {
    takes: '',
    summary: 'Keys that requests are signed with.',
    load: async () => (await import('./keys-command.ts')).keysCommand(),
  },
  log: {
    takes: '',
    summary: 'The log of a running bot.',
    load: async () => (await import('./log-command.ts')).logCommand(),
  },
  journal: {
    takes: '',
    summary: 'A session’s journal: every input and every command, in order. Inspect, verify, replay or report it.',
    load: async () => (await import('./journal-command.ts')).journalCommand(),
  },
  history: {
    takes: '',
    summary: 'The history of a bot: sessions, orders, trades and profit over all of its journals.',
    load: async () => (await import('./history-command.ts')).historyCommand(),
  },
  sessions: {
    takes: '[options]',
    summary: 'List the sessions of a bot, the newest first.',
    load: async () => (await import('./sessions-command.ts')).sessionsCommand(),
  },
  trades: {
    takes: '[options]',
    summary: 'List the trades of all sessions, the newest first.',
    load: async () => (await import('./trades-command.ts')).tradesCommand(),
  },
  orders: {
    takes: '[options]',
    summary: 'List the orders of all sessions, the newest first.',
    load: async () => (await import('./orders-command.ts')).ordersCommand(),
  },
  positions: {
    takes: '[options]',
    summary: 'List the positions that the account holds by the journals, also while no bot runs.',
    load: async () => (await import('./positions-command.ts')).positionsCommand(),
  },
  timeline: {
    takes: '[options]',
    summary: 'List sessions, alarms, halts, operator’s actions and payouts of all sessions, the newest first.',
    load: async () => (await import('./timeline-command.ts')).timelineCommand(),
  },
  pnl: {
    takes: '[options]',
    summary: 'Sum profit by day, strategy, market or series.',
    load: async () => (await import('./pnl-command.ts')).pnlCommand(),
  },
  why: {
    takes: '[options]',
    summary: 'Say why a strategy traded in a market at a moment, or why it did not, from the journal.',
    load: async () => (await import('./why-command.ts')).whyCommand(),
  },
  parity: {
    takes: '[options] <tape>',
    summary: 'Replay a live session’s tape in the backtester, and list every difference with its cause.',
    load: async () => (await import('./parity-command.ts')).parityCommand(),
  },
  calibrate: {
    takes: '[options] <session...>',
    summary: 'Fit the delays and the queue of the simulated venue to sessions of your own, as a block to paste.',
    load: async () => (await import('./calibrate-command.ts')).calibrateCommand(),
  },
  record: {
    takes: '[options]',
    summary: 'Record a venue’s public data: every frame and answer as received, with the time it came. No orders.',
    load: async () => (await import('./record-command.ts')).recordCommand(),
  },
  doctor: {
    takes: '[options]',
    summary:
      'Check everything that trading needs: strategies, key, clock, limits, money, markets, feed; print what is wrong with a remedy.',
    load: async () => (await import('./doctor-command.ts')).doctorCommand(),
  },
  ladder: {
    takes: '[options]',
    summary: 'Show which go-live stages the strategies of a config have passed, and what is missing.',
    load: async () => (await import('./ladder-command.ts')).ladderCommand(),
  },
  drift: {
    takes: '[options]',
    summary: 'Compare what a venue sends with its published files and with our schemas, and list every difference.',
    load: async () => (await import('./drift-command.ts')).driftCommand(),
  },
  tape: {
    takes: '',
    summary: 'Tapes: recordings, journals, imported data. Inspect, slice, merge and export them.',
    load: async () => (await import('./tape-command.ts')).tapeCommand(),
  },
  'new-strategy': {
    takes: '[options] <name>',
    summary: 'Start a strategy: a folder with a working one, its test, a backtest and a run. Change it from there.',
    load: async () => (await import('./new-strategy-command.ts')).newStrategyCommand(),
  },
  strategy: {
    takes: '',
    summary: 'Strategies: list them, describe one, print its parameters ready to paste.',
    load: async () => (await import('./strategy-command.ts')).strategyCommand(),
  },
  certify: {
    takes: '[options] <strategy>',
    summary: 'Try a strategy on generated streams: gaps, settlements, restarts, 10,000 markets; say what fails.',
    load: async () => (await import('./certify-command.ts')).certifyCommand(),
  },
  certifier: {
    takes: '',
    summary: 'Certify one strategy. `presage certify` starts it by itself.',
    isHidden: true,
    load: async () => (await import('./certify-command.ts')).certifierCommand(),
  },
  watchdog: {
    takes: '[options]',
    summary: 'Watch the bot at the other end of standard input. `presage run` starts it by itself.',
    isHidden: true,
    load: async () => (await import('./watchdog-command.ts')).watchdogCommand(),
  },
};
