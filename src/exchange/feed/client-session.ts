// The protocol state of one feed connection: executes commands, holds subscriptions, replies. Must never let a
// subscription receive what its connection's key does not permit.
import type { Ticker } from '../../domain/ids.ts';
import {
  type FeedProfile,
  type SilentChannel,
  type WireProfile,
  channelOf,
} from '../../venues/trade-api/profiles/wire-profile.ts';
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import type { Channel, SubscribeRecord, UpdateSubscriptionRecord } from '../../venues/trade-api/wire/wire-records.ts';
import type { ExchangeReader } from '../machine/exchange-interface.ts';
import type { AccountName } from '../machine/exchange-input.ts';
import type { SubscriptionIndex } from './subscription-index.ts';
import { type FeedCommand, parseMessage } from './client-commands.ts';
import { FeedError } from './feed-errors.ts';
import { SilentSubscriptions, checkMessageParts } from './silent-subscriptions.ts';
import { FeedSubscription } from './feed-subscription.ts';
import type { FeedEncoder } from './feed-encoder.ts';

/** The parts that all connections share. */
export interface FeedContext {
  readonly feed: FeedProfile;
  readonly silentChannels: readonly SilentChannel[];
  readonly readings: WireProfile['readings'];
  readonly exchange: ExchangeReader;
  readonly encoder: FeedEncoder;
  readonly subscriptions: SubscriptionIndex;
}

/** The parts of one connection. */
export interface ClientSessionOptions {
  /** Account of the connection's key; `null` without a key. */
  readonly account: AccountName | null;
  /** `channel` is the channel of the message; `null` for replies. */
  readonly send: (text: string, channel: Channel | null) => void;
  /** Called with every refused command, for the log. */
  readonly refused: (fault: FeedError) => void;
}

const SUBSCRIPTIONS_MAX = 1000;
const TICKERS_MAX = 10_000;
/** Markets that the subscriptions of one connection name together. A market counts once for each. */
const MARKETS_MAX = 500_000;
/** Longest ticker of a market that is not listed, in characters. */
const UNLISTED_TICKER_MAX = 200;

/** The protocol state of one feed connection. */
export class ClientSession {
  readonly #context: FeedContext;
  readonly #account: AccountName | null;
  readonly #send: ClientSessionOptions['send'];
  readonly #refused: ClientSessionOptions['refused'];
  readonly #subscriptions = new Map<number, FeedSubscription>();
  readonly #silent = new SilentSubscriptions();
  #lastSid = 0;

  constructor(context: FeedContext, { account, send, refused }: ClientSessionOptions) {
    this.#context = context;
    this.#account = account;
    this.#send = send;
    this.#refused = refused;
  }

