// What is said over a control socket: one JSON line a request, one or two a reply. Tables and schemas alone.
// Must never hold a key, a signature, or anything that signs.
import { z } from 'zod';
import { type OperatorOrder } from '../domain/operator.ts';
import { overrideSchema, scopeSchema } from './latch.ts';

const reason = z.string().min(1).max(1000);

const orderSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('halt'),
    scope: scopeSchema,
    by: z.enum(['operator', 'risk', 'watchdog', 'fault']),
    reason,
  }),
  z.strictObject({ type: z.literal('resume'), scope: scopeSchema, reason }),
  z.strictObject({ type: z.literal('cancel-all'), scope: scopeSchema, reason }),
  z.strictObject({ type: z.literal('flatten'), reason }),
  z.strictObject({ type: z.literal('override'), override: overrideSchema }),
]) satisfies z.ZodType<OperatorOrder>;

/** What may be asked. `withinMs`: how long the answer may wait for the end of what was ordered. */
export const requestSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('who') }),
  z.strictObject({ type: z.literal('status') }),
  z.strictObject({ type: z.literal('order'), order: orderSchema, withinMs: z.int().min(0).max(86_400_000) }),
]);
export type ControlRequest = z.output<typeof requestSchema>;

const restingSchema = z.strictObject({
  clientOrderId: z.nullable(z.string()),
  venueOrderId: z.nullable(z.string()),
  ticker: z.string(),
  state: z.string(),
});

/** An order that may rest. */
export type RestingOrder = z.output<typeof restingSchema>;

const reportSchema = z.strictObject({
  /** Whether what was ordered has been done in full. */
  isDone: z.boolean(),
  /** How many orders were withdrawn. */
  withdrawn: z.int(),
  /** What may still rest of what was to be withdrawn. */
  left: z.array(restingSchema),
  /** Halts in force now, in words. */
  halts: z.array(z.string()),
  /** Anything else that a person must know. */
  remarks: z.array(z.string()),
});

/** What became of an order of the operator. */
export type OrderReply = z.output<typeof reportSchema>;

export const replySchema = z.discriminatedUnion('type', [
  /** Told at once: somebody is there and has begun. */
  z.strictObject({ type: z.literal('heard') }),
  z.strictObject({ type: z.literal('who'), pid: z.int(), role: z.string(), startedAt: z.string() }),
  z.strictObject({ type: z.literal('status'), status: z.record(z.string(), z.unknown()) }),
  z.strictObject({ type: z.literal('done'), report: reportSchema }),
  z.strictObject({ type: z.literal('refused'), why: z.string() }),
]);
export type ControlReply = z.output<typeof replySchema>;
