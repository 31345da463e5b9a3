// Which package a file belongs to, and whether a name that a strategy imports means this one. Must never run what it finds.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** What this package is called. The program in it is called `presage`; the package `presage` of the registry is not ours. */
export const OWN_NAME = 'presage-trading';

/** What it was called before it was published. */
const FORMER = /^presage(?=\/|$)/;

/** Whether a specifier names this package, or a part of it. */
export const isOwn = (specifier: string): boolean => specifier === OWN_NAME || specifier.startsWith(`${OWN_NAME}/`);

/** Whether a specifier names the package that strategies written before 0.1.0 imported. */
export const isFormer = (specifier: string): boolean => FORMER.test(specifier);

/** A package on disk. */
interface Installed {
  /** Its `package.json`. */
  readonly file: string;
  readonly name: string;
  readonly version: string;
}

const manifest = z.object({ name: z.string(), version: z.string().default('without a version') });

/** The package that a file belongs to; `null` where no folder above it has one with a name. */
export function packageAround(path: string): Installed | null {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    const found = existsSync(file) ? manifest.safeParse(JSON.parse(readFileSync(file, 'utf8'))) : null;
    if (found?.success === true) return { file, ...found.data };
  }
  return null;
}

/**
 * Why an import of the former name is refused, and what to write instead.
 * @param path what the name leads to; `null` where nothing has it.
 */
export function formerNameFault(specifier: string, path: string | null): string {
  const found = path === null ? null : packageAround(path);
  const remedy = `Presage is the package ${OWN_NAME}: import from '${specifier.replace(FORMER, OWN_NAME)}'`;
  return found === null
    ? remedy
    : `${remedy} (${found.file} is ${found.name} ${found.version}, another project's package)`;
}

/** What is wrong when this package's own name leads to a file; `null` where nothing is. */
export function ownNameFault(path: string): string | null {
  const found = packageAround(path);
  if (found === null || found.name === OWN_NAME) return null;
  return `expected the package ${OWN_NAME}, found ${found.name} ${found.version} (${found.file}): npm install ${OWN_NAME}`;
}
