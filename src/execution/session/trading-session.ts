// The phases of a session: opening, trading, recovering, stopping. Must never let an order leave before the account's
// figures have been read.
import type { ReadLane, ReadTarget } from '../../domain/venue-command.ts';
import { type RestoredState, NOTHING_UNRESOLVED, type UnresolvedState } from '../../domain/operator-order.ts';
import { type Micros, EPOCH } from '../../domain/units.ts';
import { READY, type Readiness } from '../../risk/rules/proposal.ts';
import type { State } from '../../state/state.ts';
import type { MarketDiscovery } from './market-discovery.ts';
import { LedgerWatch } from './ledger-watch.ts';
import type { Observer } from '../engine-notice.ts';
import { AccountOpening } from './account-opening.ts';
import type { OrderPolicy } from '../orders/order-policy.ts';
import { OrderWatch, type OrderWatchOptions } from './order-watch.ts';
import { OPENING_PHASES, type SessionPhase } from './session-phase.ts';
import type { CompletedRead, VenueReader } from './venue-reader.ts';

export interface TradingSessionOptions extends Pick<OrderWatchOptions, 'isSending' | 'actions'> {
  readonly state: State;
  readonly reader: VenueReader;
  readonly discovery: MarketDiscovery;
  readonly policy: OrderPolicy;
  /** True when there is an API key. Without a key the session only watches. */
  readonly hasKey: boolean;
  /** Time for which a sent order may still appear at the venue. Milliseconds. */
  readonly graceMs: number;
  /** Span for which fills are read again, because lists may report late. Milliseconds. */
  readonly lookbackMs: number;
  readonly observe: Observer;
}

/** A list or figure that must be read before the phase can end. */
type Need = 'positions' | 'balance' | 'fills' | 'orders';

/** Holds the phase of the session and the reads that it waits for. */
export class TradingSession {
  readonly #options: TradingSessionOptions;
  readonly #state: State;
  #phase: SessionPhase = 'idle';
  #needs = new Set<Need>();
  /** The needs of later steps: fills must be read before the positions and cash that they explain. */
  #steps: Need[][] = [];
  /** Time of the latest request for fills, and for settlements. At first it is the time from which lists are needed. */
  #fillsReadAt: Micros = EPOCH;
  #settlementsReadAt: Micros = EPOCH;
  #isOpened = false;
  /** True when the list of orders left by earlier sessions has been read. */
  #hasReadOrders = false;
  /** Time at which the needed figures were requested. Older figures do not count. */
  #neededAt: Micros = EPOCH;
  /**
   * `#ledgersAt`: time at which the ledgers were saved. `#areOwnersRequested`: true once orders since then were
   * requested.
   */
  #ledgersAt: Micros = EPOCH;
  #areOwnersRequested = false;
  /** Time from which lists show everything that a dead session sent. Microseconds; 0 when no session died. */
  #listsCompleteAt = 0;
  readonly orders: OrderWatch;
  readonly ledger: LedgerWatch;
  readonly #opening: AccountOpening;

