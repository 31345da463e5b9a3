// Carries out the operator's commands: halt, resume, cancel, flatten. Halts by risk rules and by faults pass through
// here, too, because they cancel orders as well. Must never lift a halt without a request.
import { assert } from '../../base/assert.ts';
import type { StrategyName } from '../../domain/ids.ts';
import type { Halt, HaltScope, OperatorOrder, UnclosedPosition } from '../../domain/operator-order.ts';
import type { Micros, Qty } from '../../domain/units.ts';
import { OPERATOR } from '../../state/account/orders.ts';
import type { State } from '../../state/state.ts';
import type { StrategyRunner } from '../../strategy/strategy-runner.ts';
import type { HaltChanged } from '../../strategy/strategy-definition.ts';
import type { Readiness } from '../../risk/rules/proposal.ts';
import type { OrderEntry } from '../orders/order-entry.ts';
import { type FlattenPreview, Flattener, type FlattenerOptions } from './flattener.ts';
import { type Halts, isInHaltScope } from './halts.ts';
import type { Observer } from '../engine-notice.ts';

export interface OperatorCommandsOptions {
  readonly state: State;
  readonly halts: Halts;
  readonly orderEntry: OrderEntry;
  readonly roster: StrategyRunner;
  readonly observe: Observer;
  readonly qtyStep: Qty;
  readonly readiness: () => Readiness;
  readonly arePositionsKnown: FlattenerOptions['arePositionsKnown'];
  readonly highestFee: FlattenerOptions['highestFee'];
  /** Called with the halts that a person has lifted. */
  readonly onLifted: (lifted: readonly Halt[]) => void;
}

type HaltOrder = Extract<OperatorOrder, { type: 'halt' }>;

/**
 * True when a halt ends a flattening. Only a person may leave positions open. A flattening begins with a halt of its
 * own and only reduces positions, so any other halt allows it.
 */
const endsFlatten = ({ scope, by }: HaltOrder): boolean => by === 'operator' && scope.type === 'account';

/** Carries out operator commands within the engine. */
export class OperatorCommands {
  readonly #options: OperatorCommandsOptions;
  readonly #flattener: Flattener;

