// Rows of facts as the tables hold them. Schemas only.
import type { Side } from '../../domain/orders/order.ts';

/** A market, as far as the journals describe it. */
export interface MarketFact {
  readonly id: number;
  readonly ticker: string;
  event_group: string | null;
  title: string | null;
  status: string | null;
  close_us: number | null;
  result: string | null;
  settlement_price: number | null;
  settled_us: number | null;
  /** 1 once the account has had an order, a fill or a position in the market. */
  is_ours: 0 | 1;
}

/** A settlement of a market, and the session whose journal says it first. */
export interface SettlementFact {
  readonly sessionId: number;
  readonly atUs: number;
  readonly price: number;
}

/** States of an order in the history. */
export const ORDER_STATES = [
  'in-flight',
  'queued',
  'working',
  'pending-cancel',
  'pending-amend',
  'unknown',
  'filled',
  'canceled',
  'expired',
  'rejected',
  'not-sent',
] as const;
/** States by which past orders are looked for; `open`: every order that has not ended. */
export const ORDER_QUERY_STATES = ['open', ...ORDER_STATES] as const;
export type HistoryOrderState = (typeof ORDER_STATES)[number];

/** An order. */
export interface OrderFact {
  readonly id: number;
  readonly session_id: number;
  readonly client_id: string;
  venue_id: string | null;
  readonly market_id: number;
  readonly strategy: string;
  readonly side: Side;
  price: number;
  qty: number;
  filled: number;
  state: HistoryOrderState;
  readonly cause_seq: number | null;
  readonly made_us: number;
  ended_us: number | null;
  end_why: string | null;
  /** Time by our clock of the last change of price and quantity. For a list or a lookup, when it was requested. */
  terms_us: number;
  /** The same time by the venue's clock; `null` when the venue gave none. */
  terms_venue_us: number | null;
  /** Quantity that a change asked for, until the venue says which quantity is in force. */
  asked_qty: number | null;
}

/** A session. */
export interface SessionFact {
  readonly id: number;
  readonly name: string;
  readonly journal: string;
  readonly profile: string | null;
  readonly is_paper: 0 | 1;
  readonly started_us: number;
  last_us: number;
  ended_us: number | null;
  /** Reason of the session's end. `open` while no end is known; `crashed` when another session began without an end. */
  how: string;
  readonly version: string | null;
  readonly config_hash: string | null;
  /** Names of the session's strategies, as JSON. */
  readonly strategies: string;
  readonly is_whole: 0 | 1;
  opened_us: number | null;
  opened_cash_micros: number | null;
}

/** Something that happened in a session, for the timeline. */
export interface EventFact {
  readonly kind: string;
  readonly code: string;
  readonly scope: string;
  readonly who: string;
  readonly text: string;
}

/** Place of a fact: session, journal entry and time. */
export interface FactPlace {
  readonly sessionId: number;
  readonly seq: number;
  readonly atUs: number;
}
