// Loads a strategy from its file or package. Errors name the file, the line and what was expected.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { placesOf } from '../../strategy/fault-place.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { type PluginBundle, bundlePlugin } from './bundle.ts';
import { StrategyFileError } from './strategy-file-error.ts';

/** A strategy, and what it was made of. */
export interface LoadedPlugin {
  readonly strategy: Strategy;
  readonly bundle: PluginBundle;
}

/**
 * Loads the strategy that a file, or a package, exports by default. It is loaded anew each time.
 * @throws {StrategyFileError} when there is nothing at the place, what is there does not compile, fails while loading, or
 * exports no strategy.
 */
export async function loadPlugin(place: string): Promise<LoadedPlugin> {
  const bundle = await bundlePlugin(place);
  const exported = await run(bundle, place);
  if (isStrategy(exported)) return { strategy: exported, bundle };
  throw new StrategyFileError(place, `expected \`export default defineStrategy({…})\`, found ${describe(exported)}`);
}

/** The same, where the strategy alone is wanted. */
export const loadStrategy = async (place: string): Promise<Strategy> => (await loadPlugin(place)).strategy;

/**
 * What a strategy is, as one name: the SHA-256 of what would be loaded, in hexadecimal.
 * @throws {StrategyFileError} when it cannot be read or does not compile.
 */
export const hashStrategy = async (place: string): Promise<string> => (await bundlePlugin(place)).sha256;

/** Runs a bundle from a folder of its own, so that no two processes ever meet in it, and nothing is left beside the source. */
async function run(bundle: PluginBundle, place: string): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'presage-'));
  const file = join(folder, `${basename(bundle.path, extname(bundle.path))}.mjs`);
  process.setSourceMapsEnabled(true);
  try {
    await writeFile(file, bundle.code);
    return await inTime(import(pathToFileURL(file).href));
  } catch (fault) {
    throw new StrategyFileError(place, `failed while loading${explain(fault, bundle, file)}`, { cause: fault });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A module that awaits what never comes would end the process without a word. */
const LOADING_MS_MAX = 5000;

/** What a module exports by default, once it is loaded. */
async function inTime(loading: Promise<{ readonly default?: unknown }>): Promise<unknown> {
  const ending = new AbortController();
  const late = setTimeout(LOADING_MS_MAX, null, { signal: ending.signal });
  // Aborted once the module is there: nobody waits for it then.
  late.catch(() => undefined);
  try {
    const loaded = await Promise.race([loading, late]);
    if (loaded === null) throw new Error(`it awaits something that has not come in ${LOADING_MS_MAX / 1000} s`);
    return loaded.default;
  } finally {
    ending.abort();
  }
}

/** Where it was thrown, and what was said, in the author's own words: without addresses that are of our making. */
function explain(fault: unknown, { path, imports, sources }: PluginBundle, file: string): string {
  let message = fault instanceof Error ? fault.message : String(fault);
  for (const each of imports)
    if (each.path !== null) message = message.replaceAll(pathToFileURL(each.path).href, each.specifier);
  const stack = fault instanceof Error ? (fault.stack ?? '') : '';
  return `${placeIn(stack, path, sources)}: ${message.replaceAll(file, path)}`;
}

/** The first line of a stack that is in a source of the author's. */
function placeIn(stack: string, path: string, sources: readonly string[]): string {
  const place = placesOf(stack).find((each) => each.path === path || sources.includes(each.path));
  if (place === undefined) return '';
  return place.path === path ? ` at line ${place.line}` : ` at ${place.path}:${place.line}`;
}

/** Plugins may carry their own copy of this package, so a strategy is known by its shape. */
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
