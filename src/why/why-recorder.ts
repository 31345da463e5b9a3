// Records the facts of a session while its journal is replayed. After each input it asks the replayed engine's own
// functions, and stores the changed answers. Must never change the engine.
import type { EngineEvent } from '../domain/event.ts';
import type { MarketIndex } from '../domain/ids.ts';
import type { Intent } from '../domain/intent.ts';
import { type Market, isSettled } from '../domain/market.ts';
import type { Engine } from '../engine.ts';
import { OrderReadiness } from '../engine/order-readiness.ts';
import type { Notice } from '../execution/engine-notice.ts';
import { describeDenial } from '../domain/denial.ts';
import { staleBook } from '../risk/rules/market-rules.ts';
import type { StrategyView } from '../state/strategy-view.ts';
import type { BoundStrategy } from '../strategy/strategy-definition.ts';
import { AttemptLog } from './attempt-log.ts';
import type { FactStore } from './fact-store.ts';
import { type StrategyAudience, withAudience } from './listening-strategy.ts';
import { OrderLog } from './order-log.ts';
import { SelectionCheck } from './checks/selection-check.ts';
import type { FactData, FactKind, FactSubject, NewFact } from './why-facts.ts';

/** Interval at which conditions that change with time alone are checked. Microseconds. */
const LOOK_EVERY = 1_000_000;

/** A strategy of the replayed engine. */
interface Listened {
  readonly name: string;
  readonly selection: SelectionCheck;
  /** `null` until the session has started. */
  view: StrategyView | null;
}

/** A market whose membership is checked. `members` are the strategy's markets where the caller has them as a set. */
interface Looked {
  readonly market: Market;
  readonly members?: ReadonlySet<number>;
}

/** Records one session. */
export class WhyRecorder implements StrategyAudience {
  readonly #store: FactStore;
  readonly #attempts: AttemptLog;
  readonly #orders: OrderLog;
  readonly #strategies = new Map<string, Listened>();
  /** Notices and answers of the event being handled. Emptied at its end. */
  readonly #notices: Notice[] = [];
  readonly #answers: { readonly strategy: string; readonly intents: readonly Intent[] }[] = [];
  readonly #calls: { readonly strategy: string; readonly market: MarketIndex | null; readonly view: StrategyView }[] =
    [];
  /** The last text of each fact, so that only changes are stored. */
  readonly #known = new Map<string, string>();
  #readiness: OrderReadiness | null = null;
  #at = 0;
  #seq = 0;
  #lookAt = 0;

  constructor(store: FactStore) {
    this.#store = store;
    this.#attempts = new AttemptLog(store);
    this.#orders = new OrderLog(store);
  }

  /** Returns the strategies for the replay, with this recorder as their audience. */
  listenTo(strategies: readonly BoundStrategy[]): BoundStrategy[] {
    return strategies.map((bound) => {
      this.#strategies.set(bound.name, { name: bound.name, selection: new SelectionCheck(bound.selector), view: null });
      return withAudience(bound, this);
    });
  }

  onView(strategy: string, view: StrategyView): void {
    const listened = this.#strategies.get(strategy);
    if (listened) listened.view = view;
  }

  onCall(strategy: string, market: MarketIndex | null, view: StrategyView): void {
    this.#calls.push({ strategy, market, view });
  }

  onAnswer(strategy: string, intents: readonly Intent[]): void {
    this.#answers.push({ strategy, intents });
  }

  /** Receives a notice of the replayed engine. */
  receiveNotice(notice: Notice): void {
    this.#notices.push(notice);
  }

