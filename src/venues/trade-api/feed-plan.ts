// What is wanted of the feed, what it has granted, and what to ask of it next. Pure: one connection after another.
// Must never forget a market that was asked for, nor ask twice at once for the same thing.
import type { Ticker } from '../../domain/ids.ts';
import { type FeedProfile, channelOf } from './profile.ts';
import type { Channel } from './wire/records.ts';

/** One command to the feed. `tickers` is `null` where none are named: everything. */
export type Ask =
  | { readonly kind: 'subscribe'; readonly channels: readonly Channel[]; readonly tickers: readonly Ticker[] | null }
  | { readonly kind: 'snapshot'; readonly sid: number; readonly tickers: readonly Ticker[] }
  | { readonly kind: 'delete'; readonly sid: number; readonly tickers: readonly Ticker[] }
  | { readonly kind: 'unsubscribe'; readonly sid: number };

/** A command as it is to be sent. Ids are never used twice. */
export interface NumberedAsk {
  readonly id: number;
  readonly ask: Ask;
}

/** What the feed replied. */
export type Reply =
  | { readonly kind: 'subscribed'; readonly id: number; readonly channel: Channel; readonly sid: number }
  | {
      readonly kind: 'refused';
      readonly id: number | null;
      readonly sid: number | null;
      readonly code: number;
      /** The markets it names; empty when it names none. */
      readonly tickers: readonly Ticker[];
    };

interface Subscription {
  readonly channel: Channel;
  readonly tickers: readonly Ticker[] | null;
}

export interface FeedPlanOptions {
  readonly feed: FeedProfile;
  readonly hasKey: boolean;
  /** Markets named in one command at most. */
  readonly tickersPerAsk: number;
}

/** An ask of which the reply has not come. */
interface Unanswered {
  readonly ask: Ask;
  /** Markets of it that are wanted no more since it was asked: to be given up again once it is granted. */
  readonly unwanted: Set<Ticker>;
}

/** Asks of which the reply has not come that are remembered; some never get one. */
const UNANSWERED_MAX = 1000;
/** Refusals of one connection after which halves are no longer tried: it is not for the sake of single markets. */
const HALVINGS_MAX = 64;

/** The subscriptions of one feed. */
export class FeedPlan {
  readonly #feed: FeedProfile;
  /** Fewer once the venue has said that it were too many, over every connection. */
  #perAsk: number;
  /** Channels that follow named markets. */
  readonly #marketChannels: readonly Channel[];
  /** Channels that follow everything, by what they need: one command each, so that a refusal costs no others. */
  readonly #wholeChannels: readonly (readonly Channel[])[];
  readonly #wanted = new Set<Ticker>();
  readonly #unanswered = new Map<number, Unanswered>();
  readonly #subscriptions = new Map<number, Subscription>();
  readonly #bookSids = new Map<Ticker, number>();
  #queue: Ask[] = [];
  #isConnected = false;
  #lastId = 0;
  #halvings = 0;

