// The consequences of each state change: notices, strategy callbacks, cancels, reads. Must never change the state
// except through the parts that own it.
import type { MarketIndex } from '../domain/ids.ts';
import { isSettled } from '../domain/market.ts';
import { isFinished } from '../domain/orders/order.ts';
import { heldBefore } from '../domain/position.ts';
import type { OrderChange } from '../execution/orders/order-entry-options.ts';
import type { StateChange } from '../state/state-change.ts';
import type { EngineOptions } from './engine-options.ts';
import type { EngineParts } from './engine-parts.ts';
import { OrderAnnouncements } from './order-announcements.ts';

type FillChange = Extract<StateChange, { type: 'fill' }>;

/** Reacts to state changes, oldest first. */
export class Reactions {
  readonly #options: Pick<EngineOptions, 'observe' | 'hasKey'>;
  readonly #parts: EngineParts;
  readonly #announcements: OrderAnnouncements;
  readonly #react = (change: StateChange): void => this.reactTo(change);

  constructor(options: Pick<EngineOptions, 'observe' | 'hasKey'>, parts: EngineParts) {
    this.#options = options;
    this.#parts = parts;
    this.#announcements = new OrderAnnouncements(parts.changes, parts.strategyRunner);
  }

  reactToChanges(): void {
    if (!this.#parts.changes.isEmpty) this.reactAndAdvance();
  }

  /**
   * Reacts to every waiting change, and lets the session enter its next phase. The phase may advance without any
   * change.
   */
  reactAndAdvance(): void {
    this.#parts.changes.drain(this.#react);
    this.#parts.session.advancePhase();
  }

  reactTo(change: StateChange): void {
    this.#options.observe(change);
    this.#parts.risk.applyChange(change);
    switch (change.type) {
      case 'order':
        return this.#orderChanged(change);
      case 'fill':
        return this.#filled(change);
      case 'trust':
        return this.#trustChanged(change);
      case 'private-feed':
        return this.#privateFeedChanged(change.isUp);
      case 'market':
        return this.#marketMoved(change);
      case 'settled':
        this.#parts.session.ledger.onPositionChange(change.market.index, change.held);
        this.#parts.strategyRunner.callFollowers(change.market.index, (handlers, view) =>
          handlers.onSettled?.(change, view),
        );
        return this.#parts.strategyRunner.saveFollowers(change.market.index);
      case 'unexpected-order':
        return this.#parts.session.orders.onUnexpectedOrder(change.report);
      case 'canceled-for-us':
        if (this.#parts.orderEntry.cancels.isUnwanted(change.order.clientOrderId)) return;
        return this.#parts.session.orders.onCanceledElsewhere(change.order);
      case 'evicted':
        this.#parts.session.ledger.forgetMarket(change.market.index);
        return this.#parts.orderEntry.forgetMarket(change.market.index);
      case 'surprise':
    }
  }

  #orderChanged(change: OrderChange): void {
    if (isFinished(change.order.state) && change.from !== 'queued')
      this.#parts.session.ledger.onMoneyMoved(this.#parts.state.now);
    const { strategyRunner, orderEntry, state } = this.#parts;
    strategyRunner.callAtNextChange(change.order.market);
    state.queueEstimates.onOrderChange(change.order);
    const outcomes = orderEntry.intentNotifier.outcomesOf(change);
    this.#passOn(change);
    for (const outcome of outcomes)
      strategyRunner.callNamed(outcome.strategy, (handlers, view) => handlers.onIntentOutcome?.(outcome, view));
    this.#parts.queueNotifier.onOrderChange(change.order);
    if (change.order.state === 'unknown') this.#parts.session.performDuty('probe');
    this.#parts.session.advancePhase();
  }

  /**
   * Reports an order's change to its strategy and lets order entry act on it. Order entry may change the order once more,
   * so the strategy hears first, and its answer waits.
   */
  #passOn(change: OrderChange): void {
    if (this.#announcements.hasListener(change)) this.#announceAndAct(change);
    else this.#parts.orderEntry.onOrderChange(change);
  }

  #announceAndAct(change: OrderChange): void {
    const { orderEntry } = this.#parts;
    orderEntry.holdIntents(() => {
      this.#announcements.announce(change);
      orderEntry.onOrderChange(change);
    });
  }

  #filled(change: FillChange): void {
    const { order, fill, position } = change;
    // An order that is learned late moves no position, but it reserves less from now on.
    if (change.isCounted === true) this.#parts.session.ledger.onMoneyMoved(this.#parts.state.now);
    else this.#traded(change);
    if (!order) return this.#parts.session.orders.otherSessions.checkFill(fill);
    this.#parts.strategyRunner.callNamed(order.strategy, (handlers, view) =>
      handlers.onFill?.({ order, fill, position }, view),
    );
    this.#parts.strategyRunner.stateSavers.saveStates(({ running }) => running.name === order.strategy);
  }

  #traded({ fill, position }: FillChange): void {
    this.#parts.strategyRunner.callAtNextChange(fill.market);
    this.#parts.session.ledger.onPositionChange(fill.market, heldBefore(position.qty, fill));
    this.#parts.discovery.lookUpTraded(fill.market);
  }

  #trustChanged(change: Extract<StateChange, { type: 'trust' }>): void {
    if (change.trust === 'live') this.#parts.feedWatch.onBookLive(change.market);
    if (change.trust === 'suspect') this.#distrusted(change.market, change.isWrong ?? false);
    this.#parts.strategyRunner.callFollowers(change.market, (handlers, view) => handlers.onTrust?.(change, view));
  }

  /** Cancels the orders in a market whose book is no longer live, and requests the book again. */
  #distrusted(market: MarketIndex, isWrong: boolean): void {
    this.#parts.orderEntry.cancelMarket(market);
    if (!this.#parts.state.feed.isUp) return;
    this.#parts.state.books.markRebuilding(market);
    this.#parts.feedWatch.onBookSuspect(market, isWrong);
  }

  /** Cancels everything when our fills are no longer reported. Once they are reported again, reads what was missed. */
  #privateFeedChanged(isUp: boolean): void {
    if (!this.#options.hasKey) return;
    const { phase } = this.#parts.session;
    if (!isUp && this.#parts.state.feed.isUp) this.#parts.orderEntry.cancelAll();
    else if (isUp && (phase === 'trading' || phase === 'recovering')) this.#parts.session.startRecovery();
  }

  #marketMoved(change: Extract<StateChange, { type: 'market' }>): void {
    const { market } = change;
    const joined = this.#parts.strategyRunner.joinMarket(market);
    if (change.before === null) this.#parts.discovery.onMarketAdded(market);
    this.#parts.strategyRunner.announceMarketChange(change, joined);
    if (!isSettled(market.status)) return;
    if (change.before !== null) this.#parts.session.onMarketPaidOut();
    this.#parts.orderEntry.cancelMarket(market.index);
    this.#parts.strategyRunner.dropMarket(market.index);
  }
}