  /**
   * Records what an event has changed.
   * @param seq number of the event's journal entry.
   */
  afterEvent(engine: Engine, event: EngineEvent, seq: number): void {
    this.#at = engine.state.now;
    this.#seq = seq;
    this.#recordCalls(engine);
    if (event.kind === 'print') this.#orders.onPrint(engine.state, event);
    if (event.kind === 'market') this.#recordMarket(engine, event.market.index);
    if (this.#notices.length > 0 || !FREQUENT.has(event.kind)) this.#recordChanges(engine, event);
    this.#attempts.endEvent({ atUs: this.#at, seq });
    this.#orders.endEvent(engine, { atUs: this.#at, seq });
    if (this.#at >= this.#lookAt) this.#lookAround(engine);
  }

  /** Writes everything that still waits. */
  flush(): void {
    this.#attempts.flushRuns();
    this.#store.flushCalls();
  }

  #recordCalls({ state }: Engine): void {
    for (const { strategy, market, view } of this.#calls) {
      const call = { atUs: this.#at, seq: this.#seq, bid: null, ask: null };
      if (market === null) {
        this.#store.addCall({ strategy }, call);
        continue;
      }
      const { bestBid: bid, bestAsk: ask } = view.book(market);
      const ticker = state.tickers.tickerOf(market);
      this.#store.addCall({ strategy, ticker }, { ...call, bid, ask });
      this.#attempts.addCall(strategy, ticker);
    }
    this.#calls.length = 0;
    for (const { strategy, intents } of this.#answers)
      for (const intent of intents) this.#recordIntent({ state }, strategy, intent);
    this.#answers.length = 0;
  }

  #recordIntent({ state }: Pick<Engine, 'state'>, strategy: string, intent: Intent): void {
    if (intent.type === 'timer' || intent.type === 'forecast') return;
    const market =
      'market' in intent
        ? intent.market
        : 'clientOrderId' in intent
          ? state.orders.get(intent.clientOrderId)?.market
          : undefined;
    if (market !== undefined && state.markets.get(market))
      this.#attempts.addIntent(strategy, state.tickers.tickerOf(market), intent);
  }

  #recordChanges(engine: Engine, event: EngineEvent): void {
    for (const notice of this.#notices) this.#recordNotice(engine, notice);
    this.#notices.length = 0;
    this.#recordSession(engine, event);
    if (event.kind === 'market-changed') this.#recordMarket(engine, event.market);
    if (event.kind === 'event-group')
      for (const { index } of engine.state.markets.membersOf(event.group.eventTicker))
        this.#recordMarket(engine, index);
  }

  #recordNotice(engine: Engine, notice: Notice): void {
    const { tickers } = engine.state;
    if (notice.type === 'phase') this.#setFact('phase', {}, { phase: notice.phase, why: notice.why });
    if (notice.type === 'trust') {
      const { market, trust, reason } = notice;
      this.#setFact('book', { ticker: tickers.tickerOf(market) }, { trust, reason });
    }
    if (notice.type === 'market') this.#recordMarket(engine, notice.market.index);
    if (notice.type === 'denied' && 'market' in notice.intent && notice.intent.market !== undefined)
      this.#attempts.addDenied(notice, tickers.tickerOf(notice.intent.market));
    if (notice.type === 'approved' && 'market' in notice.intent && notice.intent.market !== undefined)
      this.#attempts.addApproved(notice, tickers.tickerOf(notice.intent.market));
    if (notice.type === 'order' && notice.to === 'pending-amend' && notice.order.amend !== null)
      this.#attempts.addMoved(notice.order, tickers.tickerOf(notice.order.market));
    this.#orders.recordNotice(engine, notice, { atUs: this.#at, seq: this.#seq });
  }

  #recordSession(engine: Engine, event: EngineEvent): void {
    this.#readiness ??= new OrderReadiness(engine);
    const readiness = this.#readiness.current();
    const isFault = engine.session.phase === 'trading' && readiness.type === 'not-ready';
    this.#setFact('ready', {}, { fault: isFault ? readiness.reason : null });
    this.#setFact('halts', {}, { halts: [...engine.halts.listHalts()] });
    if (event.kind === 'exchange-status' || event.kind === 'start')
      this.#setFact('exchange', {}, { isTrading: engine.state.exchange.isTrading });
    for (const strategy of this.#listened())
      this.#setFact('limits', { strategy: strategy.name }, this.#limitsOf(engine, strategy));
  }

  #limitsOf({ risk }: Engine, { view }: Listened): FactData<'limits'> {
    const { closeGuardMs } = view === null ? risk.limits.account : risk.limits.limitsOf(view.strategy);
    return { closeGuardMs };
  }

