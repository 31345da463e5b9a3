// The place of a new strategy: the project around it, and the package that the strategy will run with.
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { OWN_PACKAGE } from '../../runtime/plugins/plugin-packages.ts';
import { UsageError } from '../../app/usage-error.ts';
import { shellWord } from '../../base/shell-word.ts';

/** A place for a strategy. */
export interface ScaffoldPlace {
  /** Absolute path of the folder. Nothing exists there yet. */
  readonly folder: string;
  /** Name of the strategy and of its package: the last part of the path. */
  readonly name: string;
  /** No project contains the folder: it becomes a project itself. */
  readonly isProject: boolean;
  /** Path of the folder relative to the project. Empty when the folder is the project. */
  readonly inProject: string;
  /** Commands that install the missing dependencies. */
  readonly installs: readonly string[];
  /** Path from the folder to this package, which holds a sample tape and an exchange's config. */
  readonly presage: string;
  /** Versions of a new project's dependencies. */
  readonly versions: Readonly<Record<typeof OWN_PACKAGE | 'typescript' | 'vitest', string>>;
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const packageJson = z.object({
  name: z.string().optional(),
  version: z.string().default('0.0.0'),
  devDependencies: z.record(z.string(), z.string()).nullish(),
});

/**
 * Examines a place.
 * @param path Path of the folder to make. Its last part is the strategy's name.
 * @throws {UsageError} when something exists there, the name cannot be a package's name, or the `package.json` of the project
 *   around it cannot be read.
 */
export function scaffoldPlace(path: string): ScaffoldPlace {
  const folder = resolve(path);
  const name = basename(folder);
  if (!NAME.test(name))
    throw new UsageError(
      `expected a name of at most 64 of a-z 0-9 - _ . that begins with a letter or a digit, found ${JSON.stringify(name)}`,
    );
  if (existsSync(folder))
    throw new UsageError(`${path}: expected a place where nothing exists, found a file or folder`);
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

function missingIn(project: string, folder: string): string[] {
  const has = (name: string): boolean => isInstalled(folder, name);
  const own = ownVersion(project);
  const source = own.startsWith('file:') ? shellWord(own.slice('file:'.length)) : `${OWN_PACKAGE}@${own}`;
  return [
    ...(has(OWN_PACKAGE) || readPackage(project).name === OWN_PACKAGE ? [] : [`npm install ${source}`]),
    ...(has('vitest') ? [] : ['npm install --save-dev vitest']),
  ];
}

/** Returns the package's folder, even before the package is installed. */
function packageFrom(folder: string, project: string | null): string {
  if (project !== null && readPackage(project).name === OWN_PACKAGE) return project;
  const found = upward(folder, (each) => existsSync(join(each, 'node_modules', OWN_PACKAGE)));
  return join(found ?? project ?? folder, 'node_modules', OWN_PACKAGE);
}

const isInstalled = (folder: string, name: string): boolean =>
  upward(folder, (each) => existsSync(join(each, 'node_modules', name))) !== null;

function upward(folder: string, is: (folder: string) => boolean): string | null {
  for (let each = dirname(folder); ; each = dirname(each)) {
    if (is(each)) return each;
    if (dirname(each) === each) return null;
  }
}

/** @throws {UsageError} when the file is no JSON, or no package's. */
function readPackage(folder: string): z.output<typeof packageJson> {
  const file = join(folder, 'package.json');
  try {
    // Editors may write a byte order mark, which npm passes over, too.
    return packageJson.parse(JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')));
  } catch (cause) {
    throw new UsageError(`${file}: expected the JSON of a package, found ${foundText(cause)}`, { cause });
  }
}

function foundText(cause: unknown): string {
  if (cause instanceof z.ZodError)
    return cause.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}

/** The folder of the running package. */
const OWN_FOLDER = dirname(createRequire(fileURLToPath(import.meta.url)).resolve(`${OWN_PACKAGE}/package.json`));

/** A working copy of this package is linked, because no registry has it. */
const ownVersion = (folder: string): string =>
  OWN_FOLDER.split(sep).includes('node_modules')
    ? `^${readPackage(OWN_FOLDER).version}`
    : `file:${posix(relative(folder, OWN_FOLDER))}`;

function versionsFor(folder: string): ScaffoldPlace['versions'] {
  const { devDependencies } = readPackage(OWN_FOLDER);
  return {
    [OWN_PACKAGE]: ownVersion(folder),
    typescript: `^${devDependencies?.['typescript'] ?? '6.0.0'}`,
    vitest: `^${devDependencies?.['vitest'] ?? '4.0.0'}`,
  };
}

const posix = (path: string): string => path.split(sep).join('/');
