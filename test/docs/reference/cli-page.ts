// The page of the command line: the help of every command, as it is printed.
import { type CommandUnknownOpts } from '@commander-js/extra-typings';
import { fittedHelp } from '../../../src/cli/output/help-text.ts';
import { presageProgram } from '../../../src/cli/program.ts';

const WIDTH = 100;

/** The page. */
export async function cliPage(): Promise<string> {
  const program = await presageProgram();
  const parts = commandsIn(program).map(({ command, path }) => `## ${path}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``);
  return `# The command line

What \`presage --help\` and \`presage <command> --help\` print. Exit codes are the same everywhere: 0 all went well, 1 it ended
badly, 2 the command, a config, a key or a file is wrong and nothing was begun, 130 ended at once by a second Ctrl-C.

${parts.join('\n\n')}
`;
}

/** A command and those under it, but for those that a person does not type. */
function commandsIn(command: CommandUnknownOpts, before = ''): { command: CommandUnknownOpts; path: string }[] {
  const path = before === '' ? command.name() : `${before} ${command.name()}`;
  const shown = command.createHelp().visibleCommands(command);
  return [
    { command, path },
    ...command.commands.filter((each) => shown.includes(each)).flatMap((each) => commandsIn(each, path)),
  ];
}

function helpOf(command: CommandUnknownOpts): string {
  let told = '';
  command.configureOutput({ writeOut: (text) => (told += text), getOutHelpWidth: () => WIDTH });
  command.outputHelp();
  return fittedHelp(told, WIDTH).trimEnd();
}
