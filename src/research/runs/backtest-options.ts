// The options of a backtest that a program runs. Must never let an unknown option pass in silence: the run would not be
// the one that was asked for.
import { z } from 'zod';
import type { BacktestProgress } from '../../../backtest/backtest-run.ts';
import type { OpenBacktestOptions } from '../../app/backtest/backtest-runs.ts';
import { UsageError } from '../../app/usage-error.ts';
import { didYouMean } from '../../base/near-name.ts';
import { SEED_MAX } from '../../config/backtest-config.ts';
import { expectationOf } from '../../config/expectations.ts';
import { momentField, moneyField } from '../../config/fields.ts';

/** Options of a backtest. Each member besides `config` replaces a value of the config. */
export interface BacktestCallOptions {
  /** The config's file. */
  readonly config: string;
  /**
   * A recording's or journal's folder, or a baked file.
   * @default the config's
   */
  readonly tape?: string;
  /**
   * Trade from this moment on, such as `2026-11-21T07:45:00Z`; earlier rows only build the books.
   * @default the config's
   */
  readonly from?: string;
  /**
   * Stop at this moment.
   * @default the config's
   */
  readonly to?: string;
  /**
   * Seed of everything random in the run: a whole number of 32 bits.
   * @default the config's
   */
  readonly seed?: number;
  /**
   * Opening cash of the account, in dollars: `1000` or `'0.25'`.
   * @default the config's
   */
  readonly cash?: number | string;
  /**
   * Only these markets or event groups.
   * @default the config's
   */
  readonly markets?: readonly string[];
  /**
   * A strategy's file, or an installed package, in place of the config's strategies.
   * @default the config's
   */
  readonly strategy?: string;
  /**
   * Parameters of the only strategy.
   * @default the config's
   */
  readonly params?: Readonly<Record<string, unknown>>;
  /**
   * File of the HTML report.
   * @default the config's
   */
  readonly html?: string;
  /**
   * Folder for the run's tables, as Parquet and CSV.
   * @default none: no tables are written
   */
  readonly exportTo?: string;
  /**
   * Stops the run: the results until then are returned, as partial.
   * @default none
   */
  readonly signal?: AbortSignal;
  /**
   * Called about twenty times a second.
   * @default none
   */
  readonly onProgress?: (progress: BacktestProgress) => void;
}

const checked = <Value>(isOne: (value: unknown) => boolean, error: string) => z.custom<Value>(isOne, { error });
const isSeed = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= SEED_MAX;

const optionsSchema = z.strictObject({
  config: z.string(),
  tape: z.string().exactOptional(),
  from: momentField.exactOptional(),
  to: momentField.exactOptional(),
  seed: checked<number>(isSeed, `a whole number from 0 to ${SEED_MAX}`).exactOptional(),
  cash: moneyField.exactOptional(),
  markets: z.array(z.string()).exactOptional(),
  strategy: z.string().exactOptional(),
  params: z.record(z.string(), z.unknown()).exactOptional(),
  html: z.string().exactOptional(),
  exportTo: z.string().exactOptional(),
  signal: z.instanceof(AbortSignal).exactOptional(),
  onProgress: checked<BacktestCallback>((value) => typeof value === 'function', 'a function').exactOptional(),
} satisfies Readonly<Record<keyof BacktestCallOptions, z.ZodType>>);

type BacktestCallback = (progress: BacktestProgress) => void;

/** The options of a call, checked: what to open, and what belongs to the run. */
export interface CheckedOptions {
  readonly opening: OpenBacktestOptions;
  readonly hooks: Pick<BacktestCallOptions, 'signal' | 'onProgress' | 'exportTo'>;
}

/**
 * Checks the options of a call. An option that is `undefined` counts as absent.
 * @throws {UsageError} that names each option that is unknown, or whose value does not fit.
 */
export function checkedOptions(options: BacktestCallOptions): CheckedOptions {
  const given = Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined));
  const parsed = optionsSchema.safeParse(given);
  if (!parsed.success)
    throw new UsageError(parsed.error.issues.flatMap((issue) => faultTexts(issue, given)).join('\n'));
  const { config, markets, signal, onProgress, exportTo, ...overrides } = parsed.data;
  return {
    opening: { file: config, overrides, ...(markets !== undefined && { markets }) },
    hooks: {
      ...(signal && { signal }),
      ...(onProgress && { onProgress }),
      ...(exportTo !== undefined && { exportTo }),
    },
  };
}

function faultTexts(issue: z.core.$ZodIssue, given: Readonly<Record<string, unknown>>): string[] {
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(optionsSchema.shape);
    return issue.keys.map((key) => `${key}: expected one of the options ${known.join(', ')}${didYouMean(key, known)}`);
  }
  const [option = '', ...within] = issue.path.map(String);
  const found = within.reduce<unknown>(memberOf, given[option]);
  return [`${[option, ...within].join('.')}: expected ${expectationOf(issue)}, found ${foundText(found)}`];
}

const memberOf = (value: unknown, member: string): unknown => Object(value)[member];

const foundText = (value: unknown): string =>
  typeof value === 'number'
    ? String(value)
    : (JSON.stringify(value) ?? (value === undefined ? 'nothing' : typeof value));
