// The facts of a session about the venue's delays and the fate of its orders. Times are microseconds, prices
// ten-thousandths of a dollar, quantities hundredths of a contract.
import type { OwnChange } from '../../../backtest/parity/tape-without-own.ts';
import type { RequestWay } from '../../config/simulation-config.ts';
import type { Side } from '../../domain/orders/order.ts';

/** A request that was answered. */
export interface Trip {
  readonly way: RequestWay;
  /** First byte out, by our clock. */
  readonly askedAt: number;
  /** Answer received, by our clock. */
  readonly answeredAt: number;
  /** When the request took effect, by the venue's clock; `null` where the venue did not say. */
  readonly effectAt: number | null;
  /** When the feed showed us the effect, by our clock; `null` where it did not. */
  readonly shownAt: number | null;
}

/** Times of a message on the feed: by the venue's clock, and of its receipt by ours. */
export interface FeedTime {
  readonly venueAt: number;
  readonly at: number;
}

/** One of our orders at one price, from its arrival in the book until it left. Times are by the venue's clock. */
export interface RestingSpell {
  readonly orderId: string;
  readonly ticker: string;
  readonly side: Side;
  readonly price: number;
  /** Quantity that came to rest. */
  readonly qty: number;
  readonly arrivedAt: number;
  /** When it was canceled, moved to another price, or filled; `null` when it still rested at the end of the session. */
  readonly endedAt: number | null;
  readonly endedBy: 'canceled' | 'filled' | 'session';
  readonly fills: readonly { readonly at: number; readonly qty: number }[];
  /** Quantity that a decrease removed, in place. */
  readonly cuts: readonly {
    readonly at: number;
    readonly qty: number;
    /** Present when the venue gave no time: it is the middle of our request. */
    readonly isOurTime?: true;
  }[];
  /** Quantity ahead of it, as the venue answered. */
  readonly positions: readonly { readonly at: number; readonly ahead: number }[];
}

/** The facts of one session. */
export interface SessionFacts {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** By the time of the answer. */
  readonly trips: readonly Trip[];
  /** A sample of the feed's messages, spread evenly over the session. */
  readonly feed: readonly FeedTime[];
  /** By the time of arrival. */
  readonly spells: readonly RestingSpell[];
  /** Our changes of the public books, by our clock. */
  readonly changes: readonly OwnChange[];
  /** Trades in which an order of ours was the taker. */
  readonly taken: ReadonlySet<string>;
}
