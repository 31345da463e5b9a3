// The command line of `presage backtest` laid over its config: what is given here holds in place of what stands there.
// Must never loosen a limit: limits come from the config alone.
import { basename, extname, resolve } from 'node:path';
import type { BacktestConfig } from '../../config/backtest-config.ts';
import { SLOW_MAX } from '../../config/bot-config.ts';
import { intervalField } from '../../config/fields.ts';
import type { Micros, Money } from '../../domain/units.ts';
import { resolveTypedLocation } from '../../runtime/plugins/plugin-location.ts';
import { UsageError } from '../../cli/output/exit-code.ts';

/** Options of the command line. */
export interface BacktestFlags {
  readonly config: string;
  readonly tape?: string;
  readonly from?: Micros;
  readonly to?: Micros;
  readonly seed?: number;
  readonly cash?: Money;
  readonly markets?: readonly string[];
  readonly strategy?: string;
  readonly param?: readonly string[];
  readonly html?: string;
  readonly json?: true;
  readonly explain?: string;
  readonly check?: 'outcome-flip';
}

/**
 * The config with what the command line says in its place.
 * @throws {UsageError} when they do not fit together.
 */
export function withFlags(config: BacktestConfig, flags: BacktestFlags): BacktestConfig {
  const { from = config.from, to = config.to } = flags;
  if (from !== undefined && to !== undefined && from >= to)
    throw new UsageError('--to: expected a moment after where the run begins');
  return {
    ...config,
    ...(flags.tape !== undefined && { tape: resolve(flags.tape) }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(flags.seed !== undefined && { seed: flags.seed }),
    ...(flags.cash !== undefined && { cash: flags.cash }),
    ...(flags.html !== undefined && { report: { html: resolve(flags.html) } }),
    strategies: strategiesOf(config, flags),
  };
}

function strategiesOf(config: BacktestConfig, { strategy, param = [] }: BacktestFlags): BacktestConfig['strategies'] {
  const params = Object.fromEntries(param.map(paramOf));
  if (strategy !== undefined) {
    const file = resolveTypedLocation(strategy);
    return [{ name: basename(file, extname(file)), file, params, slowMax: intervalField.parse(SLOW_MAX) }];
  }
  const [only, ...others] = config.strategies;
  if (param.length === 0 || only === undefined) return config.strategies;
  if (others.length > 0)
    throw new UsageError(`--param: expected one strategy, found ${config.strategies.length}; say which by --strategy`);
  return [{ ...only, params: { ...only.params, ...params } }];
}

/**
 * `name=value`, the value as JSON where it is any, else as it stands.
 * @throws {UsageError} when it has no name.
 */
export function paramOf(text: string): readonly [string, unknown] {
  const at = text.indexOf('=');
  if (at <= 0) throw new UsageError(`--param: expected name=value, found ${JSON.stringify(text)}`);
  const value = text.slice(at + 1);
  try {
    return [text.slice(0, at), JSON.parse(value)];
  } catch {
    return [text.slice(0, at), value];
  }
}