  handleMessage(text: string): void {
    const { id, command } = parseMessage(this.#context, text);
    if (command instanceof FeedError) return this.#refuseCommand(id, command);
    try {
      this.#execute(id, command);
    } catch (fault) {
      if (!(fault instanceof FeedError)) throw fault;
      this.#refuseCommand(id, fault);
    }
  }

  refuseOverLimit(): void {
    this.#refuseCommand(0, new FeedError('tooManyRequests'));
  }

  endForOverflow(): void {
    const sids = [...this.#subscriptions.keys(), ...this.#silent.listSubscriptions().map(({ sid }) => sid)];
    this.close();
    for (const sid of sids) this.#refuse(0, new FeedError('overflow', { sid }));
  }

  endChannel(channel: Channel): void {
    for (const subscription of this.#subscriptions.values()) {
      if (subscription.channel !== channel) continue;
      this.#context.subscriptions.removeSubscription(subscription);
      this.#subscriptions.delete(subscription.sid);
      this.#refuse(0, new FeedError('channelError', { sid: subscription.sid }));
    }
  }

  close(): void {
    for (const subscription of this.#subscriptions.values())
      this.#context.subscriptions.removeSubscription(subscription);
    this.#subscriptions.clear();
    this.#silent.clear();
  }

  #execute(id: number, command: FeedCommand): void {
    switch (command.type) {
      case 'subscribe':
        return this.#subscribe(id, command);
      case 'unsubscribe':
        return this.#unsubscribe(id, command.params.sids);
      case 'update':
        return this.#updateSubscription(id, command.params);
      case 'list':
        return this.#sendSubscriptionList(id);
    }
  }

  #subscribe(id: number, { params, silent }: Extract<FeedCommand, { type: 'subscribe' }>): void {
    const tickers = tickersIn(params);
    if (silent.some(({ isDivisible }) => isDivisible)) checkMessageParts(params);
    this.#checkChannels(params.channels, silent, tickers);
    const created = params.channels.map((channel) => this.#addSubscription(channel, params, tickers));
    const { type, record } = this.#context.feed.replies.subscribed;
    for (const { channel, sid } of created) this.#reply({ id, type, msg: codecOf(record).encode({ channel, sid }) });
    for (const channel of silent) {
      const sid = ++this.#lastSid;
      this.#silent.addSubscription(sid, channel);
      this.#reply({ id, type, msg: this.#encodeSilent({ channel: channel.name, sid }) });
    }
    for (const subscription of created) {
      if (subscription.channel === 'book') this.#sendSnapshots(subscription, tickers ?? [], null);
      if (subscription.channel === 'ticker' && params.withSnapshot === true)
        this.#sendTickers(subscription, subscription.tickers);
    }
  }

  #checkChannels(names: readonly Channel[], silent: readonly SilentChannel[], tickers: readonly Ticker[] | null): void {
    const count = names.length + silent.length;
    if (count === 0) throw new FeedError('noChannels');
    for (const name of names) {
      const channel = this.#context.feed.channels[name];
      if (channel === null) throw new FeedError('unknownChannel');
      if (channel.isPrivate && this.#account === null) throw new FeedError('noKey');
      if (channel.markets === 'required' && tickers === null) throw new FeedError('noTicker');
    }
    this.#checkTickers(tickers ?? []);
    this.#checkMarkets(names.length * (tickers ?? []).length);
    if (this.#subscriptions.size + this.#silent.size + count > SUBSCRIPTIONS_MAX) throw new FeedError('tooManyMarkets');
  }

  /**
   * Encodes the reply for a silent channel. The channel's name is set afterwards, because the record's type does not
   * know it.
   */
  #encodeSilent({ channel, sid }: { readonly channel: string; readonly sid: number }): unknown {
    const { record } = this.#context.feed.replies.subscribed;
    return { ...codecOf(record).encode({ channel: 'book', sid }), [record.fields.channel.wire]: channel };
  }

  #addSubscription(channel: Channel, params: SubscribeRecord, tickers: readonly Ticker[] | null): FeedSubscription {
    const subscription = new FeedSubscription({
      sid: ++this.#lastSid,
      channel,
      tickers: channelOf(this.#context.feed, channel).markets === 'none' ? null : tickers,
      recipient: { account: this.#account, isOnYesScale: params.onYesScale ?? false },
      skipsList: params.skipsList ?? false,
      send: (text) => this.#send(text, channel),
    });
    this.#subscriptions.set(subscription.sid, subscription);
    this.#context.subscriptions.addSubscription(subscription);
    return subscription;
  }

  #unsubscribe(id: number, sids: readonly number[]): void {
    if (sids.length === 0) throw new FeedError('noSids');
    for (const sid of sids) if (!this.#silent.has(sid)) this.#subscriptionOf(sid);
    const { type } = this.#context.feed.replies.unsubscribed;
    for (const sid of new Set(sids)) this.#reply({ id, sid, seq: this.#removeSubscription(sid), type });
  }

  #removeSubscription(sid: number): number {
    const last = this.#silent.removeSubscription(sid);
    if (last !== null) return last;
    const subscription = this.#subscriptionOf(sid);
    this.#context.subscriptions.removeSubscription(subscription);
    this.#subscriptions.delete(sid);
    return subscription.nextSeq();
  }

  #updateSubscription(id: number, params: UpdateSubscriptionRecord): void {
    const sids = params.sid === null ? (params.sids ?? []) : [params.sid, ...(params.sids ?? [])];
    const [sid] = sids;
    if (sid === undefined || sids.length > 1) throw new FeedError('notOneSid');
    const silentSeq = this.#silent.updateSubscription(sid, params);
    if (silentSeq !== null) return this.#acknowledge(id, { sid, seq: silentSeq, tickers: null });
    const subscription = this.#subscriptionOf(sid);
    const tickers = tickersIn(params);
    if (channelOf(this.#context.feed, subscription.channel).markets === 'none')
      throw new FeedError('wrongAction', { sid });
    if (tickers === null) throw new FeedError('noTicker', { sid });
    switch (params.action) {
      case 'add':
        return this.#addMarkets(id, { subscription, tickers, withSnapshot: params.withSnapshot === true });
      case 'delete':
        return this.#deleteMarkets(id, subscription, tickers);
      case 'snapshot':
        return this.#resnapshot(id, subscription, tickers);
      case 'follow':
      case 'unfollow':
        throw new FeedError('wrongAction', { sid });
    }
  }

  #addMarkets(
    id: number,
    {
      subscription,
      tickers,
      withSnapshot,
    }: { subscription: FeedSubscription; tickers: readonly Ticker[]; withSnapshot: boolean },
  ): void {
    this.#checkTickers(tickers);
    const { tickers: subscribed } = subscription;
    const added = subscribed === null ? [] : tickers.filter((ticker) => !subscribed.has(ticker));
    if (subscribed !== null && subscribed.size + added.length > TICKERS_MAX) throw new FeedError('tooManyMarkets');
    this.#checkMarkets(added.length);
    for (const ticker of added) subscribed?.add(ticker);
    this.#context.subscriptions.addMarkets(subscription, added);
    this.#acknowledge(id, acknowledgmentOf(subscription));
    if (subscription.channel === 'book') this.#sendSnapshots(subscription, added, null);
    if (subscription.channel === 'ticker' && withSnapshot) this.#sendTickers(subscription, added);
  }

  #deleteMarkets(id: number, subscription: FeedSubscription, tickers: readonly Ticker[]): void {
    const { tickers: subscribed, sid } = subscription;
    // A wildcard subscription cannot exclude a market.
    if (subscribed === null) throw new FeedError('wrongAction', { sid });
    for (const ticker of tickers) subscribed.delete(ticker);
    this.#context.subscriptions.removeMarkets(subscription, tickers);
    this.#acknowledge(id, acknowledgmentOf(subscription));
  }

  #resnapshot(id: number, subscription: FeedSubscription, tickers: readonly Ticker[]): void {
    const { channel, sid, tickers: subscribed } = subscription;
    if (channel !== 'book') throw new FeedError('wrongAction', { sid });
    const notSubscribed = tickers.filter((ticker) => subscribed?.has(ticker) !== true);
    if (notSubscribed.length > 0) throw new FeedError('invalid', { sid, tickers: notSubscribed });
    this.#sendSnapshots(subscription, tickers, id);
  }

