// Subscriptions of one feed connection, each with its position in the message sequence. Must never overlook a gap in
// the numbers: one lost message voids every book of its subscription.
import type { MarketIndex, Ticker, TickerTable } from '../../../domain/ids.ts';
import type { FeedProfile } from '../profiles/wire-profile.ts';
import { type Codec, type JsonRecord, codecOf, tryDecode } from '../wire/codec.ts';
import { WireFault } from '../wire/wire-fault.ts';
import { isRecord, parseBody } from '../wire/json-record.ts';
import type { Channel, SubscribeRecord, UpdateSubscriptionRecord } from '../wire/wire-records.ts';

interface Subscription {
  readonly sid: number;
  channel: Channel | null;
  /** Tickers, because a market's index may be given to another market. */
  readonly markets: Set<Ticker>;
  /** True when the subscription named no market: it receives all markets. */
  hasAllMarkets: boolean;
  nextSeq: number;
  /** `seq` is accepted in place of the expected number `instead`. Set by a snapshot outside the sequence. */
  restart: { readonly instead: number; readonly seq: number } | null;
}

/**
 * Position of a message in its sequence; `over` when its subscription has ended. Messages with `repeat` or `over` are
 * dropped, except a snapshot with which a joined recording continues.
 */
export type Continuity = 'next' | 'gap' | 'repeat' | 'over';

interface SentCommand {
  /** The subscription of the command; `null` for a subscribe command. */
  readonly sid: number | null;
  readonly tickers: readonly Ticker[];
  /** Markets whose requested snapshots are outstanding. Removed as each arrives, or when the sequence breaks. */
  readonly awaited: Set<Ticker>;
  /** The channels of a subscribe command, until each is granted or refused. */
  readonly pendingChannels: Set<Channel>;
  readonly action: UpdateSubscriptionRecord['action'] | 'subscribe';
}

/** The refused part of a subscribe command. Without channels for another command. */
export interface RefusedCommand {
  readonly channels: readonly Channel[];
  readonly tickers: readonly Ticker[];
}

/** Bound on unanswered commands; the oldest is dropped. */
const SENT_MAX = 1000;
/** Bound on subscriptions, open or ended; the oldest is dropped. */
const SUBSCRIPTIONS_MAX = 10_000;

/** Tracks the subscriptions of the current connection. */
export class FeedSubscriptions {
  readonly #feed: FeedProfile;
  readonly #tickers: TickerTable;
  readonly #subscribe: Codec<SubscribeRecord>;
  readonly #update: Codec<UpdateSubscriptionRecord>;
  /** Subscriptions by their id. Added when granted or first seen in a message; removed when ended or disconnected. */
  readonly #bySid = new Map<number, Subscription>();
  /**
   * Ended subscriptions, whose late messages are dropped. Added by `recordEnd`; removed when the id is subscribed
   * again.
   */
  readonly #ended = new Set<number>();
  /**
   * Sent commands by id. Added when sent; removed when refused, or when an update or the last snapshot answers them.
   * Granted subscribe commands stay until `SENT_MAX`.
   */
  readonly #sentById = new Map<number, SentCommand>();
  /** A cache: most messages have the same subscription as the message before. */
  #lastSubscription: Subscription | null = null;

  constructor(feed: FeedProfile, tickers: TickerTable) {
    this.#feed = feed;
    this.#tickers = tickers;
    this.#subscribe = codecOf(feed.commands.subscribe.params);
    this.#update = codecOf(feed.commands.update.params);
  }

  reset(): void {
    this.#bySid.clear();
    this.#ended.clear();
    this.#sentById.clear();
    this.#lastSubscription = null;
  }

