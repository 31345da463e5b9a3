// Lines of a study's file: JSON objects, each with the CRC-32 of the rest of its line. Must never be changed once written:
// a study of an earlier version stays readable.
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { splitShapeSchema } from './study-split.ts';

/** Increased when the meaning of a member changes. */
export const STUDY_VERSION = 1;

const paramsSchema = z.record(z.string(), z.union([z.number(), z.string(), z.boolean()]));
const countSchema = z.int().min(0);
const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);
const intermediateSchema = z.array(z.strictObject({ groups: countSchema, value: z.number() }));

const groupsSchema = z.array(z.string());

/** The parts of the tapes. The sealed groups are not named: their hash, salted with the study's, proves which they were. */
const splitLineSchema = z.strictObject({
  shape: z.nullable(splitShapeSchema),
  together: z.array(groupsSchema),
  search: groupsSchema,
  held: groupsSchema,
  left: groupsSchema,
  sealed: z.nullable(z.strictObject({ from: z.number(), groups: countSchema, hash: hashSchema })),
});

/** One line. */
export const trialLineSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('study'),
    v: z.literal(STUDY_VERSION),
    name: z.string(),
    /** Hash of everything that decides about trials. */
    hash: hashSchema,
    /** The parts of that hash, so that a difference can be named. */
    parts: z.record(z.string(), z.string()),
    objectives: z.array(z.strictObject({ figure: z.string(), isMaximized: z.boolean() })),
    lag: countSchema,
    node: z.string(),
    /** The parts of its tapes; `null` when objectives see all. */
    split: z.nullable(splitLineSchema).default(null),
  }),
  z.strictObject({ kind: z.literal('proposed'), n: countSchema, hash: hashSchema, params: paramsSchema }),
  z.strictObject({
    kind: z.literal('finished'),
    n: countSchema,
    hash: hashSchema,
    values: z.array(z.number()),
    violations: z.array(z.number()),
    intermediate: intermediateSchema,
    figures: z.record(z.string(), z.number().nullable()),
    decisions: z.array(z.string()),
    spentMs: z.number(),
  }),
  z.strictObject({
    kind: z.literal('pruned'),
    n: countSchema,
    hash: hashSchema,
    at: countSchema,
    intermediate: intermediateSchema,
    spentMs: z.number(),
  }),
  z.strictObject({
    kind: z.literal('failed'),
    n: countSchema,
    hash: hashSchema,
    reason: z.enum(['strategy', 'no-value', 'memory', 'time', 'lost']),
    error: z.string(),
    spentMs: z.number(),
  }),
]);

export type TrialLine = z.output<typeof trialLineSchema>;
export type StudyLine = Extract<TrialLine, { kind: 'study' }>;
export type EndLine = Extract<TrialLine, { kind: 'finished' | 'pruned' | 'failed' }>;

const CRC_MEMBER = /,"crc":"([0-9a-f]{8})"\}$/;
const crcText = (text: string): string => crc32(text).toString(16).padStart(8, '0');

/** Text of a line, with its end. */
export function trialLineText(line: TrialLine): string {
  const text = JSON.stringify(line);
  return `${text.slice(0, -1)},"crc":"${crcText(text)}"}\n`;
}

/** Reads the text of a line without its end. Returns `null` when its checksum is wrong, or it is no line of a study. */
export function readTrialLine(text: string): TrialLine | null {
  const crc = CRC_MEMBER.exec(text)?.[1];
  if (crc === undefined) return null;
  const content = `${text.slice(0, -CRC_LENGTH)}}`;
  if (crcText(content) !== crc) return null;
  return trialLineSchema.safeParse(JSON.parse(content)).data ?? null;
}

const CRC_LENGTH = ',"crc":"00000000"}'.length;
