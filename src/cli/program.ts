// Joins the commands into one program, without parsing. Must load no other command than the requested one: the load takes
// time, and a halt is urgent.
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { version } from '../app/package-version.ts';
import { COMMANDS, type ListedCommand } from './command-list.ts';

/**
 * Rewrites `help NAME …` as `NAME … --help`, so that a command within a command has its help, too. Of a name that no command
 * has, only the name is left: it is then refused as any unknown command.
 */
export function withoutHelpCommand(args: readonly string[]): readonly string[] {
  const [first, name, ...names] = args;
  if (first !== 'help' || name === undefined) return args;
  return Object.hasOwn(COMMANDS, name) ? [name, ...names, '--help'] : [name];
}

/** Returns the name of the command that the arguments of the program request; empty when they begin with none. */
export const requestedCommand = ([first = '', second = '']: readonly string[]): string =>
  first === '--' ? second : first;

/**
 * Creates the command line. The caller parses, and decides how the process exits.
 * @param requested name of the only command to load. Any other text loads none: the help then lists the commands. Default:
 *   every command is loaded.
 */
export async function presageProgram(requested?: string): Promise<CommandUnknownOpts> {
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
  if (requested === undefined) return withCommands(program, Object.values(COMMANDS));
  const command = Object.hasOwn(COMMANDS, requested) ? COMMANDS[requested] : undefined;
  return command === undefined ? withList(program) : withCommands(program, [command]);
}

async function withCommands(
  program: CommandUnknownOpts,
  listed: readonly ListedCommand[],
): Promise<CommandUnknownOpts> {
  const commands = await Promise.all(
    listed.map(async ({ load, summary, isHidden = false }) => ({
      command: (await load()).description(summary),
      hidden: isHidden,
    })),
  );
  for (const { command, hidden } of commands) program.addCommand(command, { hidden });
  return program;
}

/** Adds the name and the summary of every command. None of them can run. */
function withList(program: CommandUnknownOpts): CommandUnknownOpts {
  for (const [name, { summary, isHidden = false }] of Object.entries(COMMANDS))
    program.addCommand(new Command(name).description(summary), { hidden: isHidden });
  return program.configureHelp({
    subcommandTerm: (command) => [command.name(), takenBy(command.name())].filter(Boolean).join(' '),
  });
}

/** The command `help` is made by the package. */
const takenBy = (name: string): string => COMMANDS[name]?.takes ?? '[command]';
