// Carries out the operator's commands: halt, resume, cancel, flatten. Halts by risk rules and by faults pass through
// here, too, so that every halt is reported and cancels orders in the same way. Must never lift a halt without a
// request.
import type { StrategyName } from '../domain/ids.ts';
import type { Halt, HaltScope, OperatorOrder, Unclosed } from '../domain/operator.ts';
import type { Micros, Qty } from '../domain/units.ts';
import { OPERATOR } from '../state/orders.ts';
import type { State } from '../state/state.ts';
import type { Roster } from '../strategy/roster.ts';
import type { HaltChanged } from '../strategy/strategy.ts';
import type { Readiness } from '../risk/proposal.ts';
import type { Desk } from './desk.ts';
import { Flattener } from './flattener.ts';
import { type Halts, isWithin } from './halts.ts';
import type { Observer } from './notice.ts';

export interface OperatorDeskOptions {
  readonly state: State;
  readonly halts: Halts;
  readonly desk: Desk;
  readonly roster: Roster;
  readonly observe: Observer;
  readonly qtyStep: Qty;
  readonly readiness: () => Readiness;
  /** Called with the halts that a person has lifted. */
  readonly onLifted: (lifted: readonly Halt[]) => void;
}

/** Carries out operator commands within the engine. */
export class OperatorDesk {
  readonly #options: OperatorDeskOptions;
  readonly #flattener: Flattener;

  constructor(options: OperatorDeskOptions) {
    this.#options = options;
    const { state, roster, observe, qtyStep, readiness } = options;
    // The strategy index within its client order ids, one that no strategy has.
    const operator = { name: OPERATOR, index: roster.all().length };
    this.#flattener = new Flattener({
      state,
      observe,
      qtyStep,
      readiness,
      place: (intent) => options.desk.placeForOperator(operator, intent),
    });
  }

  /** Continues a flattening that is under way. */
  look(now: Micros): void {
    this.#flattener.look(now);
  }

  /** The time of the next call of `continueFlatten`; `null` when no flattening is under way. */
  dueAt(): Micros | null {
    return this.#flattener.dueAt;
  }

  /** True while positions are being closed. */
  get isFlattening(): boolean {
    return this.#flattener.dueAt !== null;
  }

  /** Positions not closed yet, or not closed by the last flattening. */
  get unclosed(): readonly Unclosed[] {
    return this.#flattener.unclosed;
  }

  /** Takes over the halts of earlier sessions. Nothing rests yet, so nothing is canceled. */
  carry(halts: readonly Halt[]): void {
    for (const halt of halts)
      if (this.#options.halts.set(halt)) this.#options.observe({ type: 'halt', halt, isCarried: true });
  }

  /** Carries out an operator command. */
  take(order: Exclude<OperatorOrder, { type: 'override' }>, at: Micros): void {
    switch (order.type) {
      case 'halt':
        this.#flattener.stop(`halted: ${order.reason}`);
        if (order.by === 'operator') this.#cancelAdopted(order.scope);
        return this.#haltByCommand(order, at);
      case 'flatten':
        this.#cancelAdopted({ type: 'account' });
        this.halt({ scope: { type: 'account' }, by: 'operator', reason: order.reason, since: at });
        return this.#flattener.begin(at, order.reason);
      case 'resume':
        return this.#resume(order.scope, order.reason);
      case 'cancel-all':
        return this.#cancelAll(order.scope, order.reason);
    }
  }

  /** Halts a scope. A strategy at fault is also no longer called. */
  #haltByCommand({ scope, by, reason }: Extract<OperatorOrder, { type: 'halt' }>, since: Micros): void {
    const { roster } = this.#options;
    const failed = by === 'fault' && scope.type === 'strategy' ? roster.named(scope.strategy) : undefined;
    if (failed && failed.haltedBy === null) return roster.halt(failed, reason);
    this.halt({ scope, by, reason, since });
  }

  /** Halts a scope and cancels its orders, even when it was halted before. */
  halt(halt: Halt): void {
    const { halts, observe } = this.#options;
    if (halts.set(halt)) observe({ type: 'halt', halt, isCarried: false });
    this.#cancelWithin(halt.scope);
    this.#notify({ type: 'halted', scope: halt.scope, reason: halt.reason });
  }

  #resume(scope: HaltScope, reason: string): void {
    const { halts, roster, observe } = this.#options;
    const lifted = halts.lift(scope);
    this.#options.onLifted(lifted);
    if (scope.type === 'account') this.#flattener.stop(`resumed: ${reason}`);
    observe({ type: 'resumed', scope, reason, lifted });
    // A strategy that failed is called again only when a person resumes it.
    if (scope.type === 'strategy') roster.resume(scope.strategy);
    if (lifted.length > 0) this.#notify({ type: 'resumed', scope, reason });
  }

  #cancelAll(scope: HaltScope, reason: string): void {
    const orders = this.#cancelWithin(scope);
    this.#cancelAdopted(scope);
    this.#options.observe({ type: 'withdrawn', scope, reason, orders });
    this.#notify({ type: 'withdrawn', scope, reason });
  }

  /** Adopted orders are canceled only at a person's request. */
  #cancelAdopted(scope: HaltScope): void {
    const { state } = this.#options;
    if (scope.type === 'account') this.#options.desk.withdrawAdopted(null);
    const market = scope.type === 'market' ? state.tickers.indexOf(scope.ticker) : undefined;
    if (market !== undefined) this.#options.desk.withdrawAdopted(market);
  }

  /** Cancels the orders within a scope, and returns their number. */
  #cancelWithin(scope: HaltScope): number {
    const { state, roster } = this.#options;
    const open = state.orders.allOpen();
    const count = open.filter((order) => this.#covers(scope, order)).length;
    switch (scope.type) {
      case 'account':
        this.#options.desk.withdrawAll();
        break;
      case 'strategy': {
        const running = roster.named(scope.strategy);
        if (running) this.#options.desk.withdraw(running);
        break;
      }
      case 'market': {
        const market = state.tickers.indexOf(scope.ticker);
        if (market !== undefined) this.#options.desk.withdrawMarket(market);
      }
    }
    return count;
  }

  #covers(scope: HaltScope, { strategy, market }: ReturnType<State['orders']['allOpen']>[number]): boolean {
    return isWithin(scope, strategy, this.#options.state.tickers.tickerOf(market));
  }

  /** Notifies the strategies that a change concerns. */
  #notify(change: HaltChanged): void {
    const { roster } = this.#options;
    const { scope } = change;
    const isAffected = (name: StrategyName): boolean => scope.type !== 'strategy' || scope.strategy === name;
    for (const running of roster.all())
      if (isAffected(running.name)) roster.ask(running, (handlers, view) => handlers.onHalt?.(change, view));
  }
}
