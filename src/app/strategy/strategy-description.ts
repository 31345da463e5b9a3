// A description of one strategy. The strategy is loaded and set up, to learn its markets and handlers. Must never call
// a handler.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { bindStrategies } from '../../runtime/plugins/strategy-binding.ts';
import { handlerNames } from '../../strategy/handler-names.ts';
import { type LoadedPlugin, loadPlugin } from '../../runtime/plugins/strategy-loader.ts';
import { type ParamInfo, paramsOf } from '../../runtime/plugins/strategy-params.ts';
import { resolveTypedLocation } from '../../runtime/plugins/plugin-location.ts';
import type { BoundStrategy, MarketSelector } from '../../strategy/strategy-definition.ts';

/** The description of a strategy. */
export interface StrategyDescription {
  readonly name: string;
  readonly description: string;
  /** Absolute path. */
  readonly file: string;
  readonly sha256: string;
  /** Paragraphs of the comment at the start of the strategy's file. */
  readonly idea: readonly string[];
  readonly params: readonly ParamInfo[];
  /** Markets and handlers with the given parameters. `null` when required parameters are missing. */
  readonly running: { readonly markets: MarketSelector; readonly handlers: readonly string[] } | null;
  /** The strategy saves state for its next session. */
  readonly isKeeping: boolean;
  readonly imports: readonly string[];
}

/**
 * Describes a strategy.
 * @throws {StrategyFileError} when the strategy cannot be loaded, or given parameters do not fit.
 */
export async function describeStrategy(
  place: string,
  params: Readonly<Record<string, unknown>>,
): Promise<StrategyDescription> {
  const plugin = await loadPlugin(resolveTypedLocation(place));
  const { strategy, bundle } = plugin;
  const bound = await tryBind(plugin, params);
  return {
    name: strategy.name,
    description: strategy.description,
    file: bundle.path,
    sha256: bundle.sha256,
    idea: ideaOf(readFileSync(bundle.path, 'utf8')),
    params: paramsOf(strategy),
    running: bound && { markets: bound.selector, handlers: handlerNames(bound.handlers).sort() },
    isKeeping: (strategy.saved ?? null) !== null,
    imports: [...new Set(bundle.imports.map(({ specifier }) => specifier))].sort(),
  };
}

/** Returns `null` when required parameters are missing. */
async function tryBind(
  { strategy, bundle }: LoadedPlugin,
  params: Readonly<Record<string, unknown>>,
): Promise<BoundStrategy | null> {
  if (Object.keys(params).length === 0 && !strategy.params.safeParse(params).success) return null;
  const use = { name: strategy.name, file: bundle.path, params };
  const [ready] = await bindStrategies([use], () => ({ folder: resolve('.'), lines: null }));
  return ready?.bound ?? null;
}

/** Returns the paragraphs of the comment at the start of a file. */
export function ideaOf(text: string): string[] {
  const [lines = ''] = /^(?:\s*\/\/[^\n]*\n)+/.exec(text) ?? /^\s*\/\*[\s\S]*?\*\//.exec(text) ?? [];
  const uncommented = lines.split('\n').map((line) => line.replace(/^\s*(?:\/\/|\/\*\*?|\*\/|\*)\s?/, '').trimEnd());
  const paragraphs = uncommented.join('\n').split(/\n\s*\n/);
  return paragraphs
    .map((paragraph) => paragraph.replaceAll('\n', ' ').replace(/\*\/$/, '').trim())
    .filter((paragraph) => paragraph !== '');
}
