// One connection to the feed: carries out its commands, keeps its subscriptions, replies. Knows no socket.
// Must never let a subscription hear what its connection's key does not permit.
import type { Ticker } from '../../domain/ids.ts';
import { type FeedProfile, type SilentChannel, type WireProfile, channelOf } from '../../venues/trade-api/profile.ts';
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import type { Channel, SubscribeRecord, UpdateSubscriptionRecord } from '../../venues/trade-api/wire/records.ts';
import type { ExchangeReader } from '../exchange.ts';
import type { AccountName } from '../input.ts';
import type { Audience } from './audience.ts';
import { type FeedCommand, readMessage } from './feed-commands.ts';
import { FeedFault } from './feed-faults.ts';
import { SilentSubscriptions, checkParts } from './silent-subscriptions.ts';
import { Subscription } from './subscription.ts';
import type { Teller } from './teller.ts';

/** What all connections share. */
export interface FeedRoom {
  readonly feed: FeedProfile;
  readonly silentChannels: readonly SilentChannel[];
  readonly readings: WireProfile['readings'];
  readonly exchange: ExchangeReader;
  readonly teller: Teller;
  readonly audience: Audience;
}

/** What is one connection's own. */
export interface FeedSessionOptions {
  /** `null` without a key. */
  readonly account: AccountName | null;
  /** `channel` is whose message it is; `null` for replies. */
  readonly send: (text: string, channel: Channel | null) => void;
  /** Called with every refused command, for the log. */
  readonly refused: (fault: FeedFault) => void;
}

const SUBSCRIPTIONS_MAX = 1000;
const TICKERS_MAX = 10_000;

/** One connection to the feed. */
export class FeedSession {
  readonly #room: FeedRoom;
  readonly #account: AccountName | null;
  readonly #send: FeedSessionOptions['send'];
  readonly #refused: FeedSessionOptions['refused'];
  readonly #subscriptions = new Map<number, Subscription>();
  readonly #silent = new SilentSubscriptions();
  #lastSid = 0;

  constructor(room: FeedRoom, { account, send, refused }: FeedSessionOptions) {
    this.#room = room;
    this.#account = account;
    this.#send = send;
    this.#refused = refused;
  }

