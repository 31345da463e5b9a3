// Makes the page of the command line: the help of every command, as it is printed.
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { fittedHelp } from '../../../src/cli/output/help-text.ts';
import { presageProgram } from '../../../src/cli/program.ts';

const WIDTH = 100;

/** Makes the page. */
export async function cliPage(): Promise<string> {
  const program = await presageProgram();
  const parts = commandsIn(program).map(({ command, path }) => `## ${path}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``);
  return `# The command line

The output of \`presage --help\` and \`presage <command> --help\`. All commands have the same exit codes: 0 for success; 1 for a
failure; 2 when the command, a config, a key or a file is wrong and nothing was started; 130 when a second Ctrl-C ended the
command at once.

${parts.join('\n\n')}
`;
}

/** Lists a command and its subcommands, without hidden ones. */
function commandsIn(command: CommandUnknownOpts, before = ''): { command: CommandUnknownOpts; path: string }[] {
  const path = before === '' ? command.name() : `${before} ${command.name()}`;
  const shown = command.createHelp().visibleCommands(command);
  return [
    { command, path },
    ...command.commands.filter((each) => shown.includes(each)).flatMap((each) => commandsIn(each, path)),
  ];
}

function helpOf(command: CommandUnknownOpts): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => WIDTH });
  command.outputHelp();
  return fittedHelp(help, WIDTH).trimEnd();
}
