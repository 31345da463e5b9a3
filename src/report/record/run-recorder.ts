// Collects a run's record while it runs, the same for backtest, paper and live. Must never change anything, and must
// cost the hot path one comparison.
import type { FillReport } from '../../domain/event.ts';
import type { HaltScope } from '../../domain/operator-order.ts';
import { cashOfTrade, closingQty, heldBefore, openingPrice } from '../../domain/position.ts';
import { type Micros, type Money, NO_MONEY, PAYOUT, type Qty } from '../../domain/units.ts';
import type { RateBudget } from '../../domain/rate-budget.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import type { SessionPhase } from '../../execution/session/session-phase.ts';
import { equity } from '../../state/account/equity.ts';
import type { State } from '../../state/state.ts';
import { type DeniedIntent, DeniedIntents } from './denied-intents.ts';
import { EquitySamples } from './equity-samples.ts';
import { FillSums, type TrackedTrade, fillNote } from './fill-sums.ts';
import { ForecastLog } from './forecast-log.ts';
import { LockedTime } from './locked-time.ts';
import { MarketLog, mid2Of } from './market-log.ts';
import { Markouts } from './markouts.ts';
import { OrderEnds } from './order-ends.ts';
import { OrderSums } from './order-sums.ts';
import { EvenSample } from './even-sample.ts';
import {
  type BudgetNote,
  type HaltNote,
  RECORD_VERSION,
  type RunFacts,
  type RunRecord,
  type SettlementNote,
  type MarketNote,
} from './run-record.ts';

/** Records mids just before trades of which the engine does not know yet. */
export interface TradeMids {
  /** Time of the earliest trade whose mid is not recorded, or infinity. */
  readonly dueAt: number;
  /** Records what is due by `now`. Called before the engine handles anything of that time. */
  recordDue(now: number): void;
  /** Returns bid plus ask just before a trade, or `null`. */
  mid2Before(fill: FillReport): number | null;
}

export interface RunRecorderOptions {
  /** The running engine, or the parts of it that are read. */
  readonly engine: {
    readonly state: State;
    readonly planner: { readonly budgets: { readonly read: RateBudget; readonly trade: RateBudget } };
  };
  /** Expected length of the run in microseconds, if known. It sets the time between samples of the equity. */
  readonly span?: number | null;
  /** Mids just before trades. Without them, the engine's book at the report of the trade counts. */
  readonly mids?: TradeMids;
  /** Maximum number of trades and of orders recorded one by one. Sums always cover all. */
  readonly rowsMax?: number;
}

const ROWS_MAX = 20_000;
/** Maximum number of halts by a fault, and of others. */
const HALTS_MAX = 200;
const ORPHANS_MAX = 1000;
/** A trade reported this long after it happened has no mid from the engine's book. Microseconds. */
const LATE_MIN = 2_000_000;
/** Phases of an ending session. The record keeps the last phase before them. */
const ENDING: ReadonlySet<SessionPhase> = new Set(['stopping', 'closing', 'stopped']);

/** Sums of a run by market. */
export interface MarketSums extends Pick<RunRecord, 'from' | 'markets' | 'orderSums' | 'fillSums'> {
  /** Tickers of the markets whose sums no longer change. */
  readonly final: ReadonlySet<string>;
}

/** Records one run. */
export class RunRecorder {
  readonly #options: RunRecorderOptions;
  readonly #state: State;
  readonly #equity: EquitySamples;
  readonly #markets: MarketLog;
  readonly #locked: LockedTime;
  readonly #markouts = new Markouts();
  readonly #fillSums = new FillSums();
  readonly #fills: EvenSample<TrackedTrade>;
  readonly #orders: OrderSums;
  readonly #orderEnds = new OrderEnds();
  readonly #forecasts = new ForecastLog();
  readonly #settlements: SettlementNote[] = [];
  readonly #denials: DeniedIntents;
  readonly #halts: HaltNote[] = [];
  readonly #refused = { read: 0, trade: 0 };
  readonly #leastLeft = { read: Number.POSITIVE_INFINITY, trade: Number.POSITIVE_INFINITY };
  /** Trades with an unknown order. Added at the fill; removed when the order is known, or as the oldest of too many. */
  readonly #orphans = new Map<string, TrackedTrade>();
  #openingCash: Money = NO_MONEY;
  /** Start of the session: the budgets count from then. */
  #startedAt: number | null = null;
  #beganAt: number | null = null;
  /** The last phase before stopping. */
  #phase: SessionPhase = 'idle';
  #failedRead: string | null = null;

