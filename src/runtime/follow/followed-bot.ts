// The present state of one bot, made from its frames. Must never mix figures of two connections: a new `hello` clears
// the state.
import { ENDED_ORDERS_MAX } from './live-orders.ts';
import { EVENTS_MAX } from './event-log.ts';
import type {
  FollowFrame,
  LiveEvent,
  LiveOrder,
  LiveSessionPart,
  MarketCells,
  MarketDetail,
  MarketFacts,
} from './follow-messages.ts';

type FrameOf<Type extends FollowFrame['type']> = Extract<FollowFrame, { type: Type }>;

/** A bot as its frames describe it. */
export class FollowedBot {
  /** The connection's first frame; `null` until it arrives. */
  hello: FrameOf<'hello'> | null = null;
  session: LiveSessionPart | null = null;
  /** Time of the session's figures, by the bot's clock. */
  sessionAtUs: number | null = null;
  /** True once every row of the snapshot has arrived. */
  isComplete = false;
  /** Facts and rows by the market's number. Added when received; removed when the bot drops the market. */
  readonly facts = new Map<number, MarketFacts>();
  readonly rows = new Map<number, MarketCells>();
  /**
   * Open orders and the latest ended orders. Added when received; removed by a new list, or
   * once too many orders have ended.
   */
  readonly orders = new Map<string, LiveOrder>();
  /** The latest events, the oldest first. */
  events: readonly LiveEvent[] = [];
  /** Details by ticker. Added when received; removed when the market is no longer watched. */
  readonly details = new Map<string, { readonly atUs: number; readonly market: MarketDetail }>();
  /** The last heartbeat. */
  beat: Pick<FrameOf<'beat'>, 'atUs' | 'loopLateMs'> | null = null;
  /** Ended orders, the earliest end first. Added when an order ends; removed with the order. */
  readonly #ended = new Set<string>();
  #seq = 0;

  /** Applies a frame. Returns `null`, or a reason to connect again. */
  applyFrame(frame: FollowFrame): string | null {
    if (frame.type === 'refused') return null;
    if (frame.type === 'hello') this.#clear();
    else if (this.hello === null) return `expected hello first, found ${frame.type}`;
    if (frame.seq !== this.#seq + 1) return `expected frame ${this.#seq + 1}, found ${frame.seq}`;
    this.#seq = frame.seq;
    this.#apply(frame);
    return null;
  }

  #clear(): void {
    this.#seq = 0;
    this.session = null;
    this.sessionAtUs = null;
    this.isComplete = false;
    this.events = [];
    this.beat = null;
    for (const known of [this.facts, this.rows, this.orders, this.details, this.#ended]) known.clear();
  }

  #apply(frame: Exclude<FollowFrame, { type: 'refused' }>): void {
    switch (frame.type) {
      case 'hello':
        this.hello = frame;
        return;
      case 'session':
        this.session = frame.session;
        this.sessionAtUs = frame.atUs;
        return;
      case 'facts':
        for (const facts of frame.markets) this.facts.set(facts.index, facts);
        return;
      case 'markets':
        return this.#applyRows(frame);
      case 'dropped':
        for (const index of frame.markets) this.#dropMarket(index);
        return;
      case 'orders':
        return this.#applyOrders(frame);
      case 'events':
        this.events = [...this.events, ...frame.events].slice(-EVENTS_MAX);
        return;
      case 'detail':
        this.details.set(frame.market.ticker, { atUs: frame.atUs, market: frame.market });
        return;
      case 'beat':
        this.beat = { atUs: frame.atUs, loopLateMs: frame.loopLateMs };
        return;
      // The numbers of the events show the loss.
      case 'lost':
    }
  }

  #applyRows({ isSnapshot, hasMore, rows }: FrameOf<'markets'>): void {
    if (isSnapshot) this.rows.clear();
    for (const row of rows) this.rows.set(row[0], row);
    if (!hasMore) this.isComplete = true;
  }

  #dropMarket(index: number): void {
    const ticker = this.facts.get(index)?.ticker;
    if (ticker !== undefined) this.details.delete(ticker);
    this.facts.delete(index);
    this.rows.delete(index);
  }

  #applyOrders({ isSnapshot, orders }: FrameOf<'orders'>): void {
    if (isSnapshot) for (const known of [this.orders, this.#ended]) known.clear();
    for (const order of orders) {
      const { clientOrderId: id, isOpen } = order;
      this.orders.set(id, order);
      this.#ended.delete(id);
      if (!isOpen) this.#ended.add(id);
    }
    for (const oldest of this.#ended) {
      if (this.#ended.size <= ENDED_ORDERS_MAX) break;
      this.#ended.delete(oldest);
      this.orders.delete(oldest);
    }
  }

  keepDetails(tickers: readonly string[]): void {
    for (const ticker of this.details.keys()) if (!tickers.includes(ticker)) this.details.delete(ticker);
  }
}
