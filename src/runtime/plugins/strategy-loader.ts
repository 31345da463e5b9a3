// Loads a strategy from its file or package. Errors name the file and, if known, the line.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { addStrategyPackage, placesOf } from '../../strategy/fault-place.ts';
import type { Strategy } from '../../strategy/strategy-definition.ts';
import { IDLE_TIMEOUT, withIdleTimeout } from './idle-timeout.ts';
import { type PluginBundle, bundlePlugin } from './plugin-bundle.ts';
import { NoStrategyError, StrategyFileError } from './strategy-file-error.ts';

/** A strategy and its bundle. */
export interface LoadedPlugin {
  readonly strategy: Strategy;
  readonly bundle: PluginBundle;
}

/** Receives the SHA-256 of a strategy's code before the code runs. Throws to refuse it. */
export type CodeCheck = (sha256: string) => void;

/**
 * Loads the strategy that a file or package exports by default. Each call loads it again.
 * @throws {StrategyFileError} when the location does not exist, cannot be compiled or loaded, or exports no strategy.
 *   Errors of `checkHash` are thrown, too.
 */
export async function loadPlugin(place: string, checkHash?: CodeCheck): Promise<LoadedPlugin> {
  const bundle = await bundlePlugin(place);
  checkHash?.(bundle.sha256);
  const exported = await runBundle(bundle, place);
  if (isStrategy(exported)) return { strategy: exported, bundle };
  throw new NoStrategyError(place, `expected \`export default defineStrategy({…})\`, found ${describe(exported)}`);
}

/**
 * Loads a strategy whose bundle is written to a file. Each call loads it again and compiles nothing, so that no
 * run inherits state from another.
 * @param code The written file.
 * @throws {StrategyFileError} when it fails while loading, or exports no strategy.
 */
export async function loadBundled(bundle: PluginBundle, code: string, load: number): Promise<Strategy> {
  process.setSourceMapsEnabled(true);
  addStrategyPackage(bundle.path);
  try {
    const exported = await withTimeLimit(import(`${pathToFileURL(code).href}?load=${load}`));
    if (isStrategy(exported)) return exported;
    throw new StrategyFileError(
      bundle.path,
      `expected \`export default defineStrategy({…})\`, found ${describe(exported)}`,
    );
  } catch (fault) {
    if (fault instanceof StrategyFileError) throw fault;
    throw new StrategyFileError(bundle.path, `failed while loading${describeFailure(fault, bundle, code)}`, {
      cause: fault,
    });
  }
}

/** Loads a strategy without its bundle. */
export const loadStrategy = async (place: string): Promise<Strategy> => (await loadPlugin(place)).strategy;

/**
 * Hashes the code of a strategy with SHA-256, in hexadecimal.
 * @throws {StrategyFileError} when the code cannot be read or does not compile.
 */
export const hashStrategy = async (place: string): Promise<string> => (await bundlePlugin(place)).sha256;

/**
 * A bundle runs from a temporary folder of its own: processes cannot collide, and no file is left beside the source.
 */
async function runBundle(bundle: PluginBundle, place: string): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'presage-'));
  const file = join(folder, `${basename(bundle.path, extname(bundle.path))}.mjs`);
  process.setSourceMapsEnabled(true);
  addStrategyPackage(bundle.path);
  try {
    await writeFile(file, bundle.code);
    return await withTimeLimit(import(pathToFileURL(file).href));
  } catch (fault) {
    throw new StrategyFileError(place, `failed while loading${describeFailure(fault, bundle, file)}`, { cause: fault });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Longest time in which loading may only wait, milliseconds. A module that awaits forever would otherwise end the process
 * without a message.
 */
const LOADING_IDLE_MS_MAX = 5000;

async function withTimeLimit(loading: Promise<{ readonly default?: unknown }>): Promise<unknown> {
  const loaded = await withIdleTimeout(loading, LOADING_IDLE_MS_MAX);
  if (loaded === IDLE_TIMEOUT)
    throw new Error(`it awaits something that did not arrive within ${LOADING_IDLE_MS_MAX / 1000} s`);
  return loaded.default;
}

/**
 * Describes an error with its place. Addresses of temporary files and of packages are replaced by the author's paths
 * and names.
 */
function describeFailure(fault: unknown, { path, imports, sources }: PluginBundle, file: string): string {
  let message = fault instanceof Error ? fault.message : String(fault);
  for (const each of imports)
    if (each.path !== null) message = message.replaceAll(pathToFileURL(each.path).href, () => each.specifier);
  const stack = fault instanceof Error ? (fault.stack ?? '') : '';
  return `${locationIn(stack, path, sources)}: ${message.replaceAll(file, () => path)}`;
}

/** Returns the first place of a stack that is in the author's sources. */
function locationIn(stack: string, path: string, sources: readonly string[]): string {
  const place = placesOf(stack).find((each) => each.path === path || sources.includes(each.path));
  if (place === undefined) return '';
  return place.path === path ? ` at line ${place.line}` : ` at ${place.path}:${place.line}`;
}

/** Recognizes a strategy by its shape: a plugin may carry a second copy of this package. */
function isStrategy(value: unknown): value is Strategy {
  if (typeof value !== 'object' || value === null) return false;
  if (!('name' in value && 'params' in value && 'bind' in value)) return false;
  const { name, params, bind } = value;
  return typeof name === 'string' && typeof params === 'object' && params !== null && typeof bind === 'function';
}

function describe(value: unknown): string {
  if (value === undefined) return 'no default export';
  if (value === null) return 'null';
  if (typeof value !== 'object') return `a ${typeof value}`;
  return `an object with ${Object.keys(value).slice(0, 6).join(', ') || 'no members'}`;
}
