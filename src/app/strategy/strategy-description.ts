// What there is to tell of one strategy: loads it, and asks it for its markets and handlers, but runs it for nothing else.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { bindStrategies } from '../../runtime/plugins/strategy-binding.ts';
import { handlerNames } from '../../strategy/handler-names.ts';
import { type LoadedPlugin, loadPlugin } from '../../runtime/plugins/strategy-loader.ts';
import { type ParamInfo, paramsOf } from '../../runtime/plugins/strategy-params.ts';
import { resolveTypedLocation } from '../../runtime/plugins/plugin-location.ts';
import type { BoundStrategy, MarketSelector } from '../../strategy/strategy-definition.ts';

/** What there is to tell of a strategy. */
export interface StrategyDescription {
  readonly name: string;
  readonly description: string;
  /** Absolute. */
  readonly file: string;
  readonly sha256: string;
  /** What its file opens with, a paragraph each. */
  readonly idea: readonly string[];
  readonly params: readonly ParamInfo[];
  /** With the parameters given; `null` where others are required first, and what is missing is told. */
  readonly running: { readonly markets: MarketSelector; readonly handlers: readonly string[] } | null;
  /** Whether it keeps state over a restart. */
  readonly isKeeping: boolean;
  /** Packages that it asks for, and parts of the platform. */
  readonly imports: readonly string[];
}

/**
 * Looks at a strategy.
 * @throws {StrategyFileError} when it cannot be loaded, or parameters were given that do not fit.
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

/** With its defaults alone, where they suffice; else with what was given, files read from where one is. */
async function tryBind(
  { strategy, bundle }: LoadedPlugin,
  params: Readonly<Record<string, unknown>>,
): Promise<BoundStrategy | null> {
  if (Object.keys(params).length === 0 && !strategy.params.safeParse(params).success) return null;
  const use = { name: strategy.name, file: bundle.path, params };
  const [ready] = await bindStrategies([use], () => ({ folder: resolve('.'), lines: null }));
  return ready?.bound ?? null;
}

/** The comment that a file opens with, a paragraph each. */
export function ideaOf(text: string): string[] {
  const [lines = ''] = /^(?:\s*\/\/[^\n]*\n)+/.exec(text) ?? /^\s*\/\*[\s\S]*?\*\//.exec(text) ?? [];
  const bare = lines.split('\n').map((line) => line.replace(/^\s*(?:\/\/|\/\*\*?|\*\/|\*)\s?/, '').trimEnd());
  const paragraphs = bare.join('\n').split(/\n\s*\n/);
  return paragraphs.map((each) => each.replaceAll('\n', ' ').replace(/\*\/$/, '').trim()).filter((each) => each !== '');
}
