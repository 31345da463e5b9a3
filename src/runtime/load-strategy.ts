// Loads a strategy file: JavaScript as it is, TypeScript bundled by esbuild beside the file so that its bare imports
// resolve as its author expects. Errors name the file, the line and what was expected.
import { createHash } from 'node:crypto';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type BuildFailure, build } from 'esbuild';
import { strategyName } from '../domain/ids.ts';
import type { BoundStrategy, Strategy } from '../strategy/strategy.ts';

/** A strategy file that cannot be used. */
export class StrategyFileError extends Error {
  override readonly name = 'StrategyFileError';
  readonly path: string;

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`${path}: ${problem}`, options);
    this.path = path;
  }
}

/** A strategy as a config names it. */
export interface StrategyUse {
  readonly name: string;
  readonly file: string;
  readonly params: unknown;
}

/**
 * Loads the strategy that a file exports by default.
 * @throws {StrategyFileError} when the file is missing, does not compile, fails while loading, or exports no strategy.
 */
export async function loadStrategy(path: string): Promise<Strategy> {
  await access(path).catch((cause: unknown) => {
    throw new StrategyFileError(path, 'no such file', { cause });
  });
  const exported: unknown = extname(path) === '.ts' ? await importTypeScript(path) : await importFile(path, path);
  if (isStrategy(exported)) return exported;
  throw new StrategyFileError(path, `expected \`export default defineStrategy({…})\`, found ${describe(exported)}`);
}

/**
 * What a strategy file is, as one name: the SHA-256 of its bytes, in hexadecimal.
 * @throws {StrategyFileError} when it cannot be read.
 */
export async function hashStrategy(path: string): Promise<string> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new StrategyFileError(path, 'no such file', { cause });
  });
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * The strategy of a file, running under a name with its parameters.
 * @throws {StrategyFileError} when the file cannot be used, the parameters do not fit, or its setup fails.
 */
export async function bindStrategy({ name, file, params }: StrategyUse): Promise<BoundStrategy> {
  const strategy = await loadStrategy(file);
  const parsed = strategy.params.safeParse(params);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `  ${[...issue.path].join('.') || 'params'}: ${issue.message}`);
    throw new StrategyFileError(file, `strategy ${name}: its params do not fit\n${issues.join('\n')}`);
  }
  try {
    return strategy.bind(strategyName(name), params);
  } catch (fault) {
    const message = fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
    throw new StrategyFileError(file, `strategy ${name}: its setup failed: ${message}`, { cause: fault });
  }
}

async function importTypeScript(path: string): Promise<unknown> {
  const folder = await makeFolder(path);
  const file = join(folder, `${basename(path, '.ts')}.mjs`);
  try {
    await writeFile(file, await bundle(path, file));
    return await importFile(path, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Of its own, so that two processes never meet in it. */
async function makeFolder(path: string): Promise<string> {
  try {
    return await mkdtemp(join(dirname(path), '.presage-'));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new StrategyFileError(path, `cannot be compiled beside itself: ${code}`, { cause });
  }
}

async function bundle(path: string, outfile: string): Promise<string> {
  try {
    const built = await build({
      entryPoints: [path],
      // Not written, but what the source map's paths are relative to.
      outfile,
      bundle: true,
      packages: 'external',
      platform: 'node',
      target: 'node20',
      format: 'esm',
      sourcemap: 'inline',
      write: false,
      logLevel: 'silent',
    });
    return built.outputFiles[0]?.text ?? '';
  } catch (fault) {
    throw new StrategyFileError(path, explainBuild(fault), { cause: fault });
  }
}

const isBuildFailure = (fault: unknown): fault is BuildFailure =>
  fault instanceof Error && 'errors' in fault && Array.isArray(fault.errors);

function explainBuild(fault: unknown): string {
  const first = isBuildFailure(fault) ? fault.errors[0] : undefined;
  if (!first) return `does not compile: ${String(fault)}`;
  const place = first.location ? ` at line ${first.location.line}, column ${first.location.column + 1}` : '';
  return `does not compile${place}: ${first.text}`;
}

async function importFile(path: string, file: string): Promise<unknown> {
  process.setSourceMapsEnabled(true);
  try {
    const loaded: { readonly default?: unknown } = await import(pathToFileURL(file).href);
    return loaded.default;
  } catch (fault) {
    // The platform does not say where a syntax error is; the compiler does.
    if (fault instanceof SyntaxError && file === path) await bundle(path, `${path}.mjs`);
    const message = (fault instanceof Error ? fault.message : String(fault)).replaceAll(file, path);
    const place = fault instanceof Error ? placeOf(fault, { path, file }) : '';
    throw new StrategyFileError(path, `failed while loading${place}: ${message}`, { cause: fault });
  }
}

/** Where it was thrown: the first line of a stack that is in a source of the author's, and not in the compiled file. */
function placeOf(fault: Error, { path, file }: { readonly path: string; readonly file: string }): string {
  for (const line of (fault.stack ?? '').split('\n')) {
    const found = /^(?:\s+at (?:.*\()?)?((?:file:\/\/)?\/.+?):(\d+)(?::\d+)?\)?$/.exec(line);
    if (found?.[1] === undefined) continue;
    const source = found[1].startsWith('file:') ? fileURLToPath(found[1]) : found[1];
    if (source === path) return ` at line ${found[2]}`;
    if (source !== file) return source.includes('/node_modules/') ? '' : ` at ${source}:${found[2]}`;
  }
  return '';
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