  /**
   * Time from which `onTimePassed` must be called, or infinity. Each event then needs one comparison: `if (at >=
   * recorder.dueAt) recorder.onTimePassed(at)`.
   */
  dueAt = Number.POSITIVE_INFINITY;

  constructor(options: RunRecorderOptions) {
    this.#options = options;
    this.#state = options.engine.state;
    this.#equity = new EquitySamples(options.span ?? null);
    this.#markets = new MarketLog(this.#state);
    this.#locked = new LockedTime(this.#state);
    this.#fills = new EvenSample(options.rowsMax ?? ROWS_MAX);
    this.#orders = new OrderSums(options.rowsMax ?? ROWS_MAX);
    this.#denials = new DeniedIntents(options.rowsMax ?? ROWS_MAX);
  }

  /**
   * Handles a notice of the engine. Fills, settlements and equity are recorded only after `beginRecord`. The first
   * phase `trading` begins the record, too.
   */
  onNotice(notice: Notice): void {
    switch (notice.type) {
      case 'phase':
        this.#startedAt ??= this.#state.now;
        if (notice.phase === 'trading') this.beginRecord();
        if (!ENDING.has(notice.phase)) this.#phase = notice.phase;
        return;
      case 'read-failed':
        this.#failedRead = `${notice.what}: ${notice.reason}`;
        return;
      case 'order':
        this.#orderEnds.onOrderChange(notice);
        return this.#orders.onOrderChange(notice, this.#markets.addMarket(notice.order.market));
      case 'fill':
        return this.#onFill(notice);
      case 'settled':
        return this.#onSettlement(notice);
      case 'market':
        return this.#onMarketChange(notice);
      case 'evicted':
        return this.#markets.onMarketDropped(notice.market);
      case 'trust':
        if (notice.trust === 'live') this.#equity.addToAll(this.#markets.valueOpenings());
        return;
      case 'denied':
        return this.#onDenial(notice);
      case 'forecast':
        return this.#onForecast(notice);
      case 'rate-limited':
        this.#refused[notice.budget] += 1;
        return;
      case 'halt':
        return this.#onHalt(notice);
      case 'private-feed':
      case 'feed':
      case 'unexpected-order':
      case 'canceled-for-us':
      case 'surprise':
      case 'alarm':
      case 'losses':
      case 'books':
      case 'override':
      case 'barred':
      case 'approved':
      case 'resumed':
      case 'withdrawn':
      case 'flattening':
      case 'flattened':
      case 'saved':
      case 'suspicion':
      case 'position-drift':
      case 'cash-drift':
      case 'reconciled':
    }
  }

