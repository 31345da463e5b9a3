// Makes a folder with its parents, level by level. `mkdirSync` of Node.js with `recursive` never returns below `/proc`: it
// makes the parents again and again.
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and its missing parents. Does nothing when it is there. Throws the error of the system.
 * @returns the topmost folder that was missing; `undefined` when none was.
 */
export function makeFolder(folder: string, mode?: number): string | undefined {
  const missing: string[] = [];
  for (let at = resolve(folder); !isFolder(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at);
  for (const each of missing) makeLevel(each, mode);
  return missing[0];
}

function makeLevel(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder, { mode });
  } catch (fault) {
    // Another process may have made it since.
    if (!isFolder(folder)) throw fault;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
