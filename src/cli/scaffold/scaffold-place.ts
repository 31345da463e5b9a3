// Where a new strategy is put, and what is there already: the project around it, and the package that it will run with.
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { OWN_PACKAGE } from '../../runtime/plugins/plugin-packages.ts';
import { UsageError } from '../../app/usage-error.ts';

/** A place for a strategy. */
export interface ScaffoldPlace {
  /** Absolute; nothing is there yet. */
  readonly folder: string;
  /** The strategy's, and the package's: the folder's own. */
  readonly name: string;
  /** Whether there is no project around it: then one is made of it. */
  readonly isProject: boolean;
  /** The folder as seen from the project's; empty where it is the project itself. */
  readonly inProject: string;
  /** The commands that install what is missing: everything in a new project, else what the project around it lacks. */
  readonly installs: readonly string[];
  /** The package as seen from the folder: where its tape and its exchange are. */
  readonly presage: string;
  /** What a project depends on: where the package is had from, the type checker and the test runner. */
  readonly versions: Readonly<Record<typeof OWN_PACKAGE | 'typescript' | 'vitest', string>>;
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const packageJson = z.object({
  name: z.string().optional(),
  version: z.string().default('0.0.0'),
  devDependencies: z.record(z.string(), z.string()).default({}),
});

/**
 * Looks at a place.
 * @param path the folder to be made; its last part is the strategy's name.
 * @throws {UsageError} when something is there, or its name cannot be a package's.
 */
export function scaffoldPlace(path: string): ScaffoldPlace {
  const folder = resolve(path);
  const name = basename(folder);
  if (!NAME.test(name))
    throw new UsageError(
      `expected a name of at most 64 of a-z 0-9 - _ . that begins with a letter or a digit, found ${JSON.stringify(name)}`,
    );
  if (existsSync(folder))
    throw new UsageError(`${path}: expected a place where nothing is yet, found a file or folder`);
  const project = upward(folder, (each) => existsSync(join(each, 'package.json')));
  return {
    folder,
    name,
    isProject: project === null,
    inProject: project === null ? '' : posix(relative(project, folder)),
    installs: project === null ? ['npm install'] : missingIn(project, folder),
    presage: posix(relative(folder, packageFrom(folder, project))),
    versions: versionsFor(folder),
  };
}

/** How to install what the strategy and its test need and the project around them lacks. */
function missingIn(project: string, folder: string): string[] {
  const has = (name: string): boolean => isInstalled(folder, name);
  const own = ownVersion(project);
  const source = own.startsWith('file:') ? own.slice('file:'.length) : `${OWN_PACKAGE}@${own}`;
  return [
    ...(has(OWN_PACKAGE) || readPackage(project).name === OWN_PACKAGE ? [] : [`npm install ${source}`]),
    ...(has('vitest') ? [] : ['npm install --save-dev vitest']),
  ];
}

/** Where the package is, or will be once it is installed. */
function packageFrom(folder: string, project: string | null): string {
  if (project !== null && readPackage(project).name === OWN_PACKAGE) return project;
  const found = upward(folder, (each) => existsSync(join(each, 'node_modules', OWN_PACKAGE)));
  return join(found ?? project ?? folder, 'node_modules', OWN_PACKAGE);
}

const isInstalled = (folder: string, name: string): boolean =>
  upward(folder, (each) => existsSync(join(each, 'node_modules', name))) !== null;

/** The nearest folder above that is as wanted. */
function upward(folder: string, is: (folder: string) => boolean): string | null {
  for (let each = dirname(folder); ; each = dirname(each)) {
    if (is(each)) return each;
    if (dirname(each) === each) return null;
  }
}

const readPackage = (folder: string): z.output<typeof packageJson> =>
  packageJson.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));

/** The folder of the package that runs. */
const OWN_FOLDER = dirname(createRequire(fileURLToPath(import.meta.url)).resolve(`${OWN_PACKAGE}/package.json`));

/** What a project depends on to have this package. A working copy is linked: no registry knows that one. */
const ownVersion = (folder: string): string =>
  OWN_FOLDER.split(sep).includes('node_modules')
    ? `^${readPackage(OWN_FOLDER).version}`
    : `file:${posix(relative(folder, OWN_FOLDER))}`;

/** What a new project needs, as this package has it itself. */
function versionsFor(folder: string): ScaffoldPlace['versions'] {
  const { devDependencies } = readPackage(OWN_FOLDER);
  return {
    [OWN_PACKAGE]: ownVersion(folder),
    typescript: `^${devDependencies['typescript'] ?? '6.0.0'}`,
    vitest: `^${devDependencies['vitest'] ?? '4.0.0'}`,
  };
}

const posix = (path: string): string => path.split(sep).join('/');
