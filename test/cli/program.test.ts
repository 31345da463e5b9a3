// The list of commands in the help, which loads none of them, against the commands themselves.
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-list.ts';
import { presageProgram, requestedCommand, withoutHelpCommand } from '../../src/cli/program.ts';

describe('the help of the program', () => {
  it('lists every command as the command describes itself, without loading it', async () => {
    const listed = await presageProgram('');
    const loaded = await presageProgram();
    expect(listed.helpInformation()).toBe(loaded.helpInformation());
    expect(loaded.commands.some(({ options }) => options.length > 0)).toBe(true);
    expect(listed.commands.flatMap(({ options }) => options)).toEqual([]);
  });

  it('is the same for a name that no command has', async () => {
    expect((await presageProgram('rum')).helpInformation()).toBe((await presageProgram('')).helpInformation());
  });
});

describe('the command help', () => {
  it.each([
    [
      ['help', 'run'],
      ['run', '--help'],
    ],
    [
      ['help', 'journal', 'replay'],
      ['journal', 'replay', '--help'],
    ],
    [['help'], ['help']],
    [['help', 'nope', '--json'], ['nope']],
    [
      ['journal', 'help'],
      ['journal', 'help'],
    ],
  ])('%j is the same as %j', (args, plain) => {
    expect(withoutHelpCommand(args)).toEqual(plain);
  });
});

describe('a requested command', () => {
  it.each([
    [[], ''],
    [['--help'], '--help'],
    [['run', '--config', 'x'], 'run'],
    [['help'], 'help'],
    [['--', 'run'], 'run'],
  ])('of the arguments %j is %j', (args, name) => {
    expect(requestedCommand(args)).toBe(name);
  });

  it('is the only one that is loaded', async () => {
    expect((await presageProgram('halt')).commands.map((command) => command.name())).toEqual(['halt']);
  });

  it.each(Object.entries(COMMANDS))('has the name of its loader, and a description: %s', async (name, { summary }) => {
    const [command] = (await presageProgram(name)).commands;
    expect(command?.name()).toBe(name);
    expect(command?.description()).toBe(summary);
  });
});
