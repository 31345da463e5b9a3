// Messages on a control socket: one line of JSON for a request, one or two for the reply. Tables and schemas only. Must
// never hold a key, a signature, or anything that signs.
import { z } from 'zod';
import { type OperatorOrder } from '../../domain/operator-order.ts';
import { followRequestSchema } from '../follow/follow-messages.ts';
import { overrideSchema, scopeSchema } from '../saved/latch.ts';

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

/** A request. `withinMs` is the longest time that the reply may wait for the order to be carried out. */
export const requestSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('who') }),
  z.strictObject({ type: z.literal('status') }),
  z.strictObject({ type: z.literal('metrics') }),
  z.strictObject({ type: z.literal('log-reopen') }),
  followRequestSchema,
  z.strictObject({ type: z.literal('order'), order: orderSchema, withinMs: z.int().min(0).max(86_400_000) }),
]);
export type ControlRequest = z.output<typeof requestSchema>;

const restingSchema = z.strictObject({
  clientOrderId: z.nullable(z.string()),
  venueOrderId: z.nullable(z.string()),
  ticker: z.string(),
  state: z.string(),
});

/** An order that may rest at the venue. */
export type RestingOrder = z.output<typeof restingSchema>;

const reportSchema = z.strictObject({
  /** True when the operator's order has been carried out in full. */
  isDone: z.boolean(),
  /** The number of orders that were canceled. */
  withdrawn: z.int(),
  /** Orders that were to be canceled and may still rest. */
  left: z.array(restingSchema),
  /** Halts in force now, as text. */
  halts: z.array(z.string()),
  /** Anything else that the operator must know. */
  remarks: z.array(z.string()),
});

/** The outcome of an operator's order. */
export type OrderReply = z.output<typeof reportSchema>;

export const replySchema = z.discriminatedUnion('type', [
  /** Sent at once: the process has received the request and begun. */
  z.strictObject({ type: z.literal('heard') }),
  z.strictObject({ type: z.literal('who'), pid: z.int(), role: z.string(), startedAt: z.string() }),
  z.strictObject({ type: z.literal('status'), status: z.record(z.string(), z.unknown()) }),
  z.strictObject({ type: z.literal('metrics'), figures: z.record(z.string(), z.unknown()) }),
  /** The process has opened this log again. */
  z.strictObject({ type: z.literal('reopened'), file: z.string() }),
  z.strictObject({ type: z.literal('done'), report: reportSchema }),
  z.strictObject({ type: z.literal('refused'), why: z.string() }),
]);
export type ControlReply = z.output<typeof replySchema>;
