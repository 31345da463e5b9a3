// Bundles a strategy's file or package, and the files that it imports by path, into one module without a build step.
// Other packages stay outside, except TypeScript packages: the module imports them by address, so that it works from
// any folder. Must never run any of the code.
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type BuildFailure,
  type OnResolveArgs,
  type OnResolveResult,
  type Plugin,
  type PluginBuild,
  build,
} from 'esbuild';
import { withCompiler } from './plugin-compiler.ts';
import { formerNameFault, isFormerName, isOwnPackage, ownNameFault, packageAround } from './plugin-packages.ts';
import { type PluginLocation, parsePluginLocation } from './plugin-location.ts';
import { NoStrategyError, StrategyFileError } from './strategy-file-error.ts';

/** A package or a module built into Node that a strategy imports. */
export interface PluginImport {
  /** The name as written in the import. */
  readonly specifier: string;
  readonly from: string;
  /** The file of the import; `null` for a module built into Node. */
  readonly path: string | null;
}

/** A strategy's code, ready to be run. */
export interface PluginBundle {
  /** The entry file of the strategy. */
  readonly path: string;
  /** One module, with its source map inside. */
  readonly code: string;
  /**
   * SHA-256 in hexadecimal. A single file without packages is hashed by itself. Otherwise a list is hashed: all files
   * with their hashes, and all packages with their versions.
   */
  readonly sha256: string;
  readonly sources: readonly string[];
  readonly imports: readonly PluginImport[];
}

interface Collected {
  entry: string;
  readonly hashes: Map<string, string>;
  readonly imports: PluginImport[];
}

/**
 * Bundles a strategy.
 * @throws {StrategyFileError} when the strategy cannot be bundled: for example, it does not exist or does not compile.
 */
export async function bundlePlugin(at: string): Promise<PluginBundle> {
  const place = parsePluginLocation(at);
  if (place.type === 'file' && !existsSync(place.path)) throw new NoStrategyError(at, 'no such file');
  if (place.type === 'file' && !statSync(place.path).isFile()) throw new NoStrategyError(at, folderProblem(place.path));
  if (place.type === 'file' && !MODULE_ENDINGS.has(extname(place.path)))
    throw new NoStrategyError(at, `a ${extname(place.path)} file is no TypeScript or JavaScript module`);
  const collected: Collected = { entry: at, hashes: new Map(), imports: [] };
  const code = await withCompiler(() => compile(at, place, collected));
  const sources = [...collected.hashes.keys()].sort();
  return { path: collected.entry, code, sha256: hashOf(collected), sources, imports: collected.imports };
}

/** Endings of the files that the compiler takes for a module. */
const MODULE_ENDINGS: ReadonlySet<string> = new Set(['', '.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx']);

function folderProblem(folder: string): string {
  const inside = join(folder, 'strategy.ts');
  return existsSync(inside)
    ? `expected a file, found a folder: did you mean ${inside}?`
    : 'expected a file, found a folder';
}

async function compile(at: string, place: PluginLocation, collected: Collected): Promise<string> {
  try {
    const built = await build({
      entryPoints: [at],
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      // A bundler's default conditions may choose other files than Node would.
      conditions: [],
      // The paths of a tsconfig must not decide which files are loaded either.
      tsconfigRaw: '{}',
      define: { 'import.meta.url': JSON.stringify(pathToFileURL(at).href) },
      // The source map uses absolute paths, so the module may be written anywhere.
      outfile: '/plugin.mjs',
      sourceRoot: 'file:///',
      sourcemap: 'inline',
      write: false,
      logLevel: 'silent',
      plugins: [collectingPlugin(place, collected)],
    });
    return built.outputFiles[0]?.text ?? '';
  } catch (fault) {
    const isMissing = isBuildFailure(fault) && fault.errors[0]?.detail === NO_ENTRY;
    const Fault = isMissing ? NoStrategyError : StrategyFileError;
    throw new Fault(at, explainBuild(fault, collected.entry), { cause: fault });
  }
}

/** Marks the error for a missing package of the strategy itself. */
const NO_ENTRY = 'no entry';

