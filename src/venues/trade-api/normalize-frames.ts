// Frames of the feed to events. Pure: what a frame means depends on the frames before it and on nothing else.
// Must never let a frame pass that may have left a book wrong: a lost number, or words that cannot be read, end in a gap.
import type { BookDelta, BookSnapshot, EngineEvent } from '../../domain/event.ts';
import type { OperatorOrder } from '../../domain/operator.ts';
import { EPOCH, NO_QTY, QTY_DECIMALS, type Micros, type Price, formatScaled } from '../../domain/units.ts';
import type { MarketIndex, TickerTable } from '../../domain/ids.ts';
import type { Frame } from '../../venue.ts';
import { feesOf, fillOf, lifeAt, lifeOf, orderOf, positionOf, quoteOf } from './normalize-records.ts';
import { FeedSession } from './normalize-session.ts';
import { type FeedMessages, type FeedProfile, channelOf } from './profile.ts';
import { type DeltaScanner, deltaScanner } from './scan.ts';
import { type Codec, codecOf, tryDecode } from './wire/codec.ts';
import { WireFault, describeFound } from './wire/fault.ts';
import { isRecord } from './wire/json.ts';
import type { RecordSpec } from './wire/spec.ts';
import type * as Wire from './wire/records.ts';
import { onYesScale } from './wire/yes-scale.ts';

export type Emit = (event: EngineEvent) => void;

/** What stands around every message, whatever it is. */
interface Envelope {
  readonly type: string;
  readonly id: number | null;
  readonly sid: number | null;
  readonly seq: number | null;
}
const ENVELOPE: RecordSpec<Envelope> = {
  name: 'frame',
  fields: {
    type: { kind: 'name', wire: 'type' },
    id: { kind: 'integer', wire: 'id', optional: true },
    sid: { kind: 'integer', wire: 'sid', optional: true },
    seq: { kind: 'integer', wire: 'seq', optional: true },
  },
  ignored: ['msg'],
};

/** The channel that a message shows its subscription to be of. */
type SeenChannel = Wire.Channel | 'unknown' | null;

/** Reads one kind of message and tells what it says. */
interface Handler {
  readonly hasSeq: boolean;
  readonly channel: Wire.Channel;
  tell(msg: unknown, envelope: Envelope): void;
}

export interface FrameOptions {
  readonly feed: FeedProfile;
  readonly tickers: TickerTable;
  /** Whether hot frames are read from their bytes; the result is the same. */
  readonly scans?: boolean;
}

/** Reads frames, in order. */
export class FrameReader {
  readonly session: FeedSession;
  readonly #feed: FeedProfile;
  readonly #tickers: TickerTable;
  readonly #scanner: DeltaScanner | null;
  readonly #envelope: Codec<Envelope> = codecOf(ENVELOPE);
  readonly #handlers: ReadonlyMap<string, Handler>;
  readonly #replies: ReadonlyMap<string, (msg: unknown, envelope: Envelope) => void>;
  readonly #text = new TextDecoder('utf-8', { fatal: true });
  readonly #delta: BookDelta;
  readonly #snapshot: BookSnapshot;
  /** The frame being read, and who is told. */
  #at: Micros = EPOCH;
  #emit: Emit = () => {};
  readonly #note = (what: string, detail: string): void =>
    this.#emit({ kind: 'unrecognized', at: this.#at, what, detail });

  constructor({ feed, tickers, scans = true }: FrameOptions) {
    const messages = messagesAsAsked(feed);
    this.#feed = feed;
    this.#tickers = tickers;
    this.session = new FeedSession(feed, tickers);
    // Where numbers are ignored, messages may carry them.
    const delta = feed.numbers === 'ignored' ? { ...messages.delta, hasSeq: true } : messages.delta;
    this.#scanner = scans ? deltaScanner(delta, tickers) : null;
    this.#handlers = this.#makeHandlers(messages);
    this.#replies = this.#makeReplies();
    const blank = { at: EPOCH, exchangeAt: null, market: 0 as MarketIndex };
    this.#delta = { kind: 'book-delta', ...blank, side: 'bid', price: 0 as Price, change: NO_QTY, stream: 0 };
    this.#snapshot = { kind: 'book-snapshot', ...blank, bids: [], asks: [], stream: 0 };
  }

