// What an incoming order would meet: a plan of fills at the resting prices, best price first and first come first.
// Pure reading: nothing changes until the plan is carried out, so all-or-nothing orders and refusals cost nothing.
import type { Side } from '../domain/order.ts';
import { type Qty, qty } from '../domain/units.ts';
import { ASK, BID, type Book, NONE, type SideIndex } from './book.ts';
import type { SelfTradePrevention } from './input.ts';
import { heldQty } from './ledger.ts';
import type { Account, Holding, OrderRecord } from './records.ts';

/** An incoming order's terms. */
export interface Taker {
  readonly account: Account;
  readonly side: Side;
  /** Cell of its limit. */
  readonly cell: number;
  readonly qty: Qty;
  readonly selfTrade: SelfTradePrevention;
}

/** One resting order met: what trades, and why what is left of it must go, if it must. */
export interface Meeting {
  readonly maker: OrderRecord;
  readonly qty: Qty;
  readonly thenCancel: 'SelfTradeCancel' | 'ReduceOnlyCancel' | null;
}

/** What an incoming order would do. */
export interface MatchPlan {
  readonly meetings: readonly Meeting[];
  readonly filledQty: Qty;
  /** It met its own account and yields: what is left of it is canceled. */
  readonly yields: boolean;
}

/** The side of the book that an order of a side meets. */
export const oppositeIndex = (side: Side): SideIndex => (side === 'buy' ? ASK : BID);
export const sideIndex = (side: Side): SideIndex => (side === 'buy' ? BID : ASK);

/** Whether an order at a cell would trade at once. */
export const crosses = (book: Book<OrderRecord>, side: Side, cell: number): boolean =>
  side === 'buy' ? book.bestAsk <= cell : book.bestBid >= cell;

/** Plans an incoming order's way through the book. */
export function planMatch(book: Book<OrderRecord>, taker: Taker): MatchPlan {
  const meetings: Meeting[] = [];
  const positions = new Positions();
  const side = oppositeIndex(taker.side);
  let left: number = taker.qty;
  let cell = side === ASK ? book.bestAsk : book.bestBid;
  while (left > 0 && (side === ASK ? cell <= taker.cell : cell >= taker.cell) && cell >= 0 && cell < book.cellCount) {
    for (let slot = book.firstAt(side, cell); slot !== NONE && left > 0; slot = book.after(slot)) {
      const meeting = meet(book.itemOf(slot), taker, left, positions);
      if (meeting === 'yield') return { meetings, filledQty: qty(taker.qty - left), yields: true };
      meetings.push(meeting);
      left -= meeting.qty;
    }
    cell = book.nextCell(side, cell);
  }
  return { meetings, filledQty: qty(taker.qty - left), yields: false };
}

function meet(maker: OrderRecord, taker: Taker, left: number, positions: Positions): Meeting | 'yield' {
  if (maker.holding.account === taker.account) {
    if (taker.selfTrade === 'taker_at_cross') return 'yield';
    return { maker, qty: qty(0), thenCancel: 'SelfTradeCancel' };
  }
  const allowed = maker.reduceOnly ? positions.closable(maker.holding, maker.side) : maker.leavesQty;
  const traded = qty(Math.min(left, maker.leavesQty, allowed));
  positions.trade(maker.holding, maker.side, traded);
  const mustGo = allowed < maker.leavesQty && traded === allowed;
  return { maker, qty: traded, thenCancel: mustGo ? 'ReduceOnlyCancel' : null };
}

/** Positions as they would be on the way, so that reduce-only orders never open one. */
class Positions {
  readonly #held = new Map<Holding, number>();

  closable(holding: Holding, side: Side): number {
    const held = this.#held.get(holding) ?? heldQty(holding);
    return Math.max(0, side === 'buy' ? -held : held);
  }

  trade(holding: Holding, side: Side, quantity: number): void {
    const held = this.#held.get(holding) ?? heldQty(holding);
    this.#held.set(holding, held + (side === 'buy' ? quantity : -quantity));
  }
}
