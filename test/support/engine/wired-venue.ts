// A scripted venue whose books are streamed as frames: subscriptions, sequence numbers and frames in the form of a
// dialect, through the real plan, commands and normalizer. Its account is scripted. Pure.
import type { Command, FeedCommand } from '../../../src/domain/venue-command.ts';
import type { BookSide } from '../../../src/domain/event.ts';
import type { MarketIndex, Ticker } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import { type Price, dollars, qty } from '../../../src/domain/units.ts';
import { FeedCommandEncoder } from '../../../src/venues/trade-api/feed/feed-command-encoder.ts';
import { SubscriptionPlan } from '../../../src/venues/trade-api/feed/subscription-plan.ts';
import { FeedReplyReader } from '../../../src/venues/trade-api/feed/feed-reply-reader.ts';
import { TradeApiNormalizer } from '../../../src/venues/trade-api/normalize/trade-api-normalizer.ts';
import type { FeedProfile, WireProfile } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { codecOf } from '../../../src/venues/trade-api/wire/codec.ts';
import type { Channel, DeltaRecord, SnapshotRecord } from '../../../src/venues/trade-api/wire/wire-records.ts';
import type { RecordSpec } from '../../../src/venues/trade-api/wire/record-spec.ts';
import { onYesScale } from '../../../src/venues/trade-api/wire/yes-scale.ts';
import type { RawInput } from '../../../src/venue.ts';
import { BEGIN, tickerOf, tickerTable } from './builders.ts';
import { ScriptedVenue } from './scripted-venue.ts';
import { VenueBooks } from './venue-books.ts';

/** A message of the feed before it is encoded. */
export interface Message {
  readonly type: string;
  readonly id?: number;
  readonly sid?: number;
  readonly seq?: number;
  readonly msg?: Readonly<Record<string, unknown>>;
}

interface Subscription {
  readonly channel: Channel;
  tickers: readonly Ticker[];
  seq: number;
}

/** The venue. Its markets are `M-0`, `M-1` and so on. */
export class WiredVenue extends ScriptedVenue {
  /** Tampers with a message in flight: returns the messages that arrive in its place. */
  tamper: (message: Message) => readonly Message[] = (message) => [message];
  /** The commands received, as the dialect spells them. */
  readonly commands: { readonly id: number; readonly cmd: string; readonly params: Record<string, unknown> }[] = [];
  readonly #feed: FeedProfile;
  readonly #books = new VenueBooks();
  readonly #plan: SubscriptionPlan;
  readonly #texts: FeedCommandEncoder;
  readonly #replies: FeedReplyReader;
  readonly #normalizer: TradeApiNormalizer;
  readonly #subscriptions = new Map<number, Subscription>();
  #lastSid = 0;

  constructor(profile: WireProfile, markets: readonly Market[]) {
    super(markets, dollars(1000), BEGIN);
    this.#feed = profile.feed;
    for (const { index } of markets) this.#books.openBook(index);
    this.#plan = new SubscriptionPlan({ feed: profile.feed, hasKey: false, tickersPerCommand: 100 });
    this.#texts = new FeedCommandEncoder(profile);
    this.#replies = new FeedReplyReader(profile.feed);
    this.#normalizer = new TradeApiNormalizer({ profile, tickers: tickerTable(markets.length) });
  }

  override feedUp(): void {
    super.feedUp();
    this.#read({ type: 'feed-up', at: this.now, connection: 1 });
    this.#subscriptions.clear();
    this.#plan.connect();
    this.#flush();
  }

  override feedDown(): void {
    super.feedDown();
    this.#plan.disconnect();
  }

  /** Books are streamed only as frames. */
  override emitSnapshot(): void {}

  override acceptCommand(command: Command): void {
    switch (command.type) {
      case 'subscribe':
      case 'resync':
      case 'renew':
      case 'unsubscribe':
        return this.#command(command);
      case 'renew-private':
      case 'reconnect':
      case 'place':
      case 'amend':
      case 'cancel':
      case 'decrease':
      case 'read':
        return super.acceptCommand(command);
    }
  }

