// One connection that follows the bot. Must never queue a message: a frame is built at the moment of writing.
import type { ClientOrderId, MarketIndex } from '../../domain/ids.ts';
import { type FollowFrame, type FollowRequest, FOLLOW_VERSION, type MarketFacts } from './follow-messages.ts';
import type { FollowSource } from './follow-source.ts';
import type { MarketTable } from './market-table.ts';
import type { SessionPart } from './session-part.ts';
import type { SessionWatch } from './session-watch.ts';
import { WatchedMarket } from './watched-market.ts';

/** The writing half of a socket. */
export interface FrameSocket {
  readonly writableLength: number;
  readonly writableNeedDrain: boolean;
  write(text: string): unknown;
  end(): unknown;
  destroy(): unknown;
}

/** The parts of the session shared by all followers. */
export interface FollowParts {
  readonly source: FollowSource;
  readonly table: MarketTable;
  readonly watch: SessionWatch;
  readonly session: SessionPart;
}

type Unnumbered<Frame = FollowFrame> = Frame extends { seq: number } ? Omit<Frame, 'seq'> : never;

/** Rows of a snapshot sent in one turn of the event loop. */
export const SNAPSHOT_ROWS = 1000;
const ROWS_MAX = 2000;
const ORDERS_MAX = 500;
const EVENTS_PER_FRAME = 500;
const BEAT_MS = 1000;
/** Nothing is sent above `UNREAD_SKIP` unread bytes. Above `UNREAD_END` the connection ends. */
export const UNREAD_SKIP = 1 << 20;
export const UNREAD_END = 1 << 22;
/** The connection ends after this time with unread bytes. Milliseconds. */
export const UNREAD_MS_MAX = 5000;

/** One follower. */
export class Follower {
  readonly hz: number;
  readonly #socket: FrameSocket;
  readonly #parts: FollowParts;
  #seq = 0;
  /** Markets to send. Added when a row or its facts change; removed when sent, or when the market leaves memory. */
  readonly #rows = new Set<MarketIndex>();
  readonly #facts = new Set<MarketIndex>();
  /** Markets that left memory. Added then; removed when sent. */
  readonly #dropped = new Set<MarketIndex>();
  /** Markets of the snapshot still to send; `null` once all are sent. */
  #snapshot: MarketIndex[] | null = null;
  #isSnapshotBegun = false;
  /** Orders to send. Added when an order changes; removed when sent. */
  readonly #orders = new Set<ClientOrderId>();
  /** True when the next frame of orders must hold the whole list. */
  #isOrderListDue = true;
  #nextEvent = 1;
  #watched: WatchedMarket[] = [];
  /** The last details of each watched market, as JSON. Added when sent; removed when no longer watched. */
  readonly #sentDetails = new Map<string, string>();
  #sentSession = '';
  #beatAtMs = Number.NEGATIVE_INFINITY;
  /** Time at which unread bytes began, or `null`. */
  #unreadSinceMs: number | null = null;

  constructor(socket: FrameSocket, { hz }: Pick<FollowRequest, 'hz'>, parts: FollowParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.hz = hz;
  }