  /** Only the first call counts. */
  beginRecord(): void {
    if (this.#beganAt !== null) return;
    this.#beganAt = this.#state.now;
    this.#openingCash = this.#state.portfolio.cash;
    this.#markets.recordOpening();
    this.#sample(this.#state.now, this.#state.now);
    this.#schedule();
  }

  /** Records what is due by `now`. Called before the engine handles anything of that time. */
  onTimePassed(now: number): void {
    if (now < this.dueAt) return;
    this.#options.mids?.recordDue(now);
    this.#markouts.readDue(now, this.#state, this.#fillSums);
    this.#markets.closeDue(now);
    // The state has not changed since the sample was due.
    if (now >= this.#equity.dueAt) this.#sample(this.#equity.dueAt, now);
    this.#schedule();
  }

  #schedule(): void {
    const midsDueAt = this.#options.mids?.dueAt ?? Number.POSITIVE_INFINITY;
    this.dueAt = Math.min(this.#markouts.dueAt, this.#markets.dueAt, this.#equity.dueAt, midsDueAt);
  }

  /** A trade at the venue, of which the engine does not know yet, has made a mid due. */
  onVenueTrade(): void {
    this.#schedule();
  }

  #sample(at: number, now: number): void {
    const { portfolio } = this.#state;
    this.#equity.addToAll(this.#markets.valueOpenings());
    this.#locked.addSample(at);
    const { total: locked } = this.#locked;
    this.#equity.addSample({ at, cash: portfolio.cash, equity: equity(this.#state), locked }, now);
    this.#markets.sampleMids();
    const { budgets } = this.#options.engine.planner;
    for (const kind of ['read', 'trade'] as const)
      this.#leastLeft[kind] = Math.min(this.#leastLeft[kind], budgets[kind].peekAvailable(at as Micros));
  }

  #onFill({ order, fill, position, isCounted }: Extract<Notice, { type: 'fill' }>): void {
    if (this.#beganAt === null) return;
    const ticker = this.#markets.addMarket(fill.market);
    if (order) this.#orders.onFill(order, fill, ticker);
    const key = `${fill.tradeId} ${fill.venueOrderId}`;
    const orphan = this.#orphans.get(key);
    if (orphan) {
      if (order) this.#fillSums.attributeTrade(orphan, order);
      if (order) this.#orphans.delete(key);
      return;
    }
    // The trade is older than the record, or its order was unknown for longer than orphans are kept.
    if (isCounted === true) return;
    const trade = this.#trackedTrade(fill, { ticker, held: position.qty, strategy: order?.strategy ?? null });
    this.#fillSums.addTrade(trade);
    this.#fills.push(trade);
    this.#markouts.addTrade(trade, fill.market);
    if (!order) this.#addOrphan(key, trade);
    this.#schedule();
  }

  #trackedTrade(fill: FillReport, of: { ticker: string; held: Qty; strategy: string | null }): TrackedTrade {
    const before = heldBefore(of.held, fill);
    const closed = closingQty(before, fill);
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
      cash: cashOfTrade(before, fill),
      turnover: (PAYOUT - opens) * closed + opens * (fill.qty - closed),
      mid2: this.#mid2At(fill),
      after1s: null,
      after1m: null,
    };
  }

  #mid2At(fill: FillReport): number | null {
    const { mids } = this.#options;
    if (mids) return mids.mid2Before(fill);
    const offset = this.#state.clock.estimate(this.#state.now)?.offset ?? 0;
    const isLate = fill.exchangeAt !== null && this.#state.now - (fill.exchangeAt + offset) > LATE_MIN;
    return isLate ? null : mid2Of(this.#state, fill.market);
  }

  #addOrphan(key: string, trade: TrackedTrade): void {
    this.#orphans.set(key, trade);
    if (this.#orphans.size <= ORPHANS_MAX) return;
    for (const oldest of this.#orphans.keys()) return void this.#orphans.delete(oldest);
  }

  #onSettlement({ market, held, paid }: Extract<Notice, { type: 'settled' }>): void {
    if (this.#beganAt === null) return;
    const ticker = this.#markets.addMarket(market.index);
    this.#settlements.push({ at: this.#state.now, ticker, held, paid });
    this.#sample(this.#state.now, this.#state.now);
    this.#schedule();
  }

  #onMarketChange({ market }: Extract<Notice, { type: 'market' }>): void {
    this.#markets.onMarketChange(market);
    this.#schedule();
  }

  #onDenial({ strategy, intent, denial }: Extract<Notice, { type: 'denied' }>): void {
    const ticker = 'market' in intent ? (this.#state.tickers.tickersByIndex()[intent.market] ?? null) : null;
    this.#denials.push({ at: this.#state.now, strategy, ticker, intent: intent.type, denial });
  }

  /** Denials one by one: all of them up to `rowsMax`, then a sample that is spread evenly over the run. */
  get deniedIntents(): readonly DeniedIntent[] {
    return this.#denials.items;
  }

  #onForecast({ strategy, forecast }: Extract<Notice, { type: 'forecast' }>): void {
    const at = this.#state.now;
    // A market that settled long ago has no name any longer, and nothing is left to forecast.
    if (this.#state.tickers.tickersByIndex()[forecast.market] === undefined) return;
    const ticker = this.#markets.addMarket(forecast.market);
    this.#schedule();
    if (!this.#forecasts.isSampleDue(strategy, ticker, at)) return;
    const mid2 = mid2Of(this.#state, forecast.market);
    const market = mid2 === null ? null : mid2 / (2 * PAYOUT);
    this.#forecasts.push({ at, strategy, ticker, probability: forecast.probability / PAYOUT, market });
  }

  #onHalt({ halt }: Extract<Notice, { type: 'halt' }>): void {
    const isFault = halt.by === 'fault';
    // Very many other halts must not hide that a run failed.
    if (this.#halts.filter(({ by }) => (by === 'fault') === isFault).length < HALTS_MAX)
      this.#halts.push({ at: this.#state.now, scope: scopeText(halt.scope), by: halt.by, reason: halt.reason });
  }

  /**
   * Returns the sums by market so far. To read them changes nothing, unlike `runRecord`, which adds a sample of the equity.
   * `final`: tickers of settled markets without a position, whose sums no longer change.
   */
  marketSums(): MarketSums {
    const sums = this.#sums();
    const isFinal = ({ ticker, settlementValue, held }: MarketNote): boolean =>
      settlementValue !== null && held === 0 && this.#locked.isFree(ticker);
    const final = new Set(sums.markets.filter(isFinal).map(({ ticker }) => ticker));
    return { ...sums, from: this.#beganAt ?? this.#state.now, final };
  }

  #sums(): Pick<RunRecord, 'markets' | 'orderSums' | 'fillSums'> {
    const markets = this.#markets.notes();
    return {
      markets: markets.map((note) => ({ ...note, lockedDollarDays: this.#locked.dollarDaysOf(note.ticker) })),
      orderSums: this.#orders.sums(),
      fillSums: this.#fillSums.sums(),
    };
  }

  /** Returns the record so far. Recording may continue afterwards. */
  runRecord(facts: RunFacts): RunRecord {
    const to = Math.max(facts.to, this.#state.now);
    // The account may have changed at the time of the last sample.
    if (this.#beganAt !== null && to >= (this.#equity.lastSample?.at ?? 0)) this.#sample(to, to);
    return {
      ...facts,
      version: RECORD_VERSION,
      from: this.#beganAt ?? to,
      to,
      mids: this.#options.mids ? 'at-trade' : 'as-told',
      openingCash: this.#beganAt === null ? this.#state.portfolio.cash : this.#openingCash,
      closingCash: this.#state.portfolio.cash,
      ...this.#sums(),
      orderEnds: this.#orderEnds.notes(),
      orders: this.#orders.notes(),
      fills: this.#fills.items.map(fillNote),
      settlements: [...this.#settlements],
      forecasts: this.#forecasts.notes(),
      equity: this.#equity.points(),
      figures: this.#equity.figures(),
      denials: this.#denials.notes(),
      budgets: this.#budgets(to),
      halts: [...this.#halts],
      neverReady: this.#beganAt === null ? { phase: this.#phase, failedRead: this.#failedRead } : null,
    };
  }

  #budgets(to: number): BudgetNote[] {
    const elapsed = Math.max(0, to - (this.#startedAt ?? this.#beganAt ?? to));
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
