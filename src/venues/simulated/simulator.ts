// The simulated venue: an exchange with all of a tape's public events, none of its future, and one account, ours. It
// reads no clock: the caller sets the time. Must never look ahead, nor answer otherwise than a live venue would have.
import { EVENT_DELIVERY } from './feed/event-delivery.ts';
import { must, unreachable } from '../../base/assert.ts';
import {
  type Command,
  type OrderBatch,
  type RequestCommand,
  budgetOf,
  isFeedCommand,
} from '../../domain/venue-command.ts';
import type { MarketIndex, TickerTable } from '../../domain/ids.ts';
import type { MarketResult, MarketStatus } from '../../domain/market.ts';
import { EPOCH, type Micros, type Money, type Price, type Qty } from '../../domain/units.ts';
import type { OtherEvent } from '../../tape/baked/tape-rows.ts';
import type { Capabilities } from '../../venue.ts';
import { AccountReads } from './account/account-reads.ts';
import { VenueAccount, isFlat } from './account/venue-account.ts';
import { OrderChecks, type TradingStatus } from './account/order-checks.ts';
import { OrderHandler, type RequestOutcome, granted, refused } from './account/order-handler.ts';
import { type FeeFallback, FillFees, fallbackTerms } from './account/fill-fees.ts';
import { type Allowance, type RetryAfter, VenueRateLimits } from './models/venue-rate-limits.ts';
import { TapeListing } from './feed/tape-listing.ts';
import { TapeMarketLifecycle } from './feed/tape-market-lifecycle.ts';
import { MarketReads } from './feed/market-reads.ts';
import { SimulatedFeed } from './feed/simulated-feed.ts';
import { OrderStore } from './account/order-store.ts';
import { RestingCollateral } from './account/resting-collateral.ts';
import type { FillSimulator, FillSimulatorOptions, SimulatedVenue, VenueSink } from './simulator-interfaces.ts';
import { DueTimers } from './due-timers.ts';

export interface SimulatorOptions {
  /** Numbers of markets, in rows, events and commands alike. */
  readonly tickers: TickerTable;
  /** Abilities and limits of the recorded venue. */
  readonly capabilities: Capabilities;
  readonly openingCash: Money;
  readonly sink: VenueSink;
  readonly openMatching: (
    options: Pick<
      FillSimulatorOptions,
      'marketsExpected' | 'onExecution' | 'onExecuted' | 'now' | 'positionOf' | 'isTrading' | 'isHalted'
    >,
  ) => FillSimulator;
  readonly fees: FeeFallback;
  /** Form of the waiting time in a rate refusal. Default: absent. */
  readonly retryAfter?: RetryAfter;
  /** Prefix of order and trade numbers; default `sim`. */
  readonly prefix?: string;
  /** Rows per page, and event groups per page: default 1000 and 200. */
  readonly pageRows?: number;
  readonly pageGroups?: number;
}

/** A position in a market that the tape has not settled. */
export interface UnsettledPosition {
  readonly ticker: string;
  readonly held: Qty;
  readonly status: MarketStatus;
  readonly result: MarketResult | null;
  readonly settlementValue: Price | null;
}

const firstOf = ([first]: OrderBatch['commands']): Command => must(first, 'a command of the batch');

/** The departure of a request, and the decision about its rate. */
interface Arrival {
  readonly sentAt: Micros;
  readonly allowance: Allowance;
}

/** A simulated venue that follows the events of a tape. */
export class Simulator implements SimulatedVenue {
  now: Micros = EPOCH;
  readonly matching: FillSimulator;
  readonly account: VenueAccount;
  readonly refusedForRate: Readonly<{ read: number; trade: number }>;
  readonly #sink: VenueSink;
  readonly #status: TradingStatus = { isActive: true, isTrading: true };
  readonly #timers = new DueTimers<() => void>();
  /** Times of planned fee changes for which a timer is set. Added when a plan is known; removed when the time comes. */
  readonly #feeChangesAt = new Set<Micros>();
  readonly #listing: TapeListing;
  readonly #limits: VenueRateLimits;
  readonly #feed: SimulatedFeed;
  readonly #orders: OrderHandler;
  readonly #markets: TapeMarketLifecycle;
  readonly #marketReads: MarketReads;
  readonly #accountReads: AccountReads;

