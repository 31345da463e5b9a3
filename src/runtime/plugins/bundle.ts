// Makes one module of a strategy's file, or package, and of what it imports by path: TypeScript or JavaScript, without a
// build step. Packages stay outside, by the address they have as seen from the author's own file, so that the module may
// lie anywhere. Must never run a line of it.
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type BuildFailure,
  type OnResolveArgs,
  type OnResolveResult,
  type Plugin,
  type PluginBuild,
  build,
} from 'esbuild';
import { withCompiler } from './compiler.ts';
import { formerNameFault, isFormer, isOwn, ownNameFault, packageAround } from './packages.ts';
import { type PluginPlace, placeOf } from './place.ts';
import { NoStrategyError, StrategyFileError } from './strategy-file-error.ts';

/** A package, or a part of the platform, that a strategy's code asks for. */
export interface PluginImport {
  /** As it is written there. */
  readonly specifier: string;
  /** The file that asks for it. */
  readonly from: string;
  /** Where it is; `null` for a part of the platform. */
  readonly path: string | null;
}

/** A strategy's code, ready to be run. */
export interface PluginBundle {
  /** The file that it begins with: the one asked for, or what the package exports. */
  readonly path: string;
  /** One module, with its source map in it. */
  readonly code: string;
  /**
   * What was read, as one name: the SHA-256 of the file where that is all, else of the list of files with theirs and of
   * packages with their versions; in hexadecimal.
   */
  readonly sha256: string;
  /** The author's own files, in order. */
  readonly sources: readonly string[];
  readonly imports: readonly PluginImport[];
}

/** What is gathered while a bundle is made. */
interface Gathered {
  entry: string;
  readonly hashes: Map<string, string>;
  readonly imports: PluginImport[];
}

/**
 * Makes the bundle.
 * @throws {StrategyFileError} when there is nothing at the place, what is there does not compile, or what it imports is not there.
 */
export async function bundlePlugin(at: string): Promise<PluginBundle> {
  const place = placeOf(at);
  if (place.type === 'file' && !existsSync(place.path)) throw new NoStrategyError(at, 'no such file');
  if (place.type === 'file' && !statSync(place.path).isFile())
    throw new StrategyFileError(at, whatFolderHas(place.path));
  const gathered: Gathered = { entry: at, hashes: new Map(), imports: [] };
  const code = await withCompiler(() => compile(at, place, gathered));
  const sources = [...gathered.hashes.keys()].sort();
  return { path: gathered.entry, code, sha256: hashOf(gathered), sources, imports: gathered.imports };
}

/** A folder is no strategy; the one that is in it is named. */
function whatFolderHas(folder: string): string {
  const inside = join(folder, 'strategy.ts');
  return existsSync(inside) ? `expected a file, found a folder: ${inside} is meant` : 'expected a file, found a folder';
}

async function compile(at: string, place: PluginPlace, gathered: Gathered): Promise<string> {
  try {
    const built = await build({
      entryPoints: [at],
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      // What a bundler is offered is not always what the platform would run.
      conditions: [],
      // Nor do the paths of anybody's checker decide what is loaded.
      tsconfigRaw: '{}',
      define: { 'import.meta.url': JSON.stringify(pathToFileURL(at).href) },
      // Sources are told from the root on, wherever the module is put.
      outfile: '/plugin.mjs',
      sourceRoot: 'file:///',
      sourcemap: 'inline',
      write: false,
      logLevel: 'silent',
      plugins: [gathering(place, gathered)],
    });
    return built.outputFiles[0]?.text ?? '';
  } catch (fault) {
    const isMissing = isBuildFailure(fault) && fault.errors[0]?.detail === NO_ENTRY;
    const Fault = isMissing ? NoStrategyError : StrategyFileError;
    throw new Fault(at, explainBuild(fault, gathered.entry), { cause: fault });
  }
}

/** Marks the error that the strategy's own package is not there. */
const NO_ENTRY = 'no entry';