/** Marks a request that this plugin itself has made to esbuild. */
const OWN_RESOLUTION = 'own resolution';
const PATH_LIKE = /^(?:\.{0,2}\/|#)/;
const TYPED = /\.[cm]?tsx?$/;

/** Resolves imports, and records the files that were read. */
const collectingPlugin = (place: PluginLocation, collected: Collected): Plugin => ({
  name: 'presage',
  setup(esbuild) {
    const find = (request: OnResolveArgs): Promise<OnResolveResult> | undefined => {
      if (request.pluginData === OWN_RESOLUTION) return undefined;
      if (request.kind === 'entry-point') return findEntry(esbuild, place, collected);
      return PATH_LIKE.test(request.path) ? undefined : findPackage(esbuild, request, collected);
    };
    esbuild.onResolve({ filter: /.*/ }, find);
    esbuild.onLoad({ filter: /.*/, namespace: 'file' }, async ({ path }) => {
      const contents = await readFile(path);
      collected.hashes.set(path, sha256(contents));
      return { contents, loader: 'default' };
    });
  },
});

async function findEntry(esbuild: PluginBuild, place: PluginLocation, collected: Collected): Promise<OnResolveResult> {
  if (place.type === 'file') return { path: place.path };
  const { name, folder } = place;
  const found = await esbuild.resolve(name, {
    kind: 'import-statement',
    resolveDir: folder,
    pluginData: OWN_RESOLUTION,
  });
  if (found.errors.length > 0) return refused(missingPackage(name, folder), NO_ENTRY);
  collected.entry = found.path;
  return { path: found.path };
}

async function findPackage(
  esbuild: PluginBuild,
  { path: specifier, kind, importer, resolveDir }: OnResolveArgs,
  collected: Collected,
): Promise<OnResolveResult> {
  if (isBuiltin(specifier)) {
    collected.imports.push({ specifier, from: importer, path: null });
    return { path: specifier, external: true };
  }
  const resolveFrom = (from: string) =>
    esbuild.resolve(specifier, { kind, importer, resolveDir: from, pluginData: OWN_RESOLUTION });
  let found = await resolveFrom(resolveDir);
  if (isFormerName(specifier)) return refused(formerNameFault(specifier, found.errors.length > 0 ? null : found.path));
  // A strategy without its own copy of this package uses the running copy.
  if (found.errors.length > 0 && isOwnPackage(specifier)) found = await resolveFrom(import.meta.dirname);
  if (found.errors.length > 0) return refused(missingPackage(specifier, resolveDir));
  const fault = isOwnPackage(specifier) ? ownNameFault(found.path) : null;
  if (fault !== null) return refused(fault);
  collected.imports.push({ specifier, from: importer, path: found.path });
  // Node does not strip types in packages, so such files are bundled.
  return TYPED.test(found.path) ? { path: found.path } : { path: pathToFileURL(found.path).href, external: true };
}

const refused = (text: string, detail = ''): OnResolveResult => ({ errors: [{ text, detail }] });

function missingPackage(specifier: string, folder: string): string {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  const places = createRequire(join(folder, 'x')).resolve.paths(name) ?? [];
  const found = places.map((place) => join(place, name)).find((place) => existsSync(place));
  return found === undefined
    ? `package ${name} is not installed in ${folder} or above: npm install ${name}`
    : `the package at ${found} does not offer ${JSON.stringify(specifier)} to an import`;
}

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

function hashOf({ entry, hashes, imports }: Collected): string {
  const packages = new Set(imports.flatMap(({ specifier, path }) => versionOf(specifier, path)));
  const [only, ...others] = hashes.values();
  if (only !== undefined && others.length === 0 && packages.size === 0) return only;
  const lines = [...hashes].map(([path, hash]) => `${relative(dirname(entry), path)} ${hash}`);
  return sha256([...lines, ...packages].sort().join('\n'));
}

/** Presage itself is left out: a session records its version separately. */
function versionOf(specifier: string, path: string | null): string[] {
  if (path === null || isOwnPackage(specifier)) return [];
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
