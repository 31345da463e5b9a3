// Matching of an order of ours that arrives or gets new terms. Must never take from an unknown book, nor change
// anything before a refusal.
import { centsText, contractsText } from '../../../domain/amounts.ts';
import { assert } from '../../../base/assert.ts';
import type { MarketIndex } from '../../../domain/ids.ts';
import type { Side } from '../../../domain/orders/order.ts';
import { termsOf } from '../../../domain/orders/order-terms.ts';
import type { Price, Qty } from '../../../domain/units.ts';
import { BookState, type RecordedDepth } from './recorded-depth.ts';
import type { OwnOrders } from './own-orders.ts';
import {
  type Execution,
  type FillSimulatorOptions,
  type ArrivingOrder,
  type MatchingRefusal,
  WOULD_MEET_OWN_ORDER,
  type PlacementOutcome,
} from '../simulator-interfaces.ts';
import type { OrderExplainer } from './order-explainer.ts';
import { type TakePlan, meetsAnything, planTake } from './take-plan.ts';
import type { RestingOrder } from './watched-level.ts';

interface MatchingParts {
  readonly depth: RecordedDepth;
  readonly own: OwnOrders;
  readonly options: FillSimulatorOptions;
  readonly explainer: OrderExplainer | null;
}

interface Arrival {
  readonly order: ArrivingOrder;
  /** The quantity that may trade: less than requested when a reduce-only order exceeds the position. */
  readonly qty: number;
  readonly cell: number;
  readonly plan: TakePlan;
}

const rejected = (code: MatchingRefusal, message: string): PlacementOutcome => ({ type: 'rejected', code, message });
const isImmediate = ({ timeInForce }: ArrivingOrder): boolean => timeInForce === 'ioc' || timeInForce === 'fok';

export class OrderMatching {
  readonly #depth: RecordedDepth;
  readonly #own: OwnOrders;
  readonly #options: FillSimulatorOptions;
  readonly #explainer: OrderExplainer | null;

  constructor({ depth, own, options, explainer }: MatchingParts) {
    this.#depth = depth;
    this.#own = own;
    this.#options = options;
    this.#explainer = explainer;
  }

