// Normalizes feed frames into events. Pure: the events depend on the input alone. Must never ignore a frame that may
// have left a book wrong: a missing sequence number or an unreadable message causes a gap.
import type { BookDelta, BookSnapshot, EngineEvent } from '../../../domain/event.ts';
import type { OperatorOrder } from '../../../domain/operator-order.ts';
import { EPOCH, NO_QTY, QTY_DECIMALS, type Micros, type Price, formatScaled } from '../../../domain/units.ts';
import type { MarketIndex, TickerTable } from '../../../domain/ids.ts';
import type { Frame, ScannedDelta } from '../../../venue.ts';
import { feesOf, fillOf, lifeAt, lifeOf, orderOf, positionOf, quoteOf } from './domain-values.ts';
import { describeRefused, FeedSubscriptions } from './feed-subscriptions.ts';
import { type FeedMessages, type FeedProfile, channelOf } from '../profiles/wire-profile.ts';
import { MarketScanners } from '../scan/market-scanners.ts';
import type { MessageScanner } from '../scan/message-scanner.ts';
import { requestedMessages } from './requested-messages.ts';
import { type Codec, codecOf, tryDecode } from '../wire/codec.ts';
import { WireFault, describeValue } from '../wire/wire-fault.ts';
import { isRecord } from '../wire/json-record.ts';
import { ENVELOPE, type Envelope } from '../wire/feed-envelope.ts';
import type { RecordSpec } from '../wire/record-spec.ts';
import type * as Wire from '../wire/wire-records.ts';

export type Emit = (event: EngineEvent) => void;

type TypeChannel = Wire.Channel | 'unknown' | null;

type TickerFigures = Pick<
  MessageScanner,
  'exchangeAt' | 'lastPrice' | 'bestBid' | 'bestAsk' | 'volume' | 'openInterest'
>;

interface Handler {
  readonly hasSeq: boolean;
  readonly channel: Wire.Channel;
  readonly handle: (msg: unknown, envelope: Envelope) => void;
}

export interface FrameNormalizerOptions {
  readonly feed: FeedProfile;
  readonly tickers: TickerTable;
  /** True: book deltas, tickers and prints are read straight from their bytes. The events are the same either way. */
  readonly scans?: boolean;
  readonly onGroupTriggered?: ((groupId: string) => void) | undefined;
}

/** Normalizes frames, in the sequence of their arrival. */
export class FrameNormalizer {
  readonly subscriptions: FeedSubscriptions;
  readonly #feed: FeedProfile;
  readonly #tickers: TickerTable;
  readonly #scanners: MarketScanners | null;
  readonly #envelope: Codec<Envelope> = codecOf(ENVELOPE);
  readonly #handlers: ReadonlyMap<string, Handler>;
  readonly #replies: ReadonlyMap<string, (msg: unknown, envelope: Envelope) => void>;
  readonly #text = new TextDecoder('utf-8', { fatal: true });
  readonly #onGroupTriggered: FrameNormalizerOptions['onGroupTriggered'];
  readonly #delta: BookDelta;
  readonly #snapshot: BookSnapshot;
  #at: Micros = EPOCH;
  #emit: Emit = () => {};
  readonly #reportSkipped = (what: string, detail: string): void =>
    this.#emit({ kind: 'unrecognized', at: this.#at, what, detail });

  constructor({ feed, tickers, scans = true, onGroupTriggered }: FrameNormalizerOptions) {
    const messages = requestedMessages(feed);
    this.#feed = feed;
    this.#tickers = tickers;
    this.#onGroupTriggered = onGroupTriggered;
    this.subscriptions = new FeedSubscriptions(feed, tickers);
    this.#scanners = scans ? new MarketScanners(messages, feed.numbers, tickers) : null;
    this.#handlers = this.#makeHandlers(messages);
    this.#replies = this.#makeReplies();
    const blank = { at: EPOCH, exchangeAt: null, market: 0 as MarketIndex };
    this.#delta = { kind: 'book-delta', ...blank, side: 'bid', price: 0 as Price, change: NO_QTY, stream: 0 };
    this.#snapshot = { kind: 'book-snapshot', ...blank, bids: [], asks: [], stream: 0 };
  }

  /** Emits the events of a frame. Book events are reused: a receiver must not keep them. */
  normalizeFrame(frame: Frame, emit: Emit): void {
    this.#at = frame.at;
    this.#emit = emit;
    if (frame.delta !== undefined && frame.delta !== null) return this.#normalizeDelta(frame.delta);
    const scanner = this.#scanners?.scanFrame(frame) ?? null;
    if (scanner === null) return this.#readByCodec(frame.bytes);
    if (this.#isNext(scanner, scanner.channel)) this.#emitScanned(scanner);
  }

  #normalizeDelta(delta: ScannedDelta): void {
    if (this.#isNext(delta, this.#feed.messages.delta.channel)) this.#emitDelta(delta, delta.sid);
  }

  /** Like `#isInSequence`, for a scanned message. */
  #isNext({ sid, seq }: Pick<MessageScanner, 'sid' | 'seq'>, channel: Wire.Channel): boolean {
    return this.#feed.numbers === 'ignored' || seq === null || this.#acceptNumber(sid, seq, channel);
  }

