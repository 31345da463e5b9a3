// Builds the parts of an engine and connects them; each part knows only those that it needs. The engine decides what
// happens when. Must never hold a decision about an event.
import type { UnnumberedFeedCommand, ReadCommand } from '../domain/venue-command.ts';
import type { Halt } from '../domain/operator-order.ts';
import { RateBudget } from '../domain/rate-budget.ts';
import { BudgetNotifier } from '../execution/orders/budget-notifier.ts';
import { OrderEntry } from '../execution/orders/order-entry.ts';
import type { OrderEntryOptions } from '../execution/orders/order-entry-options.ts';
import { MarketDiscovery } from '../execution/session/market-discovery.ts';
import { FeedWatch } from '../execution/feed/feed-watch.ts';
import { Halts } from '../execution/operator/halts.ts';
import { OperatorCommands } from '../execution/operator/operator-commands.ts';
import { Planner } from '../execution/orders/planner.ts';
import { QueueNotifier } from '../execution/orders/queue-notifier.ts';
import { VenueReader } from '../execution/session/venue-reader.ts';
import { MarketRetirement } from '../execution/session/market-retirement.ts';
import { SeriesReader } from '../execution/session/series-reader.ts';
import { TradingSession } from '../execution/session/trading-session.ts';
import { Upkeep } from './upkeep.ts';
import { RiskGuard } from '../risk/risk-guard.ts';
import type { Readiness } from '../risk/rules/proposal.ts';
import type { StateChange } from '../state/state-change.ts';
import { State } from '../state/state.ts';
import { StrategyRunner } from '../strategy/strategy-runner.ts';
import type { EngineOptions } from './engine-options.ts';

/** Callbacks into the engine that owns the parts. */
export interface EngineHooks {
  readonly nextCommandId: () => number;
  readonly sendFeed: (command: UnnumberedFeedCommand) => void;
  /** Called when order entry itself has changed an order's state. */
  readonly onOrderChange: OrderEntryOptions['onOrderChange'];
}

/** How often the market selections of strategies are evaluated again and their saved state is written. Milliseconds. */
const STRATEGIES_EVERY_MS = 1000;

/** All parts of one engine. */
export class EngineParts {
  readonly state: State;
  readonly session: TradingSession;
  readonly planner: Planner;
  readonly halts = new Halts();
  readonly risk: RiskGuard;
  readonly roster: StrategyRunner;
  readonly orderEntry: OrderEntry;
  readonly operator: OperatorCommands;
  readonly reader: VenueReader;
  readonly upkeep: Upkeep;
  readonly seriesReader: SeriesReader;
  readonly discovery: MarketDiscovery;
  readonly retirement: MarketRetirement;
  readonly feedWatch: FeedWatch;
  readonly queueNotifier: QueueNotifier;
  readonly budgetNotifier: BudgetNotifier;
  /** State changes made by the current event. Added by the state and the feed watch; removed when reacted to. */
  readonly changes: StateChange[] = [];
  readonly #options: EngineOptions;
  readonly #hooks: EngineHooks;