  /** Tells what a frame says. The events of books are borrowed. */
  read(frame: Frame, emit: Emit): void {
    this.#at = frame.at;
    this.#emit = emit;
    const scanner = this.#scanner;
    if (scanner !== null && isScanned(scanner, frame)) {
      if (this.#feed.numbers === 'ignored' || this.#follows(scanner.sid, scanner.seq, 'book'))
        this.#tellDelta(scanner, scanner.sid);
      return;
    }
    this.#readSlowly(frame.bytes);
  }

  #readSlowly(bytes: Uint8Array): void {
    let json: unknown;
    try {
      json = JSON.parse(this.#text.decode(bytes));
    } catch {
      return this.#unreadable('frame is not JSON', `${bytes.length} bytes`);
    }
    let envelope: Envelope;
    try {
      envelope = this.#envelope.decode(json, this.#note);
    } catch (fault) {
      if (!(fault instanceof WireFault)) throw fault;
      return this.#unreadable(`frame ${fault.field}`, fault.message);
    }
    this.#route(envelope, isRecord(json) ? json['msg'] : undefined);
  }

  #unreadable(what: string, detail: string): void {
    this.#note(what, detail);
    this.#gap([], `unreadable: ${what}`);
  }

  #route(envelope: Envelope, msg: unknown): void {
    const { type, sid } = envelope;
    const handler = this.#handlers.get(type);
    if (!this.#isRestated(envelope, msg) && !this.#isInLine(envelope, handler) && !this.#beginsAgain(envelope)) return;
    const tell = handler ?? this.#replies.get(type);
    if (tell === undefined) return this.#note(`type ${type}`, describeFound(msg));
    try {
      if (typeof tell === 'function') tell(msg, envelope);
      else tell.tell(msg, envelope);
    } catch (fault) {
      if (!(fault instanceof WireFault)) throw fault;
      this.#note(`record ${fault.record}.${fault.field}`, fault.message);
      if (handler !== undefined) this.#missed(handler.channel, sid, fault.message);
    }
  }

