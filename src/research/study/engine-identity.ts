// The identity of the program that runs trials: a hash of the code that decides, and of the packages that it loads. Must
// never change with code that only shows or stores: a new help text keeps the names of trials.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { BAKER_VERSION } from '../../tape/baked/baked-format.ts';

/** Folder that holds `src` and `backtest`: the project's, or a build's. */
const ROOT = join(import.meta.dirname, '../../..');
/** Layers that decide nothing about a trial. */
const ASIDE = /^src\/(?:cli|console|alerts|metrics|history|why|certify|testing|research\/(?!trial\/))/;
const CODE = /(?<!\.d)\.(?:js|ts)$/;

/** Returns the SHA-256 of the deciding code, with the versions of packages and of baked rows. */
export function engineHash(): string {
  const files = ['src', 'backtest']
    .flatMap((part) => codeIn(join(ROOT, part)))
    .map((path) => ({ path, name: relative(ROOT, path).split(sep).join('/') }))
    .filter(({ name }) => !ASIDE.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines = files.map(({ path, name }) => `${name.replace(CODE, '')} ${sha256(readFileSync(path))}`);
  const packages = packageVersions().map((pair) => pair.join(' '));
  return sha256([...lines, ...packages, `baker ${BAKER_VERSION}`].join('\n'));
}

const codeIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() && CODE.test(entry.name) ? [join(entry.parentPath, entry.name)] : [],
  );

/** Returns the name and version of each package that the program loads. */
export function packageVersions(): (readonly [name: string, version: string])[] {
  const { resolve } = createRequire(import.meta.url);
  const own = resolve('presage-trading/package.json');
  const names = Object.keys(membersOf(own, 'dependencies')).sort();
  const places = [join(dirname(own), 'node_modules'), dirname(dirname(own))];
  return names.map((name) => [name, versionIn(places, name)]);
}

/** Returns the version of a package in the first folder that has it. An installed package lies beside ours. */
function versionIn(places: readonly string[], name: string): string {
  const path = places.map((place) => join(place, name, 'package.json')).find((each) => existsSync(each));
  return path === undefined ? 'absent' : String(membersOf(path)['version']);
}

function membersOf(path: string, member?: string): Readonly<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const found: unknown = member === undefined ? parsed : Reflect.get(Object(parsed), member);
  return typeof found === 'object' && found !== null ? { ...found } : {};
}

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
