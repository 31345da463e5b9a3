// Lines of the ledger of trials: JSON objects, each with the hash of the line before it. Must never be changed once
// written: the ledger of an earlier version stays readable.
import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Increased when the meaning of a member changes. */
const LEDGER_VERSION = 1;

/** The hash before the first line. */
export const NO_LINE = '0'.repeat(64);

const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);
const chainMembers = {
  v: z.literal(LEDGER_VERSION),
  /** SHA-256 of the line before, without its end. */
  prev: hashSchema,
  at: z.iso.datetime(),
};

const ledgerLineSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    ...chainMembers,
    kind: z.literal('study'),
    study: hashSchema,
    name: z.string(),
    /** Keys of the clusters of event groups on its tapes. */
    clusters: z.array(z.string()),
  }),
  z.strictObject({
    ...chainMembers,
    kind: z.literal('trial'),
    study: hashSchema,
    trial: hashSchema,
    end: z.enum(['finished', 'pruned', 'failed']),
    /** Figures of the profits by settled event group; `null` for a trial that has none. */
    returns: z
      .strictObject({ groups: z.int().min(2), sharpe: z.number(), skewness: z.number(), kurtosis: z.number() })
      .nullable(),
  }),
  z.strictObject({
    ...chainMembers,
    kind: z.literal('look'),
    study: hashSchema,
    trial: hashSchema,
    /** Name of the look. */
    id: z.uuid(),
    /** The person who looked. */
    by: z.string(),
    /** Keys of the clusters of the sealed event groups. */
    clusters: z.array(z.string()),
  }),
]);

export type LedgerLine = z.output<typeof ledgerLineSchema>;
type Chained<Line> = Line extends LedgerLine ? Omit<Line, 'v' | 'prev' | 'at'> : never;
/** A line before it has its place in the ledger. */
export type LedgerEntry = Chained<LedgerLine>;
export type LedgerTrial = Extract<LedgerLine, { kind: 'trial' }>;

/** Hash of a line's text without its end. */
export const lineHash = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** Text of a line without its end. */
export function ledgerLineText(entry: LedgerEntry, { prev, atMs }: { prev: string; atMs: number }): string {
  return JSON.stringify({ v: LEDGER_VERSION, prev, at: new Date(atMs).toISOString(), ...entry });
}

/** Reads the text of a line without its end. Returns `null` when it is no line, or does not follow the line before. */
export function readLedgerLine(text: string, prev: string): LedgerLine | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const line = ledgerLineSchema.safeParse(value).data;
  return line?.prev === prev ? line : null;
}
