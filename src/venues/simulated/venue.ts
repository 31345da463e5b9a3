// The simulated venue: an exchange with all of a tape's public events, none of its future, and one account: ours. It
// wires its parts and routes each event and command to the part that handles it. Pure: the caller sets the time. Must
// never look ahead, nor answer otherwise than a live venue would have at that moment.
import { unreachable } from '../../domain/assert.ts';
import { type Command, type RequestCommand, budgetOf, isFeedCommand } from '../../domain/command.ts';
import type { MarketIndex, TickerTable } from '../../domain/ids.ts';
import type { MarketResult, MarketStatus } from '../../domain/market.ts';
import { EPOCH, type Micros, type Money, type Price, type Qty } from '../../domain/units.ts';
import type { OtherEvent } from '../../tape/baked/rows.ts';
import type { Capabilities } from '../../venue.ts';
import { AccountReads } from './account-reads.ts';
import { Account, isFlat } from './account.ts';
import { Checks, type Standing } from './checks.ts';
import { Desk, type Reply, granted, refused } from './desk.ts';
import { type FeeFallback, Fees, termsOf } from './fees.ts';
import { Limits, type RetryAfter } from './limits.ts';
import { Listing } from './listing.ts';
import { MarketLife } from './market-life.ts';
import { MarketReads } from './market-reads.ts';
import { News } from './news.ts';
import { OrderStore } from './order-store.ts';
import { Pledges } from './pledges.ts';
import type { Floor, FloorOptions, SimulatedVenue, VenueSink } from './ports.ts';
import { Timers } from './timers.ts';

export interface SimulatorOptions {
  /** The numbers of markets, in rows, events and commands alike. */
  readonly tickers: TickerTable;
  /** The abilities and limits of the venue that was recorded. */
  readonly capabilities: Capabilities;
  readonly openingCash: Money;
  /** Receives the venue's events. */
  readonly sink: VenueSink;
  /** Makes the fill simulator, which reports executions and reads the time and positions. */
  readonly openFloor: (
    options: Pick<FloorOptions, 'room' | 'onExecution' | 'onExecuted' | 'now' | 'positionOf'>,
  ) => Floor;
  /** Fees where the tape does not show them. */
  readonly fees: FeeFallback;
  /** Says if a rate refusal contains the time to wait. Default: absent. */
  readonly retryAfter?: RetryAfter;
  /** A prefix of order and trade numbers; default `sim`. */
  readonly prefix?: string;
  /** Rows per page, and event groups per page: default 1000 and 200. */
  readonly pageRows?: number;
  readonly pageGroups?: number;
}

/** A position in a market that the tape has not settled. */
export interface Unsettled {
  readonly ticker: string;
  readonly held: Qty;
  readonly status: MarketStatus;
  /** The resolution and value, where the outcome is known. */
  readonly result: MarketResult | null;
  readonly settlementValue: Price | null;
}

/** A venue over a tape. */
export class Simulator implements SimulatedVenue {
  now: Micros = EPOCH;
  readonly floor: Floor;
  readonly account: Account;
  /** Number of requests refused for rate. */
  readonly refusedForRate: Readonly<{ read: number; trade: number }>;
  readonly #sink: VenueSink;
  readonly #status: Standing = { isActive: true, isTrading: true };
  readonly #timers = new Timers<() => void>();
  /** Times of planned fee changes for which a timer is set. Added when a plan is known; removed when the time comes. */
  readonly #feeChangesAt = new Set<Micros>();
  readonly #listing: Listing;
  readonly #limits: Limits;
  readonly #feed: News;
  readonly #orders: Desk;
  readonly #markets: MarketLife;
  readonly #marketReads: MarketReads;
  readonly #accountReads: AccountReads;