  #sendSubscriptionList(id: number): void {
    const { updated, subscribed } = this.#context.feed.replies;
    const codec = codecOf(subscribed.record);
    const msg = [...this.#subscriptions.values()].map(({ channel, sid }) => codec.encode({ channel, sid }));
    const silent = this.#silent.listSubscriptions().map((each) => this.#encodeSilent(each));
    this.#reply({ id, type: updated.type, msg: [...msg, ...silent] });
  }

  #acknowledge(id: number, { sid, seq, tickers }: Acknowledgment): void {
    const { type, record } = this.#context.feed.replies.updated;
    this.#reply({ id, sid, seq, type, msg: codecOf(record).encode({ tickers }) });
  }

  #sendSnapshots(subscription: FeedSubscription, tickers: readonly Ticker[], id: number | null): void {
    const { exchange, encoder } = this.#context;
    for (const ticker of tickers) {
      if (!this.#isInForce(subscription)) return;
      subscription.sendMessage(encoder.encodeSnapshot(ticker, exchange.book(ticker)), id);
    }
  }

  /** `null` means every market. */
  #sendTickers(subscription: FeedSubscription, tickers: Iterable<Ticker> | null): void {
    const { exchange, encoder } = this.#context;
    for (const ticker of tickers ?? exchange.markets().map(({ definition }) => definition.ticker)) {
      if (!this.#isInForce(subscription)) return;
      const stats = exchange.stats(ticker);
      if (stats !== undefined) subscription.sendMessage(encoder.encodeTicker(ticker, stats, exchange.now));
    }
  }

  /** False once a subscription has ended: one of several messages may have ended it. */
  #isInForce({ sid }: FeedSubscription): boolean {
    return this.#subscriptions.has(sid);
  }

  #checkTickers(tickers: readonly Ticker[]): void {
    if (tickers.length > TICKERS_MAX) throw new FeedError('tooManyMarkets');
    const { exchange, readings } = this.#context;
    const unlisted = tickers.filter((ticker) => exchange.statusOf(ticker) === undefined);
    if (unlisted.some(({ length }) => length > UNLISTED_TICKER_MAX)) throw new FeedError('invalid');
    if (readings.unlistedMarkets === 'empty') return;
    if (unlisted.length > 0) throw new FeedError('invalid', { tickers: unlisted });
  }

  /** Throws when the connection would name more than `MARKETS_MAX` markets after `added` more. */
  #checkMarkets(added: number): void {
    let count = added;
    for (const { tickers } of this.#subscriptions.values()) count += tickers?.size ?? 0;
    if (count > MARKETS_MAX) throw new FeedError('tooManyMarkets');
  }

  #subscriptionOf(sid: number): FeedSubscription {
    const subscription = this.#subscriptions.get(sid);
    if (subscription === undefined) throw new FeedError('unknownSid', { sid });
    return subscription;
  }

  #refuseCommand(id: number, fault: FeedError): void {
    this.#refused(fault);
    this.#refuse(id, fault);
  }

  #refuse(id: number, { code, message, sid, tickers }: FeedError): void {
    const { type, record } = this.#context.feed.replies.error;
    const msg = codecOf(record).encode({ code, message, ticker: null, tickers: tickers.length > 0 ? tickers : null });
    this.#reply(sid === null ? { id, type, msg } : { id, type, sid, msg });
  }

  #reply(message: Readonly<Record<string, unknown>>): void {
    this.#send(JSON.stringify(message), null);
  }
}

interface Acknowledgment {
  readonly sid: number;
  readonly seq: number;
  /** Every market of the subscription; `null` when the acknowledgment omits the list. */
  readonly tickers: readonly Ticker[] | null;
}

const acknowledgmentOf = (subscription: FeedSubscription): Acknowledgment => ({
  sid: subscription.sid,
  seq: subscription.nextSeq(),
  tickers: subscription.skipsList || subscription.tickers === null ? null : [...subscription.tickers],
});

/** The named markets, each once; `null` when there are none. */
function tickersIn({ ticker, tickers }: Pick<SubscribeRecord, 'ticker' | 'tickers'>): readonly Ticker[] | null {
  if (ticker === null && (tickers === null || tickers.length === 0)) return null;
  return [...new Set([...(ticker === null ? [] : [ticker]), ...(tickers ?? [])])];
}
