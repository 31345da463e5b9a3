// Reads YAML on the pages as the program would: a part of a config is merged into a shipped config.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { z } from 'zod';
import { backtestConfigSchema } from '../../src/config/backtest-config.ts';
import { botConfigSchema } from '../../src/config/bot-config.ts';
import { consoleConfigSchema } from '../../src/config/console-config.ts';
import { definitionsSchema } from '../../src/config/definitions-config.ts';
import { exchangeConfigSchema } from '../../src/config/exchange-config.ts';
import { faultsSchema } from '../../src/config/fault-config.ts';
import { studyFileSchema } from '../../src/research/study/study-file.ts';
import { ROOT } from './pages.ts';

/**
 * A kind of config: the word after `yaml` in the fence, its schema, and the shipped config into which a part is merged.
 */
export interface ConfigKind {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly over?: string;
}

/** Every kind. A block that names no kind is a part of a bot's or of a backtest's config. */
export const CONFIG_KINDS: readonly ConfigKind[] = [
  { name: 'bot', schema: botConfigSchema, over: 'config/demo.yaml' },
  { name: 'backtest', schema: backtestConfigSchema, over: 'config/backtest.yaml' },
  { name: 'exchange', schema: exchangeConfigSchema, over: 'config/exchange.yaml' },
  { name: 'faults', schema: faultsSchema },
  { name: 'definitions', schema: definitionsSchema },
  { name: 'study', schema: studyFileSchema },
  { name: 'console', schema: consoleConfigSchema },
];

/** Returns the faults of a block; an empty list when it fits one of its possible kinds. */
export function yamlFaults(text: string, info: string): string[] {
  const kinds = CONFIG_KINDS.filter(({ name }) => (info === '' ? ['bot', 'backtest'] : [info]).includes(name));
  if (kinds.length === 0) return [`no kind of config is called ${info}`];
  const part: unknown = parse(text);
  if (!isRecord(part)) return ['expected members'];
  const faults = kinds.map((kind) => faultsAs(kind, part));
  return faults.some((each) => each.length === 0) ? [] : faults.flat();
}

function faultsAs({ name, schema, over }: ConfigKind, part: Readonly<Record<string, unknown>>): string[] {
  const base: unknown = over === undefined ? {} : parse(readFileSync(join(ROOT, over), 'utf8'));
  const parsed = schema.safeParse(isRecord(base) ? laidOver(base, part) : part);
  if (parsed.success) return [];
  return parsed.error.issues.map(
    ({ path, message }) => `as ${name}: ${path.join('.') || 'the whole config'}: ${message}`,
  );
}

/** Merges a part into a config. Its members replace the config's members; limits are merged one by one. */
function laidOver(base: Readonly<Record<string, unknown>>, part: Readonly<Record<string, unknown>>): unknown {
  const { limits } = base;
  const own = part['limits'];
  return { ...base, ...part, ...(isRecord(limits) && isRecord(own) && { limits: { ...limits, ...own } }) };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