  constructor(options: TradingSessionOptions) {
    this.#options = options;
    this.#state = options.state;
    const askFills = (): void => options.reader.requestOnce(this.#targetOf('fills'), this.#state.now);
    this.orders = new OrderWatch({ ...options, requestFills: askFills });
    this.ledger = new LedgerWatch({ ...options, requestPast: () => this.#requestPast() });
    this.#opening = new AccountOpening({ ...options, ledger: this.ledger });
  }

  get phase(): SessionPhase {
    return this.#phase;
  }

  /** The result of the comparison with the venue; `null` until both positions and cash have been compared. */
  get drift(): { readonly positions: number; readonly isCashEqual: boolean } | null {
    return this.ledger.drift;
  }

  /** True when the orders of earlier sessions are known, or there is no key. */
  get hasReadOrders(): boolean {
    return this.#hasReadOrders || !this.#options.hasKey;
  }

  readiness(): Readiness {
    if (this.#phase === 'stopping' || this.#phase === 'closing' || this.#phase === 'stopped')
      return { type: 'stopping' };
    if (!this.#options.hasKey) return { type: 'not-ready', reason: 'watching only: no key' };
    if (this.#phase !== 'trading') return { type: 'not-ready', reason: this.#phase };
    return this.#state.feed.isUp ? READY : { type: 'not-ready', reason: 'the feed is down' };
  }

  #enter(phase: SessionPhase, why: string): void {
    this.#phase = phase;
    this.#options.observe({ type: 'phase', phase, why });
  }

  start(
    now: Micros,
    { unresolved, diedAt, books }: UnresolvedState & Pick<RestoredState, 'books'> = NOTHING_UNRESOLVED,
  ): void {
    // The saved ledgers lack all later fills, so lists must be read from then on.
    const knownUntil = Math.min(now, books?.at ?? now) as Micros;
    this.#ledgersAt = knownUntil;
    this.#fillsReadAt = knownUntil;
    this.#settlementsReadAt = knownUntil;
    this.#enter('discovering', 'started');
    if (this.#options.hasKey) this.orders.takeOverUnresolved(unresolved);
    if (diedAt !== null) {
      this.ledger.onMoneyMoved(diedAt);
      this.#listsCompleteAt = diedAt + this.#options.graceMs * 1000;
    }
    this.#request({ what: 'status' });
    if (this.#options.hasKey && books !== undefined)
      this.#request({ what: 'settlements', since: this.#lookBackFrom(this.#settlementsReadAt) });
    this.#options.discovery.startListing();
    this.advancePhase();
  }

  #request(target: ReadTarget): void {
    this.#options.reader.requestRead(target, this.#state.now);
  }

  acceptRead(read: CompletedRead): void {
    if (read.what === 'markets') this.#options.discovery.onListComplete();
    if (read.what === 'orders') this.#acceptOrders(read);
    if (read.what === 'order') this.orders.onOrderFound(read);
    if (read.what === 'positions') this.#acceptPositions(read);
    if (read.what === 'balance') this.#acceptBalance(read);
    if (read.what === 'fills' && !this.#isOpened) this.#noteTrades(read);
    if (read.what === 'fills' || read.what === 'settlements') this.#acceptPast(read.what, read.askedAt);
    this.advancePhase();
  }

  /** Records trades of earlier sessions. They change the figures that are about to be read. */
  #noteTrades({ rows, since }: Extract<CompletedRead, { what: 'fills' }>): void {
    const { now, clock } = this.#state;
    this.#opening.acceptFills(since);
    const aheadMax = now - clock.venueTimeBefore(now, now);
    for (const { exchangeAt } of rows)
      if (exchangeAt !== null) this.ledger.onMoneyMoved(Math.min(now, exchangeAt + aheadMax) as Micros);
  }

  /** Handles a refused read. A stop does not wait for a list that will never come. */
  onReadRefused(what: ReadTarget['what']): void {
    if (this.#phase !== 'stopping' || what !== 'orders' || !this.#needs.has('orders')) return;
    this.#requireReads();
    if (this.#state.orders.cancelableCount === 0)
      this.#enter('stopped', 'orders of earlier sessions may rest: their list could not be read');
  }

  #discovered(): void {
    const count = this.#options.discovery.followKnown();
    if (!this.#options.hasKey) return this.#enter('trading', `watching ${count} markets`);
    this.#enter('clearing', `${count} markets`);
    this.#requireReads(['orders']);
  }

  /** Requests the figures of the first step now. Each later step follows when the step before is complete. */
  #requireReads(...steps: Need[][]): void {
    const [first = [], ...later] = steps;
    this.#steps = later;
    this.#needs = new Set(first);
    this.#neededAt = this.#state.now;
    if (first.includes('positions')) this.#opening.startReading();
    for (const need of first) this.#request(this.#targetOf(need));
  }

  /** True when everything needed has been read. Otherwise requests the next step when this one is complete. */
  #isSatisfied(): boolean {
    if (this.#needs.size > 0) return false;
    if (this.#steps.length === 0) return true;
    this.#requireReads(...this.#steps);
    return false;
  }

  #targetOf(need: Need): ReadTarget {
    switch (need) {
      case 'orders':
        return { what: 'orders', status: 'working', since: null };
      case 'fills':
        return { what: 'fills', since: this.fillsSince() };
      case 'balance':
      case 'positions':
        return { what: need };
    }
  }

  /** The time from which fills must be read again: earlier than the last request, because lists lag. */
  fillsSince(): Micros {
    return this.#lookBackFrom(this.#fillsReadAt);
  }

  #lookBackFrom(readAt: Micros): Micros {
    const { clock, now } = this.#state;
    return clock.venueTimeBefore((readAt - this.#options.lookbackMs * 1000) as Micros, now);
  }

  /** Markets settled before this time may be removed: no list of fills reaches that far back. */
  reportedBefore(graceMs: number): Micros {
    const reportedUntil = this.#options.hasKey ? this.fillsSince() : this.#state.now;
    return Math.max(0, Math.min(reportedUntil, this.#state.now) - graceMs * 1000) as Micros;
  }

  #requestPast(): void {
    const { reader } = this.#options;
    reader.requestOnce(this.#targetOf('fills'), this.#state.now);
    reader.requestOnce({ what: 'settlements', since: this.#lookBackFrom(this.#settlementsReadAt) }, this.#state.now);
  }

  #acceptOrders(read: Extract<CompletedRead, { what: 'orders' }>): void {
    this.orders.onOrdersListed(read);
    if (read.target.status === 'any') return;
    this.#hasReadOrders = true;
    this.#markRead('orders', read.askedAt);
  }

  /** Counts a figure as read if it was requested late enough. Otherwise makes sure that another read is pending. */
  #markRead(need: Need, askedAt: Micros): void {
    if (askedAt >= this.#neededAt) this.#needs.delete(need);
    else if (this.#needs.has(need) && !this.#options.reader.isPending(need)) this.#request(this.#targetOf(need));
  }

  #acceptPositions({ rows, askedAt }: Extract<CompletedRead, { what: 'positions' }>): void {
    if (this.#isOpened) {
      this.#markRead('positions', askedAt);
      return this.ledger.comparePositions(rows, askedAt);
    }
    if (!this.#opening.acceptPositions(rows, askedAt)) return this.#request({ what: 'positions' });
    this.#markRead('positions', askedAt);
  }

  #acceptBalance({ available, askedAt }: Extract<CompletedRead, { what: 'balance' }>): void {
    this.#markRead('balance', askedAt);
    if (!this.#isOpened) return this.#opening.acceptBalance(available, askedAt);
    const isCompared = this.ledger.compareBalance(available, askedAt);
    // Closing needs a comparison: the next probe reads the balance again.
    if (this.#phase === 'closing' && !isCompared) this.#needs.add('balance');
  }

  #acceptPast(what: 'fills' | 'settlements', askedAt: Micros): void {
    if (what === 'fills') {
      this.#markRead('fills', askedAt);
      if (askedAt > this.#fillsReadAt) this.#fillsReadAt = askedAt;
    } else if (askedAt > this.#settlementsReadAt) this.#settlementsReadAt = askedAt;
    this.ledger.onPastRead(what, askedAt);
  }

  /** Enters the next phase when everything needed has arrived. */
  advancePhase(): void {
    if (this.orders.otherSessions.isBarred && OPENING_PHASES.has(this.#phase)) return;
    switch (this.#phase) {
      case 'discovering':
        if (this.#options.discovery.isComplete) this.#discovered();
        return;
      case 'clearing':
        if (this.#isSatisfied() && this.#isListLateEnough() && this.orders.unsettledCount === 0) this.#load();
        return;
      case 'loading':
        if (this.#isSatisfied()) this.#open();
        return;
      case 'recovering':
        if (this.#isSatisfied()) this.#enter('trading', 'the account is known');
        return;
      case 'stopping':
        if (this.#isSatisfied() && this.#state.orders.cancelableCount === 0) this.#close();
        return;
      case 'closing':
        if (this.#isSatisfied() && this.ledger.isSettled) this.#enter('stopped', this.#summary());
        return;
      // These phases do not wait for reads.
      case 'idle':
      case 'trading':
      case 'stopped':
    }
  }

  /** True when the list of orders shows everything that a dead session sent. Otherwise reads the list again in time. */
  #isListLateEnough(): boolean {
    if (this.#neededAt >= this.#listsCompleteAt) return true;
    if (this.#state.now >= this.#listsCompleteAt) this.#requireReads(['orders']);
    return false;
  }

  #load(): void {
    const { openCount } = this.#state.orders;
    this.#enter('loading', openCount === 0 ? 'no order of ours rests' : `${openCount} orders are left resting`);
    this.#readAccount();
  }

  /**
   * Reads fills, then the figures that include them. Reads fills once more if orders rest, because they may fill
   * meanwhile.
   */
  #readAccount(): void {
    const again: Need[][] = this.#state.orders.openCount === 0 ? [] : [['fills']];
    this.#requireReads(['fills'], ['positions', 'balance'], ...again);
  }

  /** True while orders must be read to attribute earlier fills: a list of fills alone may not name our orders. */
  #waitsForOwners(): boolean {
    const { reader } = this.#options;
    if (this.#areOwnersRequested) return reader.isPending('orders');
    if (!this.#state.ledgerHandover.lacksOwners) return false;
    this.#areOwnersRequested = true;
    this.#request({ what: 'orders', status: 'any', since: this.#lookBackFrom(this.#ledgersAt) });
    return true;
  }

  #open(): void {
    if (this.#waitsForOwners()) return;
    const judgment = this.#opening.judgeFigures(this.#neededAt);
    if (judgment === 'wait') return;
    if (judgment === 'read-again') return this.#readAccount();
    this.#isOpened = true;
    this.#opening.openAccount();
    this.#enter('trading', 'the account is known');
  }

  /** Handles the payout of a market. During the opening, figures may come from before and after it. */
  onMarketPaidOut(): void {
    if (!this.#isOpened) this.#opening.onMarketPaidOut();
  }

  /** Reads all followed markets and the venue's status again, because the feed may have missed a change. */
  refreshMarkets(): void {
    // No feed reports that the venue pauses or resumes trading.
    this.#options.reader.requestOnce({ what: 'status' }, this.#state.now);
    this.#options.discovery.refreshMarkets();
  }

  /** Starts a recovery after the feed was lost: reads everything that may have been missed. */
  startRecovery(): void {
    this.refreshMarkets();
    if (this.#phase !== 'trading' && this.#phase !== 'recovering') return;
    if (!this.#options.hasKey) return;
    this.#enter('recovering', 'the feed is back');
    this.#requireReads(['orders', 'fills'], ['positions', 'balance']);
  }

  /** Begins to stop the session. The caller cancels the orders. */
  stop(reason: string): void {
    if (this.#phase === 'stopping' || this.#phase === 'closing' || this.#phase === 'stopped') return;
    const isClearing = this.#phase === 'clearing' && !this.#hasReadOrders;
    this.#enter('stopping', reason);
    // A stop during clearing waits for the list of resting orders. Otherwise an order of an earlier session could rest
    // without end.
    if (isClearing) return this.#requireReads(['orders']);
    this.#requireReads();
    if (!this.#isOpened && this.#state.orders.cancelableCount === 0) return this.#enter('stopped', this.#notOpened());
    this.advancePhase();
  }

  #notOpened(): string {
    return this.hasReadOrders
      ? 'the account had not been opened'
      : 'the account had not been opened, and orders of earlier sessions may rest: their list was not read';
  }

  #close(): void {
    if (!this.#isOpened) return this.#enter('stopped', this.#notOpened());
    this.ledger.restartComparison();
    this.#enter('closing', 'no order of ours rests');
    this.#requireReads(['fills'], ['positions', 'balance']);
  }

  #summary(): string {
    const { drift } = this;
    if (!drift) return 'no comparison was possible';
    const isEqual = drift.positions === 0 && drift.isCashEqual;
    if (isEqual) this.#options.observe({ type: 'reconciled', why: 'cash and every position equal the venue' });
    return isEqual
      ? 'reconciled'
      : `drift: ${drift.positions} positions, cash ${drift.isCashEqual ? 'equal' : 'differs'}`;
  }

  performDuty(duty: 'fills' | 'compare' | 'probe'): void {
    if (!this.#options.hasKey || this.#phase === 'stopped') return;
    if (duty === 'probe') return this.#probe();
    if (!this.#isOpened) return;
    if (duty === 'fills') return this.#requestOnce(this.#targetOf('fills'), 'read');
    this.#requestOnce({ what: 'orders', status: 'working', since: null }, 'care');
    this.#requestOnce({ what: 'positions' }, 'care');
    this.#requestOnce({ what: 'balance' }, 'care');
  }

  #requestOnce(target: ReadTarget, lane: ReadLane): void {
    this.#options.reader.requestOnce(target, this.#state.now, lane);
  }

  #probe(): void {
    // An unknown order cannot be looked up while the markets are being listed.
    if (this.#phase === 'idle' || this.#phase === 'discovering') return;
    this.orders.probeUnknown();
    if (this.#isOpened) this.ledger.recheckSuspicions();
    if (this.#phase === 'closing' && this.#needs.has('balance')) this.#requestOnce({ what: 'balance' }, 'read');
    this.advancePhase();
  }
}
