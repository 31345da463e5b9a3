// Gathers a run's record while it runs, from the engine's notices, the passing of time, and looks at the state: the same
// for a backtest, on paper and live. Must never change anything, and must cost the hot path one comparison.
import type { FillReport } from '../domain/event.ts';
import type { HaltScope } from '../domain/operator.ts';
import { signOf } from '../domain/order.ts';
import { cashOfTrade, closingQty, openingPrice } from '../domain/position.ts';
import { type Micros, type Money, NO_MONEY, PAYOUT, type Qty, subtractQty } from '../domain/units.ts';
import type { RateBudget } from '../execution/budget.ts';
import type { Notice } from '../execution/notice.ts';
import type { Phase } from '../execution/phase.ts';
import { equity, pledged } from '../state/equity.ts';
import type { State } from '../state/state.ts';
import { EquitySamples } from './keeping/equity-samples.ts';
import { FillSums, type Tracked, fillNote } from './keeping/fill-sums.ts';
import { ForecastLog } from './keeping/forecast-log.ts';
import { MarketLog, mid2Of } from './keeping/market-log.ts';
import { Markouts } from './keeping/markouts.ts';
import { OrderEnds } from './keeping/order-ends.ts';
import { OrderSums } from './keeping/order-sums.ts';
import { Thinned } from './keeping/thinned.ts';
import {
  type BudgetNote,
  type DenialNote,
  type HaltNote,
  RECORD_VERSION,
  type RunFacts,
  type RunRecord,
  type SettlementNote,
} from './run-record.ts';

/** What a scorekeeper looks at, and how much it keeps. */
export interface ScorekeeperOptions {
  /** The engine that runs, or the parts of it that are looked at. */
  readonly engine: {
    readonly state: State;
    readonly planner: { readonly budgets: { readonly read: RateBudget; readonly trade: RateBudget } };
  };
  /** How long the run will be, in microseconds, where that is known: the grid on which equity is looked at. */
  readonly span?: number | null;
  /**
   * Bid plus ask just before a trade, where whoever drives knows it (`VenueMids`); `null` for none. Absent: what the
   * engine believes when it is told, which may already know what the trade did to the book.
   */
  readonly mid2Before?: (fill: FillReport) => number | null;
  /** How many trades and orders are kept one by one. Sums are of all, whatever this is. */
  readonly rowsMax?: number;
}

const ROWS_MAX = 20_000;
const HALTS_MAX = 200;
const ORPHANS_MAX = 1000;
/** A trade that is told later than this has no mid by what the engine then believes. Microseconds. */
const LATE = 2_000_000;
/** Phases of a session that ends: what it had come to before is of interest. */
const ENDING: ReadonlySet<Phase> = new Set(['stopping', 'closing', 'stopped']);

/** Keeps the score of one run. */
export class Scorekeeper {
  readonly #options: ScorekeeperOptions;
  readonly #state: State;
  readonly #equity: EquitySamples;
  readonly #markets: MarketLog;
  readonly #markouts = new Markouts();
  readonly #fillSums = new FillSums();
  readonly #fills: Thinned<Tracked>;
  readonly #orders: OrderSums;
  readonly #ends = new OrderEnds();
  readonly #forecasts = new ForecastLog();
  readonly #settlements: SettlementNote[] = [];
  readonly #denials = new Map<string, { strategy: string; code: DenialNote['code']; count: number }>();
  readonly #halts: HaltNote[] = [];
  readonly #refused = { read: 0, trade: 0 };
  readonly #leastLeft = { read: Number.POSITIVE_INFINITY, trade: Number.POSITIVE_INFINITY };
  /** Trades that named no order we knew, until one turns out to be theirs. */
  readonly #orphans = new Map<string, Tracked>();
  #openingCash: Money = NO_MONEY;
  #beganAt: number | null = null;
  /** The last phase before the stop. */
  #phase: Phase = 'idle';
  #failedRead: string | null = null;

  /**
   * When `passed` has something to do next; infinite when it has not. A plain field, so that whoever drives compares
   * one number: `if (at >= keeper.dueAt) keeper.passed(at)`, before the engine is given what happens at `at`.
   */
  dueAt = Number.POSITIVE_INFINITY;

  constructor(options: ScorekeeperOptions) {
    this.#options = options;
    this.#state = options.engine.state;
    this.#equity = new EquitySamples(options.span ?? null);
    this.#markets = new MarketLog(this.#state);
    this.#fills = new Thinned(options.rowsMax ?? ROWS_MAX);
    this.#orders = new OrderSums(options.rowsMax ?? ROWS_MAX);
  }