  constructor(options: SimulatorOptions) {
    const { tickers, capabilities, sink, pageRows = 1000, pageGroups = 200, prefix = 'sim' } = options;
    this.#sink = sink;
    this.#listing = new Listing(tickers, termsOf(options.fees), this);
    const [listing, status, timers] = [this.#listing, this.#status, this.#timers];
    const fees = new Fees({ clock: this, listing, fallback: options.fees, roundings: capabilities.feeRounding });
    const collateral = new Pledges(fees, capabilities.qtyStep);
    const { openingCash } = options;
    this.account = new Account({ openingCash, listing, needOf: (market) => collateral.needOf(market) });
    const { account } = this;
    this.floor = options.openFloor({
      room: tickers.size,
      now: () => this.now,
      positionOf: (market) => account.positionOf(market),
      onExecution: (execution) => this.#orders.executed(execution),
      onExecuted: () => this.#orders.trim(),
    });
    const matching = this.floor;
    this.#limits = new Limits(capabilities, options.retryAfter ?? 'absent');
    this.refusedForRate = this.#limits.refused;
    const store = new OrderStore();
    const checks = new Checks({ clock: this, status, capabilities, store, account, collateral });
    this.#feed = new News({ clock: this, sink, matching, listing, tickers });
    const feed = this.#feed;
    this.#orders = new Desk({ clock: this, matching, listing, account, fees, feed, store, checks, timers, prefix });
    const orders = this.#orders;
    this.#markets = new MarketLife({ clock: this, matching, listing, account, orders, feed, timers });
    this.#marketReads = new MarketReads({ listing, matching, status, pageRows, pageGroups });
    this.#accountReads = new AccountReads({ account, listing, matching, store, tickers, pageRows });
  }

  get streamedFrom(): Float64Array {
    return this.#feed.streamedFrom;
  }

  get allStreamedFrom(): number {
    return this.#feed.allStreamedFrom;
  }

  connect(): void {
    this.#feed.connect();
  }

  fact(event: OtherEvent): void {
    this.pass();
    this.#applyFact(event);
    this.#orders.trim();
  }

  #applyFact(event: OtherEvent): void {
    switch (event.kind) {
      case 'market':
        return this.#markets.describe(event);
      case 'market-changed':
        return this.#markets.change(event);
      case 'event-group':
        this.#listing.defineGroup(event.group);
        return this.#orders.recharge();
      case 'fees-changed':
        this.#listing.changeFees(event);
        return this.#orders.recharge();
      case 'series':
        this.#listing.defineSeries(event.series);
        return this.#orders.recharge();
      case 'fees-scheduled':
        this.#listing.scheduleFees(event);
        for (const { at } of event.changes) this.#rechargeAt(at);
        return this.#orders.recharge();
      case 'exchange-status':
        this.#status.isActive = event.isActive;
        this.#status.isTrading = event.isTrading;
        return;
      case 'feed-gap':
        return this.#loseBooks(event.markets);
      // A ticker alone makes no market, and books come from the stream alone, as the bot takes them.
      case 'markets-appeared':
      case 'ticker':
      case 'book-poll':
        return;
      default:
        return unreachable(event);
    }
  }

  /** Sets a timer for a planned fee change: the required cash of resting orders changes with it. */
  #rechargeAt(at: Micros): void {
    if (at <= this.now || this.#feeChangesAt.has(at)) return;
    this.#feeChangesAt.add(at);
    this.#timers.set(at, () => {
      this.#feeChangesAt.delete(at);
      this.#orders.recharge();
    });
  }

  #loseBooks(markets: readonly MarketIndex[]): void {
    const lost = markets.length > 0 ? markets : [...this.#listing.markets()].map(({ index }) => index);
    for (const market of lost) this.floor.lose(market);
  }

  take(command: Command, sentAt: Micros = command.createdAt): void {
    this.pass();
    if (isFeedCommand(command)) return this.#feed.take(command);
    const { ok, events } = this.#reply(command, sentAt);
    this.#orders.trim();
    this.#sink.answer([{ kind: 'answered', commandId: command.id, ok, clockOffset: null, askedAt: sentAt }, ...events]);
  }

  #reply(command: RequestCommand, sentAt: Micros): Reply {
    const allowance = this.#limits.take(command, this.now);
    if (!allowance.passes) {
      const { retryAfter } = allowance;
      return refused({ kind: 'rate-limited', commandId: command.id, budget: budgetOf(command), retryAfter });
    }
    if (command.type !== 'read') return this.#orders.take(command);
    const answer = this.#marketReads.answer(command, sentAt);
    if (answer === null) {
      const accountAnswer = this.#accountReads.answer(command, sentAt);
      return accountAnswer === null ? granted() : granted(accountAnswer);
    }
    if ('reason' in answer) return refused({ kind: 'read-failed', commandId: command.id, ...answer });
    return granted(...answer);
  }

  wakeAt(): Micros | null {
    const [timer, heartbeat] = [this.#timers.nextAt(), this.#feed.heartbeatAt];
    if (timer === null || heartbeat === null) return timer ?? heartbeat;
    return timer < heartbeat ? timer : heartbeat;
  }

  pass(): void {
    for (let due = this.#timers.take(this.now); due !== undefined; due = this.#timers.take(this.now)) due();
    this.#feed.pass();
    this.#orders.trim();
  }

  /** Positions in markets that the tape has not settled so far. At the tape's end they are still open. */
  unsettled(): readonly Unsettled[] {
    const held = [...this.#listing.markets()].filter((record) => !isFlat(record));
    return held.map(({ position, market: { ticker, status, result, settlementValue } }) => {
      return { ticker, held: position.qty, status, result, settlementValue };
    });
  }
}