  recordCommand(text: string): void {
    const command = parseBody(text);
    if (!isRecord(command)) return;
    const id = command['id'];
    if (typeof id !== 'number') return;
    const sent = this.#decodeCommand(command);
    if (sent === null) return;
    const [oldest] = this.#sentById.keys();
    if (this.#sentById.size >= SENT_MAX && oldest !== undefined) this.#sentById.delete(oldest);
    this.#sentById.set(id, sent);
  }

  #decodeCommand(command: JsonRecord): SentCommand | null {
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
      return {
        sid,
        tickers,
        awaited: new Set(action === 'snapshot' ? tickers : []),
        action,
        pendingChannels: new Set(),
      };
    }
    return { sid: null, tickers, awaited: new Set(), action: 'subscribe', pendingChannels: new Set(params.channels) };
  }

  /** The number that the last call of `acceptNumber` expected. */
  expectedSeq = 1;

  /** Advances a subscription's sequence to a message's number and classifies the number. */
  acceptNumber(sid: number, seq: number): Continuity {
    if (this.#lastSubscription?.sid !== sid && this.#ended.has(sid)) return 'over';
    const subscription =
      this.#lastSubscription?.sid === sid
        ? this.#lastSubscription
        : this.#subscriptionOf(sid, this.#feed.numbers === 'joined' ? seq : 1);
    this.#lastSubscription = subscription;
    const expected = subscription.nextSeq;
    this.expectedSeq = expected;
    subscription.nextSeq = seq + 1;
    if (seq === expected) return 'next';
    const { restart } = subscription;
    if (restart?.instead === expected && restart.seq === seq) return 'next';
    this.#clearAwaited(sid);
    return seq > expected ? 'gap' : 'repeat';
  }

  /** True when this is the last number seen of a known subscription. */
  isLastNumber(sid: number, seq: number): boolean {
    return this.#bySid.get(sid)?.nextSeq === seq + 1;
  }

  /** After a break in the sequence, a snapshot with an earlier number may predate the loss. */
  #clearAwaited(sid: number): void {
    for (const sent of this.#sentById.values()) if (sent.sid === sid) sent.awaited.clear();
  }

  /**
   * Handles a snapshot that answers a command. Returns true for an outstanding snapshot outside the sequence: the
   * snapshot's number is earlier or missing. A snapshot with a later number is within the sequence.
   */
  acceptRequestedSnapshot({ id, sid, seq }: { id: number; sid: number; seq: number | null }, market: Ticker): boolean {
    const sent = this.#sentById.get(id);
    if (this.#ended.has(sid) || sent?.sid !== sid || !sent.awaited.delete(market)) return false;
    if (sent.awaited.size === 0) this.#sentById.delete(id);
    const subscription = this.#subscriptionOf(sid);
    const { nextSeq } = subscription;
    if (seq !== null && seq >= nextSeq) return false;
    subscription.restart = seq === null ? null : { instead: nextSeq, seq: seq + 1 };
    return true;
  }

  /** Records a granted subscription. Returns true when it receives all markets. */
  recordGrant(id: number | null, { channel, sid }: { readonly channel: Channel; readonly sid: number }): boolean {
    this.#ended.delete(sid);
    const subscription = this.#subscriptionOf(sid);
    subscription.channel = channel;
    const sent = id === null ? undefined : this.#sentById.get(id);
    const isPending = sent?.pendingChannels.delete(channel) ?? false;
    subscription.hasAllMarkets = isPending && sent?.tickers.length === 0;
    for (const ticker of sent?.tickers ?? []) subscription.markets.add(ticker);
    return subscription.hasAllMarkets;
  }

  /** Records a refused command. Returns its channels that were not granted, with its markets: none for all markets. */
  recordRefusal(id: number): RefusedCommand {
    const { pendingChannels = [], tickers = [] } = this.#sentById.get(id) ?? {};
    this.#sentById.delete(id);
    return { channels: [...pendingChannels], tickers };
  }

  /** Records the markets of a subscription: the reported markets, or else the change by our command. */
  recordUpdate(id: number | null, sid: number, reported: readonly Ticker[] | null): void {
    const { markets } = this.#subscriptionOf(sid);
    const sent = id === null ? undefined : this.#sentById.get(id);
    if (id !== null && sent?.awaited.size === 0) this.#sentById.delete(id);
    if (reported !== null) {
      markets.clear();
      for (const ticker of reported) markets.add(ticker);
    } else if (sent?.action === 'add') {
      for (const ticker of sent.tickers) markets.add(ticker);
    } else if (sent?.action === 'delete') {
      for (const ticker of sent.tickers) markets.delete(ticker);
    }
  }

  /** Records the end of a subscription. Returns its channel when it received all markets. */
  recordEnd(sid: number): Channel | null {
    const subscription = this.#bySid.get(sid);
    this.#bySid.delete(sid);
    const [oldest] = this.#ended;
    if (this.#ended.size >= SUBSCRIPTIONS_MAX && oldest !== undefined) this.#ended.delete(oldest);
    this.#ended.add(sid);
    if (this.#lastSubscription?.sid === sid) this.#lastSubscription = null;
    return subscription?.hasAllMarkets === true ? subscription.channel : null;
  }

  recordMarket(sid: number, channel: Channel, market: Ticker): void {
    const subscription = this.#subscriptionOf(sid);
    subscription.channel ??= channel;
    subscription.markets.add(market);
  }

  channelOf(sid: number): Channel | null {
    return this.#bySid.get(sid)?.channel ?? null;
  }

  /** Indices of a subscription's markets that are still in the ticker table. */
  marketsOf(sid: number): readonly MarketIndex[] {
    const names = [...(this.#bySid.get(sid)?.markets ?? [])];
    return names.map((name) => this.#tickers.indexOf(name)).filter((market) => market !== undefined);
  }

  /** @param firstSeq first number of a new subscription. */
  #subscriptionOf(sid: number, firstSeq = 1): Subscription {
    let subscription = this.#bySid.get(sid);
    if (subscription === undefined) {
      subscription = { sid, channel: null, markets: new Set(), hasAllMarkets: false, nextSeq: firstSeq, restart: null };
      const [oldest] = this.#bySid.keys();
      if (this.#bySid.size >= SUBSCRIPTIONS_MAX && oldest !== undefined) this.#bySid.delete(oldest);
      this.#bySid.set(sid, subscription);
    }
    return subscription;
  }
}

/** Maximum number of refused markets that are named. */
const NAMED_MAX = 3;

/** The refused channels and markets as `prints of KX-A`; `null` when nothing names them. */
export function describeRefused(refused: RefusedCommand | null, named: string | null): string | null {
  const { channels = [], tickers = [] } = refused ?? {};
  const names = named === null ? tickers.slice(0, NAMED_MAX).map(String) : [named];
  const unnamed = named === null ? tickers.length - names.length : 0;
  const markets = unnamed > 0 ? `${names.join(', ')} and ${unnamed} more` : names.join(', ');
  if (channels.length === 0) return markets === '' ? null : markets;
  return `${channels.join(', ')} of ${markets === '' ? 'all markets' : markets}`;
}
