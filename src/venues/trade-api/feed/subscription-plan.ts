// Plans the feed's subscriptions: the wanted markets, the granted subscriptions and the commands to send next. One plan
// serves all connections in turn. Must never forget a wanted market: what was refused is requested again.
import type { Ticker } from '../../../domain/ids.ts';
import { type FeedProfile, channelOf } from '../profiles/wire-profile.ts';
import {
  type FeedReply,
  type NumberedCommand,
  recordUnwanted,
  type SentCommand,
  type SubscriptionCommand,
  without,
} from './subscription-command.ts';
import type { Channel } from '../wire/wire-records.ts';

interface Subscription {
  readonly channel: Channel;
  readonly tickers: readonly Ticker[] | null;
}

export interface SubscriptionPlanOptions {
  readonly feed: FeedProfile;
  readonly hasKey: boolean;
  readonly tickersPerCommand: number;
}

/** Bound on unanswered commands. The oldest is dropped, because some commands never get a reply. */
const UNANSWERED_MAX = 1000;
/**
 * Maximum number of refused commands per connection that are repeated in halves. Beyond it, the refusals are assumed to
 * have another cause than single markets.
 */
const HALVINGS_MAX = 64;

/** Plans the subscriptions of one feed. */
export class SubscriptionPlan {
  readonly #feed: FeedProfile;
  /** Markets per command. A refusal for too many markets lowers this number for the rest of the session. */
  #perCommand: number;
  readonly #marketChannels: readonly Channel[];
  /**
   * Channels that are subscribed for all markets, in groups: private channels that can name markets, private channels
   * that cannot, and public ones. A refusal is limited to one group.
   */
  readonly #allMarketChannels: readonly (readonly Channel[])[];
  /** Markets to be subscribed. Added by `addMarkets`; removed by `removeMarkets`. */
  readonly #wanted = new Set<Ticker>();
  /**
   * Sent commands by id. Added when sent; removed when granted in full, refused, replaced, or when disconnected. Other
   * commands stay until `UNANSWERED_MAX`.
   */
  readonly #unanswered = new Map<number, SentCommand>();
  /** Granted subscriptions by their id. Added when granted; removed when ended, or when disconnected. */
  readonly #subscriptions = new Map<number, Subscription>();
  /** The book subscription of each market. Updated together with `#subscriptions`. */
  readonly #bookSids = new Map<Ticker, number>();
  /**
   * Markets with a refused command. Added when the command is dropped; removed when every channel besides the book is
   * granted, when the market is unwanted, or when disconnected.
   */
  readonly #refused = new Set<Ticker>();
  #queue: SubscriptionCommand[] = [];
  #isConnected = false;
  #lastId = 0;
  #halvings = 0;

