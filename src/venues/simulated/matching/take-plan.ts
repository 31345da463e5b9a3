// The quantity that an arriving order would meet: recorded levels less what we took of them, and orders of ours on the
// other side. Planning only reads, so fill-or-kill orders and refusals change nothing. The plan is wrong where others
// would have reacted to our order: what we take stays gone until the tape adds to the level, and no trader retreats
// from us or replaces what we took. It is also wrong where the tape's own taker then takes the same quantity: both have
// it.
import type { MarketIndex } from '../../../domain/ids.ts';
import type { Side } from '../../../domain/orders/order.ts';
import { BookState, type RecordedDepth } from './recorded-depth.ts';
import type { OwnOrders } from './own-orders.ts';
import type { FillSimulatorOptions } from '../simulator-interfaces.ts';
import type { RestingOrder } from './watched-level.ts';

/** A quantity of one level. */
interface LevelSlice {
  readonly cell: number;
  readonly qty: number;
}

export interface TakePlan {
  readonly slices: readonly LevelSlice[];
  readonly taken: number;
  /** Orders of ours that the arriving order meets and that are canceled for it. */
  readonly canceledOwn: readonly RestingOrder[];
  /** True when the arriving order meets an order of ours and is canceled itself. */
  readonly cancelsIncoming: boolean;
}

export interface TakingOrder {
  readonly market: MarketIndex;
  readonly side: Side;
  /** The cell of its limit price in `RecordedDepth`. */
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

/** True when an order would meet anything. */
export const meetsAnything = (plan: TakePlan): boolean =>
  plan.taken > 0 || plan.cancelsIncoming || plan.canceledOwn.length > 0;
