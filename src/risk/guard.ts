// Risk as one thing that lives beside the state: it checks what is asked for, learns from what happens, and halts when a
// limit of what was lost or traded is exceeded. Must never send anything, and never lift a halt.
import type { Alarm } from '../domain/alarm.ts';
import { must } from '../domain/assert.ts';
import type { Denial } from '../domain/denial.ts';
import type { FeeSchedule } from '../domain/fees.ts';
import type { MarketIndex, StrategyName, Ticker } from '../domain/ids.ts';
import type { CarriedOver, Halt, HaltScope, LossStanding, Override } from '../domain/operator.ts';
import { type Micros, type Money, type Price, fromMillis } from '../domain/units.ts';
import type { StateChange } from '../state/change.ts';
import type { State } from '../state/state.ts';
import type { Capital } from '../state/view-sources.ts';
import { BooksTeller } from './books-teller.ts';
import { check, checkFlatten } from './check.ts';
import { Exposure } from './exposure.ts';
import { FeeBook } from './fee-book.ts';
import type { FeesChecked } from './fee-watch.ts';
import { LimitBook } from './limit-book.ts';
import type { RiskLimits, StrategyLimits } from './limits.ts';
import { LossWatch } from './loss-watch.ts';
import { Marks } from './marks.ts';
import { MarketWatch } from './market-watch.ts';
import { MessageRates } from './message-rates.ts';
import { Monitor } from './monitor.ts';
import type { RiskNotice } from './notice.ts';
import { OwnAccount } from './own-account.ts';
import type { Proposal, Readiness, RiskContext, VenueTerms } from './proposal.ts';
import { StrategyLosses } from './strategy-losses.ts';

export interface RiskGuardOptions {
  readonly state: State;
  readonly limits: RiskLimits;
  /** Every strategy, with the limits that it has of its own. */
  readonly strategyLimits: ReadonlyMap<StrategyName, StrategyLimits>;
  /** What strategies were allotted; one that is not named was allotted nothing in particular. */
  readonly capital: ReadonlyMap<StrategyName, Money>;
  readonly venue: VenueTerms;
  readonly halts: {
    blocking(strategy: StrategyName, ticker: Ticker): Halt | null;
    isHalted(scope: HaltScope): boolean;
  };
  readonly tell: (notice: RiskNotice | Alarm) => void;
  /** Halts a scope and withdraws what rests in it. */
  readonly halt: (scope: HaltScope, reason: string) => void;
  /** Withdraws what rests in a market whose book cannot be believed for now. */
  readonly withdraw: (market: MarketIndex) => void;
}

/** How often losses are looked at when nothing trades. Microseconds. */
const LOOK_EVERY = fromMillis(250);

/** Guards the account. */
export class RiskGuard {
  readonly limits: LimitBook;
  readonly rates = new MessageRates();
  readonly #options: RiskGuardOptions;
  readonly #state: State;
  readonly #fees: FeeBook;
  readonly #exposure: Exposure;
  readonly #own: ReadonlyMap<StrategyName, OwnAccount>;
  readonly #watch: MarketWatch;
  readonly #monitor: Monitor;
  readonly #losses: LossWatch;
  readonly #strategyLosses: StrategyLosses;
  readonly #books: BooksTeller;
  /** Halts that are due: carried out when the step is over, not in the midst of what brought them about. */
  #due: { readonly scope: HaltScope; readonly reason: string }[] = [];
  readonly #jumped = new Set<MarketIndex>();
  #lookAt = 0;
  /** Before this time a step that is over leaves nothing to be seen to. Whatever comes up meanwhile sets it back. */
  #attendAt = 0;

