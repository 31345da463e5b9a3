// The description of a strategy's parameters, made from their schema.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { paramsOf } from '../../../src/runtime/plugins/strategy-params.ts';
import { defineStrategy } from '../../../src/strategy/define-strategy.ts';

it('a parameter of several kinds names each of them', () => {
  const params = z.strictObject({
    level: z.union([z.string(), z.number()]),
    limit: z.number().nullable(),
    mode: z.union([z.literal('all'), z.int().min(1)]),
  });
  const strategy = defineStrategy({ name: 'kinds', params, setup: () => ({}) });
  expect(paramsOf(strategy).map(({ type }) => type)).toEqual([
    'a text, or a number',
    'a number, or nothing',
    '"all", or a whole number from 1',
  ]);
});

it('a date is named as such, as a config writes it', () => {
  const params = z.strictObject({ from: z.coerce.date(), until: z.date().optional(), days: z.array(z.coerce.date()) });
  const strategy = defineStrategy({ name: 'dates', params, setup: () => ({}) });
  const date = 'a date, such as 2026-11-21T07:45:00Z';
  expect(paramsOf(strategy).map(({ type }) => type)).toEqual([date, date, `a list, each ${date}`]);
});
