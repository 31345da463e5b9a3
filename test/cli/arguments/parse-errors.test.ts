// A misspelt option is named, with the one that was meant, even where the one that was meant is required.
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, it } from 'vitest';
import { parseErrorText } from '../../../src/cli/arguments/parse-errors.ts';
import { presageProgram } from '../../../src/cli/program.ts';

/** What is said of arguments on standard error. */
async function said(...args: readonly string[]): Promise<string> {
  const program = await presageProgram(args[0]);
  let text = '';
  const prepare = (command: CommandUnknownOpts): void => {
    command.exitOverride().configureOutput({
      writeErr: (part) => (text += part),
      outputError: (part, write) => write(parseErrorText(command, part)),
    });
    for (const each of command.commands) prepare(each);
  };
  prepare(program);
  await expect(program.parseAsync([...args], { from: 'user' })).rejects.toThrow();
  return text;
}

describe('an error of the command line', () => {
  it.each([
    [['run', '--confg', 'x.yaml'], "error: unknown option '--confg' (did you mean --config?)\n"],
    [['run', '--confg=x.yaml', '--for', '3s'], "error: unknown option '--confg' (did you mean --config?)\n"],
    [['backtest', '--wholly', 'x.yaml'], "error: unknown option '--wholly'\n"],
    [['run', '--for', '3s'], "error: required option '--config <file>' not specified\n"],
    [['run', '--config', 'x.yaml', '--jsno'], "error: unknown option '--jsno'\n(Did you mean --json?)\n"],
    [['tape', 'slice', 'a', '--outt', 'b'], "error: unknown option '--outt' (did you mean --out?)\n"],
  ])('%j', async (args, text) => {
    expect(await said(...args)).toBe(text);
  });

  it('of any other kind is left as it is', () => {
    expect(parseErrorText(new Command('x'), 'error: too many arguments\n')).toBe('error: too many arguments\n');
  });
});
