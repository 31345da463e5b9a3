// Who hears what: subscriptions by channel and market, so that a message costs nothing where nobody listens. Pure.
// Must never lose a message, nor deliver one twice to a subscription.
import type { Ticker } from '../../domain/ids.ts';
import type { Channel } from '../../venues/trade-api/wire/records.ts';
import type { Subscription } from './subscription.ts';
import type { Told } from './teller.ts';

interface Listeners {
  /** Of every market. */
  readonly all: Set<Subscription>;
  readonly byTicker: Map<Ticker, Set<Subscription>>;
}

/** All subscriptions of a server. */
export class Audience {
  readonly #byChannel = new Map<Channel, Listeners>();

  /** Hears from now on what it follows. */
  add(subscription: Subscription): void {
    if (subscription.tickers === null) this.#listenersOf(subscription.channel).all.add(subscription);
    else this.follow(subscription, [...subscription.tickers]);
  }

  /** Follows further markets. */
  follow(subscription: Subscription, tickers: readonly Ticker[]): void {
    const { byTicker } = this.#listenersOf(subscription.channel);
    for (const ticker of tickers) {
      const known = byTicker.get(ticker);
      if (known === undefined) byTicker.set(ticker, new Set([subscription]));
      else known.add(subscription);
    }
  }

  /** Follows markets no more. */
  unfollow(subscription: Subscription, tickers: readonly Ticker[]): void {
    const { byTicker } = this.#listenersOf(subscription.channel);
    for (const ticker of tickers) {
      const known = byTicker.get(ticker);
      known?.delete(subscription);
      if (known?.size === 0) byTicker.delete(ticker);
    }
  }

  /** Hears nothing any more. */
  remove(subscription: Subscription): void {
    this.#listenersOf(subscription.channel).all.delete(subscription);
    this.unfollow(subscription, [...(subscription.tickers ?? [])]);
  }

  /** Markets are gone for good: nobody follows them any more. */
  forget(tickers: readonly Ticker[]): void {
    for (const { byTicker } of this.#byChannel.values())
      for (const ticker of tickers) {
        for (const subscription of byTicker.get(ticker) ?? []) subscription.tickers?.delete(ticker);
        byTicker.delete(ticker);
      }
  }

  /** Markets that somebody follows by name, over all channels. */
  get followed(): number {
    let count = 0;
    for (const { byTicker } of this.#byChannel.values()) count += byTicker.size;
    return count;
  }

  /** Delivers a message to everyone who follows it and may hear it. */
  publish(told: Told): void {
    const listeners = this.#byChannel.get(told.channel);
    if (listeners === undefined) return;
    for (const subscription of listeners.all) offer(subscription, told);
    if (told.ticker === null) return;
    for (const subscription of listeners.byTicker.get(told.ticker) ?? []) offer(subscription, told);
  }

  #listenersOf(channel: Channel): Listeners {
    let listeners = this.#byChannel.get(channel);
    if (listeners === undefined) {
      listeners = { all: new Set(), byTicker: new Map() };
      this.#byChannel.set(channel, listeners);
    }
    return listeners;
  }
}

function offer(subscription: Subscription, told: Told): void {
  if (told.account === null || told.account === subscription.ear.account) subscription.deliver(told);
}
