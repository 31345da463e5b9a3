// Plans what an arriving order would meet: recorded levels less what we took of them, and orders of ours on the other
// side. Must never change anything. The plan is wrong where others would have reacted to our order: only the tape's own
// additions to a level replace what we took. It is also wrong where the tape's own taker takes the same quantity later.
import type { MarketIndex } from '../../../domain/ids.ts';
import type { Side } from '../../../domain/orders/order.ts';
import { BookState, type RecordedDepth } from './recorded-depth.ts';
import type { OwnOrders } from './own-orders.ts';
import type { FillSimulatorOptions } from '../simulator-interfaces.ts';
import type { RestingOrder } from './watched-level.ts';

interface LevelSlice {
  readonly cell: number;
  readonly qty: number;
}

export interface TakePlan {
  readonly slices: readonly LevelSlice[];
  readonly taken: number;
  /** Orders of ours that are canceled because the arriving order meets them. */
  readonly canceledOwn: readonly RestingOrder[];
  /** True when the arriving order meets an order of ours and is canceled itself. */
  readonly cancelsIncoming: boolean;
}

export interface TakingOrder {
  readonly market: MarketIndex;
  readonly side: Side;
  /** Cell of the limit price in `RecordedDepth`. */
  readonly cell: number;
  readonly qty: number;
}

/** Plans an arriving order's path through the book. */
export function planTake(
  depth: RecordedDepth,
  own: OwnOrders,
  taker: TakingOrder & Pick<FillSimulatorOptions, 'selfTrade'>,
): TakePlan {
  const makersBid = taker.side === 'sell';
  const bookWalk = new BookWalk(taker);
  const isKnown = depth.stateOf(taker.market) !== BookState.unknown;
  const step = makersBid ? -1 : 1;
  const first = makersBid ? depth.cellCount(taker.market) - 1 : 0;
  for (let cell = first; bookWalk.wantsMore && (makersBid ? cell >= taker.cell : cell <= taker.cell); cell += step) {
    const slot = depth.slotAt(taker.market, makersBid, cell);
    const recorded = isKnown ? (depth.cells[slot] ?? 0) : 0;
    const watcher = own.watchedLevelAt(slot);
    if (recorded > 0 || watcher !== undefined)
      bookWalk.visitLevel(cell, Math.max(0, recorded - (watcher?.takenQty ?? 0)), watcher?.orders ?? []);
  }
  return bookWalk;
}

class BookWalk implements TakePlan {
  readonly #selfTrade: FillSimulatorOptions['selfTrade'];
  readonly slices: LevelSlice[] = [];
  readonly canceledOwn: RestingOrder[] = [];
  #left: number;
  taken = 0;
  cancelsIncoming = false;

  constructor({ qty, selfTrade }: TakingOrder & Pick<FillSimulatorOptions, 'selfTrade'>) {
    this.#left = qty;
    this.#selfTrade = selfTrade;
  }

  get wantsMore(): boolean {
    return this.#left > 0 && !this.cancelsIncoming;
  }

  visitLevel(cell: number, available: number, orders: readonly RestingOrder[]): void {
    let takenHere = 0;
    for (const order of orders) {
      takenHere += this.#takeUpTo(Math.min(available, order.ahead) - takenHere);
      if (this.#left === 0) break;
      if (this.#selfTrade === 'cancel-incoming') this.cancelsIncoming = true;
      else this.canceledOwn.push(order);
      if (this.cancelsIncoming) break;
    }
    if (!this.cancelsIncoming) takenHere += this.#takeUpTo(available - takenHere);
    if (takenHere > 0) this.slices.push({ cell, qty: takenHere });
  }

  #takeUpTo(offered: number): number {
    const qty = Math.min(this.#left, Math.max(0, offered));
    this.#left -= qty;
    this.taken += qty;
    return qty;
  }
}

/** True when the order would trade, or meet an order of ours. */
export const meetsAnything = (plan: TakePlan): boolean =>
  plan.taken > 0 || plan.cancelsIncoming || plan.canceledOwn.length > 0;
