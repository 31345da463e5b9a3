// `presage strategy`: lists and describes strategies, and prints their parameters. Each command runs a strategy's
// top-level code. `describe` also runs its setup. Must never call a handler.
import { Command } from '@commander-js/extra-typings';
import { paramArguments } from './arguments/argument-parsers.ts';
import { printLines } from './output/print-lines.ts';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { loadPlugin } from '../runtime/plugins/strategy-loader.ts';
import { paramsOf, paramsSchema } from '../runtime/plugins/strategy-params.ts';
import { resolveTypedLocation } from '../runtime/plugins/plugin-location.ts';
import { StrategyFileError } from '../runtime/plugins/strategy-file-error.ts';
import { checklist } from './output/checklist.ts';
import { ExitCode } from './output/exit-code.ts';
import { describeStrategy } from '../app/strategy/strategy-description.ts';
import { describeText, paramsText } from './show/strategy-text.ts';
import { watchedLoad } from '../app/strategy/watched-load.ts';
import { UsageError } from '../app/usage-error.ts';
import { terminalWidth } from './output/terminal-size.ts';

const PLACE = 'the strategy’s file, or the name of an installed package';

/** Creates the command. */
export function strategyCommand() {
  return new Command('strategy').addCommand(listCommand()).addCommand(describeCommand()).addCommand(paramsCommand());
}

function listCommand() {
  return new Command('list')
    .description('List the strategies of a folder: its files, and strategy.ts of each folder in it.')
    .argument('[folder]', 'where to look (default: the folder strategies, else this one)')
    .option('--json', 'print JSON lines')
    .addHelpText(
      'after',
      `
Exit code: 0 all well; 1 a file cannot be loaded; 2 there is no such folder, or the code of a file does not return.

Example:
  presage strategy list strategies`,
    )
    .action(async (folder, { json }) => {
      process.exitCode = await list(folder ?? (existsSync('strategies') ? 'strategies' : '.'), json === true);
    });
}

function describeCommand() {
  return new Command('describe')
    .description('Describe a strategy: its idea, parameters, markets, handlers and saved state.')
    .argument('<place>', PLACE)
    .option('--param <name=value...>', 'a parameter: markets and handlers may depend on it')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Exit code: 0 all well; 2 it cannot be loaded, or the parameters do not fit.

Example:
  presage strategy describe strategies/two-sided-quoter.ts`,
    )
    .action(async (place, { param = [], json }) => {
      const facts = await watchedLoad(() => describeStrategy(place, paramArguments(param)));
      printLines(json ? [JSON.stringify(facts)] : describeText(facts, terminalWidth(process.stdout) ?? 100));
    });
}

function paramsCommand() {
  return new Command('params')
    .description('Print a strategy’s parameters with their defaults, as YAML for a config.')
    .argument('<place>', PLACE)
    .option('--json', 'print the JSON Schema of the parameters')
    .addHelpText(
      'after',
      `
Exit code: 0 all well; 2 it cannot be loaded.

Examples:
  presage strategy params strategies/two-sided-quoter.ts >> my-bot.yaml
  presage strategy params strategies/two-sided-quoter.ts --json`,
    )
    .action(async (place, { json }) => {
      const { strategy } = await watchedLoad(() => loadPlugin(resolveTypedLocation(place)));
      printLines(json ? [JSON.stringify(paramsSchema(strategy))] : paramsText(paramsOf(strategy)));
    });
}

/** Files of a folder that may be strategies. */
function candidates(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    if (entry.isDirectory()) {
      const inside = join(folder, entry.name, 'strategy.ts');
      return existsSync(inside) ? [inside] : [];
    }
    return /^(?!.*\.(?:test|config|d)\.)[^.].*\.[cm]?[jt]s$/.test(entry.name) ? [join(folder, entry.name)] : [];
  });
}

async function list(folder: string, isJson: boolean): Promise<number> {
  const place = statSync(folder, { throwIfNoEntry: false });
  if (place?.isDirectory() !== true)
    throw new UsageError(
      `${folder}: expected a folder, found ${place === undefined ? 'nothing' : 'a file; `presage strategy describe` describes one strategy'}`,
    );
  const found = await watchedLoad(() =>
    Promise.all(candidates(folder).map(async (file) => ({ file, ...(await lookAt(file)) }))),
  );
  if (found.length === 0) throw new UsageError(`${folder}: expected a folder with strategies, found none in it`);
  printLines(isJson ? found.map((each) => JSON.stringify({ ...each, file: resolve(each.file) })) : listed(found));
  return found.some(({ problem }) => problem !== null) ? ExitCode.session : ExitCode.ok;
}

interface Found {
  readonly file: string;
  readonly name: string;
  readonly description: string;
  readonly problem: string | null;
}

async function lookAt(file: string): Promise<Omit<Found, 'file'>> {
  try {
    const { strategy } = await loadPlugin(resolve(file));
    return { name: strategy.name, description: strategy.description, problem: null };
  } catch (fault) {
    if (!(fault instanceof StrategyFileError)) throw fault;
    return { name: '', description: '', problem: fault.message.slice(fault.path.length + 2) };
  }
}

const listed = (found: readonly Found[]): string[] =>
  checklist(
    found.map(({ file, name, description, problem }) => ({
      mark: problem === null ? 'ok' : 'BROKEN',
      name: problem === null ? name : relative('.', file),
      words: problem === null ? `${description} (${relative('.', file)})` : (problem.split('\n')[0] ?? ''),
      remedy: null,
    })),
    terminalWidth(process.stdout),
  );
