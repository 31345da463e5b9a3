// Checks every command on the pages and in the configs' comments: its name, its options and their values.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, it } from 'vitest';
import { presageProgram } from '../../src/cli/program.ts';
import { ROOT, filesOf, readPages } from './pages.ts';
import { commandsOf } from './shell.ts';

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'console']);
/** Matches files that come with the project. */
const SHIPPED = /^(?:config|backtest)\//;
const pages = readPages();
const program = await presageProgram();
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Makes the program with actions that do nothing: it only parses its arguments. */
async function idleProgram(): Promise<CommandUnknownOpts> {
  const idle = (command: CommandUnknownOpts): void => {
    command.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
    if (command.commands.length === 0) command.action(() => undefined);
    for (const each of command.commands) idle(each);
  };
  const program = await presageProgram();
  idle(program);
  return program;
}

/** Returns the fault of a complete command line; `null` for a valid one. */
async function faultOf(words: readonly string[]): Promise<string | null> {
  const gone = words.find((word) => SHIPPED.test(word) && !existsSync(join(ROOT, word)));
  if (gone !== undefined) return `no file ${gone}`;
  const args = presageArgs(words);
  if (args === null) return scriptFault(words);
  try {
    await (await idleProgram()).parseAsync(args, { from: 'user' });
    return null;
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === 'commander.helpDisplayed') return null;
    return fault instanceof Error ? fault.message : String(fault);
  }
}

/** Returns the arguments of `presage` in a command line; `null` when the line runs another program. */
function presageArgs(words: readonly string[]): string[] | null {
  const [first, second, ...rest] = words;
  if (first === 'presage') return words.slice(1);
  if (first === 'npx' && second === 'presage') return rest;
  if (first === 'npm' && second === 'start') return ['run', '--config', 'config/demo.yaml', ...rest.slice(1)];
  return null;
}

function scriptFault([program, verb, name = '']: readonly string[]): string | null {
  if (program !== 'npm' || verb !== 'run') return null;
  return name in scripts ? null : `package.json has no script ${name}`;
}

/** Returns the fault of a command that a sentence names: `presage journal replay`, `presage tape slice|merge`. */
function misnamed(text: string): string | null {
  let commands: CommandUnknownOpts[] = [program];
  for (const word of text.replace(/^npx /, '').split(/\s+/).slice(1)) {
    const faults = commands.map((command) => unknownWord(command, word));
    const fault = faults.find((each) => each !== null);
    if (fault !== undefined) return fault;
    const named = commands.flatMap((command) => subcommands(command, word));
    if (named.length > 0) commands = named;
  }
  return null;
}

const subcommands = (command: CommandUnknownOpts, word: string): CommandUnknownOpts[] =>
  command.commands.filter((each) => word.split(/[|,]/).includes(each.name()));

function unknownWord(command: CommandUnknownOpts, word: string): string | null {
  const [name = word] = word.split('=');
  if (name.startsWith('-')) {
    const known = [...command.options.flatMap(({ short, long }) => [short, long]), '--help'];
    return known.includes(name) ? null : `${command.name()} has no option ${name}`;
  }
  const isCommand = command.commands.length > 0 && /^[a-z]/.test(word);
  return !isCommand || subcommands(command, word).length === word.split(/[|,]/).length
    ? null
    : `${command.name()} has no command ${word}`;
}

/** Finds the commands in the comments of configs: lines that begin with `npx presage` or `presage`. */
const inComments = (text: string): string[] =>
  [...text.matchAll(/^#\s+((?:npx )?presage .*)$/gm)].map(([, line = '']) => line);

async function faultsOf(place: string, text: string): Promise<string[]> {
  const faults = await Promise.all(commandsOf(text).map(async (words) => ({ words, fault: await faultOf(words) })));
  return faults.flatMap(({ words, fault }) => (fault === null ? [] : [`${place}: ${words.join(' ')}: ${fault}`]));
}

describe('commands', () => {
  it('in blocks of pages exist, with their options', async () => {
    const blocks = pages.flatMap(({ path, blocks: all }) =>
      all.filter(({ lang }) => SHELLS.has(lang)).map(({ text, line }) => ({ place: `${path}:${line}`, text })),
    );
    expect(blocks.length).toBeGreaterThan(15);
    expect((await Promise.all(blocks.map(({ place, text }) => faultsOf(place, text)))).flat()).toEqual([]);
  });

  it('in sentences of pages exist, with their options', () => {
    const faults = pages
      .filter(({ path }) => path !== 'CHANGELOG.md')
      .flatMap(({ path, words }) =>
        words
          .filter(({ text }) => /^(?:npx )?presage [a-z-]/.test(text))
          .map(({ text, line }) => ({ place: `${path}:${line}: ${text}`, fault: misnamed(text) })),
      );
    expect(faults.length).toBeGreaterThan(15);
    expect(faults.filter(({ fault }) => fault !== null)).toEqual([]);
  });

  it('in comments of configs exist, with their options', async () => {
    const configs = filesOf(['.yaml']).map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
    const faults = configs.flatMap(({ path, text }) => inComments(text).map((line) => faultsOf(path, line)));
    expect(faults.length).toBeGreaterThan(3);
    expect((await Promise.all(faults)).flat()).toEqual([]);
  });
});

describe('the check of commands', () => {
  it('finds unknown options, commands, values and scripts', async () => {
    const faults = await faultsOf(
      'page',
      'presage run --config a.yaml --fast\npresage frun\nnpm run nothing && npm ci\ncat config/none.yaml',
    );
    expect(faults.map((fault) => fault.replaceAll(/\n.*/gs, ''))).toEqual([
      "page: presage run --config a.yaml --fast: error: unknown option '--fast'",
      "page: presage frun: error: unknown command 'frun'",
      'page: npm run nothing: package.json has no script nothing',
      'page: cat config/none.yaml: no file config/none.yaml',
    ]);
    expect(await faultsOf('page', 'presage run --config a.yaml --for soon')).toHaveLength(1);
    expect(misnamed('presage journal replai')).toBe('journal has no command replai');
    expect(misnamed('presage tape slice|merge')).toBe(null);
    expect(misnamed('presage run --fast')).toBe('run has no option --fast');
  });
});