  constructor(options: OperatorCommandsOptions) {
    this.#options = options;
    const { state, roster, observe, qtyStep, readiness, arePositionsKnown, highestFee } = options;
    // The operator's orders need an index for their client order ids. No strategy has this index.
    const operator = { name: OPERATOR, index: roster.allStrategies().length };
    this.#flattener = new Flattener({
      state,
      observe,
      qtyStep,
      readiness,
      arePositionsKnown,
      highestFee,
      place: (intent) => options.orderEntry.placeForOperator(operator, intent),
    });
  }

  continueFlatten(now: Micros): void {
    this.#flattener.runRound(now);
  }

  /** The time of the next call of `continueFlatten`; `null` when no flattening is under way. */
  dueAt(): Micros | null {
    return this.#flattener.dueAt;
  }

  /** Returns the orders that a flattening would send now. Sends nothing. */
  previewFlatten(): FlattenPreview {
    return this.#flattener.preview();
  }

  /** False while the account's positions are being read, at the start and after the feed was lost. */
  get arePositionsKnown(): boolean {
    return this.#options.arePositionsKnown();
  }

  get isFlattening(): boolean {
    return this.#flattener.dueAt !== null;
  }

  /** Positions not closed yet, or not closed by the last flattening. */
  get unclosed(): readonly UnclosedPosition[] {
    return this.#flattener.unclosed;
  }

  /** Takes over the halts of earlier sessions. Nothing is canceled, because this session has no orders yet. */
  restoreHalts(halts: readonly Halt[]): void {
    for (const halt of halts)
      if (this.#options.halts.addHalt(halt)?.isNew) this.#options.observe({ type: 'halt', halt, isCarried: true });
  }

  obeyCommand(order: Exclude<OperatorOrder, { type: 'override' }>, at: Micros): void {
    switch (order.type) {
      case 'halt':
        if (endsFlatten(order)) this.#flattener.stop(`halted: ${order.reason}`);
        if (order.by === 'operator') this.#cancelAdopted(order.scope);
        return this.#haltByCommand(order, at);
      case 'flatten':
        this.#cancelAdopted({ type: 'account' });
        this.haltScope({ scope: { type: 'account' }, by: 'operator', reason: order.reason, since: at });
        return this.#flattener.startFlatten(at, order.reason);
      case 'resume':
        return this.#resume(order.scope, order.reason);
      case 'cancel-all':
        return this.#cancelAll(order.scope, order.reason);
    }
  }

  /** Halts a scope. A strategy that is halted by a fault is no longer called, either. */
  #haltByCommand({ scope, by, reason, since }: HaltOrder, at: Micros): void {
    const { roster } = this.#options;
    const failed = by === 'fault' && scope.type === 'strategy' ? roster.strategyNamed(scope.strategy) : undefined;
    if (failed && failed.haltedBy === null) return roster.haltStrategy(failed, reason);
    this.haltScope({ scope, by, reason, since: since !== undefined && since < at ? since : at });
  }

  /** Halts a scope and cancels its orders except adopted ones, even if the scope is halted already. */
  haltScope(halt: Halt): void {
    const { halts, observe } = this.#options;
    const added = halts.addHalt(halt);
    if (added !== null) observe({ type: 'halt', halt: added.halt, isCarried: false });
    assert(halts.isHalted(halt.scope), 'a scope must be halted before its orders are canceled');
    this.#cancelWithin(halt.scope);
    this.#notify({ type: 'halted', scope: halt.scope, reason: halt.reason });
  }

  #resume(scope: HaltScope, reason: string): void {
    const { halts, roster, observe } = this.#options;
    const lifted = halts.liftHalts(scope);
    assert(!halts.isHalted(scope), 'a resumed scope must not be halted');
    this.#options.onLifted(lifted);
    if (scope.type === 'account') this.#flattener.stop(`resumed: ${reason}`);
    observe({ type: 'resumed', scope, reason, lifted });
    // A strategy that failed is called again only when a person resumes it.
    if (scope.type === 'strategy') roster.resumeStrategy(scope.strategy);
    if (lifted.length > 0) this.#notify({ type: 'resumed', scope, reason });
  }

  #cancelAll(scope: HaltScope, reason: string): void {
    const orders = this.#cancelWithin(scope);
    this.#cancelAdopted(scope);
    this.#options.observe({ type: 'withdrawn', scope, reason, orders });
    this.#notify({ type: 'withdrawn', scope, reason });
  }

  /** Cancels the adopted orders within a scope. Only a person may request this. */
  #cancelAdopted(scope: HaltScope): void {
    const { state } = this.#options;
    if (scope.type === 'account') this.#options.orderEntry.cancelAdopted(null);
    const market = scope.type === 'market' ? state.tickers.indexOf(scope.ticker) : undefined;
    if (market !== undefined) this.#options.orderEntry.cancelAdopted(market);
  }

  /** Cancels the orders within a scope, except adopted ones. Returns the number of all open orders there. */
  #cancelWithin(scope: HaltScope): number {
    const { state, roster } = this.#options;
    const open = state.orders.allOpen();
    const count = open.filter((order) => this.#covers(scope, order)).length;
    switch (scope.type) {
      case 'account':
        this.#options.orderEntry.cancelAll();
        break;
      case 'strategy': {
        const running = roster.strategyNamed(scope.strategy);
        if (running) this.#options.orderEntry.cancelStrategy(running);
        break;
      }
      case 'market': {
        const market = state.tickers.indexOf(scope.ticker);
        if (market !== undefined) this.#options.orderEntry.cancelMarket(market);
      }
    }
    return count;
  }

  #covers(scope: HaltScope, { strategy, market }: ReturnType<State['orders']['allOpen']>[number]): boolean {
    return isInHaltScope(scope, strategy, this.#options.state.tickers.tickerOf(market));
  }

  #notify(change: HaltChanged): void {
    const { roster } = this.#options;
    const { scope } = change;
    const isAffected = (name: StrategyName): boolean => scope.type !== 'strategy' || scope.strategy === name;
    for (const running of roster.allStrategies())
      if (isAffected(running.name)) roster.callStrategy(running, (handlers, view) => handlers.onHalt?.(change, view));
  }
}