  start(version: number): void {
    const { source, table, watch } = this.#parts;
    const { bot, program, profile, isPaper, hasKey, startedAt } = source.facts;
    this.#send({
      type: 'hello',
      version: Math.min(version, FOLLOW_VERSION),
      bot,
      session: source.sessionName(),
      pid: process.pid,
      program,
      profile,
      isPaper,
      hasKey,
      startedUs: startedAt,
      atUs: source.now(),
    });
    this.#snapshot = table.markets();
    for (const id of watch.orders.ids()) this.#orders.add(id);
  }

  #send(frame: Unnumbered): void {
    this.#seq += 1;
    this.#socket.write(`${JSON.stringify({ ...frame, seq: this.#seq })}\n`);
  }

  markMarkets({ rows, facts }: { readonly rows: Iterable<MarketIndex>; readonly facts: Iterable<MarketIndex> }): void {
    for (const market of rows) this.#rows.add(market);
    for (const market of facts) this.#facts.add(market);
  }

  markDropped(market: MarketIndex): void {
    this.#rows.delete(market);
    this.#facts.delete(market);
    this.#dropped.add(market);
  }

  markOrder(id: ClientOrderId): void {
    this.#orders.add(id);
  }

  /** Drops an ended order that left the log. The whole list is sent again unless the order's end was sent before. */
  dropOrder(id: ClientOrderId): void {
    if (!this.#orders.delete(id) || this.#isOrderListDue) return;
    this.#isOrderListDue = true;
    for (const each of this.#parts.watch.orders.ids()) this.#orders.add(each);
  }

  watchMarkets(tickers: readonly string[]): void {
    const { source, watch } = this.#parts;
    this.#watched = [...new Set(tickers)].map(
      (ticker) => this.#watched.find((each) => each.ticker === ticker) ?? new WatchedMarket(ticker, source, watch),
    );
    for (const ticker of this.#sentDetails.keys()) if (!tickers.includes(ticker)) this.#sentDetails.delete(ticker);
  }

  /**
   * Sends what is due. Returns `more` when rows of the snapshot are left for the next turn. Returns `end` when too much
   * is unread.
   */
  sendDue(nowMs: number): 'done' | 'more' | 'end' {
    if (this.#isLost(nowMs)) return 'end';
    if (this.#isBehind) return 'done';
    this.#sendDropped();
    this.#sendBeat(nowMs);
    this.#sendSession();
    this.#sendOrders();
    this.#sendEvents();
    this.#sendDetails();
    if (this.#snapshot === null) this.#sendChanges();
    else this.#sendSnapshot(this.#snapshot);
    return this.#isSnapshotDue ? 'more' : 'done';
  }

  /** Sends the next rows of the snapshot. Returns `more` when rows are left for the next turn. */
  sendMore(): 'done' | 'more' {
    if (this.#snapshot === null || this.#isBehind) return 'done';
    this.#sendDropped();
    this.#sendSnapshot(this.#snapshot);
    return this.#isSnapshotDue ? 'more' : 'done';
  }

  get #isSnapshotDue(): boolean {
    return this.#snapshot !== null && !this.#isBehind;
  }

  get #isBehind(): boolean {
    return this.#socket.writableLength > UNREAD_SKIP;
  }

  /** True when too many bytes are unread, or for too long. */
  #isLost(nowMs: number): boolean {
    const { writableLength, writableNeedDrain } = this.#socket;
    if (!writableNeedDrain) this.#unreadSinceMs = null;
    else this.#unreadSinceMs ??= nowMs;
    const isStalled = this.#unreadSinceMs !== null && nowMs - this.#unreadSinceMs >= UNREAD_MS_MAX;
    return isStalled || writableLength > UNREAD_END;
  }

  #sendDropped(): void {
    if (this.#dropped.size === 0) return;
    this.#send({ type: 'dropped', markets: [...this.#dropped] });
    this.#dropped.clear();
  }

  #sendBeat(nowMs: number): void {
    if (nowMs - this.#beatAtMs < BEAT_MS) return;
    this.#beatAtMs = nowMs;
    const { source } = this.#parts;
    this.#send({ type: 'beat', atUs: source.now(), loopLateMs: source.engine.feedWatch.loopLateMs });
  }

  #sendSession(): void {
    const { session, source } = this.#parts;
    const figures = session.read();
    const text = JSON.stringify(figures);
    if (text === this.#sentSession) return;
    this.#sentSession = text;
    this.#send({ type: 'session', atUs: source.now(), session: figures });
  }

  #sendOrders(): void {
    const isSnapshot = this.#isOrderListDue;
    if (this.#orders.size === 0 && !isSnapshot) return;
    const ids = takeSome(this.#orders, ORDERS_MAX);
    const orders = ids.flatMap((id) => this.#parts.watch.orders.liveOrder(id) ?? []);
    this.#isOrderListDue = false;
    this.#send({ type: 'orders', isSnapshot, orders });
  }

  #sendEvents(): void {
    const { events } = this.#parts.watch;
    if (this.#nextEvent > events.last) return;
    if (this.#nextEvent < events.first) {
      this.#send({ type: 'lost', from: this.#nextEvent, to: events.first - 1 });
      this.#nextEvent = events.first;
    }
    const sent = events.eventsFrom(this.#nextEvent, EVENTS_PER_FRAME);
    this.#nextEvent += sent.length;
    this.#send({ type: 'events', events: sent });
  }

  #sendDetails(): void {
    for (const watched of this.#watched) {
      const market = watched.readDetail();
      if (market === null) continue;
      const text = JSON.stringify(market);
      if (text === this.#sentDetails.get(watched.ticker)) continue;
      this.#sentDetails.set(watched.ticker, text);
      this.#send({ type: 'detail', atUs: this.#parts.source.now(), market });
    }
  }

  #sendSnapshot(markets: MarketIndex[]): void {
    const block = markets.splice(0, SNAPSHOT_ROWS);
    const hasMore = markets.length > 0;
    this.#sendFacts(block);
    this.#sendRows(block, { isSnapshot: !this.#isSnapshotBegun, hasMore });
    this.#isSnapshotBegun = true;
    if (!hasMore) this.#snapshot = null;
  }

  #sendChanges(): void {
    if (this.#facts.size > 0) this.#sendFacts(takeSome(this.#facts, SNAPSHOT_ROWS));
    // A row waits until its facts are sent.
    const waiting = [...this.#facts].filter((market) => this.#rows.delete(market));
    const rows = takeSome(this.#rows, ROWS_MAX);
    for (const market of waiting) this.#rows.add(market);
    if (rows.length > 0) this.#sendRows(rows, { isSnapshot: false, hasMore: false });
  }

  #sendFacts(markets: readonly MarketIndex[]): void {
    const { table } = this.#parts;
    const facts: MarketFacts[] = [];
    for (const market of markets) {
      this.#facts.delete(market);
      const known = table.factsAt(market);
      if (known !== undefined) facts.push(known);
    }
    if (facts.length > 0) this.#send({ type: 'facts', markets: facts });
  }

  #sendRows(markets: readonly MarketIndex[], how: { readonly isSnapshot: boolean; readonly hasMore: boolean }): void {
    const { source, table } = this.#parts;
    const rows = markets.flatMap((market) => {
      this.#rows.delete(market);
      const cells = table.cellsAt(market);
      return cells === undefined ? [] : [cells];
    });
    this.#send({ type: 'markets', atUs: source.now(), ...how, rows });
  }

  endInOrder(nowMs: number): void {
    if (this.sendDue(nowMs) === 'end') this.#socket.destroy();
    else this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

function takeSome<Item>(items: Set<Item>, max: number): Item[] {
  const taken: Item[] = [];
  for (const item of items) {
    if (taken.length >= max) break;
    taken.push(item);
    items.delete(item);
  }
  return taken;
}