  #emitScanned(scanner: MessageScanner): void {
    if (scanner === this.#scanners?.deltas) return this.#emitDelta(scanner, scanner.sid);
    if (scanner === this.#scanners?.tickers) return this.#emitTicker(scanner, scanner.market);
    const { side, exchangeAt: at, isOffBook } = scanner;
    if (isOffBook) return this.#emitHeartbeat();
    const { market, tradeId, price, qty } = scanner;
    const taker = side === 'bid' ? 'buy' : 'sell';
    this.#emit({ kind: 'print', at: this.#at, exchangeAt: at, market, tradeId, side: taker, price, qty });
  }

  #readByCodec(bytes: Uint8Array): void {
    let json: unknown;
    try {
      json = JSON.parse(this.#text.decode(bytes));
    } catch {
      return this.#emitUnreadable('frame is not JSON', `${bytes.length} bytes`);
    }
    let envelope: Envelope;
    try {
      envelope = this.#envelope.decode(json, this.#reportSkipped);
    } catch (fault) {
      if (!(fault instanceof WireFault)) throw fault;
      return this.#emitUnreadable(`frame ${fault.field}`, fault.message);
    }
    this.#route(envelope, isRecord(json) ? json['msg'] : undefined);
  }

  #emitUnreadable(what: string, detail: string): void {
    this.#reportSkipped(what, detail);
    this.#emitGap([], `unreadable: ${what}`);
  }

  #route(envelope: Envelope, msg: unknown): void {
    const { type, sid } = envelope;
    const handler = this.#handlers.get(type);
    const isOutside = this.#isRequestedSnapshot(envelope, msg);
    if (!isOutside && !this.#isInSequence(envelope, handler) && !this.#continuesRecording(envelope)) return;
    const handle = handler?.handle ?? this.#replies.get(type);
    if (handle === undefined) return this.#reportSkipped(`type ${type}`, describeValue(msg));
    try {
      handle(msg, envelope);
    } catch (fault) {
      if (!(fault instanceof WireFault)) throw fault;
      this.#reportSkipped(`record ${fault.record}.${fault.field}`, fault.message);
      if (handler !== undefined) this.#emitLoss(handler.channel, sid, fault.message);
    }
  }

