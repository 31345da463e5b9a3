// Config of the simulated venue, shared by backtest and paper. Must never default to the queue model with more fills or
// earlier fills.
import { relative, resolve } from 'node:path';
import { z } from 'zod';
import { type ClearingMethod, type FeeRounding, roundingsFor } from '../domain/fee-schedule.ts';
import { EPOCH } from '../domain/units.ts';
import { durationField, momentField, moneyField } from './fields.ts';
import { readYaml } from './yaml.ts';

/** Requests whose delays may differ. A delay on the feed belongs to none of them. */
export const REQUEST_WAYS = ['order', 'cancel', 'amend', 'decrease', 'read'] as const;
export type RequestWay = (typeof REQUEST_WAYS)[number];

const isAscending = (numbers: readonly number[]): boolean =>
  numbers.every((each, index) => each >= (numbers[index - 1] ?? 0));

/** Percentages with their delays, as ascending pairs. */
const quantilesField = z
  .record(z.string(), durationField)
  .transform((table) =>
    Object.entries(table)
      .map(([percent, delay]) => [percent.trim() === '' ? Number.NaN : Number(percent), delay] as const)
      .sort(([a], [b]) => a - b),
  )
  .refine(
    (pairs) =>
      pairs[0]?.[0] === 0 &&
      pairs.at(-1)?.[0] === 100 &&
      pairs.every(([percent]) => Number.isFinite(percent)) &&
      isAscending(pairs.map(([, delay]) => delay)),
    'delays that never fall, by percentages from 0 to 100, such as { 0: 20ms, 50: 25ms, 99: 90ms, 100: 200ms }',
  );

const delayRowSchema = z.strictObject({
  /** Kind of request. Without it, the row is for all kinds that have no row of their own. */
  way: z.enum(REQUEST_WAYS).optional(),
  /** Hour of the day, UTC. Without it, the row is for all hours that have no row of their own. */
  hour: z.int().min(0).max(23).optional(),
  quantiles: quantilesField,
});
export type DelayRow = z.output<typeof delayRowSchema>;

const hasOneRowForEach = (rows: readonly DelayRow[]): boolean =>
  new Set(rows.map(({ way, hour }) => `${way ?? ''} ${hour ?? ''}`)).size === rows.length;

/** Latency in one direction. */
const delaySchema = z.discriminatedUnion('model', [
  /** The same latency for every message. */
  z.strictObject({ model: z.literal('constant'), delay: durationField }),
  /** Median and 99th percentile of a log-normal distribution: long tails, never negative. */
  z
    .strictObject({ model: z.literal('log-normal'), median: durationField, p99: durationField })
    .refine(({ median, p99 }) => median > 0 && p99 >= median, 'a p99 of at least the median, and both more than zero'),
  /** Drawn from the latencies in a live session's journal. */
  z.strictObject({ model: z.literal('journal'), folder: z.string().min(1) }),
  /**
   * Drawn from tables of quantiles, with straight lines between them. The row for the way and the hour counts, else the
   * row for the way, else the row for the hour, else the row for all. `presage calibrate` writes such tables.
   */
  z.strictObject({
    model: z.literal('quantiles'),
    rows: z
      .array(delayRowSchema)
      .refine(
        (rows) => rows.some(({ way, hour }) => way === undefined && hour === undefined) && hasOneRowForEach(rows),
        'one row without way and hour, for all other messages, and no two rows for the same way and hour',
      ),
  }),
]);
export type DelayConfig = z.output<typeof delaySchema>;

const stepField = moneyField.refine((step) => step > 0, 'a step of more than zero');

/** Steps from a time on. A fee is rounded up to its step, and a balance down. */
const roundingSchema = z.strictObject({
  /** Time from which the steps apply. Default: the beginning. */
  since: momentField.default(EPOCH),
  feeStep: stepField,
  balanceStep: stepField,
});

const isInOrder = (roundings: readonly FeeRounding[]): boolean =>
  roundings.every(({ since }, place) => since > (roundings[place - 1]?.since ?? -1));

