// Follows the imports of a file to all files and packages that load with it. Pure: callers pass the texts in.
import { importsIn, resolve } from './module.ts';

/**
 * Returns the files and packages that load with a file. Types and imports on demand do not count.
 * @param files text by path from the root of the project.
 */
export function loadedWith(entry: string, files: ReadonlyMap<string, string>): ReadonlySet<string> {
  const loaded = new Set<string>();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (loaded.has(file)) continue;
    loaded.add(file);
    const text = files.get(file);
    if (text === undefined) continue;
    for (const { specifier, isType, isLazy } of importsIn(file, text))
      if (specifier !== null && !isType && !isLazy) open.push(resolve(file, specifier) ?? specifier);
  }
  return loaded;
}
