// Overrides of a backtest's config, such as the options of the command line. Must never loosen a limit of the account.
import { basename, extname, resolve } from 'node:path';
import type { BacktestConfig } from '../../config/backtest-config.ts';
import { SLOW_MAX } from '../../config/bot-config.ts';
import { intervalField } from '../../config/fields.ts';
import type { Micros, Money } from '../../domain/units.ts';
import { paramsFromConfig } from '../../runtime/plugins/config-params.ts';
import type { ParamsSource } from '../../runtime/plugins/strategy-binding.ts';
import { resolveTypedLocation } from '../../runtime/plugins/plugin-location.ts';
import { isoMicros } from '../../tape/format/iso-time.ts';
import { OptionFault } from '../usage-error.ts';

/** Values that replace the config's. An absent value leaves the config as it is. */
export interface BacktestOverrides {
  readonly tape?: string;
  readonly from?: Micros;
  readonly to?: Micros;
  readonly seed?: number;
  readonly cash?: Money;
  /** File or installed package of the strategy that replaces all others. */
  readonly strategy?: string;
  /** Parameters of the only strategy. They are merged into the config's. */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly html?: string;
}

/**
 * Returns the config with the overrides applied.
 * @throws {OptionFault} when the overrides contradict each other or the config.
 */
export function applyOverrides(config: BacktestConfig, overrides: BacktestOverrides): BacktestConfig {
  const { from = config.from, to = config.to } = overrides;
  if (from !== undefined && to !== undefined && from >= to)
    throw new OptionFault(
      (nameOf) =>
        `${nameOf('to')}: expected a moment after the start of the run, ${isoMicros(from)}, found ${isoMicros(to)}`,
    );
  return {
    ...config,
    ...(overrides.tape !== undefined && { tape: resolve(overrides.tape) }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(overrides.seed !== undefined && { seed: overrides.seed }),
    ...(overrides.cash !== undefined && { cash: overrides.cash }),
    ...(overrides.html !== undefined && { report: { html: resolve(overrides.html) } }),
    strategies: strategiesOf(config, overrides),
  };
}

function strategiesOf(
  config: BacktestConfig,
  { strategy, params = {} }: BacktestOverrides,
): BacktestConfig['strategies'] {
  if (strategy !== undefined) {
    const file = resolveTypedLocation(strategy);
    return [{ name: basename(file, extname(file)), file, params, slowMax: intervalField.parse(SLOW_MAX) }];
  }
  const [only, ...others] = config.strategies;
  if (Object.keys(params).length === 0 || only === undefined) return config.strategies;
  if (others.length > 0)
    throw new OptionFault(
      (nameOf) =>
        `${nameOf('params')}: expected one strategy, found ${config.strategies.length}; say which by ${nameOf('strategy')}`,
    );
  return [{ ...only, params: { ...only.params, ...params } }];
}

/**
 * Returns the source of parameters for each strategy, by its index. For an overriding strategy, paths are relative to
 * the working folder. Messages do not name lines of the config once a parameter is overridden.
 */
export function paramsSources(
  configFile: string,
  { strategy, params = {} }: BacktestOverrides,
): (index: number) => ParamsSource {
  if (strategy !== undefined) return paramsFromWorkingFolder;
  const fromFile = paramsFromConfig(configFile);
  return Object.keys(params).length === 0 ? fromFile : (index) => ({ ...fromFile(index), lines: null });
}

export const paramsFromWorkingFolder = (): ParamsSource => ({ folder: resolve('.'), lines: null });
