// The simplest possible matching engine, for comparison: one list of orders, searched for every fill. Must never share
// code with the exchange's own.
import type { NewOrder } from '../../../src/exchange/machine/exchange-input.ts';

export interface PlainOrder {
  readonly id: string;
  readonly account: string;
  readonly side: 'buy' | 'sell';
  price: number;
  leaves: number;
  /** Queue rank: lower comes first among equal prices. */
  turn: number;
  readonly postOnly: boolean;
  readonly selfTrade: NewOrder['selfTrade'];
  filled: number;
}

export interface PlainFill {
  readonly maker: string;
  readonly price: number;
  readonly qty: number;
}

/** Resting orders, and matching of incoming ones. */
export class PlainBook {
  resting: PlainOrder[] = [];
  #turns = 0;

  /** Fills of an order if it came now; `null` when it would be refused. Changes nothing. */
  place(order: Omit<PlainOrder, 'turn' | 'filled'>, timeInForce: NewOrder['timeInForce']): PlainFill[] | null {
    const entered = { ...order, turn: this.#turns++, filled: 0 };
    if (order.postOnly && this.#best(entered) !== undefined) return null;
    const before = this.resting.map((each) => ({ ...each }));
    const { fills, yields } = this.#match(entered);
    if (timeInForce === 'fok' && entered.leaves > 0) {
      this.resting = before;
      return null;
    }
    const mayRest = timeInForce === 'gtc' || timeInForce === 'gtd';
    if (entered.leaves > 0 && mayRest && !yields) this.resting.push(entered);
    return fills;
  }

  cancel(id: string): void {
    this.resting = this.resting.filter((order) => order.id !== id);
  }

  decrease(id: string, by: number): void {
    const order = this.#find(id);
    order.leaves -= Math.min(by, order.leaves);
    if (order.leaves === 0) this.cancel(id);
  }

  /** `qty` includes the filled quantity. */
  amend(id: string, price: number, qty: number): PlainFill[] | null {
    const order = this.#find(id);
    const leaves = qty - order.filled;
    if (leaves <= 0) {
      this.cancel(id);
      return [];
    }
    if (price === order.price && leaves <= order.leaves) {
      order.leaves = leaves;
      return [];
    }
    const moved = { ...order, price, leaves };
    if (order.postOnly && this.#best(moved) !== undefined) return null;
    this.cancel(id);
    moved.turn = this.#turns++;
    const { fills, yields } = this.#match(moved);
    if (moved.leaves > 0 && !yields) this.resting.push(moved);
    return fills;
  }

  /** Resting orders in matching priority. */
  side(side: 'buy' | 'sell'): PlainOrder[] {
    const sign = side === 'buy' ? -1 : 1;
    return this.resting
      .filter((order) => order.side === side)
      .sort((a, b) => sign * (a.price - b.price) || a.turn - b.turn);
  }

  #match(taker: PlainOrder): { fills: PlainFill[]; yields: boolean } {
    const fills: PlainFill[] = [];
    for (;;) {
      const maker = this.#best(taker);
      if (maker === undefined || taker.leaves === 0) return { fills, yields: false };
      if (maker.account === taker.account) {
        if (taker.selfTrade === 'taker_at_cross') return { fills, yields: true };
        this.cancel(maker.id);
        continue;
      }
      const qty = Math.min(maker.leaves, taker.leaves);
      fills.push({ maker: maker.id, price: maker.price, qty });
      maker.leaves -= qty;
      maker.filled += qty;
      taker.leaves -= qty;
      taker.filled += qty;
      if (maker.leaves === 0) this.cancel(maker.id);
    }
  }

  #best(taker: PlainOrder): PlainOrder | undefined {
    const [best] = this.side(taker.side === 'buy' ? 'sell' : 'buy');
    if (best === undefined) return undefined;
    const crosses = taker.side === 'buy' ? best.price <= taker.price : best.price >= taker.price;
    return crosses ? best : undefined;
  }

  #find(id: string): PlainOrder {
    const order = this.resting.find((each) => each.id === id);
    if (order === undefined) throw new Error(`no order ${id}`);
    return order;
  }
}
