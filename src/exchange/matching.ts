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
const oppositeIndex = (side: Side): SideIndex => (side === 'buy' ? ASK : BID);
export const sideIndex = (side: Side): SideIndex => (side === 'buy' ? BID : ASK);

/** Whether an order at a cell would trade at once. */
export const crosses = (book: Book<OrderRecord>, side: Side, cell: number): boolean =>
  side === 'buy' ? book.bestAsk <= cell : book.bestBid >= cell;

/** Plans an incoming order's way through the book. */
export function planMatch(book: Book<OrderRecord>, taker: Taker): MatchPlan {
  const sweep = new Sweep(taker);
  const side = oppositeIndex(taker.side);
  const reaches = (cell: number): boolean => (side === ASK ? cell <= taker.cell : cell >= taker.cell);
  let cell = book.firstCell(side);
  while (sweep.isHungry && book.hasCell(cell) && reaches(cell)) {
    for (let slot = book.firstAt(side, cell); slot !== NONE && sweep.isHungry; slot = book.after(slot))
      sweep.meet(book.itemOf(slot));
    cell = book.nextCell(side, cell);
  }
  return { meetings: sweep.meetings, filledQty: qty(taker.qty - sweep.left), yields: sweep.yields };
}

/** An order on its way, with positions as they would be by then, so that reduce-only orders never open one. */
class Sweep {
  readonly #taker: Taker;
  readonly #held = new Map<Holding, number>();
  readonly meetings: Meeting[] = [];
  left: number;
  yields = false;

  constructor(taker: Taker) {
    this.#taker = taker;
    this.left = taker.qty;
  }

  get isHungry(): boolean {
    return this.left > 0 && !this.yields;
  }

  meet(maker: OrderRecord): void {
    const isSelf = maker.holding.account === this.#taker.account;
    if (isSelf && this.#taker.selfTrade === 'taker_at_cross') this.yields = true;
    else if (isSelf) this.meetings.push({ maker, qty: qty(0), thenCancel: 'SelfTradeCancel' });
    else this.#trade(maker);
  }

  #trade(maker: OrderRecord): void {
    const held = this.#held.get(maker.holding) ?? heldQty(maker.holding);
    const closable = Math.max(0, maker.side === 'buy' ? -held : held);
    const allowed = maker.reduceOnly ? closable : maker.leavesQty;
    const traded = qty(Math.min(this.left, maker.leavesQty, allowed));
    this.#held.set(maker.holding, held + (maker.side === 'buy' ? traded : -traded));
    this.left -= traded;
    const mustGo = allowed < maker.leavesQty && traded === allowed;
    this.meetings.push({ maker, qty: traded, thenCancel: mustGo ? 'ReduceOnlyCancel' : null });
  }
}