  #command(command: Extract<FeedCommand, { readonly tickers: readonly Ticker[] }>): void {
    if (command.type === 'subscribe') this.#plan.addMarkets(command.tickers);
    else if (command.type === 'resync') this.#plan.requestSnapshots(command.tickers);
    else if (command.type === 'renew') this.#plan.resubscribeBooks(command.tickers);
    else this.#plan.removeMarkets(command.tickers);
    this.#flush();
  }

  #flush(): void {
    for (let sent = this.#plan.takeNextCommand(); sent !== null; sent = this.#plan.takeNextCommand()) {
      const text = this.#texts.encodeCommand(sent);
      this.#read({ type: 'feed-sent', at: this.now, text });
      const command = JSON.parse(text) as (typeof this.commands)[number];
      this.commands.push(command);
      this.#obey(command);
    }
  }

  // The venue's side

  #obey({ id, cmd, params }: (typeof this.commands)[number]): void {
    const { subscribe, unsubscribe, update } = this.#feed.commands;
    if (cmd === subscribe.cmd) {
      const { channels, tickers } = codecOf(subscribe.params).decode(params);
      for (const channel of channels) this.#grant(id, channel, tickers ?? []);
    } else if (cmd === unsubscribe.cmd) {
      for (const sid of codecOf(unsubscribe.params).decode(params).sids) this.#end(id, sid);
    } else {
      const { sid, tickers } = codecOf(update.params).decode(params);
      for (const name of tickers ?? []) this.#snapshot(sid!, name, id);
    }
  }

  #grant(id: number, channel: Channel, tickers: readonly Ticker[]): void {
    const sid = (this.#lastSid += 1);
    this.#subscriptions.set(sid, { channel, tickers, seq: 0 });
    const msg = codecOf(this.#feed.replies.subscribed.record).encode({ channel, sid });
    this.#say({ type: this.#feed.replies.subscribed.type, id, msg });
    if (channel === 'book') for (const name of tickers) this.#snapshot(sid, name);
  }

  #end(id: number, sid: number): void {
    this.#numbered(sid, { type: this.#feed.replies.unsubscribed.type, id });
    this.#subscriptions.delete(sid);
  }

  #snapshot(sid: number, name: Ticker, id?: number): void {
    const { type, record } = this.#feed.messages.snapshot;
    const levels = this.#books.levels(this.#indexOf(name));
    const msg = codecOf(this.#asAsked<SnapshotRecord>(record)).encode({ ticker: name, ...levels });
    this.#numbered(sid, { type, ...(id === undefined ? {} : { id }), msg });
  }

  #asAsked<T>(record: RecordSpec<T>): RecordSpec<T> {
    return this.#feed.onYesScale === true ? onYesScale(record) : record;
  }

  #indexOf = (name: Ticker): MarketIndex => tickerTable(Number(name.slice(2)) + 1).indexOf(name)!;

  /** Changes a level, and reports it to every subscription of the book. */
  changeStreamedLevel(market: MarketIndex, side: BookSide, at: { readonly price: Price; readonly by: number }): void {
    this.#books.changeLevel(market, side, { price: at.price, change: at.by });
    this.changeLevelSilently(market, side, { price: at.price, change: at.by });
    this.emitDelta(market, side, at);
  }

  /** Reports a change of a level that may not have happened. */
  emitDelta(market: MarketIndex, side: BookSide, { price, by }: { readonly price: Price; readonly by: number }): void {
    const { type, record } = this.#feed.messages.delta;
    const name = tickerOf(market);
    const said = { ticker: name, side, price, change: qty(by), clientOrderId: null, at: this.now };
    const msg = codecOf(this.#asAsked<DeltaRecord>(record)).encode(said);
    for (const [sid, { tickers }] of this.#ofBooks()) if (tickers.includes(name)) this.#numbered(sid, { type, msg });
  }

  /** Ends every subscription to books with an error. */
  failSubscriptions(code: number): void {
    for (const [sid] of this.#ofBooks()) {
      this.#subscriptions.delete(sid);
      this.#say({ type: this.#feed.replies.error.type, sid, msg: { code, msg: 'by script' } });
    }
  }

  /** A copy of the book subscriptions, because a message about one may add another. */
  #ofBooks(): [number, Subscription][] {
    return [...this.#subscriptions].filter(([, { channel }]) => channel === 'book');
  }

  /** The true book, in the form in which the engine holds it. */
  trueLevels(market: MarketIndex): ReturnType<VenueBooks['levels']> {
    return this.#books.levels(market);
  }

  #numbered(sid: number, message: Message): void {
    const subscription = this.#subscriptions.get(sid);
    if (subscription === undefined) return;
    subscription.seq += 1;
    const { type, id, msg } = message;
    this.#say({ type, ...(id === undefined ? {} : { id }), sid, seq: subscription.seq, ...(msg && { msg }) });
  }

  #say(message: Message): void {
    for (const one of this.tamper(message)) this.#arrive(new TextEncoder().encode(JSON.stringify(one)));
  }

  // The bot's side

  #arrive(bytes: Uint8Array): void {
    this.#read({ type: 'frame', at: this.now, bytes });
    const reply = this.#replies.readReply(bytes);
    if (reply !== null) this.#plan.applyReply(reply);
    if (reply !== null) this.#flush();
  }

  #read(input: RawInput): void {
    this.#normalizer.normalize(input, (event) => {
      if (event.kind === 'feed-up') return;
      const { at: _at, ...told } = structuredClone(event);
      this.emitEvent(told);
    });
  }
}