  constructor(options: EngineOptions, hooks: EngineHooks) {
    this.#options = options;
    this.#hooks = hooks;
    this.state = new State(options.tickers);
    const { budgets, cost, cancelReserve, careReserve, inFlightMax, backoff } = options;
    this.planner = new Planner({
      budgets: { read: new RateBudget(budgets.read), trade: new RateBudget(budgets.trade) },
      cost,
      cancelReserve,
      careReserve,
      inFlightMax,
      backoff,
    });
    const { nextCommandId } = hooks;
    this.reader = new VenueReader({ nextCommandId, enqueue: (command: ReadCommand) => this.planner.enqueue(command) });
    this.discovery = new MarketDiscovery({
      state: this.state,
      reader: this.reader,
      universe: options.universe,
      sendFeed: hooks.sendFeed,
    });
    this.retirement = new MarketRetirement({
      state: this.state,
      reader: this.reader,
      isSuspected: (market) => this.session.ledger.isSuspected(market),
    });
    this.seriesReader = new SeriesReader({ ...options, state: this.state, reader: this.reader });
    this.risk = this.#makeRisk();
    this.session = this.#makeSession();
    this.orderEntry = this.#makeDesk();
    this.roster = new StrategyRunner(this.state, options.strategies, {
      onIntents: (running, intents) => this.orderEntry.submitIntents(running, intents),
      sources: {
        capital: this.risk.capitalOf,
        fees: this.risk.feeScheduleNow,
        budget: (kind) => this.planner.roomNow(kind, this.state.now),
      },
      onHalt: ({ name }, reason) =>
        this.operator.haltScope({
          scope: { type: 'strategy', strategy: name },
          by: 'fault',
          reason,
          since: this.state.now,
        }),
      onLeave: (running, market) => this.orderEntry.cancelStrategy(running, market),
      onSave: ({ name: strategy }, json) => options.observe({ type: 'saved', strategy, json }),
    });
    this.operator = this.#makeOperator();
    const care = this.roster.needsUpkeep ? { strategies: STRATEGIES_EVERY_MS } : {};
    this.upkeep = new Upkeep({ ...options.timetable, ...care });
    this.feedWatch = this.#makeFeedWatch();
    this.budgetNotifier = new BudgetNotifier(this.planner, this.roster);
    const { canReadQueue: tellsQueue = false } = options;
    this.queueNotifier = new QueueNotifier({
      state: this.state,
      reader: this.reader,
      roster: this.roster,
      canReadQueue: tellsQueue,
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
      sendFeed: this.#hooks.sendFeed,
      changes: this.changes,
    });
  }

  #makeSession(): TradingSession {
    return new TradingSession({
      ...this.#options,
      state: this.state,
      reader: this.reader,
      discovery: this.discovery,
      cancel: (id) => this.orderEntry.cancelOrder(id),
      drop: (id, why) => this.orderEntry.dropOrder(id, why),
      doubt: (id, why) => this.orderEntry.markUnknown(id, why),
      resend: (id) => this.orderEntry.resendOrder(id),
      isSending: (id) =>
        this.planner.isWaitingOrSent((command) => command.type === 'place' && command.clientOrderId === id),
      halt: (reason) =>
        this.operator.haltScope({ scope: { type: 'account' }, by: 'fault', reason, since: this.state.now }),
    });
  }

  #makeOperator(): OperatorCommands {
    const { state, halts } = this;
    const { observe, qtyStep } = this.#options;
    const readiness = (): Readiness => this.readiness();
    const onLifted = (lifted: readonly Halt[]): void => this.risk.onResume(lifted);
    const { roster } = this;
    return new OperatorCommands({
      state,
      halts,
      orderEntry: this.orderEntry,
      roster,
      observe,
      qtyStep,
      readiness,
      onLifted,
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
      haltScope: (scope, reason) => this.operator.haltScope({ scope, by: 'risk', reason, since: this.state.now }),
      cancelMarket: (market) => this.orderEntry.cancelMarket(market),
    });
  }

  #makeDesk(): OrderEntry {
    const { orderDelayMsMax, observe, policy, qtyStep } = this.#options;
    return new OrderEntry({
      state: this.state,
      planner: this.planner,
      risk: this.risk,
      orderDelayMsMax,
      observe,
      onOrderChange: this.#hooks.onOrderChange,
      nextCommandId: this.#hooks.nextCommandId,
      readiness: () => this.readiness(),
      blockingDenial: (market) => this.session.orders.blockingDenial(market),
      canShrink: policy.canShrink,
      qtyStep,
    });
  }

  /** Says if orders may leave: the session must be trading, and the feed must be trusted. */
  readiness(): Readiness {
    const readiness = this.session.readiness();
    const fault = readiness.type === 'ready' ? this.feedWatch.blockingFault() : null;
    return fault === null ? readiness : { type: 'not-ready', reason: fault };
  }
}
