// Loads a strategy file: JavaScript as it is, TypeScript bundled by esbuild beside the file so that its bare imports
// resolve as its author expects. Errors name the file, the line and what was expected.
import { createHash } from 'node:crypto';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildFailure, build } from 'esbuild';
import type { Strategy } from '../strategy/strategy.ts';

/** A strategy file that cannot be used. */
export class StrategyFileError extends Error {
  override readonly name = 'StrategyFileError';
  readonly path: string;

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`${path}: ${problem}`, options);
    this.path = path;
  }
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

async function importTypeScript(path: string): Promise<unknown> {
  const code = await bundle(path);
  const hash = createHash('sha256').update(code).digest('hex').slice(0, 16);
  const folder = join(dirname(path), '.presage-cache');
  const file = join(folder, `${basename(path, '.ts')}-${hash}-${process.pid}.mjs`);
  await mkdir(folder, { recursive: true });
  await writeFile(file, code);
  try {
    return await importFile(path, file);
  } finally {
    await rm(file, { force: true });
  }
}

async function bundle(path: string): Promise<string> {
  try {
    const built = await build({
      entryPoints: [path],
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

function explainBuild(fault: unknown): string {
  const failure = fault as Partial<BuildFailure>;
  const first = failure.errors?.[0];
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
    const message = fault instanceof Error ? fault.message : String(fault);
    throw new StrategyFileError(path, `failed while loading: ${message}`, { cause: fault });
  }
}

/** Plugins may carry their own copy of this package, so a strategy is known by its shape. */
function isStrategy(value: unknown): value is Strategy {
  if (typeof value !== 'object' || value === null) return false;
  const { name, params, bind } = value as Partial<Record<keyof Strategy, unknown>>;
  return typeof name === 'string' && typeof params === 'object' && typeof bind === 'function';
}

function describe(value: unknown): string {
  if (value === undefined) return 'no default export';
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  return `an object with ${Object.keys(value).slice(0, 6).join(', ') || 'no members'}`;
}
