// Where a strategy's code is: a file, or a package as it is seen from a folder. A package is written as the path that it
// would have in that folder's node_modules; where it really is, the usual way upwards decides.
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** What is to be loaded. */
export type PluginPlace =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'package'; readonly name: string; readonly folder: string };

const MODULES = '/node_modules/';

/** Reads a place: whatever is a file is one, and what else is below a folder's node_modules is a package. */
export function placeOf(path: string): PluginPlace {
  const at = path.lastIndexOf(MODULES);
  if (at < 0 || isFile(path)) return { type: 'file', path };
  return { type: 'package', name: path.slice(at + MODULES.length), folder: path.slice(0, at) };
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/**
 * What somebody who types means: a file where there is one, or where it can only be one; else a package, as seen from the
 * folder they are in.
 */
export function placeTyped(text: string): string {
  const path = resolve(text);
  const isPathLike = /^[./~]|\.[cm]?[jt]sx?$/.test(text) || text.includes('\\');
  const installed = resolve('node_modules', text);
  // A folder is told of as one, rather than as a package that is not there.
  const isFolder = existsSync(path) && !existsSync(installed);
  return isPathLike || isFile(path) || isFolder ? path : installed;
}