  #isRequestedSnapshot({ type, id, sid, seq }: Envelope, msg: unknown): boolean {
    const { snapshot } = this.#feed.messages;
    if (id === null || sid === null || type !== snapshot.type) return false;
    const record = tryDecode(codecOf(snapshot.record), msg);
    return (
      !(record instanceof WireFault) && this.subscriptions.acceptRequestedSnapshot({ id, sid, seq }, record.ticker)
    );
  }

  /**
   * Reports a missing or unexpected number, before any event of the message itself: for books, as a gap. Returns true
   * when the message shall be processed.
   */
  #isInSequence({ type, sid, seq }: Envelope, handler: Handler | undefined): boolean {
    if (this.#feed.numbers === 'ignored') return true;
    if (sid !== null && seq !== null) return this.#acceptNumber(sid, seq, this.#channelOf(type, handler));
    if (handler?.hasSeq !== true) return true;
    this.#reportSkipped(`frame ${type} without its number`, `sid ${sid}, seq ${seq}`);
    this.#emitLoss(handler.channel, sid, `${type} without its number`);
    return false;
  }

  /** A recording may continue on another connection with a snapshot, whose number restarts the sequence. */
  #continuesRecording({ type, sid, seq }: Envelope): boolean {
    const { numbers, messages } = this.#feed;
    if (numbers !== 'joined' || type !== messages.snapshot.type || sid === null || seq === null) return false;
    return this.subscriptions.isLastNumber(sid, seq);
  }

  #channelOf(type: string, handler: Handler | undefined): TypeChannel {
    if (handler !== undefined) return handler.channel;
    return this.#replies.has(type) ? null : 'unknown';
  }

  /** Reports a lost message: a gap for books, a lost channel for account data. */
  #emitLoss(channel: Wire.Channel, sid: number | null, reason: string): void {
    if (channel === 'book') this.#emitGap(sid === null ? [] : this.subscriptions.marketsOf(sid), reason);
    else if (channelOf(this.#feed, channel).isPrivate) this.#emitChannel(channel, false, reason);
  }

  #acceptNumber(sid: number, seq: number, typeChannel: TypeChannel): boolean {
    const continuity = this.subscriptions.acceptNumber(sid, seq);
    if (continuity === 'next') return true;
    if (continuity === 'over') {
      this.#emitHeartbeat();
      return false;
    }
    // An unannounced subscription takes the channel of its messages.
    const channel = this.subscriptions.channelOf(sid) ?? typeChannel;
    const reason = `sequence of subscription ${sid}: expected ${this.subscriptions.expectedSeq}, found ${seq}`;
    if (channel === 'book' || channel === null) this.#emitGap(this.subscriptions.marketsOf(sid), reason);
    else this.#reportSkipped(`gap ${channel}`, reason);
    return continuity === 'gap';
  }

  #emitGap(markets: readonly MarketIndex[], reason: string): void {
    this.#emit({ kind: 'feed-gap', at: this.#at, markets, reason });
  }

  #emitDelta(from: Omit<ScannedDelta, 'sid' | 'seq'>, sid: number): void {
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

  #knownMarket(ticker: string, type: string): MarketIndex | undefined {
    const index = this.#tickers.indexOf(ticker);
    if (index === undefined) this.#reportSkipped(`market of ${type}`, describeValue(ticker));
    return index;
  }

  #makeHandlers(messages: FeedMessages): ReadonlyMap<string, Handler> {
    const handlers = new Map<string, Handler>();
    const on = <Key extends keyof FeedMessages>(
      key: Key,
      emitRecord: (record: MessageRecord<Key>, envelope: Envelope) => void,
    ): void => {
      const message = messages[key];
      if (message === null) return;
      const { type, hasSeq, channel, record } = message;
      // tidy: as (the key ties the message to its record)
      const codec = codecOf(record as unknown as RecordSpec<MessageRecord<Key>>);
      const handle = (msg: unknown, envelope: Envelope): void =>
        emitRecord(codec.decode(msg, this.#reportSkipped), envelope);
      handlers.set(type, { hasSeq, channel, handle });
    };
    on('snapshot', (record, { sid }) => this.#emitSnapshot(record, sid));
    on('delta', (record, { sid }) => {
      const market = this.#knownMarket(record.ticker, messages.delta.type);
      if (market !== undefined) this.#emitDelta({ ...record, market, exchangeAt: record.at }, sid ?? 0);
    });
    on('ticker', (record) => {
      const market = this.#knownMarket(record.ticker, messages.ticker.type);
      if (market !== undefined) this.#emitTicker({ ...record, exchangeAt: record.at }, market);
    });
    on('print', (record) => this.#emitPrint(record));
    on('fill', (record) => this.#emit({ kind: 'fill', at: this.#at, fill: fillOf(record, this.#tickers) }));
    on('order', (record) => this.#emit({ kind: 'order-updated', at: this.#at, order: orderOf(record, this.#tickers) }));
    on('position', (record) =>
      this.#emit({ kind: 'position-updated', at: this.#at, position: positionOf(record, this.#tickers) }),
    );
    on('marketLife', (record) => this.#emitMarketLife(record));
    on('eventLife', ({ eventTicker, seriesTicker }) =>
      this.#emit({ kind: 'markets-appeared', at: this.#at, ticker: null, eventTicker, seriesTicker }),
    );
    on('feeChange', (record) =>
      this.#emit({ kind: 'fees-changed', at: this.#at, eventTicker: record.eventTicker, fees: feesOf(record) }),
    );
    on('group', (record) => this.#emitGroupChange(record));
    return handlers;
  }

  #emitSnapshot(record: Wire.SnapshotRecord, sid: number | null): void {
    const event = this.#snapshot;
    event.at = this.#at;
    event.market = this.#tickers.internTicker(record.ticker);
    event.bids = record.bids;
    event.asks = record.asks;
    event.stream = sid ?? 0;
    if (sid !== null) this.subscriptions.recordMarket(sid, 'book', record.ticker);
    this.#emit(event);
  }

  #emitTicker(from: TickerFigures, market: MarketIndex): void {
    this.#emit({
      kind: 'ticker',
      at: this.#at,
      exchangeAt: from.exchangeAt,
      market,
      lastPrice: quoteOf(from.lastPrice),
      bestBid: quoteOf(from.bestBid),
      bestAsk: quoteOf(from.bestAsk),
      volume: from.volume,
      openInterest: from.openInterest,
    });
  }

  /** A trade outside the book only counts as a heartbeat. */
  #emitPrint({ ticker, tradeId, side, price, qty, at, isOffBook }: Wire.PrintRecord): void {
    const market = this.#knownMarket(ticker, this.#feed.messages.print.type);
    if (market === undefined) return;
    if (isOffBook === true) return this.#emitHeartbeat();
    this.#emit({ kind: 'print', at: this.#at, exchangeAt: at, market, tradeId, side, price, qty });
  }

  /** The venue sends the life of all markets. For an unknown market only its appearance matters. */
  #emitMarketLife(record: Wire.MarketLifeRecord): void {
    const { ticker, change: changeKind } = record;
    const market = this.#tickers.indexOf(ticker);
    if (market === undefined && (changeKind === 'created' || changeKind === 'activated'))
      return this.#emit({ kind: 'markets-appeared', at: this.#at, ticker, eventTicker: null, seriesTicker: null });
    const change = market === undefined ? null : lifeOf(record);
    // The new grid is not in the message, so the market must be read.
    if (market !== undefined && change === null && changeKind === 'grid-changed')
      return this.#emit({ kind: 'markets-appeared', at: this.#at, ticker, eventTicker: null, seriesTicker: null });
    if (market === undefined || change === null) return this.#emitHeartbeat();
    this.#emit({ ...change, kind: 'market-changed', at: this.#at, exchangeAt: lifeAt(record), market });
  }

  /** The venue has canceled the orders of a triggered group; we halt, too, until an operator resumes. */
  #emitGroupChange({ change, groupId, limit }: Wire.GroupRecord): void {
    if (change !== 'triggered') return this.#emitHeartbeat();
    this.#onGroupTriggered?.(groupId);
    const traded = limit === null ? 'more contracts than its limit' : `${formatScaled(limit, QTY_DECIMALS)} contracts`;
    const reason = `the venue canceled the orders of order group ${describeValue(groupId)}: ${traded} traded at once`;
    const order: OperatorOrder = { type: 'halt', scope: { type: 'account' }, by: 'risk', reason };
    this.#emit({ kind: 'operator', at: this.#at, order });
  }

  #emitHeartbeat(): void {
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
          const granted = subscribedCodec.decode(msg, this.#reportSkipped);
          if (this.subscriptions.recordGrant(id, granted)) this.#emitChannel(granted.channel, true, 'subscribed');
          else this.#emitHeartbeat();
        },
      ],
      [
        unsubscribed.type,
        (_msg, { sid }) => {
          const ended = sid === null ? null : this.subscriptions.recordEnd(sid);
          if (ended === null) this.#emitHeartbeat();
          else this.#emitChannel(ended, false, 'unsubscribed');
        },
      ],
      [
        updated.type,
        (msg, { id, sid }) => {
          // Without a subscription id the reply lists all subscriptions: nothing new.
          if (sid !== null)
            this.subscriptions.recordUpdate(
              id,
              sid,
              msg === undefined ? null : updatedCodec.decode(msg, this.#reportSkipped).tickers,
            );
          this.#emitHeartbeat();
        },
      ],
      [error.type, (msg, envelope) => this.#emitFeedError(errorCodec.decode(msg, this.#reportSkipped), envelope)],
    ]);
  }

  /**
   * A refused command's channels for all markets go down. A terminal error ends a subscription; its books get a gap.
   */
  #emitFeedError({ code, message, ticker }: Wire.FeedErrorRecord, { id, sid }: Envelope): void {
    const text = `feed error ${code}${message === null ? '' : `: ${describeValue(message)}`}`;
    const reason = code === this.#feed.errors.keyNeeded ? `${text} (${KEY_NEEDED})` : text;
    const refused = id === null ? null : this.subscriptions.recordRefusal(id);
    const place = describeRefused(refused, ticker === null ? null : describeValue(ticker));
    this.#reportSkipped(`feed error ${code}`, place === null ? reason : `${reason} (${place})`);
    if (refused?.tickers.length === 0)
      for (const channel of refused.channels) this.#emitChannel(channel, false, reason);
    if (!this.#feed.terminalErrors.includes(code)) return;
    const channel = sid === null ? null : this.subscriptions.channelOf(sid);
    if (channel === 'book' || channel === null)
      this.#emitGap(sid === null ? [] : this.subscriptions.marketsOf(sid), reason);
    const ended = sid === null ? null : this.subscriptions.recordEnd(sid);
    if (ended !== null) this.#emitChannel(ended, false, reason);
  }

  /** Order groups work whether or not we receive the messages of the `groups` channel. */
  #emitChannel(channel: Wire.Channel, isUp: boolean, reason: string): void {
    if (channel === 'groups') this.#emitHeartbeat();
    else this.#emit({ kind: 'feed-channel', at: this.#at, channel, isUp, reason });
  }
}

const KEY_NEEDED = 'the connection has no key that the venue accepts: check its id, its file and its environment';

type MessageRecord<Key extends keyof FeedMessages> =
  NonNullable<FeedMessages[Key]>['record'] extends RecordSpec<infer Record> ? Record : never;
