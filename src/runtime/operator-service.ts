// Carries an operator's order out in a running session, and answers when it is done or its time is over.
// Must never answer that nothing rests while an order of the scope may.
import { contractsText } from '../domain/amounts.ts';
import type { HaltScope, OperatorOrder } from '../domain/operator.ts';
import type { Order } from '../domain/order.ts';

import { isWithin, scopeKey } from '../execution/halts.ts';
import type { Notice } from '../execution/notice.ts';
import type { Scheduler } from '../transport/scheduler.ts';
import type { ControlReply, OrderReply, RestingOrder } from './control-messages.ts';
import type { Question } from './control.ts';
import type { LiveSession } from './live.ts';

export interface OperatorServiceOptions {
  readonly session: Pick<LiveSession, 'engine' | 'operate'>;
  readonly scheduler: Scheduler;
  /** How things stand, as plain data. */
  readonly status: () => Record<string, unknown>;
}

const LOOK_EVERY_MS = 20;
const ACCOUNT: HaltScope = { type: 'account' };

/** Answers what is asked over the control socket. */
export class OperatorService {
  readonly #options: OperatorServiceOptions;

  /** Why risk refused the override that was asked for last; `null` when it did not. */
  #refusal: string | null = null;

  constructor(options: OperatorServiceOptions) {
    this.#options = options;
  }

  /** Sees what the session tells: an override is refused by a notice. */
  observe(notice: Notice): void {
    if (notice.type === 'override' && notice.change === 'refused') this.#refusal = notice.why;
  }

  readonly answer = async (question: Question): Promise<ControlReply> => {
    if (question.type === 'status') return { type: 'status', status: this.#options.status() };
    const { phase } = this.#options.session.engine.session;
    if (phase === 'stopped') return { type: 'refused', why: 'the session has ended' };
    return { type: 'done', report: await this.#carryOut(question.order, question.withinMs) };
  };

  async #carryOut(order: OperatorOrder, withinMs: number): Promise<OrderReply> {
    const { session } = this.#options;
    const before = this.#open(scopeOf(order));
    this.#refusal = null;
    session.operate(order);
    const refusal = order.type === 'override' ? this.#refusal : null;
    const isDone = await this.#until(() => this.#isDone(order, before), withinMs);
    const open = this.#open(scopeOf(order));
    const left = order.type === 'cancel-all' ? open.filter((one) => before.includes(one)) : open;
    const gone = before.filter((one) => !open.includes(one)).length;
    const isWithdrawal = order.type !== 'resume' && order.type !== 'override';
    return {
      isDone: isDone && refusal === null,
      withdrawn: isWithdrawal ? gone : 0,
      left: isWithdrawal ? left.map((one) => this.#resting(one)) : [],
      halts: session.engine.halts.list().map(({ scope, by, reason }) => `${scopeKey(scope)} by ${by}: ${reason}`),
      remarks: this.#remarks(order, refusal),
    };
  }

  #remarks(order: OperatorOrder, refusal: string | null): string[] {
    if (order.type === 'flatten') return this.#unclosed();
    if (refusal !== null) return [refusal];
    const scope = scopeOf(order);
    const isKnown =
      scope.type !== 'market' || this.#options.session.engine.state.tickers.indexOf(scope.ticker) !== undefined;
    return isKnown ? [] : [`the bot has met no market ${scope.ticker}: is that how it is written?`];
  }

  #isDone(order: OperatorOrder, before: readonly Order[]): boolean {
    switch (order.type) {
      case 'halt':
        return this.#open(order.scope).length === 0;
      // Strategies may quote again: only what rested when it was asked for must be gone.
      case 'cancel-all':
        return !this.#open(order.scope).some((one) => before.includes(one));
      case 'flatten':
        return this.#open(ACCOUNT).length === 0 && !this.#options.session.engine.operator.isFlattening;
      default:
        return true;
    }
  }

  /** What a flattening could not close, in words. */
  #unclosed(): string[] {
    const { operator, state } = this.#options.session.engine;
    return operator.unclosed.map(
      ({ market, qty, why }) => `${contractsText(qty)} of ${state.tickers.tickerOf(market)} are still held: ${why}`,
    );
  }

  /** Unfinished orders within a scope: queued ones too, for they are about to leave. */
  #open(scope: HaltScope): Order[] {
    const { state } = this.#options.session.engine;
    return state.orders
      .allOpen()
      .filter(({ strategy, market }) => isWithin(scope, strategy, state.tickers.tickerOf(market)));
  }

  #resting({ clientOrderId, venueOrderId, market, state }: Order): RestingOrder {
    return { clientOrderId, venueOrderId, ticker: this.#options.session.engine.state.tickers.tickerOf(market), state };
  }

  async #until(isTrue: () => boolean, withinMs: number): Promise<boolean> {
    const { scheduler } = this.#options;
    const untilMs = scheduler.now() + withinMs;
    while (!isTrue()) {
      if (scheduler.now() >= untilMs) return false;
      await new Promise<void>((resolve) => void scheduler.after(LOOK_EVERY_MS, resolve));
    }
    return true;
  }
}

const scopeOf = (order: OperatorOrder): HaltScope => ('scope' in order ? order.scope : ACCOUNT);
