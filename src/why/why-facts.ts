// The facts from which answers are made: what the replayed engine knew from a moment on. Schemas only.
import { z } from 'zod';

const text = z.string();
const whole = z.int();

const haltSchema = z.object({
  scope: z.discriminatedUnion('type', [
    z.object({ type: z.literal('account') }),
    z.object({ type: z.literal('strategy'), strategy: text }),
    z.object({ type: z.literal('market'), ticker: text }),
  ]),
  by: text,
  reason: text,
  since: whole,
});

/** Outcome of a strategy's answer in a market. Equal outcomes in a row within one minute are one fact. */
const attemptSchema = z.object({
  /** `denied` by risk; `sent` to the planner; `unchanged`: the orders already rest; `none`: no order is wanted. */
  outcome: z.enum(['denied', 'sent', 'unchanged', 'none']),
  /** Code of the denial, or empty. */
  code: text,
  /** Text of the denial or of the wanted orders of the first equal outcome. */
  text,
  /** The same of the last equal outcome. It is known only once all of them have happened. */
  lastText: text,
  /** Reason given by the strategy, or empty. */
  reason: text,
  /** Client order ids of the orders that were approved. */
  orders: z.array(text),
  /** Time of the last equal outcome, and number of equal outcomes. */
  lastAtUs: whole,
  count: whole,
});
export type AttemptData = z.output<typeof attemptSchema>;

/** A change of an order's state. Quantities are hundredths of a contract, prices ten-thousandths of a dollar. */
const orderSchema = z.object({
  from: text,
  to: text,
  why: text,
  side: text,
  price: whole,
  qty: whole,
  filledQty: whole,
  /** Quantity ahead of the order when it came to rest; `null` where unknown or not resting. */
  ahead: z.nullable(whole),
  /** Quantity printed at the order's price since it rests. */
  traded: whole,
});
export type OrderData = z.output<typeof orderSchema>;

/** The data of each kind of fact. */
export const FACT_SCHEMAS = {
  /** Phase of the session. */
  phase: z.object({ phase: text, why: text }),
  /** Reason why no order may leave although the session trades; `null` when orders may leave. */
  ready: z.object({ fault: z.nullable(text) }),
  /** Every halt in force. */
  halts: z.object({ halts: z.array(haltSchema) }),
  /** True while the venue trades. */
  exchange: z.object({ isTrading: z.boolean() }),
  /** Limits of a strategy that depend on time. */
  limits: z.object({ closeGuardMs: z.number() }),
  market: z.object({ status: text, closeAtUs: whole, eventTicker: text, title: text }),
  book: z.object({ trust: text, reason: text }),
  /** Denial because the book was confirmed too long ago; `null` while it is fresh. */
  stale: z.object({ text: z.nullable(text) }),
  /** True when a market belongs to a strategy. `member` is the member of the selector that keeps it out. */
  selection: z.object({ isMember: z.boolean(), member: text, text }),
  attempt: attemptSchema,
  /** A new order. The fact has the number of the input that caused the order. */
  approved: z.object({ side: text, price: whole, qty: whole, reason: text, terms: text }),
  order: orderSchema,
  /** An order that had to wait, and the budget at that time. */
  wait: z.object({ need: whole, available: whole, capacity: whole, lane: text }),
  fill: z.object({ side: text, price: whole, qty: whole, feeMicros: whole, isTaker: z.boolean(), positionQty: whole }),
  /** An order in the journal after the replay differed. */
  sent: z.object({ side: text, price: whole, qty: whole }),
} as const;

export type FactKind = keyof typeof FACT_SCHEMAS;
export type FactData<Kind extends FactKind> = z.output<(typeof FACT_SCHEMAS)[Kind]>;

/** Subject of a fact: market, strategy and order where there is one. A fact of the session has no subject. */
export interface FactSubject {
  readonly strategy?: string;
  readonly ticker?: string;
  readonly order?: string;
}

/** A fact to be stored. */
export interface NewFact<Kind extends FactKind = FactKind> extends FactSubject {
  readonly kind: Kind;
  readonly atUs: number;
  /** Number of the journal entry that made the fact true. */
  readonly seq: number;
  readonly data: FactData<Kind>;
}

/** A stored fact. */
export interface Fact<Kind extends FactKind> {
  readonly atUs: number;
  readonly seq: number;
  readonly strategy: string;
  readonly ticker: string;
  readonly order: string;
  readonly data: FactData<Kind>;
}

/** A fact of any kind. */
export type AnyFact = { [Kind in FactKind]: { readonly kind: Kind } & Fact<Kind> }[FactKind];

/** A call of a strategy about a market. A price is `null` where the book has no such side. */
export interface Asked {
  readonly atUs: number;
  readonly seq: number;
  readonly bid: number | null;
  readonly ask: number | null;
}

/** Facts of the session itself. */
export const sessionFactsSchema = z.object({
  session: text,
  fromUs: whole,
  /** Time of the last entry that was read. */
  toUs: whole,
  /** Number of inputs replayed. */
  inputs: whole,
  version: text,
  hash: text,
  strategies: z.array(text),
  /** Reason of the session's end; `null` while no end has been read. */
  end: z.nullable(text),
  /** True when no more of the session can be read, whether it closed or not. */
  isOver: z.boolean(),
  /** Place in the journal at which reading ended; `null` when more had been written by then. */
  position: z.nullable(z.object({ segment: whole, bytes: whole, line: whole, seq: whole, chain: whole })),
  /** Damage of the journal. Everything after it is unknown. */
  hole: z.nullable(z.object({ afterUs: whole, text })),
  /** The first difference between replay and journal. After it only the journal's commands are known. */
  difference: z.nullable(z.object({ atUs: whole, seq: whole, text })),
});
export type SessionFacts = z.output<typeof sessionFactsSchema>;
