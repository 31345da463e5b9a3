// Index of subscriptions by channel and market, so that a message without subscribers costs nothing. Must never lose a
// message, nor deliver one twice to a subscription.
import type { Ticker } from '../../domain/ids.ts';
import type { Channel } from '../../venues/trade-api/wire/wire-records.ts';
import type { FeedSubscription } from './feed-subscription.ts';
import type { EncodedMessage } from './feed-encoder.ts';

interface ChannelSubscriptions {
  /** Subscriptions to every market. */
  readonly all: Set<FeedSubscription>;
  readonly byTicker: Map<Ticker, Set<FeedSubscription>>;
}

/** Finds the subscriptions that receive a message. */
export class SubscriptionIndex {
  readonly #byChannel = new Map<Channel, ChannelSubscriptions>();

  addSubscription(subscription: FeedSubscription): void {
    if (subscription.tickers === null) this.#channelOf(subscription.channel).all.add(subscription);
    else this.addMarkets(subscription, [...subscription.tickers]);
  }

  addMarkets(subscription: FeedSubscription, tickers: readonly Ticker[]): void {
    const { byTicker } = this.#channelOf(subscription.channel);
    for (const ticker of tickers) {
      const subscribers = byTicker.get(ticker);
      if (subscribers === undefined) byTicker.set(ticker, new Set([subscription]));
      else subscribers.add(subscription);
    }
  }

  removeMarkets(subscription: FeedSubscription, tickers: readonly Ticker[]): void {
    const { byTicker } = this.#channelOf(subscription.channel);
    for (const ticker of tickers) {
      const subscribers = byTicker.get(ticker);
      subscribers?.delete(subscription);
      if (subscribers?.size === 0) byTicker.delete(ticker);
    }
  }

  removeSubscription(subscription: FeedSubscription): void {
    this.#channelOf(subscription.channel).all.delete(subscription);
    this.removeMarkets(subscription, [...(subscription.tickers ?? [])]);
  }

  /** Removes from every subscription the markets that the exchange no longer lists. */
  dropMarkets(tickers: readonly Ticker[]): void {
    for (const { byTicker } of this.#byChannel.values())
      for (const ticker of tickers) {
        for (const subscription of byTicker.get(ticker) ?? []) subscription.tickers?.delete(ticker);
        byTicker.delete(ticker);
      }
  }

  /** Number of markets subscribed by name. A market counts once per channel. */
  get subscribedMarkets(): number {
    let count = 0;
    for (const { byTicker } of this.#byChannel.values()) count += byTicker.size;
    return count;
  }

  /** True when no subscription follows anything. */
  get isEmpty(): boolean {
    for (const { all, byTicker } of this.#byChannel.values()) if (all.size > 0 || byTicker.size > 0) return false;
    return true;
  }

  /** Delivers a message to every subscription to its channel and market that may see it. */
  publish(message: EncodedMessage): void {
    const subscriptions = this.#byChannel.get(message.channel);
    if (subscriptions === undefined) return;
    for (const subscription of subscriptions.all) deliverIfVisible(subscription, message);
    if (message.ticker === null) return;
    for (const subscription of subscriptions.byTicker.get(message.ticker) ?? [])
      deliverIfVisible(subscription, message);
  }

  #channelOf(channel: Channel): ChannelSubscriptions {
    let subscriptions = this.#byChannel.get(channel);
    if (subscriptions === undefined) {
      subscriptions = { all: new Set(), byTicker: new Map() };
      this.#byChannel.set(channel, subscriptions);
    }
    return subscriptions;
  }
}

function deliverIfVisible(subscription: FeedSubscription, message: EncodedMessage): void {
  if (message.account === null || message.account === subscription.recipient.account) subscription.sendMessage(message);
}
