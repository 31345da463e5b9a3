// The answer to "why did it trade, or why did it not": one sentence, then the checks. Schemas only.
import { z } from 'zod';

const text = z.string();

/** One check of the decision list. */
export const whyStepSchema = z.object({
  /** Name of the check: `session`, `halt`, `selection`, `book`, `denial`, … */
  check: text,
  result: z.enum(['pass', 'fail', 'not reached']),
  text,
  /** Figures by name, as decimal text. */
  figures: z.record(text, text),
});

/** A journal entry that supports the answer. */
export const whyEvidenceSchema = z.object({ seq: z.int(), text });

/** One minute of the strip around the asked moment. `check` is the first check that failed; `null` when it traded. */
export const whyMinuteSchema = z.object({ atUs: z.int(), check: z.nullable(text), text });

/** The answer for a strategy and a market at one moment. */
export const whyAnswerSchema = z.object({
  session: z.nullable(text),
  strategy: text,
  ticker: text,
  atUs: z.int(),
  /** True when an order was sent in the asked second and the venue did not refuse it. */
  isTraded: z.boolean(),
  sentence: text,
  steps: z.array(whyStepSchema),
  /** The same check has failed since this time. `null` where unknown. */
  sinceUs: z.nullable(z.int()),
  times: z.int(),
  untilUs: z.nullable(z.int()),
  next: z.nullable(text),
  minutes: z.array(whyMinuteSchema),
  evidence: z.array(whyEvidenceSchema),
  /** `replay`: from the replayed engine. `record`: the replay differed, and only the record was used. */
  source: z.enum(['replay', 'record']),
  tookMs: z.number(),
});
export type WhyAnswer = z.output<typeof whyAnswerSchema>;

/** A part of an order's story, with the time since the part before. */
export const whyHopSchema = z.object({
  atUs: z.int(),
  afterUs: z.nullable(z.int()),
  what: text,
  text,
  seq: z.nullable(z.int()),
});

/** The story of an order, from the frame that caused it to its last fill. */
export const whyOrderSchema = z.object({
  session: text,
  clientOrderId: text,
  strategy: text,
  ticker: text,
  sentence: text,
  hops: z.array(whyHopSchema),
  source: z.enum(['replay', 'record']),
  tookMs: z.number(),
});
export type WhyOrder = z.output<typeof whyOrderSchema>;
export type WhyEvidence = z.output<typeof whyEvidenceSchema>;
export type WhyStep = z.output<typeof whyStepSchema>;
export type WhyMinute = z.output<typeof whyMinuteSchema>;
