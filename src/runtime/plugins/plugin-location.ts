// The location of a strategy's code: a file, or a package as seen from a folder. A package is written as a path in that
// folder's node_modules. Node's usual lookup in parent folders then finds the package.
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** The plugin to load. */
export type PluginLocation =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'package'; readonly name: string; readonly folder: string };

const MODULES = '/node_modules/';

/**
 * Parses a location. A path below a node_modules folder names a package, unless it is an existing file. Any other path
 * names a file.
 */
export function parsePluginLocation(path: string): PluginLocation {
  const at = path.lastIndexOf(MODULES);
  if (at < 0 || isFile(path)) return { type: 'file', path };
  return { type: 'package', name: path.slice(at + MODULES.length), folder: path.slice(0, at) };
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/**
 * Resolves a location typed on the command line. It is a file when the file exists or the text looks like a path.
 * Otherwise it is a package, as seen from the current folder.
 */
export function resolveTypedLocation(text: string): string {
  const path = resolve(text);
  const isPathLike = /^[./~]|\.[cm]?[jt]sx?$/.test(text) || text.includes('\\');
  const installed = resolve('node_modules', text);
  // An existing folder is reported as a folder, not as a package that is not installed.
  const isFolder = existsSync(path) && !existsSync(installed);
  return isPathLike || isFile(path) || isFolder ? path : installed;
}
