// Config fields for risk limits, made from the table of limits. Must never give a default to a limit that risks money:
// a missing optional limit does not apply.
import { z } from 'zod';
import type { Micros } from '../domain/units.ts';
import {
  type LimitInfo,
  type LimitUnit,
  RISK_LIMITS,
  type RiskLimits,
  type StrategyLimits,
} from '../risk/risk-limits.ts';
import { durationField, intervalField, moneyField, priceField, qtyField, scalarField } from './fields.ts';

const COUNT_MAX = 100_000;

const countField = scalarField(`a whole number from 1 to ${COUNT_MAX}`, (text): number | null => {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= COUNT_MAX ? value : null;
});

const inMillis = (duration: Micros): number => Math.ceil(duration / 1000);

const FIELDS: Readonly<Record<LimitUnit, z.ZodType<number>>> = {
  contracts: qtyField,
  dollars: moneyField,
  price: priceField,
  distance: priceField,
  milliseconds: durationField.transform(inMillis),
  count: countField,
};

/** A book is never younger than its last message, so an age of almost nothing refuses every order. */
const BOOK_AGE_FIELD = intervalField.transform(inMillis);

const fieldOf = ({ name, unit }: LimitInfo): z.ZodType<number> =>
  name === 'bookAgeMsMax' ? BOOK_AGE_FIELD : FIELDS[unit];

const shapeOf = (limits: readonly LimitInfo[], isStrategy: boolean) =>
  Object.fromEntries(
    limits.map((info): [string, z.ZodType<number | undefined>] => {
      const field = fieldOf(info);
      return [info.configName, info.isRequired && !isStrategy ? field : field.optional()];
    }),
  );

/** The limits of an account. */
export const limitsSchema = z.strictObject(shapeOf(RISK_LIMITS, false)).transform((written): RiskLimits => {
  const limits = Object.fromEntries(RISK_LIMITS.map(({ name, configName }) => [name, written[configName] ?? null]));
  // tidy: as (the schema has checked that every required member is there, in its unit)
  return limits as unknown as RiskLimits;
});

/** A strategy's own limits. */
export const strategyLimitsSchema = z
  .strictObject(
    shapeOf(
      RISK_LIMITS.filter(({ isOfStrategies }) => isOfStrategies),
      true,
    ),
  )
  .transform((written): StrategyLimits => {
    const own = RISK_LIMITS.flatMap(({ name, configName }) => {
      const value = written[configName];
      return value === undefined ? [] : [[name, value] as const];
    });
    return Object.fromEntries(own);
  });

/**
 * Parses one limit's value from text such as `20`, `0.15` or `250ms`. Returns the expected form when the text is
 * invalid.
 */
export function parseLimit(info: LimitInfo, text: string): { readonly value: number } | { readonly expected: string } {
  const parsed = fieldOf(info).safeParse(text);
  return parsed.success ? { value: parsed.data } : { expected: parsed.error.issues[0]?.message ?? info.meaning };
}

/** Example of a config's `limits`, with every required limit. Shown for a config without limits. */
export function limitsExample(): string {
  const lines = RISK_LIMITS.filter(({ isRequired }) => isRequired).map(
    ({ configName, example, meaning }) => `  ${`${configName}: ${example}`.padEnd(24)} # ${meaning}`,
  );
  return ['limits:', ...lines].join('\n');
}
