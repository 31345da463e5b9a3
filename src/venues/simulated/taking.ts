// What an arriving order would meet: recorded levels less what we took of them, and orders of ours on the other side.
// Pure reading, as on a real floor: all-or-nothing orders and refusals cost nothing.
// Lies when others would have answered our order: what we take stays gone until the tape refills the level, and nobody
// runs from us or fills the hole; and when the tape's own taker then takes what we took: both have it.
import type { MarketIndex } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { BookState, type Depth } from './depth.ts';
import type { OwnOrders } from './own-orders.ts';
import type { FloorOptions } from './ports.ts';
import type { Resting } from './watched-level.ts';

/** So much of one level. */
interface Bite {
  readonly cell: number;
  readonly qty: number;
}

export interface TakePlan {
  readonly bites: readonly Bite[];
  readonly taken: number;
  /** Orders of ours that it meets and that go for it. */
  readonly withdrawn: readonly Resting[];
  /** It meets an order of ours and goes itself. */
  readonly yields: boolean;
}

export interface Taker {
  readonly market: MarketIndex;
  readonly side: Side;
  /** The cell of its limit. */
  readonly cell: number;
  readonly qty: number;
}

/** Plans an arriving order's way through the book. */
export function planTaking(depth: Depth, own: OwnOrders, taker: Taker & Pick<FloorOptions, 'selfTrade'>): TakePlan {
  const makersBid = taker.side === 'sell';
  const walk = new Walk(taker);
  const isKnown = depth.stateOf(taker.market) !== BookState.unknown;
  const step = makersBid ? -1 : 1;
  const first = makersBid ? depth.cellCount(taker.market) - 1 : 0;
  for (let cell = first; walk.isHungry && (makersBid ? cell >= taker.cell : cell <= taker.cell); cell += step) {
    const slot = depth.slotAt(taker.market, makersBid, cell);
    const recorded = isKnown ? (depth.cells[slot] ?? 0) : 0;
    const watcher = own.watcherOf(slot);
    if (recorded > 0 || watcher !== undefined)
      walk.level(cell, Math.max(0, recorded - (watcher?.spent ?? 0)), watcher?.orders ?? []);
  }
  return walk;
}

class Walk implements TakePlan {
  readonly #selfTrade: FloorOptions['selfTrade'];
  readonly bites: Bite[] = [];
  readonly withdrawn: Resting[] = [];
  #left: number;
  taken = 0;
  yields = false;

  constructor({ qty, selfTrade }: Taker & Pick<FloorOptions, 'selfTrade'>) {
    this.#left = qty;
    this.#selfTrade = selfTrade;
  }

  get isHungry(): boolean {
    return this.#left > 0 && !this.yields;
  }

  level(cell: number, available: number, orders: readonly Resting[]): void {
    let bitten = 0;
    for (const order of orders) {
      bitten += this.#bite(Math.min(available, order.ahead) - bitten);
      if (this.#left === 0) break;
      if (this.#selfTrade === 'cancel-incoming') this.yields = true;
      else this.withdrawn.push(order);
      if (this.yields) break;
    }
    if (!this.yields) bitten += this.#bite(available - bitten);
    if (bitten > 0) this.bites.push({ cell, qty: bitten });
  }

  #bite(offered: number): number {
    const qty = Math.min(this.#left, Math.max(0, offered));
    this.#left -= qty;
    this.taken += qty;
    return qty;
  }
}

/** Whether an order would meet anything. */
export const meets = (plan: TakePlan): boolean => plan.taken > 0 || plan.yields || plan.withdrawn.length > 0;