  *#listened(): Generator<Listened> {
    for (const strategy of this.#strategies.values()) if (strategy.view !== null) yield strategy;
  }

  #recordMarket(engine: Engine, index: MarketIndex): void {
    const market = engine.state.markets.get(index);
    if (!market) return;
    const { ticker, status, closeAt, eventTicker, title } = market;
    this.#setFact('market', { ticker }, { status, closeAtUs: closeAt, eventTicker, title });
    for (const strategy of this.#listened()) this.#recordSelection(engine, strategy, { market });
  }

  #recordSelection({ state }: Engine, { name, selection, view }: Listened, { market, members }: Looked): void {
    if (view === null) return;
    const isMember = members?.has(market.index) ?? view.markets.includes(market.index);
    const keeping = isMember ? null : selection.memberKeepingOut(market, view, state);
    const settled = isSettled(market.status) ? 'the market is settled' : 'it joins at the next look';
    const subject = { strategy: name, ticker: market.ticker };
    const data = { isMember, member: keeping?.member ?? '', text: isMember ? '' : (keeping?.text ?? settled) };
    // The figures of a comparison change all the time. A change is only another member or another kind of value.
    const sameness = `${isMember} ${data.member} ${data.text.replaceAll(/[-\d.]+/g, '#')}`;
    this.#storeFact({ kind: 'selection', ...subject, atUs: this.#at, seq: this.#seq, data }, sameness);
  }

  /** Checks conditions that change with time alone. */
  #lookAround(engine: Engine): void {
    this.#lookAt = this.#at + LOOK_EVERY;
    for (const strategy of this.#listened()) {
      const members = new Set<number>(strategy.view?.markets);
      if (strategy.selection.isDynamic)
        for (const market of engine.state.markets.allMarkets())
          this.#recordSelection(engine, strategy, { market, members });
      for (const market of strategy.view?.markets ?? []) this.#recordAge(engine, strategy, market);
    }
  }

  #recordAge({ state, risk }: Engine, { name, view }: Listened, market: MarketIndex): void {
    if (view === null || !state.books.isLive(market)) return;
    const { bookAgeMsMax } = risk.limits.limitsOf(view.strategy);
    const denial = staleBook(state, market, bookAgeMsMax);
    const subject = { strategy: name, ticker: state.tickers.tickerOf(market) };
    // The book became stale before this check, once its last confirmation was too old.
    const since = denial === null ? this.#at : state.confirmedAt(market) + (bookAgeMsMax + 1) * 1000;
    const text = denial === null ? null : describeDenial(denial);
    this.#storeFact(
      { kind: 'stale', ...subject, atUs: since, seq: this.#seq, data: { text } },
      String(denial !== null),
    );
  }

  #setFact<Kind extends FactKind>(kind: Kind, subject: FactSubject, data: FactData<Kind>): void {
    this.#storeFact({ kind, ...subject, atUs: this.#at, seq: this.#seq, data }, JSON.stringify(data));
  }

  /** Stores a fact when its `sameness` differs from the last fact of the same subject. */
  #storeFact(fact: NewFact, sameness: string): void {
    const key = `${fact.kind}\n${fact.strategy ?? ''}\n${fact.ticker ?? ''}`;
    if (this.#known.get(key) === sameness) return;
    this.#known.set(key, sameness);
    this.#store.addFact(fact);
  }
}

/** Events that come too often to check the session after each. */
const FREQUENT: ReadonlySet<string> = new Set(['book-delta', 'print', 'ticker', 'feed-heard', 'market']);