  /** Carries out a message of the client. */
  hear(text: string): void {
    const { id, command } = readMessage(this.#room, text);
    if (command instanceof FeedFault) return this.#refuseCommand(id, command);
    try {
      this.#carryOut(id, command);
    } catch (fault) {
      if (!(fault instanceof FeedFault)) throw fault;
      this.#refuseCommand(id, fault);
    }
  }

  /** Tells the client that it asks too much. */
  tooManyRequests(): void {
    this.#refuseCommand(0, new FeedFault('tooManyRequests'));
  }

  /** Every subscription is over: its messages cannot be kept for a reader so slow. */
  overflow(): void {
    const sids = [...this.#subscriptions.keys(), ...this.#silent.list().map(({ sid }) => sid)];
    this.close();
    for (const sid of sids) this.#refuse(0, new FeedFault('overflow', { sid }));
  }

  /** Every subscription to a channel is over: the channel is broken. */
  endChannel(channel: Channel): void {
    for (const subscription of this.#subscriptions.values()) {
      if (subscription.channel !== channel) continue;
      this.#room.audience.remove(subscription);
      this.#subscriptions.delete(subscription.sid);
      this.#refuse(0, new FeedFault('channelError', { sid: subscription.sid }));
    }
  }

  /** Nothing is heard any more. */
  close(): void {
    for (const subscription of this.#subscriptions.values()) this.#room.audience.remove(subscription);
    this.#subscriptions.clear();
    this.#silent.clear();
  }

  #carryOut(id: number, command: FeedCommand): void {
    switch (command.type) {
      case 'subscribe':
        return this.#subscribe(id, command);
      case 'unsubscribe':
        return this.#unsubscribe(id, command.params.sids);
      case 'update':
        return this.#update(id, command.params);
      case 'list':
        return this.#list(id);
    }
  }

  #subscribe(id: number, { params, silent }: Extract<FeedCommand, { type: 'subscribe' }>): void {
    const named = tickersIn(params);
    if (silent.some(({ isDivisible }) => isDivisible)) checkParts(params);
    this.#checkChannels(params.channels, silent, named);
    const begun = params.channels.map((channel) => this.#begin(channel, params, named));
    const { type, record } = this.#room.feed.replies.subscribed;
    for (const { channel, sid } of begun) this.#reply({ id, type, msg: codecOf(record).encode({ channel, sid }) });
    for (const channel of silent) {
      const sid = ++this.#lastSid;
      this.#silent.begin(sid, channel);
      this.#reply({ id, type, msg: this.#encodeSilent({ channel: channel.name, sid }) });
    }
    for (const subscription of begun) {
      if (subscription.channel === 'book') this.#sendSnapshots(subscription, named ?? [], null);
      if (subscription.channel === 'ticker' && params.withSnapshot === true)
        this.#sendTickers(subscription, subscription.tickers);
    }
  }

  #checkChannels(names: readonly Channel[], silent: readonly SilentChannel[], named: readonly Ticker[] | null): void {
    const count = names.length + silent.length;
    if (count === 0) throw new FeedFault('noChannels');
    for (const name of names) {
      const channel = this.#room.feed.channels[name];
      if (channel === null) throw new FeedFault('unknownChannel');
      if (channel.isPrivate && this.#account === null) throw new FeedFault('noKey');
      if (channel.markets === 'required' && named === null) throw new FeedFault('noTicker');
    }
    this.#checkTickers(named ?? []);
    if (this.#subscriptions.size + this.#silent.size + count > SUBSCRIPTIONS_MAX) throw new FeedFault('tooManyMarkets');
  }

  /** As the profile spells it, but for the channel, which the profile gives no word of ours for. */
  #encodeSilent({ channel, sid }: { readonly channel: string; readonly sid: number }): unknown {
    const { record } = this.#room.feed.replies.subscribed;
    return { ...codecOf(record).encode({ channel: 'book', sid }), [record.fields.channel.wire]: channel };
  }

  #begin(channel: Channel, params: SubscribeRecord, named: readonly Ticker[] | null): Subscription {
    const subscription = new Subscription({
      sid: ++this.#lastSid,
      channel,
      tickers: channelOf(this.#room.feed, channel).markets === 'none' ? null : named,
      ear: { account: this.#account, isOnYesScale: params.onYesScale ?? false },
      skipsList: params.skipsList ?? false,
      send: (text) => this.#send(text, channel),
    });
    this.#subscriptions.set(subscription.sid, subscription);
    this.#room.audience.add(subscription);
    return subscription;
  }

  #unsubscribe(id: number, sids: readonly number[]): void {
    if (sids.length === 0) throw new FeedFault('noSids');
    for (const sid of sids) if (!this.#silent.has(sid)) this.#find(sid);
    const { type } = this.#room.feed.replies.unsubscribed;
    for (const sid of new Set(sids)) this.#reply({ id, sid, seq: this.#end(sid), type });
  }

  /** Ends a subscription. Gives the last number of its sequence. */
  #end(sid: number): number {
    const last = this.#silent.end(sid);
    if (last !== null) return last;
    const subscription = this.#find(sid);
    this.#room.audience.remove(subscription);
    this.#subscriptions.delete(sid);
    return subscription.takeSeq();
  }

  #update(id: number, params: UpdateSubscriptionRecord): void {
    const sids = params.sid === null ? (params.sids ?? []) : [params.sid, ...(params.sids ?? [])];
    const [sid] = sids;
    if (sid === undefined || sids.length > 1) throw new FeedFault('notOneSid');
    const silentSeq = this.#silent.update(sid, params);
    if (silentSeq !== null) return this.#acknowledge(id, { sid, seq: silentSeq, tickers: null });
    const subscription = this.#find(sid);
    const tickers = tickersIn(params);
    if (channelOf(this.#room.feed, subscription.channel).markets === 'none')
      throw new FeedFault('wrongAction', { sid });
    if (tickers === null) throw new FeedFault('noTicker', { sid });
    switch (params.action) {
      case 'add':
        return this.#addMarkets(id, { subscription, tickers, withSnapshot: params.withSnapshot === true });
      case 'delete':
        return this.#deleteMarkets(id, subscription, tickers);
      case 'snapshot':
        return this.#resnapshot(id, subscription, tickers);
      case 'follow':
      case 'unfollow':
        throw new FeedFault('wrongAction', { sid });
    }
  }

  #addMarkets(
    id: number,
    {
      subscription,
      tickers,
      withSnapshot,
    }: { subscription: Subscription; tickers: readonly Ticker[]; withSnapshot: boolean },
  ): void {
    this.#checkTickers(tickers);
    const { tickers: followed } = subscription;
    const fresh = followed === null ? [] : tickers.filter((ticker) => !followed.has(ticker));
    if (followed !== null && followed.size + fresh.length > TICKERS_MAX) throw new FeedFault('tooManyMarkets');
    for (const ticker of fresh) followed?.add(ticker);
    this.#room.audience.follow(subscription, fresh);
    this.#acknowledge(id, standingOf(subscription));
    if (subscription.channel === 'book') this.#sendSnapshots(subscription, fresh, null);
    if (subscription.channel === 'ticker' && withSnapshot) this.#sendTickers(subscription, fresh);
  }

  #deleteMarkets(id: number, subscription: Subscription, tickers: readonly Ticker[]): void {
    const { tickers: followed, sid } = subscription;
    // What follows everything cannot follow everything but one.
    if (followed === null) throw new FeedFault('wrongAction', { sid });
    for (const ticker of tickers) followed.delete(ticker);
    this.#room.audience.unfollow(subscription, tickers);
    this.#acknowledge(id, standingOf(subscription));
  }

  #resnapshot(id: number, subscription: Subscription, tickers: readonly Ticker[]): void {
    const { channel, sid, tickers: followed } = subscription;
    if (channel !== 'book') throw new FeedFault('wrongAction', { sid });
    const strange = tickers.filter((ticker) => followed?.has(ticker) !== true);
    if (strange.length > 0) throw new FeedFault('invalid', { sid, tickers: strange });
    this.#sendSnapshots(subscription, tickers, id);
  }

