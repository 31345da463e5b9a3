// The header on the first line of a file. It names the session and holds the checksum from which the file continues. In
// the first file of a session it also holds the manifest, which a replay needs. Must never hold a key, a key's id, or
// an absolute path of this machine.
import { z } from 'zod';

/** Version of the tape format. */
export const TAPE_FORMAT_VERSION = 1;

const rateLimit = z.discriminatedUnion('model', [
  z.strictObject({ model: z.literal('rolling-window'), count: z.number(), windowMs: z.number() }),
  z.strictObject({ model: z.literal('token-bucket'), refillPerSecond: z.number(), capacity: z.number() }),
]);

const manifestSchema = z.strictObject({
  /** Version of the package that wrote the tape. */
  version: z.string(),
  /** Name of the wire profile. */
  profile: z.string(),
  hasKey: z.boolean(),
  /** Present when the account was simulated. */
  isPaper: z.literal(true).optional(),
  /**
   * Models of the simulated account, in internal units. A folder of delays is relative to the tape's folder. Tapes of
   * older paper sessions lack them.
   */
  simulation: z.record(z.string(), z.unknown()).optional(),
  /** The venue's rate limits in force. */
  limits: z.strictObject({ read: rateLimit, trade: rateLimit }),
  /** Cost of each endpoint by name, as the venue reported it. */
  costs: z.record(z.string(), z.number()).optional(),
  /** Rounding steps of the account's fees, the oldest first. */
  feeRounding: z.array(z.strictObject({ since: z.number(), feeStep: z.number(), balanceStep: z.number() })).optional(),
  /** Markets that had a number before the session began, by number. */
  tickers: z.array(z.string()),
  /** The parts of the config that decide the engine's actions, in internal units. Strategies are listed separately. */
  setup: z.record(z.string(), z.unknown()),
  strategies: z.array(
    z.strictObject({
      name: z.string(),
      /** Path relative to the tape's folder. A package has its path in a node_modules there. */
      file: z.string(),
      params: z.record(z.string(), z.unknown()),
      limits: z.record(z.string(), z.unknown()).optional(),
      /** Allotted capital in millionths of a dollar. */
      capital: z.int().optional(),
      /** SHA-256 in hexadecimal: of the file itself without imports, otherwise of a list with everything loaded. */
      sha256: z.string(),
    }),
  ),
  /**
   * SHA-256 in hexadecimal of everything that decides the session's actions. Equal for the same setup, wherever it is
   * stored.
   */
  hash: z.string(),
});

/** The makeup of a session: versions, config and strategies. */
export type Manifest = z.output<typeof manifestSchema>;

const headerSchema = z.strictObject({
  form: z.literal(TAPE_FORMAT_VERSION),
  /** Number of the file, from 1. */
  segment: z.int().min(1),
  session: z.string(),
  /** Distinguishes a session's journal from a recording of the feed alone. */
  of: z.enum(['journal', 'recording']),
  /** Checksum of the last line of the previous file. */
  chain: z.int().min(0),
  /** Present only in the first file of a session. */
  manifest: manifestSchema.optional(),
});

/** The first line of a file. */
export type SegmentHeader = z.output<typeof headerSchema>;

/** Parses a header. Returns a sentence that describes the fault when it is invalid. */
export function readHeader(payload: Buffer): SegmentHeader | string {
  const parsed = headerSchema.safeParse(tryJson(payload.toString()));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return `expected the header of a tape of form ${TAPE_FORMAT_VERSION}, found another: ${issue?.path.join('.')} ${issue?.message}`;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
