// Moves resting orders by amends. An order that cannot be amended now is canceled: a cancel has a reserve of the budget,
// and a new order follows it. Must never have two amends of one order in flight, nor count on the better terms before the
// venue confirms them.
import { must } from '../../base/assert.ts';
import type { Denial } from '../../domain/denial.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import { type AmendedTerms, type Order, isFinished } from '../../domain/orders/order.ts';
import { termsOf } from '../../domain/orders/order-terms.ts';
import { closingQty } from '../../domain/position.ts';
import { addQty } from '../../domain/units.ts';
import type { AmendCommand } from '../../domain/venue-command.ts';
import type { Proposal } from '../../risk/rules/proposal.ts';
import type { AmendPlan } from '../../strategy/quote-plan.ts';
import type { OrderCancels } from './order-cancels.ts';
import type { OrderEntryOptions } from './order-entry-options.ts';
import { latestSend } from './send-deadline.ts';

export interface AmendsOptions extends Pick<
  OrderEntryOptions,
  'state' | 'planner' | 'risk' | 'readiness' | 'blockingDenial' | 'orderDelayMsMax' | 'nextCommandId'
> {
  readonly cancels: OrderCancels;
  readonly onRequested: (order: Order) => void;
}

/** Amends orders in place of a cancel and a new order. */
export class Amends {
  readonly #options: AmendsOptions;
  /** Terms that were asked for. Added when the amend is queued; removed when the order is working again or has ended. */
  readonly #asked = new Map<ClientOrderId, AmendedTerms>();
  /**
   * Orders whose amend did not take effect: their next move is a cancel and a new order. Added when the order rests
   * again; removed when it has ended.
   */
  readonly #ineffective = new Set<ClientOrderId>();

  constructor(options: AmendsOptions) {
    this.#options = options;
  }

  /** Moves a resting order to new terms, or cancels it when an amend is denied or cannot leave now. */
  moveOrder({ order, price, leavesQty }: AmendPlan): void {
    const { state, planner, cancels } = this.#options;
    const { clientOrderId: id } = order;
    const proposal: Proposal = { strategy: order.strategy, ...termsOf(order), price, qty: leavesQty, amended: order };
    if (!this.#mayMove(order) || this.#denialOf(proposal) !== null) return cancels.cancelOrder(id);
    const command = this.#amendCommand(order, proposal);
    if (!planner.wouldLeaveNow(command, state.now)) return cancels.cancelOrder(id);
    this.#requestAmend(order, command);
  }

  /** False for an order that has ended at the venue, must end, or kept its terms at an earlier amend. */
  #mayMove({ clientOrderId: id }: Order): boolean {
    const { state, cancels } = this.#options;
    return !this.#ineffective.has(id) && !cancels.isUnwanted(id) && !state.orders.isAwaitingFills(id);
  }

  #denialOf(proposal: Proposal): Denial | null {
    const { blockingDenial, risk, readiness } = this.#options;
    return blockingDenial(proposal.market) ?? risk.check(proposal, readiness());
  }

  #requestAmend(order: Order, command: AmendCommand): void {
    const { state, planner, risk, onRequested } = this.#options;
    const { price, qty } = command;
    risk.countOrder(order.strategy);
    this.#asked.set(order.clientOrderId, { price, qty });
    state.orders.recordAmend(order.clientOrderId, { price, qty });
    onRequested(order);
    if (!planner.enqueue(command)) this.giveUpAmend(order.clientOrderId);
  }

  #amendCommand({ clientOrderId, venueOrderId, filledQty }: Order, proposal: Proposal): AmendCommand {
    const { state, nextCommandId, orderDelayMsMax } = this.#options;
    const { market, side, price, qty } = proposal;
    const held = state.portfolio.position(market).qty;
    return {
      type: 'amend',
      lane: closingQty(held, proposal) === qty ? 'reduce' : 'new',
      id: nextCommandId(),
      clientOrderId,
      venueOrderId: must(venueOrderId, `venue id of ${clientOrderId}`),
      ticker: state.tickers.tickerOf(market),
      side,
      price,
      qty: addQty(filledQty, qty),
      createdAt: state.now,
      validUntil: latestSend(state.now, orderDelayMsMax),
    };
  }

  /** Gives up an amend that certainly did not take effect, and cancels the order instead. */
  giveUpAmend(id: ClientOrderId): void {
    this.#options.state.orders.dropAmend(id);
    this.#options.cancels.cancelOrder(id);
  }

  onOrderChange(order: Order): void {
    const { clientOrderId: id } = order;
    if (isFinished(order.state)) {
      this.#asked.delete(id);
      this.#ineffective.delete(id);
      return;
    }
    const asked = this.#asked.get(id);
    if (asked === undefined || order.state !== 'working') return;
    this.#asked.delete(id);
    if (order.price !== asked.price || order.qty !== asked.qty) this.#ineffective.add(id);
  }

  get size(): number {
    return new Set([...this.#asked.keys(), ...this.#ineffective]).size;
  }
}
