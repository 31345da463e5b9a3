// Raises alarms about rejects, unexpected fees, a silent feed and jumps of the touch. Halts a market or strategy that
// trades far more often than it should.
import type { Alarm } from '../domain/alarm.ts';
import type { MarketIndex, StrategyName } from '../domain/ids.ts';
import type { HaltScope } from '../domain/operator-order.ts';
import { type Micros, PRICE_DECIMALS, formatScaled, fromSeconds } from '../domain/units.ts';
import type { StateChange } from '../state/state-change.ts';
import { FOREIGN } from '../state/account/orders.ts';
import type { State } from '../state/state.ts';
import type { FeeSchedules } from './exposure/fee-schedules.ts';
import { FeeWatch, type FeeTotals } from './fee-watch.ts';
import { type CountedFill, FillWatch } from './fill-watch.ts';
import type { EffectiveLimits } from './effective-limits.ts';
import { RollingSum } from './rolling-sum.ts';

export interface RiskMonitorOptions {
  readonly state: State;
  readonly limits: EffectiveLimits;
  readonly fees: FeeSchedules;
  readonly report: (alarm: Alarm) => void;
  readonly haltScope: (scope: HaltScope, reason: string) => void;
}

/** Default of `rejectsPerMinuteMax`. */
const REJECTS_MAX = 10;

type FillChange = Extract<StateChange, { type: 'fill' }>;

export class RiskMonitor {
  readonly #options: RiskMonitorOptions;
  readonly #state: State;
  readonly #fills = new FillWatch();
  readonly #feeWatch = new FeeWatch();
  readonly #rejects = new RollingSum(fromSeconds(60));
  #isFeedOld = false;

  constructor(options: RiskMonitorOptions) {
    this.#options = options;
    this.#state = options.state;
  }

  get feesChecked(): FeeTotals {
    return this.#feeWatch.totals;
  }

  /** Counts of the last minute, for one strategy or for the busiest market. */
  fillCounts(strategy: StrategyName | null, now: Micros): ReturnType<FillWatch['countsOf']> {
    return strategy === null ? this.#fills.busiestMarket(now) : this.#fills.countsOf(strategy, now);
  }

  /** Rejects of the last minute since the last alarm about them. */
  rejectCount(now: Micros): number {
    return this.#rejects.totalAt(now);
  }

  applyChange(change: StateChange): void {
    if (change.type === 'fill') return this.#onFill(change);
    if (change.type !== 'order') return;
    if (change.to === 'rejected') this.#onReject(change.why);
    if (change.to !== 'working') this.#onOrderEnd(change);
  }

  #onOrderEnd({ order, to }: Extract<StateChange, { type: 'order' }>): void {
    if (to === 'canceled' || to === 'expired' || to === 'filled') this.#feeWatch.dropOrder(order.clientOrderId);
  }

  #onFill(change: FillChange): void {
    const { fill, order, isCounted } = change;
    const strategy = order === null || order.strategy === FOREIGN ? null : order.strategy;
    const filled = { market: fill.market, strategy, qty: fill.qty, at: this.#state.now };
    const ticker = this.#state.tickers.tickerOf(fill.market);
    if (isCounted !== true) this.#countForMarket(filled, { type: 'market', ticker });
    if (strategy !== null) this.#countForStrategy(filled, { type: 'strategy', strategy });
    if (strategy !== null) this.#checkFee(change, ticker);
  }

  #countForMarket(filled: CountedFill, scope: HaltScope): void {
    const { limits, haltScope } = this.#options;
    const excess = this.#fills.excessOfMarket(filled, limits.account);
    if (excess !== null) this.#haltExcess(scope, excess, haltScope);
  }

  #countForStrategy(filled: CountedFill, scope: Extract<HaltScope, { type: 'strategy' }>): void {
    const { limits, haltScope } = this.#options;
    const isWatched =
      limits.hasOwnLimit(scope.strategy, 'fillsPerMinuteMax') ||
      limits.hasOwnLimit(scope.strategy, 'contractsPerMinuteMax');
    const excess = isWatched ? this.#fills.excessOfStrategy(filled, limits.limitsOf(scope.strategy)) : null;
    if (excess !== null) this.#haltExcess(scope, excess, haltScope);
  }

  #haltExcess(scope: HaltScope, text: string, halt: RiskMonitorOptions['haltScope']): void {
    const scopeName =
      scope.type === 'market' ? scope.ticker : scope.type === 'strategy' ? scope.strategy : 'the account';
    this.#alarm('repeated-execution', `${scopeName}: ${text}`, { scope: scope.type, of: scopeName });
    halt(scope, text);
  }

  #checkFee({ fill, order, position }: FillChange, ticker: string): void {
    const at = this.#state.now;
    const charging = this.#options.fees.lookupAt(fill.market, fill.exchangeAt ?? at);
    if (charging.type === 'unknown' || !order) return;
    const alarm =
      charging.type === 'unpredictable'
        ? this.#feeWatch.onUnpredictableFill({ ticker, market: fill.market, feeType: charging.feeType, at })
        : this.#feeWatch.checkFill({ order, fill, position, schedule: charging.schedule, ticker, at });
    if (alarm) this.#options.report(alarm);
  }

  #onReject(why: string): void {
    const { now } = this.#state;
    this.#rejects.addAmount(now);
    const rejects = this.#rejects.totalAt(now);
    const rejectsPerMinuteMax = this.#options.limits.account.rejectsPerMinuteMax ?? REJECTS_MAX;
    if (rejects <= rejectsPerMinuteMax) return;
    // The next alarm comes after the same number of rejects.
    this.#rejects.clear();
    const text = `${rejects} orders rejected within a minute, rejectsPerMinuteMax is ${rejectsPerMinuteMax}: the last for ${why}`;
    this.#alarm('rejects-per-minute', text, { rejects, rejectsPerMinuteMax });
  }

  onJump(market: MarketIndex, jump: number): void {
    const ticker = this.#state.tickers.tickerOf(market);
    const touchJumpMax = this.#options.limits.account.touchJumpMax ?? 0;
    const text = `${ticker}: the mid jumped by ${distance(jump)} without a trade, touchJumpMax is ${distance(touchJumpMax)}`;
    this.#alarm('touch-jump', text, { ticker, jump, touchJumpMax });
  }

  checkFeedAge(now: Micros): void {
    const { feed } = this.#state;
    const { bookAgeMsMax } = this.#options.limits.account;
    const ageMs = feed.isSilenceProof ? 0 : Math.floor((now - feed.lastMessageAt) / 1000);
    const isOld = feed.isUp && bookAgeMsMax > 0 && ageMs > bookAgeMsMax;
    if (isOld && !this.#isFeedOld) {
      const text = `the last message of the feed was ${ageMs} ms ago, bookAgeMsMax is ${bookAgeMsMax}`;
      this.#alarm('feed-age', text, { ageMs, bookAgeMsMax });
    }
    this.#isFeedOld = isOld;
  }

  #alarm(code: Alarm['code'], text: string, figures: Alarm['figures']): void {
    this.#options.report({ type: 'alarm', code, at: this.#state.now, text, figures });
  }

  dropMarket(market: MarketIndex): void {
    this.#fills.dropMarket(market);
    this.#feeWatch.dropMarket(market);
  }
}

const distance = (value: number): string => formatScaled(Math.floor(value), PRICE_DECIMALS);