export const simulationSchema = z.strictObject({
  latency: z
    .strictObject({
      /** Latency of feed messages from the venue to us. `recorded`: the delay of the recorder. */
      feed: z.union([z.literal('recorded'), delaySchema]).default('recorded'),
      /** Latency of requests from us to the venue. */
      order: delaySchema.prefault({ model: 'constant', delay: '150ms' }),
      /** Latency of answers from the venue to us. */
      answer: delaySchema.prefault({ model: 'constant', delay: '100ms' }),
    })
    .prefault({}),
  queue: z
    .discriminatedUnion('model', [
      /** Only prints improve our queue position. */
      z.strictObject({ model: z.literal('pessimistic') }),
      /**
       * Cancels also improve our queue position. Of a canceled quantity, the share ahead of us is (ahead / level)
       * raised to `power`.
       */
      z.strictObject({ model: z.literal('power'), power: z.number().gt(0).max(10).default(3) }),
      /** Like `power`, with a logarithm in place of the power. */
      z.strictObject({ model: z.literal('log') }),
    ])
    .prefault({ model: 'pessimistic' }),
  matching: z
    .strictObject({
      /** Fills an order when the recorded book comes to cross it, even without a print. */
      fillWhenCrossed: z.boolean().default(true),
      selfTrade: z.enum(['cancel-resting', 'cancel-incoming']).default('cancel-incoming'),
      /** Longest time between a print and the decrease of its level, by the venue's clock. Default: 1s. */
      printWindow: durationField.optional(),
    })
    .prefault({}),
  fees: z
    .strictObject({
      /** Fee type of a series whose fees are not on the tape. */
      fallback: z
        .enum(['quadratic', 'quadratic_with_maker_fees', 'quadratic_with_combo_maker_fees', 'free'])
        .default('quadratic_with_maker_fees'),
      multiplierPercent: z.int().min(0).max(1000).default(100),
      /** How the account clears. With `indirect`, its balance is rounded to whole cents. */
      clearing: z.enum(['direct', 'indirect']).optional(),
      /** Rounding of fees, the oldest first, in place of the profile's. */
      rounding: z.array(roundingSchema).min(1).refine(isInOrder, 'ascending times').optional(),
    })
    .prefault({}),
});
export type SimulationConfig = z.output<typeof simulationSchema>;

/**
 * Reads a file of models: bare, or as the `simulation:` block that `presage calibrate` writes.
 * @throws {ConfigError} when the file cannot be used.
 */
export function readSimulation(file: string): SimulationConfig {
  const content = readYaml(file, z.unknown());
  const isBlock = typeof content === 'object' && content !== null && 'simulation' in content;
  return isBlock
    ? readYaml(file, z.strictObject({ simulation: simulationSchema })).simulation
    : readYaml(file, simulationSchema);
}

/**
 * Returns the fee rounding of a simulated account.
 * @param direct Rounding of accounts that clear directly, from the profile.
 * @param clearing Clearing of the account, unless the fees' config sets it.
 */
export const simulatedRounding = (
  fees: SimulationConfig['fees'],
  direct: readonly FeeRounding[],
  clearing: ClearingMethod = 'direct',
): readonly FeeRounding[] => roundingsFor(fees.rounding ?? direct, fees.clearing ?? clearing);

/** Makes the folders of journals absolute, from the folder of the config. */
export const withJournalFolders = (simulation: SimulationConfig, folder: string): SimulationConfig =>
  mapJournalFolders(simulation, (each) => resolve(folder, each));

/**
 * Returns the models as a manifest holds them: with folders of journals relative to the tape's folder, so that both may
 * move together.
 */
export const manifestSimulation = (simulation: SimulationConfig, tape: string): Readonly<Record<string, unknown>> => ({
  ...mapJournalFolders(simulation, (each) => relative(tape, each)),
});

/** Returns the models that a manifest holds. */
export const simulationOfManifest = (simulation: Readonly<Record<string, unknown>>, tape: string): SimulationConfig =>
  // tidy: as (this program wrote the models, and the checksum of the line says that they are unchanged)
  withJournalFolders(simulation as unknown as SimulationConfig, tape);

function mapJournalFolders(simulation: SimulationConfig, move: (folder: string) => string): SimulationConfig {
  const moved = (delay: DelayConfig): DelayConfig =>
    delay.model === 'journal' ? { ...delay, folder: move(delay.folder) } : delay;
  const { feed, order, answer } = simulation.latency;
  return {
    ...simulation,
    latency: { feed: feed === 'recorded' ? feed : moved(feed), order: moved(order), answer: moved(answer) },
  };
}