  constructor(options: SimulatorOptions) {
    const { tickers, capabilities, sink, pageRows = 1000, pageGroups = 200, prefix = 'sim' } = options;
    this.#sink = sink;
    this.#listing = new TapeListing(tickers, fallbackTerms(options.fees), this);
    const [listing, status, timers] = [this.#listing, this.#status, this.#timers];
    const fees = new FillFees({ clock: this, listing, fallback: options.fees, roundings: capabilities.feeRounding });
    const collateral = new RestingCollateral(fees, capabilities.qtyStep);
    const { openingCash } = options;
    this.account = new VenueAccount({ openingCash, listing, requiredCash: (market) => collateral.requiredFor(market) });
    const { account } = this;
    this.matching = options.openMatching({
      marketsExpected: tickers.size,
      now: () => this.now,
      positionOf: (market) => account.positionOf(market),
      isTrading: (market) => this.#isTrading && listing.byIndex(market)?.market.status === 'active',
      isHalted: (market) => listing.byIndex(market)?.market.status === 'inactive',
      onExecution: (execution) => this.#orders.onExecution(execution),
      onExecuted: () => this.#orders.trimReduceOnly(),
    });
    const matching = this.matching;
    this.#limits = new VenueRateLimits(capabilities, options.retryAfter ?? 'absent');
    this.refusedForRate = this.#limits.refused;
    const store = new OrderStore();
    const checks = new OrderChecks({ clock: this, status, capabilities, store, account, collateral });
    this.#feed = new SimulatedFeed({ clock: this, sink, matching, listing, tickers });
    const feed = this.#feed;
    this.#orders = new OrderHandler({
      clock: this,
      matching,
      listing,
      account,
      fees,
      feed,
      store,
      checks,
      timers,
      prefix,
    });
    const orders = this.#orders;
    this.#markets = new TapeMarketLifecycle({
      clock: this,
      matching,
      listing,
      account,
      orders,
      feed,
      timers,
      onChangeByClock: () => this.#sink.onListChanged?.(),
    });
    this.#marketReads = new MarketReads({ listing, matching, status, pageRows, pageGroups });
    this.#accountReads = new AccountReads({ account, listing, matching, store, tickers, pageRows });
  }

  get streamedFrom(): Float64Array {
    return this.#feed.streamedFrom;
  }

  get allStreamedFrom(): number {
    return this.#feed.allStreamedFrom;
  }

  connectFeed(): void {
    this.#feed.connectFeed();
  }

  applyTapeEvent(event: OtherEvent): void {
    this.runDue();
    this.#applyFact(event);
    this.#orders.trimReduceOnly();
    if (EVENT_DELIVERY[event.kind] === 'asked' && event.kind !== 'book-poll') this.#sink.onListChanged?.();
  }

  #applyFact(event: OtherEvent): void {
    switch (event.kind) {
      case 'market':
        return this.#markets.applyDescription(event);
      case 'market-changed':
        return this.#markets.applyChange(event);
      case 'event-group':
        this.#listing.defineGroup(event.group);
        return this.#orders.onFeesChanged();
      case 'fees-changed':
        this.#listing.changeFees(event);
        return this.#orders.onFeesChanged();
      case 'series':
        this.#listing.defineSeries(event.series);
        return this.#orders.onFeesChanged();
      case 'fees-scheduled':
        this.#listing.scheduleFees(event);
        for (const { at } of event.changes) this.#rechargeAt(at);
        return this.#orders.onFeesChanged();
      case 'exchange-status':
        return this.#applyStatus(event);
      case 'feed-gap':
        return this.#loseBooks(event.markets);
      // A ticker event makes no market. Books come from snapshots and deltas alone, as in the bot.
      case 'markets-appeared':
      case 'ticker':
      case 'book-poll':
        return;
      default:
        return unreachable(event);
    }
  }

  get #isTrading(): boolean {
    return this.#status.isActive && this.#status.isTrading;
  }

  /** A book that came to cross our orders in a pause fills them when trading resumes. */
  #applyStatus({ isActive, isTrading }: TradingStatus): void {
    const wasTrading = this.#isTrading;
    Object.assign(this.#status, { isActive, isTrading });
    if (wasTrading || !this.#isTrading) return;
    for (const { index, resting } of this.#listing.markets()) if (resting.size > 0) this.matching.crossBook(index);
  }

  /** A planned fee change also changes the required cash of resting orders. */
  #rechargeAt(at: Micros): void {
    if (at <= this.now || this.#feeChangesAt.has(at)) return;
    this.#feeChangesAt.add(at);
    this.#timers.set(at, () => {
      this.#feeChangesAt.delete(at);
      this.#orders.onFeesChanged();
    });
  }

  #loseBooks(markets: readonly MarketIndex[]): void {
    const lost = markets.length > 0 ? markets : [...this.#listing.markets()].map(({ index }) => index);
    for (const market of lost) this.matching.loseBook(market);
  }

  handleCommand(command: Command, sentAt: Micros = command.createdAt): void {
    this.runDue();
    if (isFeedCommand(command)) return this.#feed.handleCommand(command);
    this.#answer(command, { sentAt, allowance: this.#limits.countRequest(command, this.now) });
  }

  handleBatch({ commands }: OrderBatch, sentAt: Micros = firstOf(commands).createdAt): void {
    this.runDue();
    const allowance = this.#limits.countBatch(commands, this.now);
    for (const command of commands) this.#answer(command, { sentAt, allowance });
  }

  #answer(command: RequestCommand, arrival: Arrival): void {
    const { ok, events } = this.#reply(command, arrival);
    this.#orders.trimReduceOnly();
    this.#sink.sendAnswer([
      { kind: 'answered', commandId: command.id, ok, clockOffset: null, askedAt: arrival.sentAt },
      ...events,
    ]);
  }

  #reply(command: RequestCommand, { sentAt, allowance }: Arrival): RequestOutcome {
    if (!allowance.passes) {
      const { retryAfter } = allowance;
      return refused({ kind: 'rate-limited', commandId: command.id, budget: budgetOf(command), retryAfter });
    }
    if (command.type !== 'read') return this.#orders.handleOrder(command);
    const answer = this.#marketReads.answerRead(command, sentAt);
    if (answer === null) {
      const accountAnswer = this.#accountReads.answerRead(command, sentAt);
      return accountAnswer === null ? granted() : granted(accountAnswer);
    }
    if ('reason' in answer) return refused({ kind: 'read-failed', commandId: command.id, ...answer });
    return granted(...answer);
  }

  wakeAt(): Micros | null {
    return this.#timers.nextAt();
  }

  runDue(): void {
    for (let due = this.#timers.takeDue(this.now); due !== undefined; due = this.#timers.takeDue(this.now)) due();
    this.#orders.trimReduceOnly();
  }

  /** Positions in markets that the tape has not settled so far. */
  unsettled(): readonly UnsettledPosition[] {
    const held = [...this.#listing.markets()].filter((record) => !isFlat(record));
    return held.map(({ position, market: { ticker, status, result, settlementValue } }) => {
      return { ticker, held: position.qty, status, result, settlementValue };
    });
  }
}
