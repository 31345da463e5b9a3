// `presage new-strategy`: makes a working strategy with its test and configs. Must never touch existing files.
import { Command } from '@commander-js/extra-typings';
import { makeFolder } from '../log/make-folder.ts';
import { printLines } from './output/print-lines.ts';
import { shellWord } from '../base/shell-word.ts';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { backtestText, runText } from './scaffold/config-text.ts';
import { type ScaffoldPlace, scaffoldPlace } from './scaffold/scaffold-place.ts';
import { commands, ignoreText, packageText, readmeText, runnerText, tsconfigText } from './scaffold/project-text.ts';
import { strategyText, testText } from './scaffold/strategy-template.ts';
import { UsageError } from '../app/usage-error.ts';

/** Creates the command. */
export function newStrategyCommand() {
  return new Command('new-strategy')
    .argument('<name>', 'the folder to make; its last part is the strategy’s name')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Makes strategy.ts, strategy.test.ts, backtest.yaml, run.yaml, README.md and .gitignore; and, where no project is around it, package.json,
tsconfig.json and vitest.config.ts. Refuses a place where something exists.

Exit code: 0 it is made; 2 the name is not allowed, or the place is taken.

Examples:
  presage new-strategy my-first
  presage new-strategy strategies/my-first`,
    )
    .action((name, { json }) => {
      const place = scaffoldPlace(name);
      const files = scaffoldFiles(place);
      makeStrategyFolder(place.folder, files);
      const next = [...wayTo(place), ...commands(place)];
      if (json) return printLines([JSON.stringify({ folder: place.folder, files: Object.keys(files), next })]);
      printLines([
        `${name}: ${Object.keys(files).join(', ')}`,
        '',
        'Continue with:',
        ...next.map((line) => `  ${line}`),
      ]);
    });
}

/** Returns the command that changes to the project's folder. Empty in that folder. */
function wayTo({ folder, inProject }: ScaffoldPlace): string[] {
  const way = relative('.', inProject === '' ? folder : folder.slice(0, -inProject.length - 1));
  return way === '' ? [] : [`cd ${shellWord(way)}`];
}

/** Returns the texts of the files to write, by file name. */
export function scaffoldFiles(place: ScaffoldPlace): Readonly<Record<string, string>> {
  const { name, presage, isProject } = place;
  return {
    'strategy.ts': strategyText(name),
    'strategy.test.ts': testText(name),
    'backtest.yaml': backtestText(name, presage),
    'run.yaml': runText(name, presage),
    'README.md': readmeText(place),
    '.gitignore': ignoreText(),
    ...(isProject && {
      'package.json': packageText(place),
      'tsconfig.json': tsconfigText(),
      'vitest.config.ts': runnerText(),
    }),
  };
}

/** Removes the folder again when a file cannot be written. */
function makeStrategyFolder(folder: string, files: Readonly<Record<string, string>>): void {
  let isMade = false;
  try {
    makeFolder(join(folder, '..'));
    mkdirSync(folder);
    isMade = true;
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { flag: 'wx' });
  } catch (cause) {
    if (isMade) rmSync(folder, { recursive: true });
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new UsageError(`${folder}: cannot be made: ${code}`, { cause });
  }
}