  constructor({ feed, hasKey, tickersPerAsk }: FeedPlanOptions) {
    this.#feed = feed;
    this.#perAsk = tickersPerAsk;
    // tidy: as — a record's type says which keys it has.
    const names = Object.keys(feed.channels) as Channel[];
    const known = names.filter((name) => feed.channels[name] !== null);
    const isPrivate = (name: Channel): boolean => channelOf(feed, name).isPrivate;
    const open = known.filter((name) => hasKey || !isPrivate(name));
    const isWhole = (name: Channel): boolean => isPrivate(name) || channelOf(feed, name).markets === 'none';
    const whole = open.filter(isWhole);
    this.#marketChannels = open.filter((name) => !isWhole(name));
    const ofMarkets = (name: Channel): boolean => channelOf(feed, name).markets !== 'none';
    this.#wholeChannels = [
      whole.filter((name) => isPrivate(name) && ofMarkets(name)),
      whole.filter((name) => isPrivate(name) && !ofMarkets(name)),
      whole.filter((name) => !isPrivate(name)),
    ].filter((channels) => channels.length > 0);
  }

  /** A connection is up: nothing granted before holds any more, and everything wanted is asked for. */
  connect(): void {
    this.disconnect();
    this.#isConnected = true;
    this.#halvings = 0;
    for (const channels of this.#wholeChannels) this.#queue.push({ kind: 'subscribe', channels, tickers: null });
    this.#subscribe(this.#marketChannels, [...this.#wanted]);
  }

  disconnect(): void {
    this.#isConnected = false;
    this.#queue = [];
    this.#unanswered.clear();
    this.#subscriptions.clear();
    this.#bookSids.clear();
  }

  /** Follow these markets, from now on and after every reconnection. */
  want(tickers: readonly Ticker[]): void {
    const fresh = [...new Set(tickers)].filter((ticker) => !this.#wanted.has(ticker));
    for (const ticker of fresh) this.#wanted.add(ticker);
    if (this.#isConnected) this.#subscribe(this.#marketChannels, fresh);
  }

  /** Follow these markets no more. */
  unwant(tickers: readonly Ticker[]): void {
    const gone = new Set(tickers.filter((ticker) => this.#wanted.delete(ticker)));
    if (gone.size === 0) return;
    this.#queue = this.#queue.flatMap((ask) => without(ask, gone));
    for (const asked of this.#unanswered.values()) markUnwanted(asked, gone);
    for (const sid of this.#subscriptions.keys()) this.#giveUp(sid, gone);
  }

  /** Gives up some markets of a subscription, or all of it when no other is left. */
  #giveUp(sid: number, gone: ReadonlySet<Ticker>): void {
    const subscription = this.#subscriptions.get(sid);
    if (!subscription?.tickers) return;
    const tickers = subscription.tickers.filter((ticker) => gone.has(ticker));
    if (tickers.length === 0) return;
    for (const ticker of tickers) if (this.#bookSids.get(ticker) === sid) this.#bookSids.delete(ticker);
    const left = subscription.tickers.filter((ticker) => !gone.has(ticker));
    if (left.length > 0) {
      this.#subscriptions.set(sid, { ...subscription, tickers: left });
      return this.#push({ kind: 'delete', sid, tickers });
    }
    this.#forget(sid);
    this.#push({ kind: 'unsubscribe', sid });
  }

  /** Ask for fresh snapshots of these markets. While disconnected there is no need: a connection begins with them. */
  resync(tickers: readonly Ticker[]): void {
    this.#anew(tickers, (sid, ticker) =>
      this.#feed.canResnapshot ? this.#askSnapshot(sid, ticker) : this.#renew(sid, true),
    );
  }

  /** Give up the subscriptions to these markets' books, and ask for them again. */
  renew(tickers: readonly Ticker[]): void {
    this.#anew(tickers, (sid) => this.#renew(sid, true));
  }

  /** Asks for books again: those that have a subscription in a way of the caller's, the others by subscribing. */
  #anew(tickers: readonly Ticker[], again: (sid: number, ticker: Ticker) => void): void {
    this.want(tickers);
    if (!this.#isConnected) return;
    for (const ticker of new Set(tickers)) {
      const sid = this.#bookSids.get(ticker);
      if (sid !== undefined) again(sid, ticker);
      else if (!this.#isAwaited(ticker)) this.#subscribe(['book'], [ticker]);
    }
  }

  /** Give up what the account alone is told, and ask for it again, also where an earlier ask was never answered. */
  renewPrivate(): void {
    const isPrivate = (channel: Channel): boolean => channelOf(this.#feed, channel).isPrivate;
    const groups = this.#wholeChannels.filter((channels) => channels.some(isPrivate));
    if (!this.#isConnected || groups.length === 0) return;
    const asksThem = (ask: Ask): boolean => ask.kind === 'subscribe' && ask.channels.some(isPrivate);
    if (this.#queue.some(asksThem)) return;
    for (const [id, { ask }] of this.#unanswered) if (asksThem(ask)) this.#unanswered.delete(id);
    for (const [sid, { channel }] of this.#subscriptions) {
      if (!isPrivate(channel)) continue;
      this.#forget(sid);
      this.#push({ kind: 'unsubscribe', sid });
    }
    for (const channels of groups) this.#push({ kind: 'subscribe', channels, tickers: null });
  }

  /** Whether there is something to ask. */
  get hasNext(): boolean {
    return this.#queue.length > 0;
  }

  /** What to ask next; `null` when there is nothing. It counts as asked. */
  next(): NumberedAsk | null {
    const ask = this.#queue.shift();
    if (ask === undefined) return null;
    this.#lastId += 1;
    this.#unanswered.set(this.#lastId, { ask, unwanted: new Set() });
    const [oldest] = this.#unanswered.keys();
    if (this.#unanswered.size > UNANSWERED_MAX && oldest !== undefined) this.#unanswered.delete(oldest);
    return { id: this.#lastId, ask };
  }

  /** Takes in a reply. */
  heard(reply: Reply): void {
    if (reply.kind === 'subscribed') return this.#granted(reply.id, reply);
    const asked = reply.id === null ? undefined : this.#unanswered.get(reply.id);
    if (reply.id !== null) this.#unanswered.delete(reply.id);
    if (asked !== undefined) this.#refused(asked, reply);
    else if (reply.sid !== null && this.#feed.terminalErrors.includes(reply.code)) this.#renew(reply.sid, false);
  }

  #granted(id: number, { channel, sid }: { readonly channel: Channel; readonly sid: number }): void {
    const asked = this.#unanswered.get(id);
    if (asked?.ask.kind !== 'subscribe') return;
    const { ask, unwanted } = asked;
    this.#subscriptions.set(sid, { channel, tickers: ask.tickers });
    if (channel === 'book') for (const ticker of ask.tickers ?? []) this.#bookSids.set(ticker, sid);
    const channels = ask.channels.filter((other) => other !== channel);
    if (channels.length === 0) this.#unanswered.delete(id);
    else this.#unanswered.set(id, { ask: { ...ask, channels }, unwanted });
    this.#giveUp(sid, unwanted);
  }

  /**
   * What came too fast is asked again as it was, and too many markets by fewer at a time. Else a refusal that names
   * markets is asked again without them; one that names none, in halves, down to one market.
   */
  #refused({ ask, unwanted }: Unanswered, { code, tickers: named }: Extract<Reply, { kind: 'refused' }>): void {
    const { tooManyCommands, tooManyMarkets } = this.#feed.errors;
    if (code === tooManyCommands) return void this.#queue.unshift(...without(ask, unwanted));
    if (ask.kind === 'unsubscribe') return;
    if (ask.kind !== 'subscribe') return this.#renew(ask.sid, true);
    if (ask.tickers === null) return;
    const asked = ask.tickers.filter((ticker) => !unwanted.has(ticker));
    if (code === tooManyMarkets) return this.#askForFewer(ask, asked);
    const rest = asked.filter((ticker) => !named.includes(ticker));
    if (rest.length < ask.tickers.length) return this.#pushSubscribe(ask.channels, rest);
    this.#halvings += 1;
    if (rest.length === 1 || this.#halvings > HALVINGS_MAX) return;
    const half = Math.ceil(rest.length / 2);
    this.#pushSubscribe(ask.channels, rest.slice(0, half));
    this.#pushSubscribe(ask.channels, rest.slice(half));
  }

  /** A market alone that is one too many is given up. */
  #askForFewer({ channels, tickers }: Extract<Ask, { kind: 'subscribe' }>, asked: readonly Ticker[]): void {
    const refused = tickers?.length ?? 0;
    if (refused <= 1) return;
    this.#perAsk = Math.min(this.#perAsk, Math.ceil(refused / 2));
    for (let from = 0; from < asked.length; from += this.#perAsk)
      this.#pushSubscribe(channels, asked.slice(from, from + this.#perAsk));
  }

  /** Gives up a subscription and asks for the same again. */
  #renew(sid: number, isAlive: boolean): void {
    const subscription = this.#forget(sid);
    if (subscription === undefined) return;
    const { channel, tickers } = subscription;
    if (isAlive) this.#push({ kind: 'unsubscribe', sid });
    this.#push({ kind: 'subscribe', channels: [channel], tickers });
  }

  /** Knows no more of a subscription, nor what was to be asked of it. */
  #forget(sid: number): Subscription | undefined {
    const subscription = this.#subscriptions.get(sid);
    // Given up before: what is still to be asked of it is that it end.
    if (subscription === undefined) return undefined;
    this.#subscriptions.delete(sid);
    if (subscription.channel === 'book')
      for (const ticker of subscription.tickers ?? [])
        if (this.#bookSids.get(ticker) === sid) this.#bookSids.delete(ticker);
    this.#queue = this.#queue.filter((ask) => !('sid' in ask) || ask.sid !== sid);
    return subscription;
  }

  #push(ask: Ask): void {
    this.#queue.push(ask);
  }

  /** Adds markets to a command that is waiting for the same, and makes new ones of what does not fit. */
  #subscribe(channels: readonly Channel[], tickers: readonly Ticker[]): void {
    if (channels.length === 0) return;
    let rest = tickers;
    const last = this.#queue.at(-1);
    if (last?.kind === 'subscribe' && last.tickers !== null && last.channels.join() === channels.join()) {
      const room = this.#perAsk - last.tickers.length;
      this.#queue.pop();
      this.#pushSubscribe(channels, [...last.tickers, ...rest.slice(0, Math.max(0, room))]);
      rest = rest.slice(Math.max(0, room));
    }
    for (let from = 0; from < rest.length; from += this.#perAsk) {
      this.#pushSubscribe(channels, rest.slice(from, from + this.#perAsk));
    }
  }

  #pushSubscribe(channels: readonly Channel[], tickers: readonly Ticker[]): void {
    if (tickers.length > 0) this.#queue.push({ kind: 'subscribe', channels, tickers });
  }

  #askSnapshot(sid: number, ticker: Ticker): void {
    const isWaiting = (ask: Ask): ask is Extract<Ask, { kind: 'snapshot' }> =>
      ask.kind === 'snapshot' && ask.sid === sid && (ask.tickers.includes(ticker) || ask.tickers.length < this.#perAsk);
    const place = this.#queue.findIndex(isWaiting);
    const waiting = this.#queue[place];
    if (waiting === undefined || !isWaiting(waiting)) this.#queue.push({ kind: 'snapshot', sid, tickers: [ticker] });
    else if (!waiting.tickers.includes(ticker))
      this.#queue[place] = { ...waiting, tickers: [...waiting.tickers, ticker] };
  }

  /** Whether a subscription to this market's book is on its way, which begins with a snapshot. */
  #isAwaited(ticker: Ticker): boolean {
    const brings = (ask: Ask): boolean =>
      ask.kind === 'subscribe' && ask.channels.includes('book') && ask.tickers?.includes(ticker) === true;
    const isUnwanted = ({ unwanted }: Unanswered): boolean => unwanted.has(ticker);
    const unanswered = [...this.#unanswered.values()];
    return this.#queue.some(brings) || unanswered.some((asked) => brings(asked.ask) && !isUnwanted(asked));
  }
}

/** Remembers which markets of an ask are wanted no more. */
function markUnwanted({ ask, unwanted }: Unanswered, gone: ReadonlySet<Ticker>): void {
  if (ask.kind !== 'subscribe') return;
  for (const ticker of ask.tickers ?? []) if (gone.has(ticker)) unwanted.add(ticker);
}

/** An ask without some markets; nothing when no other is left. */
function without(ask: Ask, gone: ReadonlySet<Ticker>): Ask[] {
  if (ask.kind === 'unsubscribe' || ask.kind === 'delete' || ask.tickers === null) return [ask];
  const tickers = ask.tickers.filter((ticker) => !gone.has(ticker));
  return tickers.length > 0 ? [{ ...ask, tickers }] : [];
}
