// What the first line of a file says: of which tape it is, where it goes on from, and, at the beginning of a session,
// all that a replay needs to know. Must never hold a key, its id, or where on this machine anything is kept.
import { z } from 'zod';

/** The version of the tape's form. */
export const FORM = 1;

const rateLimit = z.discriminatedUnion('model', [
  z.strictObject({ model: z.literal('rolling-window'), count: z.number(), windowMs: z.number() }),
  z.strictObject({ model: z.literal('token-bucket'), refillPerSecond: z.number(), capacity: z.number() }),
]);

const manifestSchema = z.strictObject({
  /** Of the package that wrote it. */
  version: z.string(),
  /** The wire profile's name. */
  profile: z.string(),
  hasKey: z.boolean(),
  /** Whether the account was simulated. */
  isPaper: z.literal(true).optional(),
  /** The venue's limits that were in force. */
  limits: z.strictObject({ read: rateLimit, trade: rateLimit }),
  /** What the venue said that its endpoints cost, by their names. */
  costs: z.record(z.string(), z.number()).optional(),
  /** To what the account's fees were rounded, in the order of time. */
  feeRounding: z.array(z.strictObject({ since: z.number(), feeStep: z.number(), balanceStep: z.number() })).optional(),
  /** Markets that had a number before the session began, in order. */
  tickers: z.array(z.string()),
  /** The parts of the config that decide what the engine does, in the house's units; its strategies are apart. */
  setup: z.record(z.string(), z.unknown()),
  strategies: z.array(
    z.strictObject({
      name: z.string(),
      /** Relative to the tape's folder; of a package, its place in a node_modules there. */
      file: z.string(),
      params: z.record(z.string(), z.unknown()),
      /** Limits of its own. */
      limits: z.record(z.string(), z.unknown()).optional(),
      /** What it was allotted, in millionths of a dollar. */
      capital: z.int().optional(),
      /** Of the file's bytes, or of all that was loaded with it, in hexadecimal. */
      sha256: z.string(),
    }),
  ),
  /** One name for what decides, wherever it is kept and whoever wrote it: SHA-256 in hexadecimal. */
  hash: z.string(),
});

/** What a session was made of. */
export type Manifest = z.output<typeof manifestSchema>;

const headerSchema = z.strictObject({
  form: z.literal(FORM),
  /** Number of the file, from 1. */
  segment: z.int().min(1),
  /** The session it is of. */
  session: z.string(),
  /** A session's journal, or a recording of the feed alone. */
  of: z.enum(['journal', 'recording']),
  /** The checksum of the line before, in the file before. */
  chain: z.int().min(0),
  /** Only in the first file of a session. */
  manifest: manifestSchema.optional(),
});

/** The first line of a file. */
export type SegmentHeader = z.output<typeof headerSchema>;

/** Reads a header; a sentence on what is wrong with it when it is none. */
export function readHeader(payload: Buffer): SegmentHeader | string {
  const parsed = headerSchema.safeParse(tryJson(payload.toString()));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return `expected the header of a tape of form ${FORM}, found another: ${issue?.path.join('.')} ${issue?.message}`;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