  /** Takes what the engine tells, as it tells it. The score begins when the session first trades, or by `begin`. */
  take(notice: Notice): void {
    switch (notice.type) {
      case 'phase':
        if (notice.phase === 'trading') this.begin();
        if (!ENDING.has(notice.phase)) this.#phase = notice.phase;
        return;
      case 'read-failed':
        this.#failedRead = `${notice.what}: ${notice.reason}`;
        return;
      case 'order':
        this.#ends.moved(notice);
        return this.#orders.moved(notice, this.#markets.touch(notice.order.market));
      case 'fill':
        return this.#filled(notice);
      case 'settled':
        return this.#settled(notice);
      case 'market':
        return this.#marketChanged(notice);
      case 'evicted':
        return this.#markets.gone(notice.market);
      case 'trust':
        if (notice.trust === 'live') this.#markets.trusted(notice.market);
        return;
      case 'denied':
        return this.#denied(notice);
      case 'forecast':
        return this.#forecast(notice);
      case 'rate-limited':
        this.#refused[notice.budget] += 1;
        return;
      case 'halt':
        return this.#halted(notice);
      default:
    }
  }

  /** The account's opening figures are as they are now. Only the first time counts. */
  begin(): void {
    if (this.#beganAt !== null) return;
    this.#beganAt = this.#state.now;
    this.#openingCash = this.#state.portfolio.cash;
    this.#markets.open();
    this.#look(this.#state.now, this.#state.now);
    this.#schedule();
  }

  /**
   * The clock has come to `now`, and the engine has not been given anything of `now` yet: so what the state shows is as
   * it was at every time since the event before.
   */
  passed(now: number): void {
    if (now < this.dueAt) return;
    this.#markouts.pass(now, this.#state, this.#fillSums);
    this.#markets.pass(now);
    // The state is as it has been since the event before: it is of the time that was due, not of now.
    if (now >= this.#equity.dueAt) this.#look(this.#equity.dueAt, now);
    this.#schedule();
  }

  #schedule(): void {
    this.dueAt = Math.min(this.#markouts.dueAt, this.#markets.dueAt, this.#equity.dueAt);
  }

  #look(at: number, now: number): void {
    const { portfolio } = this.#state;
    let locked: number = pledged(this.#state);
    for (const { cost } of portfolio.positions().values()) locked += cost;
    this.#equity.take({ at, cash: portfolio.cash, equity: equity(this.#state), locked }, now);
    this.#markets.look();
    const { budgets } = this.#options.engine.planner;
    for (const kind of ['read', 'trade'] as const)
      this.#leastLeft[kind] = Math.min(this.#leastLeft[kind], budgets[kind].peek(at as Micros));
  }

  #filled({ order, fill, position }: Extract<Notice, { type: 'fill' }>): void {
    if (this.#beganAt === null) return;
    const ticker = this.#markets.touch(fill.market);
    if (order) this.#orders.filled(order, fill, ticker);
    const key = `${fill.tradeId} ${fill.venueOrderId}`;
    const orphan = this.#orphans.get(key);
    if (orphan) {
      if (order) this.#fillSums.attribute(orphan, order);
      if (order) this.#orphans.delete(key);
      return;
    }
    const trade = this.#track(fill, { ticker, held: position.qty, strategy: order?.strategy ?? null });
    this.#fillSums.add(trade);
    this.#fills.push(trade);
    this.#markouts.follow(trade, fill.market);
    if (!order) this.#keepOrphan(key, trade);
    this.#schedule();
  }

  #track(fill: FillReport, of: { ticker: string; held: Qty; strategy: string | null }): Tracked {
    const signed = signOf(fill.side) * fill.qty;
    const heldBefore = subtractQty(of.held, signed as Qty);
    const closed = closingQty(heldBefore, fill);
    const opens = openingPrice(fill.side, fill.price);
    return {
      ticker: of.ticker,
      strategy: of.strategy,
      clientOrderId: fill.clientOrderId,
      at: this.#state.now,
      side: fill.side,
      price: fill.price,
      qty: fill.qty,
      fee: fill.fee,
      liquidity: fill.liquidity,
      cash: cashOfTrade(heldBefore, fill),
      turnover: (PAYOUT - opens) * closed + opens * (fill.qty - closed),
      mid2: this.#mid2At(fill),
      after1s: null,
      after1m: null,
    };
  }

  #mid2At(fill: FillReport): number | null {
    const { mid2Before } = this.#options;
    if (mid2Before) return mid2Before(fill);
    const offset = this.#state.clock.estimate(this.#state.now)?.offset ?? 0;
    const isLate = fill.exchangeAt !== null && this.#state.now - (fill.exchangeAt + offset) > LATE;
    return isLate ? null : mid2Of(this.#state, fill.market);
  }

  #keepOrphan(key: string, trade: Tracked): void {
    this.#orphans.set(key, trade);
    if (this.#orphans.size <= ORPHANS_MAX) return;
    for (const oldest of this.#orphans.keys()) return void this.#orphans.delete(oldest);
  }

  #settled({ market, held, paid }: Extract<Notice, { type: 'settled' }>): void {
    if (this.#beganAt === null) return;
    const ticker = this.#markets.touch(market.index);
    this.#settlements.push({ at: this.#state.now, ticker, held, paid });
    this.#look(this.#state.now, this.#state.now);
    this.#schedule();
  }

  #marketChanged({ market }: Extract<Notice, { type: 'market' }>): void {
    this.#markets.changed(market);
    this.#schedule();
  }

  #denied({ strategy, denial }: Extract<Notice, { type: 'denied' }>): void {
    const key = `${denial.code} ${strategy}`;
    const known = this.#denials.get(key);
    if (known) known.count += 1;
    else this.#denials.set(key, { strategy, code: denial.code, count: 1 });
  }

