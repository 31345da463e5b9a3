// Keeps what a session's notices say, for the live connection. Must never grow without bound, and never act on a
// notice.
import type { AlarmCode } from '../../domain/alarm.ts';
import type { ClientOrderId, MarketIndex } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import type { State } from '../../state/state.ts';
import { RepeatedDenials, denialCountText } from '../session/repeated-denials.ts';
import { EventLog } from './event-log.ts';
import { eventOf } from './live-events.ts';
import { LiveOrders } from './live-orders.ts';
import { StrategyRemarks } from './strategy-remarks.ts';

/** The latest alarm with a code, and the number of such alarms. */
export interface AlarmTally {
  readonly code: AlarmCode;
  readonly count: number;
  readonly lastUs: number;
  readonly text: string;
}

/** Reason and time of the latest change of a book's trust. */
export interface TrustChange {
  readonly reason: string;
  readonly atUs: number;
}

/** Receives the changes to be sent to followers. */
export interface FollowMarks {
  markOrder(id: ClientOrderId): void;
  /** Called when an ended order has left the log. A follower that has not received its end needs the whole list. */
  dropOrder(id: ClientOrderId): void;
  markMarket(market: MarketIndex): void;
  markEvicted(market: MarketIndex): void;
}

/** Keeps the contents of notices. */
export class SessionWatch {
  readonly events = new EventLog();
  readonly orders: LiveOrders;
  readonly remarks: StrategyRemarks;
  /** Alarms by code. Added with the first alarm of a code; never removed. */
  readonly #alarms = new Map<AlarmCode, AlarmTally>();
  /** Changes by market. Added when a book's trust changes; removed when the market leaves memory. */
  readonly #trust = new Map<MarketIndex, TrustChange>();
  /**
   * Markets with a book that was live before. Added when the book becomes live; removed when the market leaves memory.
   */
  readonly #wereLive = new Set<MarketIndex>();
  readonly #denials = new RepeatedDenials();
  readonly #state: State;
  readonly #marks: FollowMarks;
  lastFillAt: Micros | null = null;
  resyncs = 0;

  constructor(state: State, marks: FollowMarks) {
    this.#state = state;
    this.#marks = marks;
    this.orders = new LiveOrders(state.tickers);
    this.remarks = new StrategyRemarks((market) => this.#tickerOf(market));
  }

  #tickerOf(market: MarketIndex): string | null {
    return this.#state.markets.get(market)?.ticker ?? null;
  }

  addNotice(notice: Notice): void {
    const { now } = this.#state;
    this.reportDenials(now);
    const event = eventOf(notice, this.#state.tickers);
    if (event !== null) this.events.addEvent({ ...event, atUs: now });
    this.#keepOrders(notice, now);
    this.#keepMarkets(notice, now);
    this.#keepRemarks(notice, now);
  }

  #keepOrders(notice: Notice, at: Micros): void {
    if (notice.type === 'fill') {
      this.lastFillAt = at;
      if (notice.order) this.#markOrder(notice.order.clientOrderId);
    }
    if (notice.type === 'approved') {
      const order = this.#state.orders.get(notice.clientOrderId);
      if (order !== undefined && this.orders.addOrder(order)) this.#markOrder(order.clientOrderId);
    }
    if (notice.type !== 'order') return;
    const { order, from, to, why } = notice;
    const dropped = this.orders.addMove({ order, to, at, why }, from);
    if (dropped !== null) this.#marks.dropOrder(dropped);
    this.#markOrder(order.clientOrderId);
    this.#marks.markMarket(order.market);
  }

  #markOrder(id: ClientOrderId): void {
    this.#marks.markOrder(id);
  }

  #keepMarkets(notice: Notice, atUs: Micros): void {
    if (notice.type === 'trust') {
      const { market, trust, reason } = notice;
      this.#trust.set(market, { reason, atUs });
      if (trust !== 'live') return;
      if (this.#wereLive.has(market)) this.resyncs += 1;
      this.#wereLive.add(market);
    }
    if (notice.type !== 'evicted') return;
    const { index } = notice.market;
    this.#trust.delete(index);
    this.#wereLive.delete(index);
    this.#marks.markEvicted(index);
  }

  #keepRemarks(notice: Notice, at: Micros): void {
    if (notice.type === 'alarm') {
      const { code, text } = notice;
      this.#alarms.set(code, { code, count: (this.#alarms.get(code)?.count ?? 0) + 1, lastUs: at, text });
    }
    if (notice.type === 'approved' || notice.type === 'denied' || notice.type === 'order')
      this.remarks.addNotice(notice, at);
    if (notice.type !== 'denied' || !this.#denials.countDenial(notice, at)) return;
    const { strategy } = notice;
    const remark = this.remarks.remarksOf(strategy).at(-1);
    this.#addDenialEvent(strategy, remark?.ticker ?? null, `denied: ${remark?.text ?? notice.denial.code}`);
  }

  #addDenialEvent(strategy: string, ticker: string | null, text: string): void {
    const { now: atUs } = this.#state;
    this.events.addEvent({ atUs, kind: 'other', severity: 'info', ticker, strategy, clientOrderId: null, text });
  }

  /** Adds an event for each denial repeated for a minute. */
  reportDenials(now: Micros): void {
    for (const report of this.#denials.takeDue(now)) {
      const ticker = report.market === null ? null : this.#tickerOf(report.market);
      this.#addDenialEvent(report.strategy, ticker, `denied ${denialCountText(report)}`);
    }
  }

  alarms(): readonly AlarmTally[] {
    return [...this.#alarms.values()];
  }

  /** The latest change of a book's trust; `null` before the first change. */
  trustOf(market: MarketIndex): TrustChange | null {
    return this.#trust.get(market) ?? null;
  }
}
