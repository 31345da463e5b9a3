// How the simulated venue behaves: each model by its name. Shared by backtest and paper. Defaults are pessimistic.
// Must never give a model that fills more, or sooner, unless it is asked for by name.
import { resolve } from 'node:path';
import { z } from 'zod';
import { type Clearing, type FeeRounding, roundingsOf } from '../domain/fees.ts';
import { EPOCH } from '../domain/units.ts';
import { durationField, momentField, moneyField } from './fields.ts';

/** One way of a message. */
const delaySchema = z.discriminatedUnion('model', [
  /** Always the same. */
  z.strictObject({ model: z.literal('constant'), delay: durationField }),
  /** Median and 99th percentile of a log-normal: long tails, never below nothing. */
  z
    .strictObject({ model: z.literal('log-normal'), median: durationField, p99: durationField })
    .refine(({ median, p99 }) => median > 0 && p99 >= median, 'a p99 of at least the median, and both more than none'),
  /** Drawn from what a live session's journal shows of the same way. */
  z.strictObject({ model: z.literal('journal'), folder: z.string().min(1) }),
]);
export type DelayConfig = z.output<typeof delaySchema>;

const stepField = moneyField.refine((step) => step > 0, 'a step of more than nothing');

/** To what a fee is rounded up, and a balance down, from a time on. */
const roundingSchema = z.strictObject({
  /** From the beginning where it is left out. */
  since: momentField.default(EPOCH),
  feeStep: stepField,
  balanceStep: stepField,
});

const isInOrder = (roundings: readonly FeeRounding[]): boolean =>
  roundings.every(({ since }, place) => since > (roundings[place - 1]?.since ?? -1));

export const simulationSchema = z.strictObject({
  latency: z
    .strictObject({
      /** From the venue to us, what is streamed. `recorded`: as late as the recorder learned of it. */
      feed: z.union([z.literal('recorded'), delaySchema]).default('recorded'),
      /** From us to the venue. */
      order: delaySchema.prefault({ model: 'constant', delay: '150ms' }),
      /** From the venue to us, what answers. */
      answer: delaySchema.prefault({ model: 'constant', delay: '100ms' }),
    })
    .prefault({}),
  queue: z
    .discriminatedUnion('model', [
      /** Only prints move us up. */
      z.strictObject({ model: z.literal('pessimistic') }),
      /** Withdrawals are drawn from the queue by its shape: the share before us is (ahead / level) to the power. */
      z.strictObject({ model: z.literal('power'), power: z.number().gt(0).max(10).default(3) }),
      /** The same with a logarithm. */
      z.strictObject({ model: z.literal('log') }),
    ])
    .prefault({ model: 'pessimistic' }),
  matching: z
    .strictObject({
      /** Whether an order fills when the recorded book comes to cross it, although no print says so. */
      fillWhenCrossed: z.boolean().default(true),
      selfTrade: z.enum(['cancel-resting', 'cancel-incoming']).default('cancel-incoming'),
    })
    .prefault({}),
  fees: z
    .strictObject({
      /** Where the tape does not say how a series is charged. */
      fallback: z
        .enum(['quadratic', 'quadratic_with_maker_fees', 'quadratic_with_combo_maker_fees', 'free'])
        .default('quadratic_with_maker_fees'),
      multiplierPercent: z.int().min(0).max(1000).default(100),
      /** How the account clears: the balance of one that clears indirectly is rounded to whole cents. */
      clearing: z.enum(['direct', 'indirect']).optional(),
      /** To what fees are rounded, in the order of time, in place of what the profile says. */
      rounding: z.array(roundingSchema).min(1).refine(isInOrder, 'times that ascend').optional(),
    })
    .prefault({}),
});
export type SimulationConfig = z.output<typeof simulationSchema>;

/**
 * To what the fees of a simulated account are rounded.
 * @param direct what the profile says of accounts that clear directly.
 * @param clearing how the account clears where the fees' config does not say.
 */
export const simulatedRounding = (
  fees: SimulationConfig['fees'],
  direct: readonly FeeRounding[],
  clearing: Clearing = 'direct',
): readonly FeeRounding[] => roundingsOf(fees.rounding ?? direct, fees.clearing ?? clearing);

/** The same with the folders of journals made absolute, from the folder of the config that named them. */
export function withFolders(simulation: SimulationConfig, folder: string): SimulationConfig {
  const absolute = (delay: DelayConfig): DelayConfig =>
    delay.model === 'journal' ? { ...delay, folder: resolve(folder, delay.folder) } : delay;
  const { feed, order, answer } = simulation.latency;
  return {
    ...simulation,
    latency: { feed: feed === 'recorded' ? feed : absolute(feed), order: absolute(order), answer: absolute(answer) },
  };
}