  constructor(options: RiskGuardOptions) {
    this.#options = options;
    const { state, limits, strategyLimits, capital, venue, tell } = options;
    this.#state = state;
    this.#watch = new MarketWatch(state.tickers.size);
    this.limits = new LimitBook(limits, strategyLimits);
    this.#fees = new FeeBook(state.markets, venue.feeRounding, () => state.now);
    this.#exposure = new Exposure(state, this.#fees);
    const fees = this.#fees;
    this.#own = new Map(
      [...strategyLimits.keys()].map((strategy) => [
        strategy,
        new OwnAccount({ state, strategy, fees, capital: capital.get(strategy) ?? null }),
      ]),
    );
    const halt = (scope: HaltScope, reason: string): void => {
      this.#due.push({ scope, reason });
      this.#attendAt = 0;
    };
    this.#monitor = new Monitor({ state, limits: this.limits, fees: this.#fees, tell, halt });
    const marks = new Marks(state);
    this.#losses = new LossWatch({ state, marks, tell });
    const strategies = [...strategyLimits.keys()];
    this.#strategyLosses = new StrategyLosses({ state, limits: this.limits, marks, strategies });
    this.#books = new BooksTeller({ state, losses: this.#strategyLosses, tell });
    this.touched = this.#touchTaker();
  }

  /** Takes over what earlier sessions left. */
  start(carried: Pick<CarriedOver, 'losses' | 'overrides' | 'books'>, now: Micros): void {
    this.#losses.carry(carried.losses);
    this.#strategyLosses.carry(carried.books);
    for (const override of carried.overrides) if (override.until > now) this.override(override, now);
  }

  /** Changes a limit for a while, or tells why not. */
  override(override: Override, at: Micros): void {
    const refusal = this.limits.take(override, at);
    this.#attendAt = 0;
    const change = refusal === null ? 'begun' : 'refused';
    this.#options.tell({ type: 'override', at, change, override, why: refusal ?? override.reason });
  }

  /** The first objection to an order; `null` when it may be sent. */
  check(proposal: Proposal, readiness: Readiness): Denial | null {
    return check(proposal, this.#context(proposal, readiness));
  }

  /** The same for an order with which the operator closes a position: it passes halts, and may only close. */
  checkFlatten(proposal: Proposal, readiness: Readiness): Denial | null {
    return checkFlatten(proposal, this.#context(proposal, readiness));
  }

  #context({ strategy, market }: Proposal, readiness: Readiness): RiskContext {
    const { venue, halts } = this.#options;
    const state = this.#state;
    this.#expire(state.now);
    const ticker = state.markets.get(market)?.ticker;
    return {
      state,
      limits: this.limits.of(strategy),
      accountLimits: this.limits.account,
      venue,
      readiness,
      halt: ticker === undefined ? null : halts.blocking(strategy, ticker),
      fees: this.#fees,
      exposure: this.#exposure,
      own: this.#ownOf(strategy),
      rates: this.rates,
      watch: this.#watch,
    };
  }

  #ownOf(strategy: StrategyName): RiskContext['own'] {
    const account = this.#own.get(strategy);
    if (!account) return null;
    const limits = this.limits.ownOf(strategy);
    return account.allotted === null && Object.keys(limits).length === 0 ? null : { limits, account };
  }

  /** How a fill of a market is charged now; like the dearest where that is not known. */
  readonly feesNow = (market: MarketIndex): FeeSchedule => this.#fees.scheduleAt(market, this.#state.now);

  /** What a strategy may lose, and could. */
  readonly capital = (strategy: StrategyName): Capital =>
    must(this.#own.get(strategy), `the capital of ${strategy}`).capital();

  /** An order was let out. */
  approved(strategy: StrategyName): void {
    this.rates.ordered(strategy, this.#state.now);
  }

  /** A cancel was let out. */
  canceled(strategy: StrategyName): void {
    this.rates.canceled(strategy, this.#state.now);
  }

  /** A market's touch changed. Whether it jumped, so that something is to be done when the step is over. */
  readonly touched: (market: MarketIndex) => boolean;

  #touchTaker(): RiskGuard['touched'] {
    const { limits } = this;
    const watch = this.#watch;
    const state = this.#state;
    return (market) => {
      const jump = watch.touched(market, state, limits.account);
      return jump !== 0 && this.#jumpedBy(market, jump);
    };
  }

  /** A market's book was begun anew. */
  bookBegun(market: MarketIndex): void {
    this.#watch.begun(market);
    this.touched(market);
  }

  #jumpedBy(market: MarketIndex, jump: number): true {
    this.#monitor.jumped(market, jump);
    this.#jumped.add(market);
    this.#attendAt = 0;
    return true;
  }

  /** Somebody traded. */
  printed(market: MarketIndex, price: Price): void {
    this.#watch.traded(market, price, this.#state.now);
  }

  /** Takes what an event changed. */
  take(change: StateChange): void {
    this.#monitor.take(change);
    this.#losses.take(change);
    if (change.type === 'fill' || change.type === 'settled') this.#lookSoon();
    if (change.type === 'evicted' || (change.type === 'market' && change.before === null))
      this.#forget(change.market.index);
  }

  /** A number may have been another market's before. */
  #forget(market: MarketIndex): void {
    this.#watch.forget(market);
    this.#monitor.forget(market);
    this.#losses.forget(market);
  }

  #lookSoon(): void {
    this.#lookAt = 0;
    this.#attendAt = 0;
  }

  /** Before this time, and as long as nothing but books changes, a step that is over leaves nothing to be seen to. */
  get attendAt(): number {
    return this.#attendAt;
  }

  /**
   * The step is over: looks at losses when it is time, and carries out what is due. Whether that was anything that may
   * let commands go out, or changes when to be woken.
   */
  conclude(): boolean {
    const { now } = this.#state;
    return now >= this.#attendAt && this.#attend(now);
  }

  #attend(now: Micros): boolean {
    const isExpired = this.#expire(now);
    if (now >= this.#lookAt) this.#look(now);
    const expiresAt = this.limits.expiresAt();
    this.#attendAt = expiresAt === null ? this.#lookAt : Math.min(this.#lookAt, expiresAt);
    if (this.#jumped.size === 0 && this.#due.length === 0) return isExpired;
    this.#withdrawJumped();
    const due = this.#due;
    this.#due = [];
    const { halts, halt } = this.#options;
    for (const { scope, reason } of due) if (!halts.isHalted(scope)) halt(scope, reason);
    return true;
  }

  /** Quotes were priced off what the touch was before. */
  #withdrawJumped(): void {
    for (const market of this.#jumped) this.#options.withdraw(market);
    this.#jumped.clear();
  }

  /** Not a microsecond longer than it was given. Whether anything was over. */
  #expire(now: Micros): boolean {
    const expiresAt = this.limits.expiresAt();
    if (expiresAt === null || now < expiresAt) return false;
    // With the limits as they are again, losses are looked at anew.
    this.#lookSoon();
    for (const override of this.limits.expire(now))
      this.#options.tell({ type: 'override', at: now, change: 'ended', override, why: 'its time is over' });
    return true;
  }

  #look(now: Micros): void {
    // Until the account is known, every step may be the one that makes it so.
    this.#lookAt = this.#state.portfolio.isOpen ? now + LOOK_EVERY : 0;
    this.#monitor.look(now);
    const breach = this.#losses.look(this.limits.account, now);
    if (this.#losses.standing !== null) this.#lookAtStrategies(now);
    this.#books.look(now);
    if (breach === null || this.#options.halts.isHalted({ type: 'account' })) return;
    this.#losses.halted();
    this.#due.push({ scope: { type: 'account' }, reason: breach });
  }

  #lookAtStrategies(now: Micros): void {
    for (const { strategy, reason } of this.#strategyLosses.look(now))
      if (!this.#options.halts.isHalted({ type: 'strategy', strategy }))
        this.#due.push({ scope: { type: 'strategy', strategy }, reason });
  }

  /** A person lifted these halts: a loss from the peak that was one's reason has been seen, and is counted from now. */
  resumed(lifted: readonly Halt[]): void {
    if (lifted.some(({ by, scope }) => by === 'risk' && scope.type === 'account')) this.#losses.resumed();
    this.#strategyLosses.resumed(lifted);
  }

  /** When to be told of the time; `null` when it does not matter. */
  wakeAt(): Micros | null {
    return this.limits.expiresAt();
  }

  /** What this session's fills were charged, and what the schedules gave for them. */
  get feesChecked(): FeesChecked {
    return this.#monitor.feesChecked;
  }

  /** The figures that loss limits are reckoned from; `null` until the account is known. */
  get standing(): LossStanding | null {
    return this.#losses.standing;
  }
}
