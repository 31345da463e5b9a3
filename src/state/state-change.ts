// Changes of the state by an event, for strategies, session, journal and screen.
import type { FillReport, OrderReport } from '../domain/event.ts';
import type { MarketIndex } from '../domain/ids.ts';
import type { Market, MarketStatus } from '../domain/market.ts';
import type { Order, OrderState } from '../domain/orders/order.ts';
import type { Position } from '../domain/position.ts';
import type { Money, Qty } from '../domain/units.ts';
import type { BookTrust } from './books/order-books.ts';

/** Receives state changes, oldest first. An array will do. */
export interface ChangeSink {
  push(change: StateChange): unknown;
}

export type StateChange =
  /**
   * A book became live, or is no longer live. `isWrong` is present when the book's own figures are wrong. It is absent
   * when messages were lost.
   */
  | {
      readonly type: 'trust';
      readonly market: MarketIndex;
      readonly trust: BookTrust;
      readonly reason: string;
      readonly isWrong?: true;
    }
  /** The private channels (fills, orders, positions) came up, or can no longer be relied on. */
  | { readonly type: 'private-feed'; readonly isUp: boolean; readonly reason: string }
  /**
   * A market is new, or its status or close time changed. `before` is the earlier status, or `null` for a new market.
   */
  | { readonly type: 'market'; readonly market: Market; readonly before: MarketStatus | null }
  /** A settled market was evicted. Everything stored under its number must be dropped now. */
  | { readonly type: 'evicted'; readonly market: Market }
  /** A position was paid out. */
  | { readonly type: 'settled'; readonly market: Market; readonly held: Qty; readonly paid: Money }
  /**
   * The state of one of our orders changed. When one event changes it twice, both changes are reported, and `order`
   * already has the last state.
   */
  | {
      readonly type: 'order';
      readonly order: Order;
      readonly from: OrderState;
      readonly to: OrderState;
      readonly why: string;
    }
  /**
   * A fill of ours, and the position right after it. `order` is `null` when the order is not known. Once the order is
   * known, the fill is reported again with `isCounted`: the account has counted the fill before, and only its order is
   * new. The position is then the present one.
   */
  | {
      readonly type: 'fill';
      readonly order: Order | null;
      readonly fill: FillReport;
      readonly position: Position;
      readonly isCounted?: true;
    }
  /** The venue holds an order that this session did not place. */
  | { readonly type: 'unexpected-order'; readonly report: OrderReport }
  /** A resting order of ours was canceled, and not by the venue itself. Reported before the change of the order. */
  | { readonly type: 'canceled-for-us'; readonly order: Order }
  /** Something was not understood, or is impossible. */
  | { readonly type: 'surprise'; readonly what: string; readonly detail: string };
