// The facts of an exported run, in `run.json` beside its tables. Must never be read as those of another version.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { UsageError, asUsageError } from '../../app/usage-error.ts';
import { writeWhole } from '../../history/export/sync-and-rename.ts';
import type { RunRecord } from '../../report/record/run-record.ts';

const FILE = 'run.json';
/** Increased when the meaning of a member changes. */
const VERSION = 1;

const factsSchema = z.strictObject({
  version: z.literal(VERSION),
  kind: z.enum(['backtest', 'paper', 'live']),
  /** Empty for a session. */
  decisionHash: z.string(),
  isPartial: z.boolean(),
  seed: z.number(),
  from: z.number(),
  to: z.number(),
  strategies: z.array(z.strictObject({ name: z.string(), file: z.string(), params: z.unknown() })),
});

/** Facts of an exported run. Times are in microseconds. */
export type ExportedFacts = z.output<typeof factsSchema>;

/**
 * Writes the facts of a run.
 * @throws {UsageError} when they cannot be written.
 */
export function writeRunFacts(folder: string, record: RunRecord): void {
  const { kind, decisionHash, isPartial, seed, from, to, strategies } = record;
  const facts = { version: VERSION, kind, decisionHash, isPartial, seed, from, to, strategies };
  const path = join(folder, FILE);
  asUsageError(() => writeWhole(path, `${JSON.stringify(facts, null, 2)}\n`));
}

/**
 * Reads the facts of an exported run.
 * @throws {UsageError} when the folder has none of this version.
 */
export function readRunFacts(folder: string): ExportedFacts {
  const path = join(folder, FILE);
  const expected = `expected the facts of a run, as \`presage backtest --export\` writes them`;
  try {
    const { data, error } = factsSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    if (data !== undefined) return data;
    const [issue] = error.issues;
    throw new UsageError(`${path}: ${expected}; ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`${path}: ${expected}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
