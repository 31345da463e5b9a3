// Builds the parts of an engine and connects them. A part is given parts built before it; calls to later parts pass
// through `EngineActions`. Must never hold a decision about an event.
import type { ReadCommand } from '../domain/venue-command.ts';
import type { Micros } from '../domain/units.ts';
import { RateBudget } from '../domain/rate-budget.ts';
import { BudgetNotifier } from '../execution/orders/budget-notifier.ts';
import { OrderEntry } from '../execution/orders/order-entry.ts';
import { MarketDiscovery } from '../execution/session/market-discovery.ts';
import { FeedWatch } from '../execution/feed/feed-watch.ts';
import { Halts } from '../execution/operator/halts.ts';
import { OperatorCommands } from '../execution/operator/operator-commands.ts';
import { Planner } from '../execution/orders/planner.ts';
import { QueueNotifier } from '../execution/orders/queue-notifier.ts';
import { describeRead } from './read-description.ts';
import { VenueReader } from '../execution/session/venue-reader.ts';
import { MarketRetirement } from '../execution/session/market-retirement.ts';
import { SeriesReader } from '../execution/session/series-reader.ts';
import { TradingSession } from '../execution/session/trading-session.ts';
import { RiskGuard } from '../risk/risk-guard.ts';
import { State } from '../state/state.ts';
import { StrategyRunner } from '../strategy/strategy-runner.ts';
import { ChangeQueue } from './change-queue.ts';
import { CommandOutbox } from './command-outbox.ts';
import { EngineActions } from './engine-actions.ts';
import type { EngineOptions } from './engine-options.ts';
import { OrderReadiness } from './order-readiness.ts';
import { Upkeep } from './upkeep.ts';

/** Interval of the strategies' regular duties: evaluating market selections, and saving state. Milliseconds. */
const STRATEGIES_EVERY_MS = 1000;

/** All parts of one engine, the first to be built at the head. */
export class EngineParts {
  readonly #options: EngineOptions;
  readonly state: State;
  readonly actions: EngineActions;
  readonly changes = new ChangeQueue();
  readonly outbox: CommandOutbox;
  readonly planner: Planner;
  readonly reader: VenueReader;
  readonly halts = new Halts();
  readonly risk: RiskGuard;
  readonly feedWatch: FeedWatch;
  readonly discovery: MarketDiscovery;
  readonly seriesReader: SeriesReader;
  readonly session: TradingSession;
  readonly retirement: MarketRetirement;
  readonly readiness: OrderReadiness;
  readonly orderEntry: OrderEntry;
  readonly strategyRunner: StrategyRunner;
  readonly operator: OperatorCommands;
  readonly upkeep: Upkeep;
  readonly budgetNotifier: BudgetNotifier;
  readonly queueNotifier: QueueNotifier;

  constructor(options: EngineOptions) {
    this.#options = options;
    const state = new State(options.tickers, options.isFeedLossless);
    this.state = state;
    this.actions = new EngineActions(state, options.observe);
    this.outbox = new CommandOutbox(state);
    this.planner = this.#makePlanner();
    const { nextCommandId } = this.outbox;
    const reader = new VenueReader({
      nextCommandId,
      enqueue: (read: ReadCommand) => this.planner.enqueue(read),
      onEndless: (target, reason) =>
        options.observe({ type: 'read-failed', what: describeRead(target), reason, isRefused: false }),
    });
    this.reader = reader;
    this.risk = this.#makeRisk();
    this.feedWatch = this.#makeFeedWatch();
    const sendFeed = this.feedWatch.sendCommand.bind(this.feedWatch);
    this.discovery = new MarketDiscovery({ state, reader, universe: options.universe, sendFeed });
    this.seriesReader = new SeriesReader({ ...options, state, reader });
    this.session = this.#makeSession();
    const { ledger } = this.session;
    this.retirement = new MarketRetirement({ state, reader, isSuspected: (market) => ledger.isSuspected(market) });
    this.readiness = new OrderReadiness(this);
    this.orderEntry = this.#makeOrderEntry();
    this.strategyRunner = this.#makeStrategyRunner();
    this.operator = this.#makeOperator();
    const strategyUpkeep = this.strategyRunner.needsUpkeep ? { strategies: STRATEGIES_EVERY_MS } : {};
    this.upkeep = new Upkeep(
      { ...options.timetable, ...strategyUpkeep },
      options.isFeedLossless === true
        ? {
            hasProbeWork: () => this.#hasProbeWork(),
            strategyWorkDueAt: () => this.strategyRunner.upkeepDueAt(),
          }
        : null,
    );
    this.budgetNotifier = new BudgetNotifier(this.planner, this.strategyRunner);
    const { canReadQueue = false } = options;
    this.queueNotifier = new QueueNotifier({ state, reader, roster: this.strategyRunner, canReadQueue });
  }