  /** Whether it is a snapshot that we asked for, which need not take its place in the sequence. */
  #isRestated({ type, id, sid, seq }: Envelope, msg: unknown): boolean {
    const { snapshot } = this.#feed.messages;
    if (id === null || sid === null || type !== snapshot.type) return false;
    const record = tryDecode(codecOf(snapshot.record), msg);
    return !(record instanceof WireFault) && this.session.restates({ id, sid, seq }, record.ticker);
  }

  /** Whether a message takes its place in the sequence of its subscription, where there is one. */
  #isInLine({ type, sid, seq }: Envelope, handler: Handler | undefined): boolean {
    if (this.#feed.numbers === 'ignored') return true;
    if (sid !== null && seq !== null) return this.#follows(sid, seq, this.#channelOf(type, handler));
    if (handler?.hasSeq !== true) return true;
    this.#note(`frame ${type} without its number`, `sid ${sid}, seq ${seq}`);
    this.#missed(handler.channel, sid, `${type} without its number`);
    return false;
  }

  /** Whether it is the snapshot with which a recording goes on after another connection: its number was taken back to it. */
  #beginsAgain({ type, sid, seq }: Envelope): boolean {
    const { numbers, messages } = this.#feed;
    if (numbers !== 'joined' || type !== messages.snapshot.type || sid === null || seq === null) return false;
    return this.session.isAt(sid, seq);
  }

  /** The channel that messages of a type come by; `null` for replies, which come by any. */
  #channelOf(type: string, handler: Handler | undefined): SeenChannel {
    if (handler !== undefined) return handler.channel;
    return this.#replies.has(type) ? null : 'unknown';
  }

  /** A message of a channel could not be read: a book may be wrong, or something of our own untold. */
  #missed(channel: Wire.Channel, sid: number | null, reason: string): void {
    if (channel === 'book') this.#gap(sid === null ? [] : this.session.marketsOf(sid), reason);
    else if (channelOf(this.#feed, channel).isPrivate) this.#tellChannel(channel, false, reason);
  }

  /** Whether a message may be told; a break in the sequence is told first. */
  #follows(sid: number, seq: number, seen: SeenChannel): boolean {
    const continuity = this.session.accept(sid, seq);
    if (continuity === 'next') return true;
    if (continuity === 'over') {
      this.#heard();
      return false;
    }
    // A subscription that was never announced is known by its messages.
    const channel = this.session.channelOf(sid) ?? seen;
    const reason = `sequence of subscription ${sid}: expected ${this.session.expectedSeq}, found ${seq}`;
    if (channel === 'book' || channel === null) this.#gap(this.session.marketsOf(sid), reason);
    else this.#note(`gap ${channel}`, reason);
    return continuity === 'gap';
  }

  #gap(markets: readonly MarketIndex[], reason: string): void {
    this.#emit({ kind: 'feed-gap', at: this.#at, markets, reason });
  }

  #tellDelta(from: Pick<DeltaScanner, 'market' | 'side' | 'price' | 'change' | 'exchangeAt'>, sid: number): void {
    const event = this.#delta;
    event.at = this.#at;
    event.exchangeAt = from.exchangeAt;
    event.market = from.market;
    event.side = from.side;
    event.price = from.price;
    event.change = from.change;
    event.stream = sid;
    this.#emit(event);
  }

  /** The market's number, or nothing where it was never heard of: then what is said of it is counted and passed over. */
  #known(ticker: string, type: string): MarketIndex | undefined {
    const index = this.#tickers.indexOf(ticker);
    if (index === undefined) this.#note(`market of ${type}`, describeFound(ticker));
    return index;
  }

  #makeHandlers(messages: FeedMessages): ReadonlyMap<string, Handler> {
    const handlers = new Map<string, Handler>();
    const on = <Key extends keyof FeedMessages>(
      key: Key,
      tell: (record: MessageRecord<Key>, envelope: Envelope) => void,
    ): void => {
      const message = messages[key];
      if (message === null) return;
      const { type, hasSeq, channel, record } = message;
      // tidy: as (the key ties the message to its record)
      const codec = codecOf(record as unknown as RecordSpec<MessageRecord<Key>>);
      const told = (msg: unknown, envelope: Envelope): void => tell(codec.decode(msg, this.#note), envelope);
      handlers.set(type, { hasSeq, channel, tell: told });
    };
    on('snapshot', (record, { sid }) => this.#tellSnapshot(record, sid));
    on('delta', (record, { sid }) => {
      const market = this.#known(record.ticker, messages.delta.type);
      if (market !== undefined) this.#tellDelta({ ...record, market, exchangeAt: record.at }, sid ?? 0);
    });
    on('ticker', (record) => this.#tellTicker(record));
    on('print', (record) => this.#tellPrint(record));
    on('fill', (record) => this.#emit({ kind: 'fill', at: this.#at, fill: fillOf(record, this.#tickers) }));
    on('order', (record) => this.#emit({ kind: 'order-updated', at: this.#at, order: orderOf(record, this.#tickers) }));
    on('position', (record) =>
      this.#emit({ kind: 'position-updated', at: this.#at, position: positionOf(record, this.#tickers) }),
    );
    on('marketLife', (record) => this.#tellLife(record));
    on('eventLife', ({ eventTicker, seriesTicker }) =>
      this.#emit({ kind: 'markets-appeared', at: this.#at, ticker: null, eventTicker, seriesTicker }),
    );
    on('feeChange', (record) =>
      this.#emit({ kind: 'fees-changed', at: this.#at, eventTicker: record.eventTicker, fees: feesOf(record) }),
    );
    on('group', (record) => this.#tellGroup(record));
    return handlers;
  }

  #tellSnapshot(record: Wire.SnapshotRecord, sid: number | null): void {
    const event = this.#snapshot;
    event.at = this.#at;
    event.market = this.#tickers.intern(record.ticker);
    event.bids = record.bids;
    event.asks = record.asks;
    event.stream = sid ?? 0;
    if (sid !== null) this.session.carries(sid, 'book', record.ticker);
    this.#emit(event);
  }

  #tellTicker(record: Wire.TickerRecord): void {
    const market = this.#known(record.ticker, this.#feed.messages.ticker.type);
    if (market === undefined) return;
    this.#emit({
      kind: 'ticker',
      at: this.#at,
      exchangeAt: record.at,
      market,
      lastPrice: quoteOf(record.lastPrice),
      bestBid: quoteOf(record.bestBid),
      bestAsk: quoteOf(record.bestAsk),
      volume: record.volume,
      openInterest: record.openInterest,
    });
  }

  /** What was traded beside the book says nothing of its prices. */
  #tellPrint({ ticker, tradeId, side, price, qty, at, isOffBook }: Wire.PrintRecord): void {
    const market = this.#known(ticker, this.#feed.messages.print.type);
    if (market === undefined) return;
    if (isOffBook === true) return this.#heard();
    this.#emit({ kind: 'print', at: this.#at, exchangeAt: at, market, tradeId, side, price, qty });
  }

  /** The lives of all markets are told; of those that we do not know only their beginning is of interest. */
  #tellLife(record: Wire.MarketLifeRecord): void {
    const { ticker, change: what } = record;
    const market = this.#tickers.indexOf(ticker);
    if (market === undefined && (what === 'created' || what === 'activated'))
      return this.#emit({ kind: 'markets-appeared', at: this.#at, ticker, eventTicker: null, seriesTicker: null });
    const change = market === undefined ? null : lifeOf(record);
    // What is new and not said is to be read.
    if (market !== undefined && change === null && what === 'grid-changed')
      return this.#emit({ kind: 'markets-appeared', at: this.#at, ticker, eventTicker: null, seriesTicker: null });
    if (market === undefined || change === null) return this.#heard();
    this.#emit({ ...change, kind: 'market-changed', at: this.#at, exchangeAt: lifeAt(record), market });
  }

  /** The venue has withdrawn the orders of a group and takes no more of them: we stop, too, until somebody has looked. */
  #tellGroup({ change, groupId, limit }: Wire.GroupRecord): void {
    if (change !== 'triggered') return this.#heard();
    const many = limit === null ? 'more contracts than its limit' : `${formatScaled(limit, QTY_DECIMALS)} contracts`;
    const reason = `the venue withdrew the orders of order group ${describeFound(groupId)}: ${many} traded at once`;
    const order: OperatorOrder = { type: 'halt', scope: { type: 'account' }, by: 'risk', reason };
    this.#emit({ kind: 'operator', at: this.#at, order });
  }

  #heard(): void {
    this.#emit({ kind: 'feed-heard', at: this.#at });
  }

  #makeReplies(): ReadonlyMap<string, (msg: unknown, envelope: Envelope) => void> {
    const { subscribed, unsubscribed, updated, error } = this.#feed.replies;
    const subscribedCodec = codecOf(subscribed.record);
    const updatedCodec = codecOf(updated.record);
    const errorCodec = codecOf(error.record);
    return new Map<string, (msg: unknown, envelope: Envelope) => void>([
      [
        subscribed.type,
        (msg, { id }) => {
          const granted = subscribedCodec.decode(msg, this.#note);
          if (this.session.subscribed(id, granted)) this.#tellChannel(granted.channel, true, 'subscribed');
          else this.#heard();
        },
      ],
      [
        unsubscribed.type,
        (_msg, { sid }) => {
          const ended = sid === null ? null : this.session.ended(sid);
          if (ended === null) this.#heard();
          else this.#tellChannel(ended, false, 'unsubscribed');
        },
      ],
      [
        updated.type,
        (msg, { id, sid }) => {
          // Without a subscription it is the list of all of them, which tells nothing new.
          if (sid !== null)
            this.session.updated(id, sid, msg === undefined ? null : updatedCodec.decode(msg, this.#note).tickers);
          this.#heard();
        },
      ],
      [error.type, (msg, envelope) => this.#tellError(errorCodec.decode(msg, this.#note), envelope)],
    ]);
  }

  /** A refused command leaves its channels unheard; some errors end their subscription, whose books hear no more. */
  #tellError({ code, message, ticker }: Wire.FeedErrorRecord, { id, sid }: Envelope): void {
    const said = `feed error ${code}${message === null ? '' : `: ${describeFound(message)}`}`;
    const reason = code === this.#feed.errors.keyNeeded ? `${said} (${KEY_NEEDED})` : said;
    this.#note(`feed error ${code}`, ticker === null ? reason : `${reason} (${describeFound(ticker)})`);
    if (id !== null) for (const channel of this.session.refused(id)) this.#tellChannel(channel, false, reason);
    if (!this.#feed.terminalErrors.includes(code)) return;
    const channel = sid === null ? null : this.session.channelOf(sid);
    if (channel === 'book' || channel === null) this.#gap(sid === null ? [] : this.session.marketsOf(sid), reason);
    const ended = sid === null ? null : this.session.ended(sid);
    if (ended !== null) this.#tellChannel(ended, false, reason);
  }

  /** The guard that order groups are works without our hearing of it. */
  #tellChannel(channel: Wire.Channel, isUp: boolean, reason: string): void {
    if (channel === 'groups') this.#heard();
    else this.#emit({ kind: 'feed-channel', at: this.#at, channel, isUp, reason });
  }
}

const KEY_NEEDED = 'the connection has no key that the venue takes: see its id, its file and its environment';

/** The messages as they come: prices of NO bids turned to the YES scale, where that is what the feed was asked for. */
function messagesAsAsked({ messages, onYesScale: isTurned }: FeedProfile): FeedMessages {
  if (isTurned !== true) return messages;
  const { snapshot, delta } = messages;
  return {
    ...messages,
    snapshot: { ...snapshot, record: onYesScale(snapshot.record) },
    delta: { ...delta, record: onYesScale(delta.record) },
  };
}

function isScanned(scanner: DeltaScanner, frame: Frame): boolean {
  const { span } = frame;
  return span === undefined ? scanner.scan(frame.bytes) : scanner.scanSpan(span);
}

type MessageRecord<Key extends keyof FeedMessages> =
  NonNullable<FeedMessages[Key]>['record'] extends RecordSpec<infer Record> ? Record : never;
