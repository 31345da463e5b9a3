// What an event changed in the state, for those who must react: strategies, session, journal, screen.
import type { FillReport, OrderReport } from '../domain/event.ts';
import type { MarketIndex } from '../domain/ids.ts';
import type { Market, MarketStatus } from '../domain/market.ts';
import type { Order, OrderState } from '../domain/order.ts';
import type { Position } from '../domain/position.ts';
import type { Money, Qty } from '../domain/units.ts';
import type { BookTrust } from './books.ts';

export type StateChange =
  /** A book is believed, or no longer. `isWrong`: by its own figures, and not because something was lost on the way. */
  | {
      readonly type: 'trust';
      readonly market: MarketIndex;
      readonly trust: BookTrust;
      readonly reason: string;
      readonly isWrong?: true;
    }
  /** What the account alone is told came, or is no longer to be counted on. */
  | { readonly type: 'private-feed'; readonly isUp: boolean; readonly reason: string }
  /** A market is new, or moved on in its life; `before` is `null` when it is new. */
  | { readonly type: 'market'; readonly market: Market; readonly before: MarketStatus | null }
  /** A settled market is followed no more: whoever kept anything of it by its number forgets that now. */
  | { readonly type: 'evicted'; readonly market: Market }
  /** A position was paid out. */
  | { readonly type: 'settled'; readonly market: Market; readonly held: Qty; readonly paid: Money }
  /**
   * An order of ours moved along its life. Where one event moves it twice, each move is told, and the order itself is
   * already where the last one left it.
   */
  | {
      readonly type: 'order';
      readonly order: Order;
      readonly from: OrderState;
      readonly to: OrderState;
      readonly why: string;
    }
  /** We traded. `order` is `null` when the fill names none that we know. */
  | { readonly type: 'fill'; readonly order: Order | null; readonly fill: FillReport; readonly position: Position }
  /** The venue holds an order that this session did not place. */
  | { readonly type: 'unexpected-order'; readonly report: OrderReport }
  /**
   * The feed says that an order of ours which rested was canceled, and not by the venue itself: told before the change of
   * the order.
   */
  | { readonly type: 'canceled-for-us'; readonly order: Order }
  /** Something was not understood, or cannot be. */
  | { readonly type: 'surprise'; readonly what: string; readonly detail: string };
