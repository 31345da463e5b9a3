// The simulated venue: an exchange that has all of a tape's public facts and none of its future, and one account: ours.
// Wires its parts, and gives each thing that happens to the part whose business it is. Pure: it is told the time with
// everything. Must never look ahead, and never answer otherwise than a live venue would have at that moment.
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
  /** What the venue that the tape is of can do and allows. */
  readonly capabilities: Capabilities;
  readonly openingCash: Money;
  /** Where its words go. */
  readonly sink: VenueSink;
  /** Makes the floor, which tells of executions and asks for the time and for what is held. */
  readonly openFloor: (
    options: Pick<FloorOptions, 'room' | 'onExecution' | 'onExecuted' | 'now' | 'positionOf'>,
  ) => Floor;
  /** How trades are charged where the tape does not say. */
  readonly fees: FeeFallback;
  /** Whether a refusal for rate says how long to wait. Absent unless told otherwise. */
  readonly retryAfter?: RetryAfter;
  /** Before the numbers of orders and trades: `sim` unless told otherwise. */
  readonly prefix?: string;
  /** Rows of a page, and event groups of one: 1000 and 200 unless told otherwise. */
  readonly pageRows?: number;
  readonly pageGroups?: number;
}

/** Something held in a market that the tape has not settled. */
export interface Unsettled {
  readonly ticker: string;
  readonly held: Qty;
  readonly status: MarketStatus;
  /** What it would be paid, where the outcome is known. */
  readonly result: MarketResult | null;
  readonly settlementValue: Price | null;
}

/** A venue over a tape. */
export class Simulator implements SimulatedVenue {
  now: Micros = EPOCH;
  readonly floor: Floor;
  readonly account: Account;
  /** How often it refused for rate. */
  readonly refusedForRate: Readonly<{ read: number; trade: number }>;
  readonly #sink: VenueSink;
  readonly #standing: Standing = { isActive: true, isTrading: true };
  readonly #timers = new Timers<() => void>();
  /** When fees change as planned, of all times for which a timer is set. */
  readonly #chargedAt = new Set<Micros>();
  readonly #listing: Listing;
  readonly #limits: Limits;
  readonly #news: News;
  readonly #desk: Desk;
  readonly #life: MarketLife;
  readonly #marketReads: MarketReads;
  readonly #accountReads: AccountReads;

  constructor(options: SimulatorOptions) {
    const { tickers, capabilities, sink, pageRows = 1000, pageGroups = 200, prefix = 'sim' } = options;
    this.#sink = sink;
    this.#listing = new Listing(tickers, termsOf(options.fees), this);
    const [listing, standing, timers] = [this.#listing, this.#standing, this.#timers];
    const fees = new Fees({ clock: this, listing, fallback: options.fees, roundings: capabilities.feeRounding });
    const pledges = new Pledges(fees, capabilities.qtyStep);
    const { openingCash } = options;
    this.account = new Account({ openingCash, listing, needOf: (market) => pledges.needOf(market) });
    const { account } = this;
    this.floor = options.openFloor({
      room: tickers.size,
      now: () => this.now,
      positionOf: (market) => account.positionOf(market),
      onExecution: (execution) => this.#desk.executed(execution),
      onExecuted: () => this.#desk.trim(),
    });
    const { floor } = this;
    this.#limits = new Limits(capabilities, options.retryAfter ?? 'absent');
    this.refusedForRate = this.#limits.refused;
    const store = new OrderStore();
    const checks = new Checks({ clock: this, standing, capabilities, store, account, pledges });
    this.#news = new News({ clock: this, sink, floor, listing, tickers });
    const news = this.#news;
    this.#desk = new Desk({ clock: this, floor, listing, account, fees, news, store, checks, timers, prefix });
    const desk = this.#desk;
    this.#life = new MarketLife({ clock: this, floor, listing, account, desk, news, timers });
    this.#marketReads = new MarketReads({ listing, floor, standing, pageRows, pageGroups });
    this.#accountReads = new AccountReads({ account, listing, floor, store, tickers, pageRows });
  }

  get streamedFrom(): Float64Array {
    return this.#news.streamedFrom;
  }

  get allStreamedFrom(): number {
    return this.#news.allStreamedFrom;
  }

  connect(): void {
    this.#news.connect();
  }

  fact(event: OtherEvent): void {
    this.pass();
    this.#take(event);
    this.#desk.trim();
  }

  #take(event: OtherEvent): void {
    switch (event.kind) {
      case 'market':
        return this.#life.describe(event);
      case 'market-changed':
        return this.#life.change(event);
      case 'event-group':
        this.#listing.defineGroup(event.group);
        return this.#desk.recharge();
      case 'fees-changed':
        this.#listing.changeFees(event);
        return this.#desk.recharge();
      case 'series':
        this.#listing.defineSeries(event.series);
        return this.#desk.recharge();
      case 'fees-scheduled':
        this.#listing.scheduleFees(event);
        for (const { at } of event.changes) this.#rechargeAt(at);
        return this.#desk.recharge();
      case 'exchange-status':
        this.#standing.isActive = event.isActive;
        this.#standing.isTrading = event.isTrading;
        return;
      case 'feed-gap':
        return this.#lose(event.markets);
      // A name alone makes no market, and books are taken from the stream alone, as the bot takes them.
      case 'markets-appeared':
      case 'ticker':
      case 'book-poll':
        return;
      default:
        return unreachable(event);
    }
  }

