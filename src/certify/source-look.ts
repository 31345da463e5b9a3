// A look at a strategy's own code without running it: which packages and parts of the platform it asks for, and which
// names through which the world comes in. What a run never reaches is found here. Must never run a line of it.
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { isBuiltin } from 'node:module';
import { type Loader, build, transform } from 'esbuild';
import type { PluginBundle, PluginImport } from '../runtime/plugins/bundle.ts';
import { withCompiler } from '../runtime/plugins/compiler.ts';
import { isOwn } from '../runtime/plugins/packages.ts';

/** Names that no strategy may use, and why. */
const WORLD: Readonly<Record<string, string>> = {
  'Date.now': 'the time of day: view.now is the time',
  'Math.random': 'chance that no seed decides',
  performance: 'the time of day: view.now is the time',
  crypto: 'chance that no seed decides',
  process: 'the process',
  require: 'code at run time',
  setTimeout: 'a timer of the platform: a timer intent is one of the tape, too',
  setInterval: 'a timer of the platform: a timer intent is one of the tape, too',
  setImmediate: 'a timer of the platform: a timer intent is one of the tape, too',
  queueMicrotask: 'something that happens after the answer',
  fetch: 'the network',
  WebSocket: 'the network',
  XMLHttpRequest: 'the network',
  EventSource: 'the network',
  Worker: 'another thread',
  SharedArrayBuffer: 'memory of another thread',
  Atomics: 'memory of another thread',
  WeakRef: 'the garbage collector, which no seed decides',
  FinalizationRegistry: 'the garbage collector, which no seed decides',
  eval: 'code at run time',
  Function: 'code at run time',
  globalThis: 'everything by any name',
  global: 'everything by any name',
};

/** What this package itself hands on to strategies. */
const ZOD = /^zod(?:\/|$)/;
/** Parts of the platform that know nothing of the world. */
const PURE_PARTS: ReadonlySet<string> = new Set(['assert', 'assert/strict', 'util', 'buffer', 'string_decoder']);

/** What a strategy's code asks for and should not, each in words. */
export function lookAtSource({ sources, imports }: PluginBundle): Promise<string[]> {
  return withCompiler(async () => {
    const found: string[] = [];
    for (const source of sources) found.push(...(await namesIn(source)));
    for (const each of imports) found.push(...(await importFaults(each)));
    return found;
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

/** By the compiler's own knowledge of what a name means: a member or a local of that name is nobody's fault. */
async function namesIn(source: string): Promise<string[]> {
  const text = await readFile(source, 'utf8');
  const { code } = await transform(text, {
    loader: LOADERS[extname(source)] ?? 'js',
    define: Object.fromEntries(Object.keys(WORLD).map((name) => [name, marker(name)])),
    format: 'esm',
    logLevel: 'silent',
  });
  const found = Object.entries(WORLD)
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
  if (isOwn(specifier) || ZOD.test(specifier)) return [];
  return (await partsOf(path)).map((part) => `package ${specifier} imports ${part}`);
}

const isPure = (specifier: string): boolean => PURE_PARTS.has(specifier.replace(/^node:/, ''));

/** Parts of the platform that a package asks for, itself or through others. */
async function partsOf(path: string): Promise<string[]> {
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
  const asked = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map((each) => each.path));
  return [...new Set(asked)].filter((each) => isBuiltin(each) && !isPure(each));
}
