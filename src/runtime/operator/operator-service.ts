// Carries out operators' instructions in a running session. Replies when an instruction is done or its time has passed.
// Must never leave out of a reply an order that was to be canceled and may still rest.
import { contractsText } from '../../domain/amounts.ts';
import type { HaltScope, OperatorOrder } from '../../domain/operator-order.ts';
import type { Order } from '../../domain/orders/order.ts';

import { isInHaltScope, scopeKey } from '../../execution/operator/halts.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import type { Scheduler } from '../../transport/scheduler.ts';
import type { ControlReply, FlattenPlan, OrderReply, RestingOrder } from './control-messages.ts';
import type { SessionRequest } from './control-server.ts';
import type { LiveSession } from '../session/live-session.ts';

export interface OperatorServiceOptions {
  readonly session: Pick<LiveSession, 'engine' | 'endReason' | 'hasFault' | 'submitOperatorOrder'>;
  readonly scheduler: Scheduler;
  readonly statusReport: () => Record<string, unknown>;
  /**
   * Returns the orders of a scope in an embedded exchange's own list, which no other process can read. Returns `null`
   * when the list cannot be read.
   */
  readonly listAtVenue?: (scope: HaltScope) => Promise<readonly RestingOrder[] | null>;
}

const CHECK_EVERY_MS = 20;
const POSITIONS_UNKNOWN = 'the positions are still being read';
const ACCOUNT: HaltScope = { type: 'account' };

/** Answers requests from the control socket. */
export class OperatorService {
  readonly #options: OperatorServiceOptions;

  /** Reason why risk refused the latest override; `null` when risk accepted it. */
  #refusal: string | null = null;

  constructor(options: OperatorServiceOptions) {
    this.#options = options;
  }

  /** Reads the session's notices: only a notice reports that an override was refused. */
  onNotice(notice: Notice): void {
    if (notice.type === 'override' && notice.change === 'refused') this.#refusal = notice.why;
  }

  readonly answerRequest = async (request: SessionRequest): Promise<ControlReply> => {
    if (request.type === 'status') return { type: 'status', status: this.#options.statusReport() };
    const { session } = this.#options;
    if (session.endReason !== null) return { type: 'refused', why: session.endReason };
    if (request.type === 'preview-flatten') return this.#previewFlatten();
    const report = await this.#carryOut(request.order, request.withinMs);
    // After a fault, the figures of the engine prove nothing.
    return session.hasFault ? { type: 'refused', why: session.endReason ?? '' } : { type: 'done', report };
  };

  async #carryOut(order: OperatorOrder, withinMs: number): Promise<OrderReply> {
    const { session } = this.#options;
    const before = this.#openOrders(scopeOf(order));
    this.#refusal = null;
    session.submitOperatorOrder(order);
    const refusal = order.type === 'override' ? this.#refusal : null;
    const isDone = await this.#waitUntil(() => this.#isDone(order, before), withinMs);
    const open = this.#openOrders(scopeOf(order));
    const left = order.type === 'cancel-all' ? open.filter((resting) => before.includes(resting)) : open;
    // `before` holds the state's own objects, so their states are the present ones.
    const canceledCount = before.filter(({ state }) => state === 'canceled').length;
    const isCancellation = order.type !== 'resume' && order.type !== 'override';
    const seen = isCancellation ? await this.#seenAtVenue(order, before) : undefined;
    return {
      isDone: isDone && refusal === null && (seen?.length ?? 0) === 0,
      withdrawn: isCancellation ? canceledCount : 0,
      left: isCancellation ? left.map((resting) => this.#resting(resting)) : [],
      halts: session.engine.halts.listHalts().map(({ scope, by, reason }) => `${scopeKey(scope)} by ${by}: ${reason}`),
      remarks: this.#remarks(order, refusal),
      ...(seen !== undefined && { seenAtVenue: seen }),
    };
  }

  /**
   * Reads the exchange's own list. After `cancel-all`, strategies may quote again, so only orders in `before` count.
   * Returns `undefined` when only another process can read the list.
   */
  async #seenAtVenue(order: OperatorOrder, before: readonly Order[]): Promise<RestingOrder[] | null | undefined> {
    const listed = await this.#options.listAtVenue?.(scopeOf(order));
    if (listed === undefined || listed === null || order.type !== 'cancel-all') return listed && [...listed];
    const earlier = new Set<string | null>(before.map(({ clientOrderId }) => clientOrderId));
    return listed.filter(({ clientOrderId }) => earlier.has(clientOrderId));
  }

