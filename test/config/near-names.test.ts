// Messages about an unknown name or value: they suggest the one that was meant, at every level.
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { backtestConfigSchema } from '../../src/config/backtest-config.ts';
import { botConfigSchema } from '../../src/config/bot-config.ts';
import { exchangeConfigSchema } from '../../src/config/exchange-config.ts';
import { simulationSchema } from '../../src/config/simulation-config.ts';
import { memberNamesAt } from '../../src/config/known-names.ts';
import { parseYaml } from '../../src/config/yaml.ts';

/** The first line of a config's message, without its file. */
function firstMessage(text: string, schema: z.ZodType): string[] {
  try {
    parseYaml(text, { file: 'f', schema });
    return [];
  } catch (fault) {
    return (fault as Error).message.split('\n');
  }
}

describe('an unknown field', () => {
  it.each([
    ['lateny: {}', simulationSchema, 'f:1:1: expected only known fields, found "lateny" (did you mean latency?)'],
    [
      'latency: { feeed: recorded }',
      simulationSchema,
      'f:1:12: latency: expected only known fields, found "feeed" (did you mean feed?)',
    ],
    [
      'latency: { order: { model: constant, delay: 1s, dealy: 1s } }',
      simulationSchema,
      'f:1:49: latency.order: expected only known fields, found "dealy" (did you mean delay?)',
    ],
    [
      'latency: { feed: { model: constant, delay: 1s, p99: 1s } }',
      simulationSchema,
      'f:1:48: latency.feed: expected only known fields, found "p99" (known: model, delay)',
    ],
    ['markts: {}', backtestConfigSchema, 'f:1:1: expected only known fields, found "markts" (did you mean markets?)'],
    [
      'strategies: [{ name: a, file: b, slowmax: 1s }]',
      botConfigSchema,
      'f:1:34: strategies[0]: expected only known fields, found "slowmax" (did you mean slowMax?)',
    ],
    [
      'series: [{ ticker: A, titel: B }]',
      exchangeConfigSchema,
      'f:1:23: series[0]: expected only known fields, found "titel" (did you mean title?)',
    ],
  ] as const)('an unknown field: %s', (text, schema, message) => {
    expect(firstMessage(text, schema)).toContain(message);
  });
});

describe('an unknown value of a fixed set', () => {
  it.each([
    [
      'latency: { feed: recorderd }',
      'f:1:12: latency.feed: expected recorded, or a mapping of fields, found "recorderd" (did you mean recorded?)',
    ],
    [
      'latency: { feed: { model: constnat, delay: 1s } }',
      'f:1:20: latency.feed.model: expected one of constant, log-normal, journal, quantiles, found "constnat" (did you mean constant?)',
    ],
    [
      'queue: { model: powr }',
      'f:1:10: queue.model: expected one of pessimistic, power, log, found "powr" (did you mean power?)',
    ],
    ['queue: { mode: power }', 'f:1:1: queue.model: expected one of pessimistic, power, log, found nothing'],
    [
      'matching: { selfTrade: cancel-rest }',
      'f:1:13: matching.selfTrade: expected one of cancel-resting, cancel-incoming, found "cancel-rest" (did you mean cancel-resting?)',
    ],
  ])('an unknown value: %s', (text, message) => {
    expect(firstMessage(text, simulationSchema)).toContain(message);
  });
});

describe('the names at a path', () => {
  it('the names at a path are those of the union member that fits, and of all members where there is no value yet', () => {
    const order = (value: unknown) => memberNamesAt(simulationSchema, { path: ['latency', 'order'], value });
    expect(order({ latency: { order: { model: 'journal' } } })).toEqual(['model', 'folder']);
    expect(order({})).toEqual(['model', 'delay', 'median', 'p99', 'folder', 'rows']);
  });

  it('the names at a path are empty where any name is allowed, or there is no mapping', () => {
    const params = { path: ['strategies', 0, 'params'], value: {} };
    expect(memberNamesAt(botConfigSchema, params)).toEqual([]);
    expect(memberNamesAt(simulationSchema, { path: ['queue', 'model', 'x'], value: {} })).toEqual([]);
    expect(memberNamesAt(simulationSchema, { path: ['nothing', 'here'], value: {} })).toEqual([]);
  });
});