  /** Fees change by the clock alone: what stands behind orders that rest changes with them. */
  #rechargeAt(at: Micros): void {
    if (at <= this.now || this.#chargedAt.has(at)) return;
    this.#chargedAt.add(at);
    this.#timers.set(at, () => {
      this.#chargedAt.delete(at);
      this.#desk.recharge();
    });
  }

  #lose(markets: readonly MarketIndex[]): void {
    const named = markets.length > 0 ? markets : [...this.#listing.markets()].map(({ index }) => index);
    for (const market of named) this.floor.lose(market);
  }

  take(command: Command, sentAt: Micros = command.createdAt): void {
    this.pass();
    if (isFeedCommand(command)) return this.#news.take(command);
    const { ok, events } = this.#reply(command, sentAt);
    this.#desk.trim();
    this.#sink.answer([{ kind: 'answered', commandId: command.id, ok, clockOffset: null, askedAt: sentAt }, ...events]);
  }

  #reply(command: RequestCommand, sentAt: Micros): Reply {
    const allowance = this.#limits.take(command, this.now);
    if (!allowance.passes) {
      const { retryAfter } = allowance;
      return refused({ kind: 'rate-limited', commandId: command.id, budget: budgetOf(command), retryAfter });
    }
    if (command.type !== 'read') return this.#desk.take(command);
    const answer = this.#marketReads.answer(command, sentAt);
    if (answer === null) {
      const ours = this.#accountReads.answer(command, sentAt);
      return ours === null ? granted() : granted(ours);
    }
    if ('reason' in answer) return refused({ kind: 'read-failed', commandId: command.id, ...answer });
    return granted(...answer);
  }

  wakeAt(): Micros | null {
    const [timer, heartbeat] = [this.#timers.nextAt(), this.#news.heartbeatAt];
    if (timer === null || heartbeat === null) return timer ?? heartbeat;
    return timer < heartbeat ? timer : heartbeat;
  }

  pass(): void {
    for (let due = this.#timers.take(this.now); due !== undefined; due = this.#timers.take(this.now)) due();
    this.#news.pass();
    this.#desk.trim();
  }

  /** What is held in markets that the tape has not settled so far: at its end it is open still, and worth what it is. */
  unsettled(): readonly Unsettled[] {
    const held = [...this.#listing.markets()].filter((record) => !isFlat(record));
    return held.map(({ position, market: { ticker, status, result, settlementValue } }) => {
      return { ticker, held: position.qty, status, result, settlementValue };
    });
  }
}
