// A backtest's config: a tape, an account, the simulated venue, and the same strategies, limits and budgets as live.
// Must never give a default to a limit that risks money.
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import {
  budgetsSchema,
  checkLimits,
  checkNames,
  clockSchema,
  strategySchema,
  universeSchema,
  upkeepSchema,
} from './bot-config.ts';
import { ordersSchema } from './orders-config.ts';
import { moneyField, momentField } from './fields.ts';
import { limitsExample, limitsSchema } from './limit-fields.ts';
import { type DelayConfig, simulationSchema } from './simulation-config.ts';
import { readYaml } from './yaml.ts';

/** Maximum seed. All randomness of a run comes from its seed. */
export const SEED_MAX = 0xffff_ffff;

/** The whole file. */
export const backtestConfigSchema = z
  .strictObject({
    /** Folder of a recording or journal, or a baked tape's file. Relative to the config. */
    tape: z.string().min(1),
    /** Rows before this time only build the books: nothing is traded. */
    from: momentField.optional(),
    /** Rows from this time on are not read. */
    to: momentField.optional(),
    seed: z.int().min(0).max(SEED_MAX).default(1),
    cash: moneyField,
    /** The wire profile that sets the simulated venue's rate limits and order types. */
    profile: z.string().min(1).default('service'),
    markets: universeSchema,
    strategies: z.array(strategySchema).min(1),
    limits: limitsSchema.optional(),
    budgets: budgetsSchema.prefault({}),
    orders: ordersSchema.prefault({}),
    upkeep: upkeepSchema.prefault({}),
    clock: clockSchema.prefault({}),
    simulation: simulationSchema.prefault({}),
    report: z
      .strictObject({
        /** Path of the report, one HTML file. Relative to the config. */
        html: z.string().min(1).optional(),
      })
      .prefault({}),
  })
  .superRefine((config, context) => {
    checkNames(config.strategies, context);
    checkLimits(config, context);
    if (config.limits === undefined) {
      const message = `limits, as a live config must have them:\n${limitsExample()}\n(the figures are examples)`;
      context.addIssue({ code: 'custom', path: ['limits'], message });
    }
    if (config.from !== undefined && config.to !== undefined && config.from >= config.to)
      context.addIssue({ code: 'custom', path: ['to'], message: 'a time after from' });
  });

export type BacktestConfig = z.output<typeof backtestConfigSchema>;

/**
 * Reads a backtest's config. Paths become absolute.
 * @throws {ConfigError} when the file cannot be used.
 */
export function readBacktestConfig(file: string): BacktestConfig {
  const config = readYaml(file, backtestConfigSchema);
  const folder = dirname(resolve(file));
  const { html } = config.report;
  const { latency } = config.simulation;
  const at = <Delay extends DelayConfig | 'recorded'>(delay: Delay): Delay =>
    typeof delay === 'object' && delay.model === 'journal'
      ? { ...delay, folder: resolve(folder, delay.folder) }
      : delay;
  return {
    ...config,
    tape: resolve(folder, config.tape),
    strategies: config.strategies.map((strategy) => ({ ...strategy, file: resolve(folder, strategy.file) })),
    simulation: {
      ...config.simulation,
      latency: { feed: at(latency.feed), order: at(latency.order), answer: at(latency.answer) },
    },
    report: html === undefined ? {} : { html: resolve(folder, html) },
  };
}
