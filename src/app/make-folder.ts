// Makes a folder with its parents, level by level. `mkdirSync` of Node.js with `recursive` never returns below `/proc`: it
// makes the parents again and again.
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Makes a folder and its missing parents. Does nothing when it is there. Throws the error of the system. */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let at = resolve(folder); !isFolder(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at);
  for (const each of missing) makeLevel(each);
}

function makeLevel(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (fault) {
    // Another process may have made it since.
    if (!isFolder(folder)) throw fault;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
