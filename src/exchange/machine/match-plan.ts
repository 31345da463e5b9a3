// Plans how an incoming order matches: fills at the resting prices, best price first, then oldest first. Must never
// change anything, so that a refusal has nothing to undo.
import type { Side } from '../../domain/orders/order.ts';
import { type Qty, qty } from '../../domain/units.ts';
import { ASK, BID, type RestingBook, NONE, type SideIndex } from './resting-book.ts';
import type { SelfTradePrevention } from './exchange-input.ts';
import { heldQty } from '../accounts/exchange-ledger.ts';
import type { Account, Holding, OrderRecord } from './exchange-records.ts';

/** Terms of an incoming order. */
export interface IncomingOrder {
  readonly account: Account;
  readonly side: Side;
  /** Cell of the limit price: its index in the market's grid. */
  readonly cell: number;
  readonly qty: Qty;
  readonly selfTrade: SelfTradePrevention;
}

/**
 * A resting order that the incoming order meets. `qty` trades. The rest is canceled for the reason `thenCancel`, or
 * stays when the reason is `null`.
 */
export interface MatchStep {
  readonly maker: OrderRecord;
  readonly qty: Qty;
  readonly thenCancel: 'SelfTradeCancel' | 'ReduceOnlyCancel' | null;
}

/** The planned effect of an incoming order, before anything changes. */
export interface MatchPlan {
  readonly steps: readonly MatchStep[];
  readonly filledQty: Qty;
  /** True when the incoming order met an order of its own account and yields: its remaining quantity is canceled. */
  readonly cancelsTaker: boolean;
}

const oppositeIndex = (side: Side): SideIndex => (side === 'buy' ? ASK : BID);
export const sideIndexOf = (side: Side): SideIndex => (side === 'buy' ? BID : ASK);

/** True when an order at a cell of the grid would trade at once. */
export const isCrossing = (book: RestingBook<OrderRecord>, side: Side, cell: number): boolean =>
  side === 'buy' ? book.bestAsk <= cell : book.bestBid >= cell;

/** Plans the matches of an incoming order. */
export function planMatch(book: RestingBook<OrderRecord>, taker: IncomingOrder): MatchPlan {
  const matcher = new Matcher(taker);
  const side = oppositeIndex(taker.side);
  const reaches = (cell: number): boolean => (side === ASK ? cell <= taker.cell : cell >= taker.cell);
  let cell = book.firstCell(side);
  while (matcher.wantsMore && book.hasCell(cell) && reaches(cell)) {
    for (let slot = book.firstSlotAt(side, cell); slot !== NONE && matcher.wantsMore; slot = book.nextSlot(slot))
      matcher.matchAgainst(book.itemOf(slot));
    cell = book.nextCell(side, cell);
  }
  return { steps: matcher.meetings, filledQty: qty(taker.qty - matcher.leavesQty), cancelsTaker: matcher.yields };
}

/**
 * Matches one incoming order. Tracks each maker's position, so that a resting reduce-only order never opens a position.
 */
class Matcher {
  readonly #taker: IncomingOrder;
  readonly #held = new Map<Holding, number>();
  readonly meetings: MatchStep[] = [];
  leavesQty: number;
  yields = false;

  constructor(taker: IncomingOrder) {
    this.#taker = taker;
    this.leavesQty = taker.qty;
  }

  get wantsMore(): boolean {
    return this.leavesQty > 0 && !this.yields;
  }

  matchAgainst(maker: OrderRecord): void {
    const isSelf = maker.holding.account === this.#taker.account;
    if (isSelf && this.#taker.selfTrade === 'taker_at_cross') this.yields = true;
    else if (isSelf) this.meetings.push({ maker, qty: qty(0), thenCancel: 'SelfTradeCancel' });
    else this.#planTrade(maker);
  }

  #planTrade(maker: OrderRecord): void {
    const held = this.#held.get(maker.holding) ?? heldQty(maker.holding);
    const closable = Math.max(0, maker.side === 'buy' ? -held : held);
    const allowed = maker.reduceOnly ? closable : maker.leavesQty;
    const traded = qty(Math.min(this.leavesQty, maker.leavesQty, allowed));
    this.#held.set(maker.holding, held + (maker.side === 'buy' ? traded : -traded));
    this.leavesQty -= traded;
    const isOverPosition = allowed < maker.leavesQty && traded === allowed;
    this.meetings.push({ maker, qty: traded, thenCancel: isOverPosition ? 'ReduceOnlyCancel' : null });
  }
}