  #makePlanner(): Planner {
    const { budgets, cost, cancelReserve, careReserve, inFlightMax, backoff } = this.#options;
    return new Planner({
      budgets: { read: new RateBudget(budgets.read), trade: new RateBudget(budgets.trade) },
      cost,
      cancelReserve,
      careReserve,
      inFlightMax,
      backoff,
    });
  }

  #makeRisk(): RiskGuard {
    const { strategies, limits, strategyLimits, capital, venueTerms, qtyStep, observe } = this.#options;
    return new RiskGuard({
      state: this.state,
      limits,
      strategyLimits: new Map(strategies.map(({ name }) => [name, strategyLimits?.get(name) ?? {}])),
      capital: capital ?? new Map(),
      venue: { ...venueTerms, qtyStep },
      halts: this.halts,
      report: observe,
      actions: this.actions,
    });
  }

  #makeFeedWatch(): FeedWatch {
    const { hasKey, limits, clock, observe } = this.#options;
    return new FeedWatch({
      state: this.state,
      reader: this.reader,
      hasKey,
      bookAgeMsMax: limits.bookAgeMsMax,
      clock,
      observe,
      sendFeed: this.outbox.addFeedCommand,
      changes: this.changes,
    });
  }

  #makeSession(): TradingSession {
    return new TradingSession({
      ...this.#options,
      state: this.state,
      reader: this.reader,
      discovery: this.discovery,
      actions: this.actions,
      isSending: (id) =>
        this.planner.isWaitingOrSent((command) => command.type === 'place' && command.clientOrderId === id),
    });
  }

  #makeOrderEntry(): OrderEntry {
    const { orderDelayMsMax, observe, policy, qtyStep, venueTerms } = this.#options;
    return new OrderEntry({
      state: this.state,
      planner: this.planner,
      risk: this.risk,
      orderDelayMsMax,
      observe,
      actions: this.actions,
      nextCommandId: this.outbox.nextCommandId,
      readiness: () => this.readiness.current(),
      blockingDenial: (market) => this.session.orders.blockingDenial(market),
      canShrink: policy.canShrink,
      canMove: policy.canMove,
      qtyStep,
      expiryStep: venueTerms.expiryStep ?? 1,
    });
  }

  #makeStrategyRunner(): StrategyRunner {
    return new StrategyRunner(this.state, {
      strategies: this.#options.strategies,
      actions: this.actions,
      keepsStates: this.#options.keepsStates ?? true,
      sources: {
        capital: this.risk.capitalOf,
        fees: this.risk.feeScheduleNow,
        budget: (kind) => this.planner.roomNow(kind, this.state.now),
      },
    });
  }

  #makeOperator(): OperatorCommands {
    const { observe, qtyStep, hasKey } = this.#options;
    return new OperatorCommands({
      state: this.state,
      halts: this.halts,
      orderEntry: this.orderEntry,
      roster: this.strategyRunner,
      observe,
      qtyStep,
      readiness: () => this.readiness.current(),
      arePositionsKnown: () => !hasKey || (this.state.portfolio.isOpen && this.session.phase !== 'recovering'),
      highestFee: (market, order, qty) => this.risk.highestFee(market, order, qty),
      onLifted: (lifted) => this.risk.onResume(lifted),
    });
  }

  /** True when a probe would do something now, or may soon. */
  #hasProbeWork(): boolean {
    if (!this.#options.hasKey) return false;
    const { phase, orders, ledger } = this.session;
    if (phase !== 'trading') return phase !== 'idle' && phase !== 'stopped';
    return orders.hasUnanswered || ledger.hasSuspicions || this.orderEntry.cancels.hasPaused;
  }

  computeWakeAt(): Micros | null {
    const { now } = this.state;
    let earliest = earlierOf(this.planner.wakeAt(now), this.strategyRunner.timerAt());
    earliest = earlierOf(earliest, this.reader.retryAt());
    earliest = earlierOf(earliest, this.upkeep.dueAt());
    earliest = earlierOf(earliest, this.operator.dueAt());
    earliest = earlierOf(earliest, this.feedWatch.dueAt());
    earliest = earlierOf(earliest, this.queueNotifier.dueAt());
    earliest = earlierOf(earliest, this.budgetNotifier.dueAt(now));
    return earlierOf(earliest, this.risk.wakeAt());
  }
}

const earlierOf = (a: Micros | null, b: Micros | null): Micros | null => (a === null || (b !== null && b < a) ? b : a);