/** Marks what is asked for a second time, by ourselves. */
const ASKED = 'asked';
const PATH_LIKE = /^(?:\.{0,2}\/|#)/;
const TYPED = /\.[cm]?tsx?$/;

/** Finds what is imported, and notes what was read. */
const gathering = (place: PluginPlace, gathered: Gathered): Plugin => ({
  name: 'presage',
  setup(esbuild) {
    const find = (asked: OnResolveArgs): Promise<OnResolveResult> | undefined => {
      if (asked.pluginData === ASKED) return undefined;
      if (asked.kind === 'entry-point') return findEntry(esbuild, place, gathered);
      return PATH_LIKE.test(asked.path) ? undefined : findPackage(esbuild, asked, gathered);
    };
    esbuild.onResolve({ filter: /.*/ }, find);
    esbuild.onLoad({ filter: /.*/, namespace: 'file' }, async ({ path }) => {
      const contents = await readFile(path);
      gathered.hashes.set(path, sha256(contents));
      return { contents, loader: 'default' };
    });
  },
});

async function findEntry(esbuild: PluginBuild, place: PluginPlace, gathered: Gathered): Promise<OnResolveResult> {
  if (place.type === 'file') return { path: place.path };
  const { name, folder } = place;
  const found = await esbuild.resolve(name, { kind: 'import-statement', resolveDir: folder, pluginData: ASKED });
  if (found.errors.length > 0) return refused(missingPackage(name, folder), NO_ENTRY);
  gathered.entry = found.path;
  return { path: found.path };
}

async function findPackage(
  esbuild: PluginBuild,
  { path: specifier, kind, importer, resolveDir }: OnResolveArgs,
  gathered: Gathered,
): Promise<OnResolveResult> {
  if (isBuiltin(specifier)) {
    gathered.imports.push({ specifier, from: importer, path: null });
    return { path: specifier, external: true };
  }
  const ask = (from: string) => esbuild.resolve(specifier, { kind, importer, resolveDir: from, pluginData: ASKED });
  let found = await ask(resolveDir);
  if (isFormer(specifier)) return refused(formerNameFault(specifier, found.errors.length > 0 ? null : found.path));
  // A strategy that has no copy of this package gets the one that runs.
  if (found.errors.length > 0 && isOwn(specifier)) found = await ask(import.meta.dirname);
  if (found.errors.length > 0) return refused(missingPackage(specifier, resolveDir));
  const fault = isOwn(specifier) ? ownNameFault(found.path) : null;
  if (fault !== null) return refused(fault);
  gathered.imports.push({ specifier, from: importer, path: found.path });
  // The platform does not read types in a package: they are taken out here.
  return TYPED.test(found.path) ? { path: found.path } : { path: pathToFileURL(found.path).href, external: true };
}

const refused = (text: string, detail = ''): OnResolveResult => ({ errors: [{ text, detail }] });

function missingPackage(specifier: string, folder: string): string {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  const places = createRequire(join(folder, 'x')).resolve.paths(name) ?? [];
  const found = places.map((place) => join(place, name)).find((place) => existsSync(place));
  return found === undefined
    ? `package ${name} is not installed where ${folder} sees it: npm install ${name}`
    : `the package at ${found} does not offer ${JSON.stringify(specifier)} to an import`;
}

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** One file is itself; of several, which they are counts as well as what is in them, and whose versions they came with. */
function hashOf({ entry, hashes, imports }: Gathered): string {
  const packages = new Set(imports.flatMap(({ specifier, path }) => versionOf(specifier, path)));
  const [only, ...others] = hashes.values();
  if (only !== undefined && others.length === 0 && packages.size === 0) return only;
  const lines = [...hashes].map(([path, hash]) => `${relative(dirname(entry), path)} ${hash}`);
  return sha256([...lines, ...packages].sort().join('\n'));
}

/** Which version of a package it is; not of this one, which a session names by itself. */
function versionOf(specifier: string, path: string | null): string[] {
  if (path === null || isOwn(specifier)) return [];
  const found = packageAround(path);
  return found === null ? [] : [`${found.name} ${found.version}`];
}

const isBuildFailure = (fault: unknown): fault is BuildFailure =>
  fault instanceof Error && 'errors' in fault && Array.isArray(fault.errors);

function explainBuild(fault: unknown, entry: string): string {
  const first = isBuildFailure(fault) ? fault.errors[0] : undefined;
  if (!first) return `does not compile: ${String(fault)}`;
  const { location, text } = first;
  if (location === null) return text;
  const file = resolve(location.file);
  const place = `line ${location.line}, column ${location.column + 1}`;
  const marked = `${location.lineText}\n${' '.repeat(location.column)}^`.replaceAll(/^/gm, '  ');
  return `does not compile at ${file === entry ? '' : `${file}, `}${place}: ${text}\n${marked}`;
}
