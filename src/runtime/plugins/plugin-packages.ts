// Finds the package of a file, and decides whether a strategy's import means this package (Presage). Must never run a
// package that it finds.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** The name of this package. Its program is called `presage`; the package `presage` in the registry is not ours. */
export const OWN_PACKAGE = 'presage-trading';

const FORMER = /^presage(?=\/|$)/;

/** Decides whether a specifier names this package or a part of it. */
export const isOwnPackage = (specifier: string): boolean =>
  specifier === OWN_PACKAGE || specifier.startsWith(`${OWN_PACKAGE}/`);

/** Decides whether a specifier names the package that strategies written before 0.1.0 imported. */
export const isFormerName = (specifier: string): boolean => FORMER.test(specifier);

interface Installed {
  readonly file: string;
  readonly name: string;
  readonly version: string;
}

const manifest = z.object({ name: z.string(), version: z.string().default('without a version') });

/** Returns the package of a file; `null` when no folder above the file has a package with a name. */
export function packageAround(path: string): Installed | null {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    const found = existsSync(file) ? manifest.safeParse(JSON.parse(readFileSync(file, 'utf8'))) : null;
    if (found?.success === true) return { file, ...found.data };
  }
  return null;
}

/**
 * Explains why an import of the former name is refused, and what to write instead.
 * @param path The file that the name resolves to; `null` when nothing has that name.
 */
export function formerNameFault(specifier: string, path: string | null): string {
  const found = path === null ? null : packageAround(path);
  const remedy = `Presage is the package ${OWN_PACKAGE}: import from '${specifier.replace(FORMER, OWN_PACKAGE)}'`;
  return found === null
    ? remedy
    : `${remedy} (${found.file} is ${found.name} ${found.version}, another project's package)`;
}

/** Returns the problem when this package's own name resolves to another package, or `null`. */
export function ownNameFault(path: string): string | null {
  const found = packageAround(path);
  if (found === null || found.name === OWN_PACKAGE) return null;
  return `expected the package ${OWN_PACKAGE}, found ${found.name} ${found.version} (${found.file}): npm install ${OWN_PACKAGE}`;
}
