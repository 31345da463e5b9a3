// What one connection of the feed is subscribed to, and where each subscription's sequence stands. Pure.
// Must see every number of a sequence before its message is told: one lost message voids every book of its subscription.
import type { MarketIndex, Ticker, TickerTable } from '../../domain/ids.ts';
import type { FeedProfile } from './profile.ts';
import { type Codec, type JsonRecord, codecOf, tryDecode } from './wire/codec.ts';
import { WireFault } from './wire/fault.ts';
import { isRecord, parseBody } from './wire/json.ts';
import type { Channel, SubscribeRecord, UpdateSubscriptionRecord } from './wire/records.ts';

/** One subscription. */
interface Subscription {
  readonly sid: number;
  channel: Channel | null;
  /** By name: a market's number may be another's by the time that it is needed. */
  readonly markets: Set<Ticker>;
  /** Whether it follows everything: no market was named. */
  isWhole: boolean;
  /** The number that its next message should carry. */
  nextSeq: number;
  /** Where it may go on instead, as long as `instead` of that number is expected: a snapshot out of line said so. */
  restart: { readonly instead: number; readonly seq: number } | null;
}

/** Whether a message follows on the one before it; a repeated one must not be told again, nor one of what is over. */
export type Continuity = 'next' | 'gap' | 'repeat' | 'over';

interface Asked {
  /** Of a command about one subscription. */
  readonly sid: number | null;
  readonly tickers: readonly Ticker[];
  /** Of a command for snapshots: the markets whose snapshots have not come. */
  readonly awaited: Set<Ticker>;
  /** Of a subscription that names no market: the channels that were neither granted nor refused. */
  readonly wholeChannels: Set<Channel>;
  readonly action: UpdateSubscriptionRecord['action'] | 'subscribe';
}

/** Commands whose answers have not come that are remembered at most. */
const ASKED_MAX = 1000;
/** Subscriptions of one connection that are remembered at most: more than anybody asks for. */
const SUBSCRIPTIONS_MAX = 10_000;

/** The subscriptions of the present connection. */
export class FeedSession {
  readonly #feed: FeedProfile;
  readonly #tickers: TickerTable;
  readonly #subscribe: Codec<SubscribeRecord>;
  readonly #update: Codec<UpdateSubscriptionRecord>;
  readonly #bySid = new Map<number, Subscription>();
  /** Those that are over: what is still on its way of them is of no book that is followed. */
  readonly #ended = new Set<number>();
  readonly #askedById = new Map<number, Asked>();
  /** The subscription of the last message: the next one is most likely of the same. */
  #last: Subscription | null = null;

  constructor(feed: FeedProfile, tickers: TickerTable) {
    this.#feed = feed;
    this.#tickers = tickers;
    this.#subscribe = codecOf(feed.commands.subscribe.params);
    this.#update = codecOf(feed.commands.update.params);
  }

  /** A new connection: nothing of the old one holds. */
  reset(): void {
    this.#bySid.clear();
    this.#ended.clear();
    this.#askedById.clear();
    this.#last = null;
  }

