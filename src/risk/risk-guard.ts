// Risk control of a session. Checks every order, and halts when a loss limit or a trading limit is exceeded. Must never
// send a command itself, and never lift a halt.
import type { Alarm } from '../domain/alarm.ts';
import { must } from '../base/assert.ts';
import type { Denial } from '../domain/denial.ts';
import type { FeeSchedule } from '../domain/fee-schedule.ts';
import type { MarketIndex, StrategyName, Ticker } from '../domain/ids.ts';
import type { RestoredState, Halt, HaltScope, LossBaseline, LimitOverride } from '../domain/operator-order.ts';
import { type Micros, type Money, type Price, fromMillis } from '../domain/units.ts';
import type { StateChange } from '../state/state-change.ts';
import type { State } from '../state/state.ts';
import type { Capital } from '../state/view-sources.ts';
import { LedgerReporter } from './ledger-reporter.ts';
import { checkOrder, checkFlatten } from './risk-check.ts';
import { Exposure, type GroupLoss } from './exposure/exposure.ts';
import { type FeeLookup, FeeSchedules } from './exposure/fee-schedules.ts';
import type { FeeTotals } from './fee-watch.ts';
import { EffectiveLimits } from './effective-limits.ts';
import { type LimitUse, type UseInputs, limitUses } from './limit-uses.ts';
import type { RiskLimits, StrategyLimits } from './risk-limits.ts';
import { type DayStart, LossWatch } from './losses/loss-watch.ts';
import { Marks } from './losses/marks.ts';
import { MarketWatch } from './market-watch.ts';
import { MessageRates } from './message-rates.ts';
import { RiskMonitor } from './risk-monitor.ts';
import type { RiskNotice } from './risk-notice.ts';
import { StrategyAccount } from './exposure/strategy-account.ts';
import type { Proposal, Readiness, RiskContext, VenueTerms } from './rules/proposal.ts';
import { StrategyLosses } from './losses/strategy-losses.ts';

/** The requests of risk to other parts of the engine. */
export interface RiskActions {
  /** Cancels the scope's resting orders, too. */
  haltScope(halt: Halt): void;
  cancelMarket(market: MarketIndex): void;
}

export interface RiskGuardOptions {
  readonly state: State;
  readonly limits: RiskLimits;
  /** Every strategy has an entry. */
  readonly strategyLimits: ReadonlyMap<StrategyName, StrategyLimits>;
  /** A strategy without an entry has no allotment. */
  readonly capital: ReadonlyMap<StrategyName, Money>;
  readonly venue: VenueTerms;
  readonly halts: {
    blockingHalt(strategy: StrategyName, ticker: Ticker): Halt | null;
    isHalted(scope: HaltScope): boolean;
  };
  readonly report: (notice: RiskNotice | Alarm) => void;
  readonly actions: RiskActions;
}

/** Time between two checks of the losses. A fill or settlement brings the next check forward. Microseconds. */
const CHECK_INTERVAL = fromMillis(250);

/** Applies the risk rules to the account and watches its losses. */
export class RiskGuard {
  readonly limits: EffectiveLimits;
  readonly rates = new MessageRates();
  readonly #options: RiskGuardOptions;
  readonly #state: State;
  readonly #fees: FeeSchedules;
  readonly #exposure: Exposure;
  readonly #strategyAccounts: ReadonlyMap<StrategyName, StrategyAccount>;
  readonly #watch: MarketWatch;
  readonly #monitor: RiskMonitor;
  readonly #losses: LossWatch;
  readonly #marks: Marks;
  readonly #strategyLosses: StrategyLosses;
  readonly #ledgers: LedgerReporter;
  /** Carried out at the end of the step, not in the middle of a change. */
  #dueHalts: { readonly scope: HaltScope; readonly reason: string }[] = [];
  /** Added when the touch jumps; removed when the orders are canceled at the end of the step. */
  readonly #jumpedMarkets = new Set<MarketIndex>();
  #checkAt = 0;
  /** Before this time `endStep` has nothing to do. Microseconds. */
  #workAt = 0;