  #previewFlatten(): ControlReply {
    if (!this.#options.session.engine.operator.arePositionsKnown) return { type: 'refused', why: POSITIONS_UNKNOWN };
    return { type: 'flatten-plan', plan: this.#flattenPlan() };
  }

  #flattenPlan(): FlattenPlan {
    const { operator, state } = this.#options.session.engine;
    const { orders, unclosed } = operator.previewFlatten();
    const nameOf = state.tickers.tickerOf.bind(state.tickers);
    return {
      orders: orders.map(({ market, side, price, qty, cost }) => {
        return { ticker: nameOf(market), side, price, qty, costMicros: cost };
      }),
      unclosed: unclosed.map(({ market, qty, why }) => ({ ticker: nameOf(market), qty, why })),
    };
  }

  #remarks(order: OperatorOrder, refusal: string | null): string[] {
    if (order.type === 'flatten') return [...this.#unreadPositions(), ...this.#unclosed()];
    if (refusal !== null) return [refusal];
    const scope = scopeOf(order);
    const isKnown =
      scope.type !== 'market' || this.#options.session.engine.state.tickers.indexOf(scope.ticker) !== undefined;
    return isKnown ? [] : [`the bot has not seen a market ${scope.ticker}: check the spelling`];
  }

  #isDone(order: OperatorOrder, before: readonly Order[]): boolean {
    switch (order.type) {
      case 'halt':
        return this.#openOrders(order.scope).length === 0;
      // Strategies may quote again: only orders that rested at the time of the request must be gone.
      case 'cancel-all':
        return !this.#openOrders(order.scope).some((resting) => before.includes(resting));
      case 'flatten':
        return this.#openOrders(ACCOUNT).length === 0 && !this.#options.session.engine.operator.isFlattening;
      // Both take effect at once.
      case 'resume':
      case 'override':
        return true;
    }
  }

  #unreadPositions(): string[] {
    const { operator } = this.#options.session.engine;
    return operator.isFlattening && !operator.arePositionsKnown
      ? [`${POSITIONS_UNKNOWN}: they are closed after that`]
      : [];
  }

  #unclosed(): string[] {
    const { operator, state } = this.#options.session.engine;
    return operator.unclosed.map(
      ({ market, qty, why }) => `${contractsText(qty)} of ${state.tickers.tickerOf(market)} are still held: ${why}`,
    );
  }

  /** Returns unfinished orders within a scope. Queued orders count, because they are about to be sent. */
  #openOrders(scope: HaltScope): Order[] {
    const { state } = this.#options.session.engine;
    return state.orders
      .allOpen()
      .filter(({ strategy, market }) => isInHaltScope(scope, strategy, state.tickers.tickerOf(market)));
  }

  #resting({ clientOrderId, venueOrderId, market, state }: Order): RestingOrder {
    return { clientOrderId, venueOrderId, ticker: this.#options.session.engine.state.tickers.tickerOf(market), state };
  }

  async #waitUntil(isTrue: () => boolean, withinMs: number): Promise<boolean> {
    const { scheduler, session } = this.#options;
    const untilMs = scheduler.now() + withinMs;
    while (!isTrue()) {
      if (scheduler.now() >= untilMs || session.endReason !== null) return false;
      await new Promise<void>((resolve) => void scheduler.after(CHECK_EVERY_MS, resolve));
    }
    return true;
  }
}

const scopeOf = (order: OperatorOrder): HaltScope => ('scope' in order ? order.scope : ACCOUNT);
