// A misspelled option is named, with the intended one, even when the intended one is required.
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, it } from 'vitest';
import { parseErrorText } from '../../../src/cli/arguments/parse-errors.ts';
import { presageProgram } from '../../../src/cli/program.ts';

/** The message on standard error for these arguments. */
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

describe('a parse error', () => {
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

  it('of any other kind keeps its message', () => {
    expect(parseErrorText(new Command('x'), 'error: too many arguments\n')).toBe('error: too many arguments\n');
  });
});
