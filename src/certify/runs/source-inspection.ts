// Finds imports and global names that give a strategy access to the outside. A test run might not reach such code. Must
// never run a line of the source.
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { isBuiltin } from 'node:module';
import { type Loader, build, transform } from 'esbuild';
import type { PluginBundle, PluginImport } from '../../runtime/plugins/plugin-bundle.ts';
import { withCompiler } from '../../runtime/plugins/plugin-compiler.ts';
import { isOwnPackage } from '../../runtime/plugins/plugin-packages.ts';

/** Names that no strategy may use, with the reason. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  'Date.now': 'the time of day: view.now is the time',
  'Math.random': 'randomness without a seed',
  performance: 'the time of day: view.now is the time',
  crypto: 'randomness without a seed',
  process: 'the process',
  require: 'code at run time',
  setTimeout: 'a platform timer, which no replay has: use a timer intent',
  setInterval: 'a platform timer, which no replay has: use a timer intent',
  setImmediate: 'a platform timer, which no replay has: use a timer intent',
  queueMicrotask: 'code that runs after the answer',
  fetch: 'the network',
  WebSocket: 'the network',
  XMLHttpRequest: 'the network',
  EventSource: 'the network',
  Worker: 'another thread',
  SharedArrayBuffer: 'memory of another thread',
  Atomics: 'memory of another thread',
  WeakRef: 'the garbage collector, which no seed controls',
  FinalizationRegistry: 'the garbage collector, which no seed controls',
  eval: 'code at run time',
  Function: 'code at run time',
  globalThis: 'any global by name',
  global: 'any global by name',
};

/** Strategies may import zod: this package provides it. */
const ZOD = /^zod(?:\/|$)/;
/** Modules built into Node that give no access to the outside. */
const PURE_MODULES: ReadonlySet<string> = new Set(['assert', 'assert/strict', 'util', 'buffer', 'string_decoder']);

/** Describes everything forbidden in a strategy's code. */
export function inspectSource({ sources, imports }: PluginBundle): Promise<string[]> {
  return withCompiler(async () => {
    const faults: string[] = [];
    for (const source of sources) faults.push(...(await namesUsed(source)));
    for (const imported of imports) faults.push(...(await importFaults(imported)));
    return faults;
  });
}

const marker = (name: string): string => `__world_${name.replace('.', '_')}__`;

const LOADERS: Readonly<Record<string, Loader>> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.jsx': 'jsx',
};

/** The compiler decides what a name means: a member or a local with such a name is not reported. */
async function namesUsed(source: string): Promise<string[]> {
  const text = await readFile(source, 'utf8');
  const { code } = await transform(text, {
    loader: LOADERS[extname(source)] ?? 'js',
    define: Object.fromEntries(Object.keys(FORBIDDEN).map((name) => [name, marker(name)])),
    format: 'esm',
    logLevel: 'silent',
  });
  const found = Object.entries(FORBIDDEN)
    .filter(([name]) => code.includes(marker(name)))
    .map(([name, why]) => `${basename(source)}${lineOf(text, name)} uses ${name}: ${why}`);
  return /\bimport\s*\(/.test(code) ? [...found, `${basename(source)} imports at run time`] : found;
}

function lineOf(text: string, name: string): string {
  const at = text.split('\n').findIndex((line) => line.replace(/\/\/.*/, '').includes(name));
  return at < 0 ? '' : `:${at + 1}`;
}

async function importFaults({ specifier, from, path }: PluginImport): Promise<string[]> {
  if (path === null) return isPure(specifier) ? [] : [`${basename(from)} imports ${specifier}`];
  if (isOwnPackage(specifier) || ZOD.test(specifier)) return [];
  return (await platformModulesOf(path)).map((module) => `package ${specifier} imports ${module}`);
}

const isPure = (specifier: string): boolean => PURE_MODULES.has(specifier.replace(/^node:/, ''));

/** Modules built into Node with access to the outside that a package imports, directly or through others. */
async function platformModulesOf(path: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [path],
    bundle: true,
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
    outfile: '/package.mjs',
    logLevel: 'silent',
  });
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map((each) => each.path));
  return [...new Set(imported)].filter((each) => isBuiltin(each) && !isPure(each));
}
