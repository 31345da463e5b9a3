// The schema of a file that defines markets, for imported data without definitions. Must never default the close or the
// result of a market: they decide money.
import { z } from 'zod';
import { groupSchema, seriesSchema, strikeSchema } from './exchange-config.ts';
import { GRID_NAMES } from './grid-names.ts';
import { durationField, momentField, nameField, scalarField } from './fields.ts';
import { PAYOUT, PRICE_DECIMALS, type Price, fromSeconds, parseScaled } from '../domain/units.ts';
import { readYaml } from './yaml.ts';

const valueField = scalarField('the payout of each YES, from 0 to 1 dollar', (text): Price | null => {
  const value = parseScaled(text, PRICE_DECIMALS);
  return value === null || value < 0 || value > PAYOUT ? null : (value as Price);
});

const marketSchema = z
  .strictObject({
    ticker: nameField,
    eventGroup: nameField,
    title: z.string().min(1).optional(),
    grid: z.enum(GRID_NAMES).default('linear_cent'),
    opensAt: momentField,
    closesAt: momentField,
    canCloseEarly: z.boolean().default(true),
    strike: strikeSchema.optional(),
    /** The market's result, where it is known. */
    result: z.enum(['yes', 'no', 'scalar']).optional(),
    settlementValue: valueField.optional(),
    /** Time when the result was known. Default: `settlesAfter` before `settledAt`, or else the close. */
    determinedAt: momentField.optional(),
    /** Time when the venue paid out. Default: `settlesAfter` after the result. */
    settledAt: momentField.optional(),
    /** The settlement timer: the time from the result to the payment. */
    settlesAfter: durationField.default(fromSeconds(0)),
  })
  .refine(({ opensAt, closesAt }) => opensAt < closesAt, { message: 'a close after the opening', path: ['closesAt'] })
  .refine(({ result, settlementValue }) => (result === 'scalar') === (settlementValue !== undefined), {
    message: 'a settlement value with a scalar result, and with no other',
    path: ['settlementValue'],
  })
  .refine(({ determinedAt = 0, settledAt = Number.POSITIVE_INFINITY }) => determinedAt <= settledAt, {
    message: 'a payment no sooner than the result',
    path: ['settledAt'],
  });

/** The whole file. */
export const definitionsSchema = z.strictObject({
  series: z.array(seriesSchema).default([]),
  eventGroups: z.array(groupSchema).default([]),
  markets: z.array(marketSchema).default([]),
});
export type DefinitionsConfig = z.output<typeof definitionsSchema>;
export type DefinedMarketConfig = DefinitionsConfig['markets'][number];

/**
 * Reads definitions from a YAML file.
 * @throws {ConfigError} when the file cannot be read or does not fit the schema.
 */
export const readDefinitionsConfig = (file: string): DefinitionsConfig => readYaml(file, definitionsSchema);