  /** A command of ours left. */
  sent(text: string): void {
    const command = parseBody(text);
    if (!isRecord(command)) return;
    const id = command['id'];
    if (typeof id !== 'number') return;
    const asked = this.#readAsked(command);
    if (asked === null) return;
    const [oldest] = this.#askedById.keys();
    if (this.#askedById.size >= ASKED_MAX && oldest !== undefined) this.#askedById.delete(oldest);
    this.#askedById.set(id, asked);
  }

  #readAsked(command: JsonRecord): Asked | null {
    const { subscribe, update } = this.#feed.commands;
    const isSubscribe = command['cmd'] === subscribe.cmd;
    if (!isSubscribe && command['cmd'] !== update.cmd) return null;
    const params = isSubscribe
      ? tryDecode(this.#subscribe, command['params'])
      : tryDecode(this.#update, command['params']);
    if (params instanceof WireFault) return null;
    const tickers = params.tickers ?? (params.ticker === null ? [] : [params.ticker]);
    if ('action' in params) {
      const { action, sid } = params;
      return { sid, tickers, awaited: new Set(action === 'snapshot' ? tickers : []), action, wholeChannels: new Set() };
    }
    const wholeChannels = new Set(tickers.length === 0 ? params.channels : []);
    return { sid: null, tickers, awaited: new Set(), action: 'subscribe', wholeChannels };
  }

  /** The number that the last message accepted should have carried. */
  expectedSeq = 1;

  /** A message with a number came. */
  accept(sid: number, seq: number): Continuity {
    if (this.#last?.sid !== sid && this.#ended.has(sid)) return 'over';
    const subscription =
      this.#last?.sid === sid ? this.#last : this.#of(sid, this.#feed.numbers === 'joined' ? seq : 1);
    this.#last = subscription;
    const expected = subscription.nextSeq;
    this.expectedSeq = expected;
    subscription.nextSeq = seq + 1;
    if (seq === expected) return 'next';
    const { restart } = subscription;
    if (restart?.instead === expected && restart.seq === seq) return 'next';
    this.#awaitNothing(sid);
    return seq > expected ? 'gap' : 'repeat';
  }

  /** Whether the last number of a subscription that is followed was this one. */
  isAt(sid: number, seq: number): boolean {
    return this.#bySid.get(sid)?.nextSeq === seq + 1;
  }

  /** Numbers are out of order: a snapshot with one of before may be of before what was just missed. */
  #awaitNothing(sid: number): void {
    for (const asked of this.#askedById.values()) if (asked.sid === sid) asked.awaited.clear();
  }

  /**
   * A snapshot came as the reply to a command. Returns whether it is one that we wait for and that stands outside the
   * sequence: with a number of before, or with none. The sequence then goes on where it stood, or from that number.
   * One with a number ahead stands within it: something was lost before it.
   */
  restates({ id, sid, seq }: { id: number; sid: number; seq: number | null }, market: Ticker): boolean {
    const asked = this.#askedById.get(id);
    if (this.#ended.has(sid) || asked?.sid !== sid || !asked.awaited.delete(market)) return false;
    if (asked.awaited.size === 0) this.#askedById.delete(id);
    const subscription = this.#of(sid);
    const { nextSeq } = subscription;
    if (seq !== null && seq >= nextSeq) return false;
    subscription.restart = seq === null ? null : { instead: nextSeq, seq: seq + 1 };
    return true;
  }

  /** A subscription was granted. Returns whether it follows everything. */
  subscribed(id: number | null, { channel, sid }: { readonly channel: Channel; readonly sid: number }): boolean {
    this.#ended.delete(sid);
    const subscription = this.#of(sid);
    subscription.channel = channel;
    const asked = id === null ? undefined : this.#askedById.get(id);
    subscription.isWhole = asked?.wholeChannels.delete(channel) ?? false;
    for (const ticker of asked?.tickers ?? []) subscription.markets.add(ticker);
    return subscription.isWhole;
  }

  /** A command was refused: the channels that were to follow everything, and will not. */
  refused(id: number): readonly Channel[] {
    const channels = [...(this.#askedById.get(id)?.wholeChannels ?? [])];
    this.#askedById.delete(id);
    return channels;
  }

  /** A subscription's markets were changed. Where the answer does not list them, our command tells. */
  updated(id: number | null, sid: number, listed: readonly Ticker[] | null): void {
    const { markets } = this.#of(sid);
    const asked = id === null ? undefined : this.#askedById.get(id);
    if (id !== null && asked?.awaited.size === 0) this.#askedById.delete(id);
    if (listed !== null) {
      markets.clear();
      for (const ticker of listed) markets.add(ticker);
    } else if (asked?.action === 'add') {
      for (const ticker of asked.tickers) markets.add(ticker);
    } else if (asked?.action === 'delete') {
      for (const ticker of asked.tickers) markets.delete(ticker);
    }
  }

  /** A subscription is over. Returns its channel when it followed everything. */
  ended(sid: number): Channel | null {
    const subscription = this.#bySid.get(sid);
    this.#bySid.delete(sid);
    const [oldest] = this.#ended;
    if (this.#ended.size >= SUBSCRIPTIONS_MAX && oldest !== undefined) this.#ended.delete(oldest);
    this.#ended.add(sid);
    if (this.#last?.sid === sid) this.#last = null;
    return subscription?.isWhole === true ? subscription.channel : null;
  }

  /** A message showed that a subscription carries a market. */
  carries(sid: number, channel: Channel, market: Ticker): void {
    const subscription = this.#of(sid);
    subscription.channel ??= channel;
    subscription.markets.add(market);
  }

  /** What a subscription follows; `null` when it was never said. */
  channelOf(sid: number): Channel | null {
    return this.#bySid.get(sid)?.channel ?? null;
  }

  /** The markets of a subscription, those that nobody follows any more left out. */
  marketsOf(sid: number): readonly MarketIndex[] {
    const names = [...(this.#bySid.get(sid)?.markets ?? [])];
    return names.map((name) => this.#tickers.indexOf(name)).filter((market) => market !== undefined);
  }

  /** @param firstSeq the number that the subscription begins with, where nothing was heard of it before. */
  #of(sid: number, firstSeq = 1): Subscription {
    let subscription = this.#bySid.get(sid);
    if (subscription === undefined) {
      subscription = { sid, channel: null, markets: new Set(), isWhole: false, nextSeq: firstSeq, restart: null };
      const [oldest] = this.#bySid.keys();
      if (this.#bySid.size >= SUBSCRIPTIONS_MAX && oldest !== undefined) this.#bySid.delete(oldest);
      this.#bySid.set(sid, subscription);
    }
    return subscription;
  }
}
