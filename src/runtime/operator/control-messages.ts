// Messages on a control socket. A request is one line of JSON; the reply has one or two lines. Must never hold a key, a
// signature, or anything that signs.
import { z } from 'zod';
import type { OperatorOrder } from '../../domain/operator-order.ts';
import { followRequestSchema } from '../follow/follow-messages.ts';
import { overrideSchema, scopeSchema } from '../saved/latch.ts';

const reason = z.string().min(1).max(1000);

/** The person who gives the instruction, as the console knows that person. */
const who = z.string().min(1).max(200).exactOptional();

const orderSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('halt'),
    scope: scopeSchema,
    by: z.enum(['operator', 'risk', 'watchdog', 'fault']),
    reason,
    who,
  }),
  z.strictObject({ type: z.literal('resume'), scope: scopeSchema, reason, who }),
  z.strictObject({ type: z.literal('cancel-all'), scope: scopeSchema, reason, who }),
  z.strictObject({ type: z.literal('flatten'), reason, who }),
  z.strictObject({ type: z.literal('override'), override: overrideSchema, who }),
]) satisfies z.ZodType<OperatorOrder>;

/** A request. The reply may wait up to `withinMs` until the operator's instruction has been carried out. */
export const requestSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('who') }),
  z.strictObject({ type: z.literal('status') }),
  /** Asks for the orders that a flatten would send now. Nothing is sent. */
  z.strictObject({ type: z.literal('preview-flatten') }),
  z.strictObject({ type: z.literal('metrics') }),
  z.strictObject({ type: z.literal('log-reopen') }),
  followRequestSchema,
  z.strictObject({
    type: z.literal('order'),
    order: orderSchema,
    withinMs: z.int().min(0).max(86_400_000),
    /** The instruction is not begun after this moment of `machineNowMs`. An older sender gives none. */
    beginByMs: z.int().min(0).exactOptional(),
  }),
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
  /** True when the operator's instruction has been carried out in full. */
  isDone: z.boolean(),
  /** Number of orders that were canceled. */
  withdrawn: z.int(),
  /**
   * Orders that were to be canceled and may still rest. Without any, although the instruction is not done, the sender
   * could not read the venue's list.
   */
  left: z.array(restingSchema),
  /** Halts in force now, as text. */
  halts: z.array(z.string()),
  remarks: z.array(z.string()),
  /**
   * Orders of the scope in the venue's own list, read after the last cancel. Only a bot with an embedded exchange sends
   * it: no other process can read that list. `null` when the list could not be read.
   */
  seenAtVenue: z.nullable(z.array(restingSchema)).exactOptional(),
});

/** The outcome of an operator's instruction. */
export type OrderReply = z.output<typeof reportSchema>;

/** The plan of a flatten, with prices and quantities in the engine's units. */
const flattenPlanSchema = z.strictObject({
  orders: z.array(
    z.strictObject({
      ticker: z.string(),
      side: z.enum(['buy', 'sell']),
      price: z.int(),
      qty: z.int(),
      /** Highest fee, and the loss against the mid. */
      costMicros: z.int(),
    }),
  ),
  unclosed: z.array(z.strictObject({ ticker: z.string(), qty: z.int(), why: z.string() })),
});
export type FlattenPlan = z.output<typeof flattenPlanSchema>;

export const replySchema = z.discriminatedUnion('type', [
  /** Sent at once: the process has received the request. */
  z.strictObject({ type: z.literal('heard') }),
  z.strictObject({ type: z.literal('who'), pid: z.int(), role: z.string(), startedAt: z.string() }),
  z.strictObject({ type: z.literal('status'), status: z.record(z.string(), z.unknown()) }),
  z.strictObject({ type: z.literal('flatten-plan'), plan: flattenPlanSchema }),
  z.strictObject({ type: z.literal('metrics'), figures: z.record(z.string(), z.unknown()) }),
  /** The process has opened this log file again. */
  z.strictObject({ type: z.literal('reopened'), file: z.string() }),
  z.strictObject({ type: z.literal('done'), report: reportSchema }),
  z.strictObject({ type: z.literal('refused'), why: z.string() }),
]);
export type ControlReply = z.output<typeof replySchema>;