  placeOrder(order: ArrivingOrder): PlacementOutcome {
    assert(this.#own.findOrder(order.id) === undefined, `order ${order.id} rests already`);
    const arrival = this.#admit(order, null);
    return 'type' in arrival ? this.#reject(order, arrival) : this.#execute(arrival);
  }

  /** Gives a resting order new terms. An order that only shrinks keeps its queue position. */
  amendOrder(resting: RestingOrder, price: Price, leaves: Qty): PlacementOutcome {
    if (price === resting.price && leaves <= resting.leaves) {
      const canceled = resting.leaves - leaves;
      if (leaves === 0) this.#own.removeOrder(resting);
      else resting.leaves = leaves;
      this.#explainer?.explainStep(resting, 'reduced in place');
      return taken({ executions: [], resting: leaves, canceled, reason: 'amended', withdrawn: [] });
    }
    const order: ArrivingOrder = { id: resting.id, ...termsOf(resting), price, qty: leaves };
    const arrival = this.#admit(order, resting);
    if ('type' in arrival) return this.#reject(order, arrival);
    this.#own.removeOrder(resting);
    return this.#execute(arrival);
  }

  /** Makes every check before anything changes. `from` is the resting order that gets new terms. */
  #admit(order: ArrivingOrder, from: RestingOrder | null): Arrival | (PlacementOutcome & { type: 'rejected' }) {
    const refusal = (code: MatchingRefusal, message: string) => ({ type: 'rejected', code, message }) as const;
    const { market, side } = order;
    const grid = this.#depth.gridOf(market);
    if (grid === undefined) return refusal('market_closed', 'the venue has no such market');
    const cell = grid.cellByPrice[order.price] ?? -1;
    if (cell < 0) return refusal('price_off_grid', `${centsText(order.price)} is not on the market's grid`);
    const qty = order.reduceOnly ? Math.min(order.qty, this.#reducible(market, side, from)) : order.qty;
    if (qty <= 0 || (from !== null && qty < order.qty))
      return refusal('reduce_only_beyond_position', 'there is not enough position left to reduce');
    const plan = planTake(this.#depth, this.#own, { market, side, cell, qty, selfTrade: this.#options.selfTrade });
    if (order.postOnly && meetsAnything(plan))
      return refusal('post_only_would_cross', 'post only, and it would trade at once');
    if (order.timeInForce === 'fok' && plan.taken < qty) {
      if (!this.#isKnown(market)) return refusal('book_unknown', 'the book is unknown: nothing can be taken from it');
      return refusal(
        'fill_or_kill_unfilled',
        `only ${contractsText(plan.taken as Qty)} of ${contractsText(qty as Qty)} could trade at once`,
      );
    }
    return { order, qty, cell, plan };
  }

  #reject(order: ArrivingOrder, refusal: PlacementOutcome & { type: 'rejected' }): PlacementOutcome {
    this.#explainer?.explainStep({ id: order.id, ahead: 0, leaves: order.qty }, `refused: ${refusal.message}`);
    return rejected(refusal.code, refusal.message);
  }

  #execute({ order, qty, cell, plan }: Arrival): PlacementOutcome {
    for (const ownOrder of plan.canceledOwn) {
      this.#own.removeOrder(ownOrder);
      this.#explainer?.explainStep(ownOrder, `canceled: ${order.id} of our own came to meet it`);
    }
    const executions = plan.slices.map((slice) => this.#takeFrom(order, slice.cell, slice.qty));
    const left = qty - plan.taken;
    const mayRest = left > 0 && !plan.cancelsIncoming && !isImmediate(order);
    if (mayRest) this.#rest(order, cell, left);
    const resting = mayRest ? left : 0;
    const canceled = order.qty - plan.taken - resting;
    const reason = this.#whyCanceled(order, plan, { canceled, left });
    if (reason !== null)
      this.#explainer?.explainStep({ id: order.id, ahead: 0, leaves: resting }, `remainder canceled: ${reason}`);
    const withdrawn = plan.canceledOwn.map((ownOrder) => ownOrder.id);
    return taken({ executions, resting, canceled, reason, withdrawn });
  }

  #whyCanceled(order: ArrivingOrder, plan: TakePlan, remainder: { canceled: number; left: number }): string | null {
    if (remainder.canceled === 0) return null;
    if (plan.cancelsIncoming) return WOULD_MEET_OWN_ORDER;
    if (remainder.left > 0 && isImmediate(order))
      return this.#isKnown(order.market) ? 'nothing more to take' : 'the book is unknown';
    return 'reduce only: the position is smaller';
  }

  #takeFrom(order: ArrivingOrder, cell: number, qty: number): Execution {
    const level = this.#own.watchLevel(order.market, order.side === 'sell', cell);
    level.takeFromFront(qty);
    this.#explainer?.explainTake(order.id, level.price, { qty, left: order.qty - qty });
    return { orderId: order.id, price: level.price, qty: qty as Qty, liquidity: 'taker', evidence: 'taken' };
  }

  #rest(order: ArrivingOrder, cell: number, leaves: number): void {
    const slot = this.#depth.slotAt(order.market, order.side === 'buy', cell);
    const recorded = this.#isKnown(order.market) ? (this.#depth.cells[slot] ?? 0) : null;
    this.#own.restOrder(order, { cell, leaves, recorded });
  }

  /** Quantity that a reduce-only order may take: the position, less what other reduce-only orders would take. */
  #reducible(market: MarketIndex, side: Side, except: RestingOrder | null): number {
    const held = this.#options.positionOf(market);
    let left = Math.max(0, side === 'buy' ? -held : held);
    for (const order of this.#own.inArrivalOrder(market, side))
      if (order.reduceOnly && order !== except) left -= order.leaves;
    return Math.max(0, left);
  }

  #isKnown(market: MarketIndex): boolean {
    return this.#depth.stateOf(market) !== BookState.unknown;
  }
}

interface TakenOutcome {
  readonly executions: readonly Execution[];
  readonly resting: number;
  readonly canceled: number;
  readonly reason: string | null;
  readonly withdrawn: readonly string[];
}

const taken = ({ executions, resting, canceled, reason, withdrawn }: TakenOutcome): PlacementOutcome => ({
  type: 'taken',
  executions,
  restingQty: resting as Qty,
  canceledQty: canceled as Qty,
  reason,
  canceledOwn: withdrawn,
});