  #forecast({ strategy, forecast }: Extract<Notice, { type: 'forecast' }>): void {
    const at = this.#state.now;
    const ticker = this.#markets.touch(forecast.market);
    this.#schedule();
    if (!this.#forecasts.wants(strategy, ticker, at)) return;
    const mid2 = mid2Of(this.#state, forecast.market);
    const market = mid2 === null ? null : mid2 / (2 * PAYOUT);
    this.#forecasts.push({ at, strategy, ticker, probability: forecast.probability / PAYOUT, market });
  }

  #halted({ halt }: Extract<Notice, { type: 'halt' }>): void {
    if (this.#halts.length < HALTS_MAX)
      this.#halts.push({ at: this.#state.now, scope: scopeText(halt.scope), by: halt.by, reason: halt.reason });
  }

  /** What was gathered, with what only whoever drives knows. May be asked for at any time; the run may go on. */
  record(facts: RunFacts): RunRecord {
    const to = Math.max(facts.to, this.#state.now);
    if (this.#beganAt !== null && to > (this.#equity.last?.at ?? 0)) this.#look(to, to);
    return {
      ...facts,
      version: RECORD_VERSION,
      from: this.#beganAt ?? to,
      to,
      mids: this.#options.mid2Before ? 'at-trade' : 'as-told',
      openingCash: this.#beganAt === null ? this.#state.portfolio.cash : this.#openingCash,
      closingCash: this.#state.portfolio.cash,
      markets: this.#markets.notes(),
      orderSums: this.#orders.sums(),
      orderEnds: this.#ends.notes(),
      fillSums: this.#fillSums.sums(),
      orders: this.#orders.notes(),
      fills: this.#fills.items.map(fillNote),
      settlements: [...this.#settlements],
      forecasts: this.#forecasts.notes(),
      equity: this.#equity.points(),
      figures: this.#equity.figures(),
      denials: [...this.#denials.values()],
      budgets: this.#budgets(to),
      halts: [...this.#halts],
      neverReady: this.#beganAt === null ? { phase: this.#phase, failedRead: this.#failedRead } : null,
    };
  }

  #budgets(to: number): BudgetNote[] {
    const elapsed = Math.max(0, to - (this.#beganAt ?? to));
    const { budgets } = this.#options.engine.planner;
    return (['read', 'trade'] as const).map((budget) => {
      const { used, capacity, limit } = budgets[budget];
      const perSecond =
        limit.model === 'token-bucket' ? limit.refillPerSecond : (limit.count * 1000) / Math.max(1, limit.windowMs);
      const allowed = Math.floor(capacity + (perSecond * elapsed) / 1_000_000);
      const leastLeft = Math.min(capacity, this.#leastLeft[budget]);
      return { budget, used, allowed, leastLeft, capacity, refused: this.#refused[budget] };
    });
  }
}

function scopeText(scope: HaltScope): string {
  if (scope.type === 'account') return 'the account';
  return scope.type === 'strategy' ? `strategy ${scope.strategy}` : `market ${scope.ticker}`;
}
