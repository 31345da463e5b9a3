// Looks at what became of our orders, and speaks up: too many rejects, fees that surprise, a silent feed, a touch that
// jumped. Halts what trades far more often than it should.
import type { Alarm } from '../domain/alarm.ts';
import type { MarketIndex } from '../domain/ids.ts';
import type { HaltScope } from '../domain/operator.ts';
import { type Micros, PRICE_DECIMALS, formatScaled, fromSeconds } from '../domain/units.ts';
import type { StateChange } from '../state/change.ts';
import { FOREIGN } from '../state/orders.ts';
import type { State } from '../state/state.ts';
import type { FeeBook } from './fee-book.ts';
import { FeeWatch, type FeesChecked } from './fee-watch.ts';
import { FillWatch } from './fill-watch.ts';
import type { LimitBook } from './limit-book.ts';
import { RollingSum } from './rolling-sum.ts';

export interface MonitorOptions {
  readonly state: State;
  readonly limits: LimitBook;
  readonly fees: FeeBook;
  readonly tell: (alarm: Alarm) => void;
  readonly halt: (scope: HaltScope, reason: string) => void;
}

/** Rejects within a minute that nobody has to look at, where the limits do not say. */
const REJECTS_MAX = 10;

type Filled = Extract<StateChange, { type: 'fill' }>;

/** Watches what happens. */
export class Monitor {
  readonly #options: MonitorOptions;
  readonly #state: State;
  readonly #fills = new FillWatch();
  readonly #feesPaid = new FeeWatch();
  readonly #rejects = new RollingSum(fromSeconds(60));
  #isFeedOld = false;

  constructor(options: MonitorOptions) {
    this.#options = options;
    this.#state = options.state;
  }

  /** What fills were charged, and what was to be expected. */
  get feesChecked(): FeesChecked {
    return this.#feesPaid.checked;
  }

  /** Takes what an event changed. */
  take(change: StateChange): void {
    if (change.type === 'fill') return this.#filled(change);
    if (change.type !== 'order') return;
    if (change.to === 'rejected') this.#rejected(change.why);
    if (change.to !== 'working') this.#ended(change);
  }

  #ended({ order, to }: Extract<StateChange, { type: 'order' }>): void {
    if (to === 'canceled' || to === 'expired' || to === 'filled') this.#feesPaid.ended(order.clientOrderId);
  }

  #filled(change: Filled): void {
    const { fill, order } = change;
    const { limits, halt } = this.#options;
    const strategy = order === null || order.strategy === FOREIGN ? null : order.strategy;
    const filled = { market: fill.market, strategy, qty: fill.qty, at: this.#state.now };
    const ofMarket = this.#fills.ofMarket(filled, limits.account);
    const ticker = this.#state.tickers.tickerOf(fill.market);
    if (ofMarket !== null) this.#tooOften({ type: 'market', ticker }, ofMarket, halt);
    if (strategy !== null) this.#strategyFilled(filled, { type: 'strategy', strategy });
    if (strategy !== null) this.#charged(change, ticker);
  }

  #strategyFilled(
    filled: Parameters<FillWatch['ofStrategy']>[0],
    scope: Extract<HaltScope, { type: 'strategy' }>,
  ): void {
    const { limits, halt } = this.#options;
    const isWatched =
      limits.hasOwn(scope.strategy, 'fillsPerMinuteMax') || limits.hasOwn(scope.strategy, 'contractsPerMinuteMax');
    const excess = isWatched ? this.#fills.ofStrategy(filled, limits.of(scope.strategy)) : null;
    if (excess !== null) this.#tooOften(scope, excess, halt);
  }

  #tooOften(scope: HaltScope, text: string, halt: MonitorOptions['halt']): void {
    const whose = scope.type === 'market' ? scope.ticker : scope.type === 'strategy' ? scope.strategy : 'the account';
    this.#alarm('repeated-execution', `${whose}: ${text}`, { scope: scope.type, of: whose });
    halt(scope, text);
  }

  #charged({ fill, order, position }: Filled, ticker: string): void {
    const at = this.#state.now;
    const charging = this.#options.fees.at(fill.market, fill.exchangeAt ?? at);
    if (charging.type === 'unknown' || !order) return;
    const alarm =
      charging.type === 'unpredictable'
        ? this.#feesPaid.unpredictable({ ticker, market: fill.market, feeType: charging.feeType, at })
        : this.#feesPaid.take({ order, fill, position, schedule: charging.schedule, ticker, at });
    if (alarm) this.#options.tell(alarm);
  }

  #rejected(why: string): void {
    const { now } = this.#state;
    this.#rejects.add(now);
    const rejects = this.#rejects.total(now);
    const rejectsPerMinuteMax = this.#options.limits.account.rejectsPerMinuteMax ?? REJECTS_MAX;
    if (rejects <= rejectsPerMinuteMax) return;
    // Told once for as many again.
    this.#rejects.clear();
    const text = `${rejects} orders rejected within a minute, rejectsPerMinuteMax is ${rejectsPerMinuteMax}: the last for ${why}`;
    this.#alarm('rejects-per-minute', text, { rejects, rejectsPerMinuteMax });
  }

  /** A market's touch jumped without a trade. */
  jumped(market: MarketIndex, jump: number): void {
    const ticker = this.#state.tickers.tickerOf(market);
    const touchJumpMax = this.#options.limits.account.touchJumpMax ?? 0;
    const text = `${ticker}: the mid jumped by ${distance(jump)} without a trade, touchJumpMax is ${distance(touchJumpMax)}`;
    this.#alarm('touch-jump', text, { ticker, jump, touchJumpMax });
  }

  /** Looks at the feed's age. */
  look(now: Micros): void {
    const { feed } = this.#state;
    const { bookAgeMsMax } = this.#options.limits.account;
    const ageMs = Math.floor((now - feed.heardAt) / 1000);
    const isOld = feed.isUp && bookAgeMsMax > 0 && ageMs > bookAgeMsMax;
    if (isOld && !this.#isFeedOld) {
      const text = `the feed was last heard ${ageMs} ms ago, bookAgeMsMax is ${bookAgeMsMax}`;
      this.#alarm('feed-age', text, { ageMs, bookAgeMsMax });
    }
    this.#isFeedOld = isOld;
  }

  #alarm(code: Alarm['code'], text: string, figures: Alarm['figures']): void {
    this.#options.tell({ type: 'alarm', code, at: this.#state.now, text, figures });
  }

  /** Forgets a market: its number may soon be another's. */
  forget(market: MarketIndex): void {
    this.#fills.forget(market);
    this.#feesPaid.forget(market);
  }
}

const distance = (value: number): string => formatScaled(Math.floor(value), PRICE_DECIMALS);