  #list(id: number): void {
    const { updated, subscribed } = this.#room.feed.replies;
    const codec = codecOf(subscribed.record);
    const msg = [...this.#subscriptions.values()].map(({ channel, sid }) => codec.encode({ channel, sid }));
    const silent = this.#silent.list().map((each) => this.#encodeSilent(each));
    this.#reply({ id, type: updated.type, msg: [...msg, ...silent] });
  }

  #acknowledge(id: number, { sid, seq, tickers }: Standing): void {
    const { type, record } = this.#room.feed.replies.updated;
    this.#reply({ id, sid, seq, type, msg: codecOf(record).encode({ tickers }) });
  }

  #sendSnapshots(subscription: Subscription, tickers: readonly Ticker[], id: number | null): void {
    const { exchange, teller } = this.#room;
    for (const ticker of tickers) subscription.deliver(teller.snapshot(ticker, exchange.book(ticker)), id);
  }

  /** `null` stands for every market. */
  #sendTickers(subscription: Subscription, tickers: Iterable<Ticker> | null): void {
    const { exchange, teller } = this.#room;
    for (const ticker of tickers ?? exchange.markets().map(({ definition }) => definition.ticker)) {
      const stats = exchange.stats(ticker);
      if (stats !== undefined) subscription.deliver(teller.ticker(ticker, stats, exchange.now));
    }
  }

  #checkTickers(tickers: readonly Ticker[]): void {
    if (tickers.length > TICKERS_MAX) throw new FeedFault('tooManyMarkets');
    const { exchange, readings } = this.#room;
    if (readings.unlistedMarkets === 'empty') return;
    const unlisted = tickers.filter((ticker) => exchange.statusOf(ticker) === undefined);
    if (unlisted.length > 0) throw new FeedFault('invalid', { tickers: unlisted });
  }

  #find(sid: number): Subscription {
    const subscription = this.#subscriptions.get(sid);
    if (subscription === undefined) throw new FeedFault('unknownSid', { sid });
    return subscription;
  }

  #refuseCommand(id: number, fault: FeedFault): void {
    this.#refused(fault);
    this.#refuse(id, fault);
  }

  #refuse(id: number, { code, message, sid, tickers }: FeedFault): void {
    const { type, record } = this.#room.feed.replies.error;
    const msg = codecOf(record).encode({ code, message, ticker: null, tickers: tickers.length > 0 ? tickers : null });
    this.#reply(sid === null ? { id, type, msg } : { id, type, sid, msg });
  }

  #reply(message: Readonly<Record<string, unknown>>): void {
    this.#send(JSON.stringify(message), null);
  }
}

/** Where a subscription stands: what an acknowledgment tells. */
interface Standing {
  readonly sid: number;
  readonly seq: number;
  /** Every market of it; `null` where they are not told. */
  readonly tickers: readonly Ticker[] | null;
}

const standingOf = (subscription: Subscription): Standing => ({
  sid: subscription.sid,
  seq: subscription.takeSeq(),
  tickers: subscription.skipsList || subscription.tickers === null ? null : [...subscription.tickers],
});

/** The markets named, each once; `null` when none are. */
function tickersIn({ ticker, tickers }: Pick<SubscribeRecord, 'ticker' | 'tickers'>): readonly Ticker[] | null {
  if (ticker === null && (tickers === null || tickers.length === 0)) return null;
  return [...new Set([...(ticker === null ? [] : [ticker]), ...(tickers ?? [])])];
}
