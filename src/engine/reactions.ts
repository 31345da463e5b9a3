// The consequences of each state change: notices, strategy callbacks, cancels, reads. Must never change the state
// itself, only by calls to the parts that own it.
import type { MarketIndex } from '../domain/ids.ts';
import { isSettled } from '../domain/market.ts';
import { isFinished } from '../domain/order.ts';
import { NO_QTY, subtractQty } from '../domain/units.ts';
import type { StateChange } from '../state/change.ts';
import type { EngineOptions } from './options.ts';
import type { EngineParts } from './parts.ts';

/** Reacts to state changes one at a time, in the order in which they were made. */
export class Reactions {
  readonly #options: Pick<EngineOptions, 'observe' | 'hasKey'>;
  readonly #parts: EngineParts;

  constructor(options: Pick<EngineOptions, 'observe' | 'hasKey'>, parts: EngineParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** Passes a change to everyone it concerns, and does what follows from it. */
  to(change: StateChange): void {
    this.#options.observe(change);
    this.#parts.risk.take(change);
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
        this.#parts.session.ledger.positionChanged(change.market.index, change.held);
        this.#parts.roster.askFollowers(change.market.index, (handlers, view) => handlers.onSettled?.(change, view));
        return this.#parts.roster.keepFollowers(change.market.index);
      case 'unexpected-order':
        return this.#parts.session.orders.unexpected(change.report);
      case 'canceled-for-us':
        if (this.#parts.desk.withdrawals.isUnwanted(change.order.clientOrderId)) return;
        return this.#parts.session.orders.canceledElsewhere(change.order);
      case 'evicted':
        this.#parts.session.ledger.forget(change.market.index);
        return this.#parts.desk.forget(change.market.index);
      case 'surprise':
    }
  }

  #orderChanged(change: Extract<StateChange, { type: 'order' }>): void {
    if (isFinished(change.order.state) && change.from !== 'queued')
      this.#parts.session.ledger.moneyMoved(this.#parts.state.now);
    const { roster, state } = this.#parts;
    state.queue.changed(change.order);
    const outcomes = this.#parts.desk.intents.outcomesOf(change);
    this.#parts.desk.afterChange(change);
    roster.askNamed(change.order.strategy, (handlers, view) => handlers.onOrder?.(change, view));
    for (const outcome of outcomes)
      roster.askNamed(outcome.strategy, (handlers, view) => handlers.onIntentOutcome?.(outcome, view));
    this.#parts.queueWatch.changed(change.order);
    if (change.order.state === 'unknown') this.#parts.session.upkeep('probe');
    this.#parts.session.advance();
  }

  #filled({ order, fill, position }: Extract<StateChange, { type: 'fill' }>): void {
    const before = subtractQty(position.qty, fill.side === 'buy' ? fill.qty : subtractQty(NO_QTY, fill.qty));
    this.#parts.session.ledger.positionChanged(fill.market, before);
    this.#parts.discovery.traded(fill.market);
    if (!order) return this.#parts.session.orders.others.meetFill(fill);
    this.#parts.roster.askNamed(order.strategy, (handlers, view) => handlers.onFill?.({ order, fill, position }, view));
    this.#parts.roster.keepers.keep(({ running }) => running.name === order.strategy);
  }

  #trustChanged(change: Extract<StateChange, { type: 'trust' }>): void {
    if (change.trust === 'live') this.#parts.feedWatch.trusted(change.market);
    if (change.trust === 'suspect') this.#distrusted(change.market, change.isWrong ?? false);
    this.#parts.roster.askFollowers(change.market, (handlers, view) => handlers.onTrust?.(change, view));
  }

  /** Cancels the orders in a market whose book is no longer live, and requests the book again. */
  #distrusted(market: MarketIndex, isWrong: boolean): void {
    this.#parts.desk.withdrawMarket(market);
    if (!this.#parts.state.feed.isUp) return;
    this.#parts.state.books.rebuild(market);
    this.#parts.feedWatch.distrusted(market, isWrong);
  }

  /** Cancels everything while our fills are not reported; once they are again, reads what was missed. */
  #privateFeedChanged(isUp: boolean): void {
    if (!this.#options.hasKey) return;
    const { phase } = this.#parts.session;
    if (!isUp && this.#parts.state.feed.isUp) this.#parts.desk.withdrawAll();
    else if (isUp && (phase === 'trading' || phase === 'recovering')) this.#parts.session.recover();
  }

  #marketMoved(change: Extract<StateChange, { type: 'market' }>): void {
    const { market } = change;
    const joined = this.#parts.roster.join(market);
    if (change.before === null) this.#parts.discovery.joined(market);
    this.#parts.roster.marketMoved(change, joined);
    if (!isSettled(market.status)) return;
    if (change.before !== null) this.#parts.session.paidOut();
    this.#parts.desk.withdrawMarket(market.index);
    this.#parts.roster.leave(market.index);
  }
}