  constructor({ feed, hasKey, tickersPerCommand }: SubscriptionPlanOptions) {
    this.#feed = feed;
    this.#perCommand = tickersPerCommand;
    // tidy: as — the type of `channels` fixes its keys.
    const names = Object.keys(feed.channels) as Channel[];
    const known = names.filter((name) => feed.channels[name] !== null);
    const isPrivate = (name: Channel): boolean => channelOf(feed, name).isPrivate;
    const open = known.filter((name) => hasKey || !isPrivate(name));
    const hasAllMarkets = (name: Channel): boolean => isPrivate(name) || channelOf(feed, name).markets === 'none';
    const allMarkets = open.filter(hasAllMarkets);
    this.#marketChannels = open.filter((name) => !hasAllMarkets(name));
    const canNameMarkets = (name: Channel): boolean => channelOf(feed, name).markets !== 'none';
    this.#allMarketChannels = [
      allMarkets.filter((name) => isPrivate(name) && canNameMarkets(name)),
      allMarkets.filter((name) => isPrivate(name) && !canNameMarkets(name)),
      allMarkets.filter((name) => !isPrivate(name)),
    ].filter((channels) => channels.length > 0);
  }

  /** Starts over on a new connection: earlier grants are void, and everything wanted is requested again. */
  connect(): void {
    this.disconnect();
    this.#isConnected = true;
    this.#halvings = 0;
    for (const channels of this.#allMarketChannels) this.#queue.push({ kind: 'subscribe', channels, tickers: null });
    this.#subscribe(this.#marketChannels, [...this.#wanted]);
  }

  disconnect(): void {
    this.#isConnected = false;
    this.#queue = [];
    this.#unanswered.clear();
    this.#subscriptions.clear();
    this.#bookSids.clear();
    this.#refused.clear();
  }

  addMarkets(tickers: readonly Ticker[]): void {
    const fresh = [...new Set(tickers)].filter((ticker) => !this.#wanted.has(ticker));
    for (const ticker of fresh) this.#wanted.add(ticker);
    if (this.#isConnected) this.#subscribe(this.#marketChannels, fresh);
  }

  removeMarkets(tickers: readonly Ticker[]): void {
    const removed = new Set(tickers.filter((ticker) => this.#wanted.delete(ticker)));
    if (removed.size === 0) return;
    for (const ticker of removed) this.#refused.delete(ticker);
    this.#queue = this.#queue.flatMap((command) => without(command, removed));
    for (const sent of this.#unanswered.values()) recordUnwanted(sent, removed);
    for (const sid of this.#subscriptions.keys()) this.#removeFrom(sid, removed);
  }

  /** Removes markets from a subscription, or ends it when no other market is left. */
  #removeFrom(sid: number, removed: ReadonlySet<Ticker>): void {
    const subscription = this.#subscriptions.get(sid);
    if (!subscription?.tickers) return;
    const tickers = subscription.tickers.filter((ticker) => removed.has(ticker));
    if (tickers.length === 0) return;
    for (const ticker of tickers) if (this.#bookSids.get(ticker) === sid) this.#bookSids.delete(ticker);
    const left = subscription.tickers.filter((ticker) => !removed.has(ticker));
    if (left.length > 0) {
      this.#subscriptions.set(sid, { ...subscription, tickers: left });
      return this.#push({ kind: 'delete', sid, tickers });
    }
    this.#removeSubscription(sid);
    this.#push({ kind: 'unsubscribe', sid });
  }

  /**
   * Requests fresh snapshots of these markets. Subscribes again where the feed sends no snapshot on request. While
   * disconnected it only adds the markets: a new connection starts with snapshots.
   */
  requestSnapshots(tickers: readonly Ticker[]): void {
    this.#refreshBooks(tickers, (sid, ticker) =>
      this.#feed.canRequestSnapshot ? this.#requestSnapshot(sid, ticker) : this.#resubscribe(sid, true),
    );
  }

  /** Ends the book subscriptions that contain these markets, and subscribes to all their markets again. */
  resubscribeBooks(tickers: readonly Ticker[]): void {
    this.#refreshBooks(tickers, (sid) => this.#resubscribe(sid, true));
  }

  /**
   * Refreshes books by `again` where there is a subscription. Otherwise it subscribes, unless a subscribe command is
   * queued or unanswered: the market's command was refused. The book comes first and by itself, because the refusal may be
   * that of another channel.
   */
  #refreshBooks(tickers: readonly Ticker[], again: (sid: number, ticker: Ticker) => void): void {
    this.addMarkets(tickers);
    if (!this.#isConnected) return;
    const refused: Ticker[] = [];
    for (const ticker of new Set(tickers)) {
      const sid = this.#bookSids.get(ticker);
      if (sid !== undefined) again(sid, ticker);
      else if (!this.#isAwaited('book', ticker)) refused.push(ticker);
    }
    this.#subscribe(['book'], refused);
    for (const ticker of refused) this.#subscribe(this.#missingChannels(ticker), [ticker]);
  }

  /** True when a market has a book, and a refused channel besides it. */
  get hasRefused(): boolean {
    for (const ticker of this.#refused) if (this.#bookSids.has(ticker)) return true;
    return false;
  }

  /**
   * Requests the refused channels again of markets that have a book, each channel by itself: one refused channel may
   * have been the cause for all of its command. Refused books are requested again by `requestSnapshots`.
   */
  retryRefused(): void {
    const tickers = [...this.#refused].filter((ticker) => this.#bookSids.has(ticker));
    for (const channel of this.#marketChannels) {
      const missing = tickers.filter((ticker) => this.#missingChannels(ticker).includes(channel));
      this.#subscribe([channel], missing);
    }
  }

  /** The channels besides the book that have no subscription to a market and are not awaited. */
  #missingChannels(ticker: Ticker): readonly Channel[] {
    return this.#ungrantedChannels(ticker).filter((channel) => !this.#isAwaited(channel, ticker));
  }

  /** The channels besides the book that have no subscription to a market. */
  #ungrantedChannels(ticker: Ticker): readonly Channel[] {
    const subscriptions = [...this.#subscriptions.values()].filter(({ tickers }) => tickers?.includes(ticker));
    const isGranted = (channel: Channel): boolean => subscriptions.some((granted) => granted.channel === channel);
    return this.#marketChannels.filter((channel) => channel !== 'book' && !isGranted(channel));
  }

  /**
   * Ends the private subscriptions and subscribes again, even while an earlier subscribe command is unanswered. Does
   * nothing while disconnected, or while a private subscribe command is queued.
   */
  resubscribePrivate(): void {
    const isPrivate = (channel: Channel): boolean => channelOf(this.#feed, channel).isPrivate;
    const groups = this.#allMarketChannels.filter((channels) => channels.some(isPrivate));
    if (!this.#isConnected || groups.length === 0) return;
    const isPrivateSubscribe = (command: SubscriptionCommand): boolean =>
      command.kind === 'subscribe' && command.channels.some(isPrivate);
    if (this.#queue.some(isPrivateSubscribe)) return;
    for (const [id, { command }] of this.#unanswered) if (isPrivateSubscribe(command)) this.#unanswered.delete(id);
    for (const [sid, { channel }] of this.#subscriptions) {
      if (!isPrivate(channel)) continue;
      this.#removeSubscription(sid);
      this.#push({ kind: 'unsubscribe', sid });
    }
    for (const channels of groups) this.#push({ kind: 'subscribe', channels, tickers: null });
  }

  get hasNext(): boolean {
    return this.#queue.length > 0;
  }

  /** Takes the next command and counts it as sent; `null` when there is none. */
  takeNextCommand(): NumberedCommand | null {
    const command = this.#queue.shift();
    if (command === undefined) return null;
    this.#lastId += 1;
    this.#unanswered.set(this.#lastId, { command, unwanted: new Set() });
    const [oldest] = this.#unanswered.keys();
    if (this.#unanswered.size > UNANSWERED_MAX && oldest !== undefined) this.#unanswered.delete(oldest);
    return { id: this.#lastId, command };
  }

  applyReply(reply: FeedReply): void {
    if (reply.kind === 'subscribed') return this.#applyGrant(reply.id, reply);
    const sent = reply.id === null ? undefined : this.#unanswered.get(reply.id);
    if (reply.id !== null) this.#unanswered.delete(reply.id);
    if (sent !== undefined) this.#applyRefusal(sent, reply);
    else if (reply.sid !== null && this.#feed.terminalErrors.includes(reply.code)) this.#resubscribe(reply.sid, false);
  }

  #applyGrant(id: number, { channel, sid }: { readonly channel: Channel; readonly sid: number }): void {
    const sent = this.#unanswered.get(id);
    if (sent?.command.kind !== 'subscribe') return;
    const { command, unwanted } = sent;
    this.#subscriptions.set(sid, { channel, tickers: command.tickers });
    if (channel === 'book') for (const ticker of command.tickers ?? []) this.#bookSids.set(ticker, sid);
    const channels = command.channels.filter((other) => other !== channel);
    if (channels.length === 0) this.#unanswered.delete(id);
    else this.#unanswered.set(id, { command: { ...command, channels }, unwanted });
    this.#removeFrom(sid, unwanted);
    for (const ticker of command.tickers ?? [])
      if (this.#refused.has(ticker) && this.#ungrantedChannels(ticker).length === 0) this.#refused.delete(ticker);
  }

  /**
   * Handles a refusal. A command that came too fast is sent again. After a refused `snapshot` or `delete`, the
   * subscription is ended and requested again. A subscribe command with too many markets is split. Any other subscribe
   * command is repeated without refused and unwanted markets, or else in halves, but no more than `HALVINGS_MAX` times;
   * a command for a single market is dropped. A refused `unsubscribe`, or subscribe command for all markets, is
   * dropped.
   */
  #applyRefusal(
    { command, unwanted }: SentCommand,
    { code, tickers: named }: Extract<FeedReply, { kind: 'refused' }>,
  ): void {
    const { tooManyCommands, tooManyMarkets } = this.#feed.errors;
    if (code === tooManyCommands) return void this.#queue.unshift(...without(command, unwanted));
    if (command.kind === 'unsubscribe') return;
    if (command.kind !== 'subscribe') return this.#resubscribe(command.sid, true);
    if (command.tickers === null) return;
    const wanted = command.tickers.filter((ticker) => !unwanted.has(ticker));
    if (code === tooManyMarkets) return this.#splitCommand(command, wanted);
    const rest = wanted.filter((ticker) => !named.includes(ticker));
    if (rest.length < command.tickers.length) {
      this.#recordRefused(wanted.filter((ticker) => named.includes(ticker)));
      return this.#pushSubscribe(command.channels, rest);
    }
    this.#halvings += 1;
    if (rest.length === 1 || this.#halvings > HALVINGS_MAX) return this.#recordRefused(rest);
    const half = Math.ceil(rest.length / 2);
    this.#pushSubscribe(command.channels, rest.slice(0, half));
    this.#pushSubscribe(command.channels, rest.slice(half));
  }

  #recordRefused(tickers: readonly Ticker[]): void {
    for (const ticker of tickers) this.#refused.add(ticker);
  }

  /**
   * Splits a command with too many markets, and lowers the bound of later commands. A command for a single market is
   * dropped.
   */
  #splitCommand(
    { channels, tickers }: Extract<SubscriptionCommand, { kind: 'subscribe' }>,
    wanted: readonly Ticker[],
  ): void {
    const refused = tickers?.length ?? 0;
    if (refused <= 1) return this.#recordRefused(wanted);
    this.#perCommand = Math.min(this.#perCommand, Math.ceil(refused / 2));
    for (let from = 0; from < wanted.length; from += this.#perCommand)
      this.#pushSubscribe(channels, wanted.slice(from, from + this.#perCommand));
  }

  /**
   * Ends a subscription and subscribes to the same markets again. `isAlive` is false when the venue has ended it
   * already.
   */
  #resubscribe(sid: number, isAlive: boolean): void {
    const subscription = this.#removeSubscription(sid);
    if (subscription === undefined) return;
    const { channel, tickers } = subscription;
    if (isAlive) this.#push({ kind: 'unsubscribe', sid });
    this.#push({ kind: 'subscribe', channels: [channel], tickers });
  }

  #removeSubscription(sid: number): Subscription | undefined {
    const subscription = this.#subscriptions.get(sid);
    // The subscription was ended before; its unsubscribe command must stay queued.
    if (subscription === undefined) return undefined;
    this.#subscriptions.delete(sid);
    if (subscription.channel === 'book')
      for (const ticker of subscription.tickers ?? [])
        if (this.#bookSids.get(ticker) === sid) this.#bookSids.delete(ticker);
    this.#queue = this.#queue.filter((command) => !('sid' in command) || command.sid !== sid);
    return subscription;
  }

  #push(command: SubscriptionCommand): void {
    this.#queue.push(command);
  }

  /** Adds markets to the last queued command if the channels are the same. Queues further commands for the rest. */
  #subscribe(channels: readonly Channel[], tickers: readonly Ticker[]): void {
    if (channels.length === 0) return;
    let rest = tickers;
    const last = this.#queue.at(-1);
    if (last?.kind === 'subscribe' && last.tickers !== null && last.channels.join() === channels.join()) {
      const room = this.#perCommand - last.tickers.length;
      this.#queue.pop();
      this.#pushSubscribe(channels, [...last.tickers, ...rest.slice(0, Math.max(0, room))]);
      rest = rest.slice(Math.max(0, room));
    }
    for (let from = 0; from < rest.length; from += this.#perCommand) {
      this.#pushSubscribe(channels, rest.slice(from, from + this.#perCommand));
    }
  }

  #pushSubscribe(channels: readonly Channel[], tickers: readonly Ticker[]): void {
    if (tickers.length > 0) this.#queue.push({ kind: 'subscribe', channels, tickers });
  }

  #requestSnapshot(sid: number, ticker: Ticker): void {
    const isWaiting = (command: SubscriptionCommand): command is Extract<SubscriptionCommand, { kind: 'snapshot' }> =>
      command.kind === 'snapshot' &&
      command.sid === sid &&
      (command.tickers.includes(ticker) || command.tickers.length < this.#perCommand);
    const place = this.#queue.findIndex(isWaiting);
    const waiting = this.#queue[place];
    if (waiting === undefined || !isWaiting(waiting)) this.#queue.push({ kind: 'snapshot', sid, tickers: [ticker] });
    else if (!waiting.tickers.includes(ticker))
      this.#queue[place] = { ...waiting, tickers: [...waiting.tickers, ticker] };
  }

  /** True when a subscription is queued or unanswered. That to a book starts with a snapshot. */
  #isAwaited(channel: Channel, ticker: Ticker): boolean {
    const subscribes = (command: SubscriptionCommand): boolean =>
      command.kind === 'subscribe' && command.channels.includes(channel) && command.tickers?.includes(ticker) === true;
    const isUnwanted = ({ unwanted }: SentCommand): boolean => unwanted.has(ticker);
    const unanswered = [...this.#unanswered.values()];
    return this.#queue.some(subscribes) || unanswered.some((sent) => subscribes(sent.command) && !isUnwanted(sent));
  }
}
