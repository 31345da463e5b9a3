// Builds the parts of an engine and connects them; each part knows only those that it needs. The engine decides what
// happens when. Must never hold a decision about an event.
import type { FeedAsk, ReadCommand } from '../domain/command.ts';
import type { Halt } from '../domain/operator.ts';
import { RateBudget } from '../execution/budget.ts';
import { BudgetWatch } from '../execution/budget-watch.ts';
import { Desk } from '../execution/desk.ts';
import type { DeskOptions } from '../execution/desk-options.ts';
import { Discovery } from '../execution/discovery.ts';
import { FeedWatch } from '../execution/feed-watch.ts';
import { Halts } from '../execution/halts.ts';
import { OperatorDesk } from '../execution/operator-desk.ts';
import { Planner } from '../execution/planner.ts';
import { QueueWatch } from '../execution/queue-watch.ts';
import { Reader } from '../execution/reader.ts';
import { Retirement } from '../execution/retirement.ts';
import { SeriesReader } from '../execution/series-reader.ts';
import { Session } from '../execution/session.ts';
import { Upkeep } from '../execution/upkeep.ts';
import { RiskGuard } from '../risk/guard.ts';
import type { Readiness } from '../risk/proposal.ts';
import type { StateChange } from '../state/change.ts';
import { State } from '../state/state.ts';
import { Roster } from '../strategy/roster.ts';
import type { EngineOptions } from './options.ts';

/** Callbacks into the engine that owns the parts. */
export interface EngineHooks {
  readonly nextCommandId: () => number;
  readonly sendFeed: (command: FeedAsk) => void;
  /** Called when order entry itself has changed an order's state. */
  readonly onOrderChange: DeskOptions['onOrderChange'];
}

/** How often the market selections of strategies are evaluated again and their saved state is written. Milliseconds. */
const STRATEGIES_EVERY_MS = 1000;

/** All parts of one engine. */
export class EngineParts {
  readonly state: State;
  readonly session: Session;
  readonly planner: Planner;
  readonly halts = new Halts();
  readonly risk: RiskGuard;
  readonly roster: Roster;
  readonly desk: Desk;
  readonly operator: OperatorDesk;
  readonly reader: Reader;
  readonly upkeep: Upkeep;
  readonly seriesReader: SeriesReader;
  readonly discovery: Discovery;
  readonly retirement: Retirement;
  readonly feedWatch: FeedWatch;
  readonly queueWatch: QueueWatch;
  readonly budgetWatch: BudgetWatch;
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
    this.reader = new Reader({ nextCommandId, enqueue: (command: ReadCommand) => this.planner.enqueue(command) });
    this.discovery = new Discovery({
      state: this.state,
      reader: this.reader,
      universe: options.universe,
      sendFeed: hooks.sendFeed,
    });
    this.retirement = new Retirement({
      state: this.state,
      reader: this.reader,
      isSuspected: (market) => this.session.ledger.isSuspected(market),
    });
    this.seriesReader = new SeriesReader({ ...options, state: this.state, reader: this.reader });
    this.risk = this.#makeRisk();
    this.session = this.#makeSession();
    this.desk = this.#makeDesk();
    this.roster = new Roster(this.state, options.strategies, {
      onIntents: (running, intents) => this.desk.take(running, intents),
      sources: {
        capital: this.risk.capital,
        fees: this.risk.feesNow,
        budget: (kind) => this.planner.room(kind, this.state.now),
      },
      onHalt: ({ name }, reason) =>
        this.operator.halt({
          scope: { type: 'strategy', strategy: name },
          by: 'fault',
          reason,
          since: this.state.now,
        }),
      onLeave: (running, market) => this.desk.withdraw(running, market),
      onSave: ({ name: strategy }, json) => options.observe({ type: 'saved', strategy, json }),
    });
    this.operator = this.#makeOperator();
    const care = this.roster.needsCare ? { strategies: STRATEGIES_EVERY_MS } : {};
    this.upkeep = new Upkeep({ ...options.timetable, ...care });
    this.feedWatch = this.#makeFeedWatch();
    this.budgetWatch = new BudgetWatch(this.planner, this.roster);
    const { tellsQueue = false } = options;
    this.queueWatch = new QueueWatch({ state: this.state, reader: this.reader, roster: this.roster, tellsQueue });
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

  #makeSession(): Session {
    return new Session({
      ...this.#options,
      state: this.state,
      reader: this.reader,
      discovery: this.discovery,
      cancel: (id) => this.desk.cancel(id),
      drop: (id, why) => this.desk.drop(id, why),
      doubt: (id, why) => this.desk.doubt(id, why),
      resend: (id) => this.desk.resend(id),
      isSending: (id) => this.planner.isUnderWay((command) => command.type === 'place' && command.clientOrderId === id),
      halt: (reason) => this.operator.halt({ scope: { type: 'account' }, by: 'fault', reason, since: this.state.now }),
    });
  }

  #makeOperator(): OperatorDesk {
    const { state, halts } = this;
    const { observe, qtyStep } = this.#options;
    const readiness = (): Readiness => this.readiness();
    const onLifted = (lifted: readonly Halt[]): void => this.risk.resumed(lifted);
    const { roster } = this;
    return new OperatorDesk({ state, halts, desk: this.desk, roster, observe, qtyStep, readiness, onLifted });
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
      tell: observe,
      halt: (scope, reason) => this.operator.halt({ scope, by: 'risk', reason, since: this.state.now }),
      withdraw: (market) => this.desk.withdrawMarket(market),
    });
  }

  #makeDesk(): Desk {
    const { orderDelayMsMax, observe, policy, qtyStep } = this.#options;
    return new Desk({
      state: this.state,
      planner: this.planner,
      risk: this.risk,
      orderDelayMsMax,
      observe,
      onOrderChange: this.#hooks.onOrderChange,
      nextCommandId: this.#hooks.nextCommandId,
      readiness: () => this.readiness(),
      blocking: (market) => this.session.orders.blocking(market),
      canShrink: policy.canShrink,
      qtyStep,
    });
  }

  /** Says if orders may leave: the session must be trading, and the feed must be trusted. */
  readiness(): Readiness {
    const readiness = this.session.readiness();
    const fault = readiness.type === 'ready' ? this.feedWatch.fault() : null;
    return fault === null ? readiness : { type: 'not-ready', reason: fault };
  }
}
