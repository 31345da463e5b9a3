// Messages between a study and its workers, as schemas. Every member is checked, because a stranger with access to Redis
// may write anything. Pure.
import { z } from 'zod';
import { micros } from '../../domain/units.ts';
import type { TrialOutcome } from '../workers/trial-pool.ts';
import { identitySchema } from './worker-identity.ts';

/** Increased when the meaning of a member changes. */
export const MESSAGE_VERSION = 1;

const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);
const countSchema = z.int().min(0);
/** A path below the study's own folder. */
const pathSchema = z
  .string()
  .max(1024)
  .regex(/^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))[^\0\\]+$/);
/** A file's own name, which becomes part of a strategy's default name. */
const fileNameSchema = z
  .string()
  .max(255)
  .regex(/^(?!\.{1,2}$)[^/\0\\]+$/);

const sourceSchema = z.strictObject({ path: pathSchema, text: z.string() });

/** All that a worker needs to plan the study itself: its plan must then have the same hash. */
export const setupMessageSchema = z.strictObject({
  v: z.literal(MESSAGE_VERSION),
  identity: identitySchema,
  /** Hash of the study, and its parts, so that a difference can be named. */
  hash: hashSchema,
  parts: z.record(z.string(), z.string()),
  /** Text of the study's file, and of the backtest's config. */
  study: z.string(),
  config: z.string(),
  /** Hash of each baked tape in the store. */
  tapes: z.array(hashSchema).min(1),
  strategy: z.strictObject({
    fileName: fileNameSchema,
    sha256: hashSchema,
    /** The strategy's sources, where the study lets code travel; the first is the entry. */
    sources: z.nullable(z.array(sourceSchema).min(1)),
  }),
  /** Files that parameters name, relative to the study's file. */
  files: z.array(sourceSchema),
});
export type SetupMessage = z.output<typeof setupMessageSchema>;

const PARAMS_BYTES_MAX = 64 * 1024;

export const trialMessageSchema = z.strictObject({
  v: z.literal(MESSAGE_VERSION),
  study: hashSchema,
  n: countSchema,
  hash: hashSchema,
  params: z
    .record(z.string(), z.union([z.number(), z.string(), z.boolean()]))
    .refine((params) => JSON.stringify(params).length <= PARAMS_BYTES_MAX, { error: 'parameters of at most 64 kB' }),
  limits: z.array(z.nullable(z.number())).optional(),
});
export type TrialMessage = z.output<typeof trialMessageSchema>;

const intermediateSchema = z.array(z.strictObject({ groups: countSchema, value: z.number() }));
const microsSchema = z.int().transform((value) => micros(value));
const groupSchema = z.strictObject({
  group: z.string(),
  cluster: z.string(),
  from: microsSchema,
  known: z.nullable(microsSchema),
  profit: z.number(),
  fees: z.number(),
  qty: z.number(),
  fills: z.number(),
  lockedDollarDays: z.number(),
});
const resultSchema = z.discriminatedUnion('end', [
  z.strictObject({
    end: z.literal('finished'),
    values: z.array(z.number()),
    violations: z.array(z.number()),
    intermediate: intermediateSchema,
    figures: z.record(z.string(), z.nullable(z.number())),
    decisions: z.array(z.string()),
    groups: z.array(groupSchema),
  }),
  z.strictObject({ end: z.literal('pruned'), at: countSchema, intermediate: intermediateSchema }),
  z.strictObject({ end: z.literal('failed'), reason: z.enum(['strategy', 'no-value']), error: z.string() }),
]);

/** The outcome of a trial on a worker. */
export const outcomeSchema: z.ZodType<Exclude<TrialOutcome, { type: 'aborted' }>> = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('result'), result: resultSchema }),
  z.strictObject({ type: z.literal('memory'), error: z.string() }),
  z.strictObject({ type: z.literal('time') }),
  z.strictObject({ type: z.literal('lost') }),
]);

/** A worker, as it describes itself to the study. */
export const workerNoteSchema = z.strictObject({
  host: z.string(),
  pid: z.int(),
  threads: z.int(),
  /** Hashes of studies that it cannot run. */
  refused: z.array(hashSchema),
  /** Seconds since 1970, by the clock of Redis. */
  at: z.number(),
});