  constructor(options: RiskGuardOptions) {
    this.#options = options;
    const { state, limits, strategyLimits, capital, venue, report } = options;
    this.#state = state;
    this.#watch = new MarketWatch(state.tickers.size);
    this.limits = new EffectiveLimits(limits, strategyLimits);
    this.#fees = new FeeSchedules(state.markets, venue.feeRounding, () => state.now);
    this.#exposure = new Exposure(state, this.#fees);
    const fees = this.#fees;
    this.#strategyAccounts = new Map(
      [...strategyLimits.keys()].map((strategy) => [
        strategy,
        new StrategyAccount({ state, strategy, fees, capital: capital.get(strategy) ?? null }),
      ]),
    );
    const halt = (scope: HaltScope, reason: string): void => {
      this.#dueHalts.push({ scope, reason });
      this.#workAt = 0;
    };
    this.#monitor = new RiskMonitor({ state, limits: this.limits, fees: this.#fees, report, haltScope: halt });
    const marks = new Marks(state);
    this.#marks = marks;
    this.#losses = new LossWatch({ state, marks, report });
    const strategies = [...strategyLimits.keys()];
    this.#strategyLosses = new StrategyLosses({ state, limits: this.limits, marks, strategies });
    this.#ledgers = new LedgerReporter({ state, losses: this.#strategyLosses, account: this.#losses, report });
    this.onTouchChange = this.#makeTouchCheck();
  }

  start(earlier: Pick<RestoredState, 'losses' | 'overrides' | 'books'>, now: Micros): void {
    this.#losses.restore(earlier.losses, earlier.books?.dayMarkets ?? null);
    this.#strategyLosses.restore(earlier.books);
    for (const override of earlier.overrides) if (override.until > now) this.applyOverride(override, now);
  }

  applyOverride(override: LimitOverride, at: Micros): void {
    const earlier = this.limits.overrideOf(override);
    const refusal = this.limits.applyOverride(override, at);
    this.#workAt = 0;
    const why = refusal ?? override.reason;
    const isEnd = refusal === null && this.limits.overrideOf(override) === null;
    if (isEnd && earlier !== null)
      return this.#options.report({ type: 'override', at, change: 'ended', override: earlier, why });
    this.#options.report({ type: 'override', at, change: refusal === null ? 'begun' : 'refused', override, why });
  }

  check(proposal: Proposal, readiness: Readiness): Denial | null {
    return checkOrder(proposal, this.#context(proposal, readiness));
  }

  /** Checks an order with which the operator closes a position. Halts do not apply. */
  checkFlatten(proposal: Proposal, readiness: Readiness): Denial | null {
    return checkFlatten(proposal, this.#context(proposal, readiness));
  }

  #context({ strategy, market }: Proposal, readiness: Readiness): RiskContext {
    const { venue, halts } = this.#options;
    const state = this.#state;
    this.#endOverrides(state.now);
    const ticker = state.markets.get(market)?.ticker;
    return {
      state,
      limits: this.limits.limitsOf(strategy),
      accountLimits: this.limits.account,
      venue,
      readiness,
      halt: ticker === undefined ? null : halts.blockingHalt(strategy, ticker),
      fees: this.#fees,
      exposure: this.#exposure,
      own: this.#ownAccountOf(strategy),
      rates: this.rates,
      watch: this.#watch,
    };
  }

  #ownAccountOf(strategy: StrategyName): RiskContext['own'] {
    const account = this.#strategyAccounts.get(strategy);
    if (!account) return null;
    const limits = this.limits.ownLimitsOf(strategy);
    return account.allotted === null && Object.keys(limits).length === 0 ? null : { limits, account };
  }

  readonly highestFee: FeeSchedules['highestFee'] = (market, order, qty) => this.#fees.highestFee(market, order, qty);

  /** The most expensive schedule where the market's own is not known. */
  readonly feeScheduleNow = (market: MarketIndex): FeeSchedule => this.#fees.scheduleAt(market, this.#state.now);

  readonly capitalOf = (strategy: StrategyName): Capital =>
    must(this.#strategyAccounts.get(strategy), `the capital of ${strategy}`).capitalFigures();

  countOrder(strategy: StrategyName): void {
    this.rates.countOrder(strategy, this.#state.now);
  }

  /** Counts a cancel that is queued to be sent. */
  countCancel(strategy: StrategyName): void {
    this.rates.countCancel(strategy, this.#state.now);
  }

  /** Returns true when the mid jumped: the end of the step then has work. */
  readonly onTouchChange: (market: MarketIndex) => boolean;

  #makeTouchCheck(): RiskGuard['onTouchChange'] {
    const { limits } = this;
    const watch = this.#watch;
    const state = this.#state;
    const marks = this.#marks;
    return (market) => {
      marks.onMarketChange(market);
      const jump = watch.onTouchChange(market, state, limits.account);
      return jump !== 0 && this.#onJump(market, jump);
    };
  }

  onBookReplaced(market: MarketIndex): void {
    this.#watch.onBookReplaced(market);
    this.onTouchChange(market);
  }

  #onJump(market: MarketIndex, jump: number): true {
    this.#monitor.onJump(market, jump);
    this.#jumpedMarkets.add(market);
    this.#workAt = 0;
    return true;
  }

  onPrint(market: MarketIndex, price: Price): void {
    this.#watch.onPrint(market, price, this.#state.now);
  }

  applyChange(change: StateChange): void {
    this.#monitor.applyChange(change);
    this.#losses.applyChange(change);
    if (change.type === 'trust') this.#marks.onMarketChange(change.market);
    if (change.type === 'fill' || change.type === 'settled') this.#checkSoon();
    if (change.type === 'evicted' || (change.type === 'market' && change.before === null))
      this.#dropMarket(change.market.index);
  }

  /** The index may have belonged to another market. */
  #dropMarket(market: MarketIndex): void {
    this.#watch.dropMarket(market);
    this.#monitor.dropMarket(market);
    this.#losses.dropMarket(market);
  }

  #checkSoon(): void {
    this.#checkAt = 0;
    this.#workAt = 0;
  }

  /** Before this time, `endStep` has nothing to do if only books change. Microseconds. */
  get workDueAt(): number {
    return this.#workAt;
  }

  /** Ends a step. Returns true when commands may now be sent or the next wake time is new. */
  endStep(): boolean {
    const { now } = this.#state;
    return now >= this.#workAt && this.#doDueWork(now);
  }

  #doDueWork(now: Micros): boolean {
    const isExpired = this.#endOverrides(now);
    if (now >= this.#checkAt) this.#checkLosses(now);
    const expiresAt = this.limits.expiresAt();
    this.#workAt = expiresAt === null ? this.#checkAt : Math.min(this.#checkAt, expiresAt);
    if (this.#jumpedMarkets.size === 0 && this.#dueHalts.length === 0) return isExpired;
    this.#cancelJumped();
    const dueHalts = this.#dueHalts;
    this.#dueHalts = [];
    const { halts, actions } = this.#options;
    for (const { scope, reason } of dueHalts)
      if (!halts.isHalted(scope)) actions.haltScope({ scope, by: 'risk', reason, since: now });
    return true;
  }

  /** Orders in these markets were priced from the old touch. */
  #cancelJumped(): void {
    for (const market of this.#jumpedMarkets) this.#options.actions.cancelMarket(market);
    this.#jumpedMarkets.clear();
  }

  /** Returns true when an override ended. */
  #endOverrides(now: Micros): boolean {
    const expiresAt = this.limits.expiresAt();
    if (expiresAt === null || now < expiresAt) return false;
    // The limits have changed, so losses are checked again.
    this.#checkSoon();
    for (const override of this.limits.endExpired(now))
      this.#options.report({ type: 'override', at: now, change: 'ended', override, why: 'its time is over' });
    return true;
  }

  #checkLosses(now: Micros): void {
    // Until the account is known, losses are checked at every step.
    this.#checkAt = this.#state.portfolio.isOpen ? now + CHECK_INTERVAL : 0;
    this.#monitor.checkFeedAge(now);
    const breach = this.#losses.checkEquity(this.limits.account, now);
    if (this.#losses.figures !== null) this.#checkStrategyLosses(now);
    this.#ledgers.reportIfChanged(now);
    if (breach === null || this.#options.halts.isHalted({ type: 'account' })) return;
    this.#losses.onHalt();
    this.#dueHalts.push({ scope: { type: 'account' }, reason: breach });
  }

  #checkStrategyLosses(now: Micros): void {
    for (const { strategy, reason } of this.#strategyLosses.checkAll(now))
      if (!this.#options.halts.isHalted({ type: 'strategy', strategy }))
        this.#dueHalts.push({ scope: { type: 'strategy', strategy }, reason });
  }

  /** Where risk had halted the account or a strategy, the drawdown starts again from zero. */
  onResume(lifted: readonly Halt[]): void {
    if (lifted.some(({ by, scope }) => by === 'risk' && scope.type === 'account')) this.#losses.onResume();
    this.#strategyLosses.onResume(lifted);
  }

  wakeAt(): Micros | null {
    return this.limits.expiresAt();
  }

  limitUses(): LimitUse[] {
    return [null, ...this.#strategyAccounts.keys()].flatMap((strategy) => limitUses(this.#useInputs(strategy)));
  }

  #useInputs(strategy: StrategyName | null): UseInputs {
    const state = this.#state;
    const account = strategy === null ? null : must(this.#strategyAccounts.get(strategy), `account of ${strategy}`);
    return {
      state,
      limits: this.limits,
      strategy,
      stakes: account?.stakes ?? state,
      exposure: account?.exposure ?? this.#exposure,
      fees: this.#fees,
      rates: this.rates,
      watch: this.#watch,
      losses: this.#checkedLosses(strategy),
      fills: this.#monitor.fillCounts(strategy, state.now),
      rejects: this.#monitor.rejectCount(state.now),
      capitalLeft: account?.capitalLeft ?? null,
    };
  }

  #checkedLosses(strategy: StrategyName | null): UseInputs['losses'] {
    const baseline = strategy === null ? this.#losses.figures : this.#strategyLosses.figuresOf(strategy);
    const equity = strategy === null ? this.#losses.checkedEquity : this.#strategyLosses.checkedProfitOf(strategy);
    return baseline === null || equity === null ? null : { baseline, equity, streak: this.#losses.streak };
  }

  /** At most `max` event groups, the worst loss first. Borrowed. */
  worstGroups(max: number): readonly GroupLoss[] {
    return this.#exposure.worstGroups(max);
  }

  totalLoss(): Money {
    return this.#exposure.totalLoss();
  }

  /** Positions count at the prices at which they could be sold. */
  get checkedEquity(): Money | null {
    return this.#losses.checkedEquity;
  }

  /** Profit since the start of the day, with positions at their marks; `null` until the account is known. */
  get dayProfit(): Money | null {
    return this.#losses.dayProfit;
  }

  /** The figures with which the day began; `null` until the account is known. */
  get dayStart(): DayStart | null {
    return this.#losses.dayStart;
  }

  /** How a fill of a market would be charged now. */
  feeLookupNow(market: MarketIndex): FeeLookup {
    return this.#fees.lookupAt(market, this.#state.now);
  }

  get feesChecked(): FeeTotals {
    return this.#monitor.feesChecked;
  }

  get lossFigures(): LossBaseline | null {
    return this.#losses.figures;
  }
}
