// Runs the strategies: holds the markets that each has joined, calls the strategies for events, and collects their
// answers and saved states. A strategy that throws is halted alone.
import type { MarketIndex, StrategyName } from '../domain/ids.ts';
import type { Intent, TimerIntent } from '../domain/intent.ts';
import { type Market, isSettled } from '../domain/market.ts';
import type { Micros } from '../domain/units.ts';
import type { State } from '../state/state.ts';
import type { BookView } from '../state/books/book-view.ts';
import type { ViewSources } from '../state/view-sources.ts';
import { StrategyView } from '../state/strategy-view.ts';
import { answerFault } from './answer-check.ts';
import { describeThrown } from './fault-place.ts';
import { StateSavers } from './state-savers.ts';
import { StateSaver } from './state-saver.ts';
import { type BookListener, BookListeners } from './book-listeners.ts';
import { MarketMembership } from './market-membership.ts';
import { OthersBestWatch } from './others-best-watch.ts';
import type { RunningStrategy } from './running-strategy.ts';
import type { BoundStrategy, Handlers, Intents, MarketMoved } from './strategy-definition.ts';
import { type RunningTimer, StrategyTimers } from './strategy-timers.ts';

export type { RunningStrategy } from './running-strategy.ts';

/** The calls of the strategy runner to other parts of the engine. */
export interface StrategyActions {
  submitIntents(running: RunningStrategy, intents: readonly Intent[]): void;
  /** Halts a strategy that failed, and cancels its resting orders. */
  haltFailed(running: RunningStrategy, reason: string): void;
  /** Cancels a strategy's resting orders in a market that it has left. */
  cancelStrategy(running: RunningStrategy, market: MarketIndex): void;
  saveState(running: RunningStrategy, json: string): void;
}

export interface StrategyRunnerOptions {
  readonly strategies: readonly BoundStrategy[];
  readonly actions: StrategyActions;
  /** See `EngineOptions.keepsStates`. Default: true. */
  readonly keepsStates?: boolean;
  /** Source of the figures in views that are not in the state, such as rate budgets. */
  readonly sources?: ViewSources;
}

/** Timers that one strategy may have at once. A strategy with more seems to leak timers, and is halted. */
const TIMERS_MAX = 10_000;

interface Entry {
  readonly running: RunningStrategy;
  readonly membership: MarketMembership;
  readonly saver: StateSaver | null;
  readonly listeners: readonly BookListener[];
}

/** The handlers of a strategy for changes of a book. With a saved state, they also mark that the strategy was called. */
function bookListeners(running: RunningStrategy, saver: StateSaver | null): readonly BookListener[] {
  const { handlers, view } = running;
  return (['onBook', 'onOthersBest'] as const).flatMap((name): BookListener[] => {
    const handler = handlers[name]?.bind(handlers);
    if (handler === undefined) return [];
    const onBook: BookListener['onBook'] = (event, seen) => {
      if (saver !== null) saver.wasCalled = true;
      return handler(event, seen);
    };
    return [{ running, onBook: saver === null ? handler : onBook, view, isSelective: name === 'onOthersBest' }];
  });
}

/** All strategies of a session. */
export class StrategyRunner {
  readonly #state: State;
  readonly #actions: StrategyActions;
  readonly #entries: readonly Entry[];
  readonly #byMarket: RunningStrategy[][] = [];
  readonly #othersBest: OthersBestWatch;
  readonly #listeners: BookListeners;
  readonly #keepsStates: boolean;
  #isClosed = false;
  #hasNewTimer = false;
  readonly needsUpkeep: boolean;
  readonly stateSavers: StateSavers;

  constructor(state: State, { strategies, actions, sources, keepsStates = true }: StrategyRunnerOptions) {
    this.#keepsStates = keepsStates;
    this.#state = state;
    this.#actions = actions;
    const books: BookView[] = [];
    this.#entries = strategies.map((bound, index) => {
      const membership = new MarketMembership(state, bound.selector);
      const { markets } = membership;
      const view = new StrategyView(state, books, {
        strategy: bound.name,
        markets,
        ...(sources && { sources }),
      });
      const { name, handlers, persistence } = bound;
      const running: RunningStrategy = { name, index, handlers, view, timers: new StrategyTimers(), haltedBy: null };
      const saver = persistence ? new StateSaver(persistence) : null;
      return { running, membership, saver, listeners: bookListeners(running, saver) };
    });
    const failed = (running: RunningStrategy, fault: unknown): true => {
      this.haltStrategy(running, describeThrown(fault));
      return true;
    };
    const take = (running: RunningStrategy, intents: Intents): boolean => this.#takeAnswer(running, intents);
    this.#othersBest = new OthersBestWatch(state, state.tickers.size);
    this.#listeners = new BookListeners({ onIntents: take, onFailure: failed }, this.#othersBest, state.tickers.size);
    this.stateSavers = new StateSavers(
      this.#entries.flatMap(({ running, saver }) => (saver === null ? [] : [{ running, saver }])),
      {
        onSave: (running, json) => actions.saveState(running, json),
        haltStrategy: (running, reason) => this.haltStrategy(running, reason),
      },
    );
    this.needsUpkeep =
      (keepsStates && this.stateSavers.isNeeded) || this.#entries.some(({ membership }) => membership.isDynamic);
  }

  /**
   * Time at which markets that join or leave a strategy, and states that are to be saved, are due to be looked for:
   * infinite when there will be none, minus infinity when there may be some now. Microseconds.
   */
  upkeepDueAt(): number {
    let dueAt = Number.POSITIVE_INFINITY;
    if (!this.needsUpkeep) return dueAt;
    for (const { membership, saver, running } of this.#entries) {
      // A halted strategy neither joins a market nor saves its state.
      if (running.haltedBy !== null) continue;
      const ownAt = this.#hasNewState(saver) ? Number.NEGATIVE_INFINITY : membership.changesDueAt(running.view);
      dueAt = Math.min(dueAt, ownAt);
    }
    return dueAt;
  }

  #hasNewState(saver: StateSaver | null): boolean {
    return this.#keepsStates && saver?.wasCalled === true;
  }

  /** Saves the state of each strategy that was called after its state was last read. */
  saveNewStates(): void {
    this.stateSavers.saveStates(({ saver }) => this.#hasNewState(saver));
  }

  /** Stops calls about markets and timers. Events of own orders are still delivered. */
  close(): void {
    this.#isClosed = true;
    this.#byMarket.length = 0;
    this.#listeners.close();
    for (const { running } of this.#entries) running.timers.clear();
  }

  /** Adds a market to every strategy that selects it, unless it has settled. Returns the strategies that it joined. */
  joinMarket(market: Market): readonly RunningStrategy[] {
    const joined: RunningStrategy[] = [];
    if (this.#isClosed || isSettled(market.status)) return joined;
    for (const entry of this.#entries) {
      if (!this.#runSelector(entry.running, false, () => entry.membership.shouldJoin(market, entry.running.view)))
        continue;
      this.#addMember(entry, market.index);
      joined.push(entry.running);
    }
    return joined;
  }

  #addMember({ membership, running }: Entry, market: MarketIndex): void {
    membership.addMarket(market);
    (this.#byMarket[market] ??= []).push(running);
    this.#updateListeners(market);
  }

  /**
   * Calls the followers of a market that is new or has changed. For strategies in `joined`, the market is new, and they
   * are shown its book.
   */
  announceMarketChange(moved: MarketMoved, joined: readonly RunningStrategy[]): void {
    for (const running of this.#byMarket[moved.market.index]?.slice() ?? [])
      if (joined.includes(running)) this.announceMarket(running, moved.market);
      else this.callStrategy(running, (handlers, view) => handlers.onMarket?.(moved, view));
  }

  announceMarket(running: RunningStrategy, market: Market): void {
    this.callStrategy(running, (handlers, view) => handlers.onMarket?.({ market, before: null }, view));
    if (!this.#state.books.isLive(market.index)) return;
    for (const listener of this.#entries[running.index]?.listeners ?? [])
      if (running.haltedBy === null)
        this.#listeners.showBookTo(listener, { market: market.index, at: this.#state.now });
  }

  updateMemberships(): void {
    if (this.#isClosed) return;
    for (const entry of this.#entries) {
      const { membership, running } = entry;
      if (!membership.isDynamic || running.haltedBy !== null) continue;
      const moves = this.#runSelector(running, [], () => membership.findChanges(running.view));
      for (const { market, isIn } of moves) {
        if (isIn) this.#addMember(entry, market.index);
        if (isIn) this.announceMarket(running, market);
        else this.#removeMember(entry, market);
      }
    }
  }

  #removeMember({ membership, running }: Entry, market: Market): void {
    membership.removeMarket(market.index);
    this.#byMarket[market.index] = this.#byMarket[market.index]?.filter((each) => each !== running) ?? [];
    this.#updateListeners(market.index);
    const reason = 'the selector no longer takes it';
    this.callStrategy(running, (handlers, view) => handlers.onLeave?.({ market, reason }, view));
    this.#actions.cancelStrategy(running, market.index);
  }

  /** Returns the result of a strategy's own code. When the code throws, halts the strategy and returns `otherwise`. */
  #runSelector<T>(running: RunningStrategy, otherwise: T, select: () => T): T {
    try {
      return select();
    } catch (fault) {
      this.haltStrategy(running, `its selector: ${describeThrown(fault)}`);
      return otherwise;
    }
  }

  saveFollowers(market: MarketIndex): void {
    this.stateSavers.saveStates(({ running }) => this.#byMarket[market]?.includes(running) ?? false);
  }

  #updateAllListeners(): void {
    for (const market of this.#byMarket.keys()) this.#updateListeners(market as MarketIndex);
  }

  #updateListeners(market: MarketIndex): void {
    const followers = this.#byMarket[market] ?? [];
    this.#listeners.setListeners(
      market,
      followers.flatMap(({ index }) => this.#entries[index]?.listeners ?? []),
    );
  }

  /** Removes a settled market from every strategy. */
  dropMarket(market: MarketIndex): void {
    for (const { membership } of this.#entries) membership.dropMarket(market);
    this.#byMarket[market] = [];
    this.#updateListeners(market);
  }

  /** Calls a market's strategies for a change of its book. Returns true when a strategy answered. */
  get emitBookChange(): BookListeners['emitBookChange'] {
    return this.#listeners.emitBookChange;
  }

  /** Shows a market's book to its followers as if everything in it had changed at `at`. */
  showBook(market: MarketIndex, at: Micros): void {
    this.#listeners.showBook(market, at);
  }

  /**
   * Has the strategies that follow the best price of others called at the next change of a market's book, whatever it is:
   * their answer, or its effect, may be another than at the last call. Without a market, this holds for every market.
   */
  callAtNextChange(market?: MarketIndex): void {
    if (market === undefined) this.#othersBest.markAllDue();
    else this.#othersBest.markDue(market);
  }

  showBooks(): void {
    for (const { index } of this.#state.markets.allMarkets())
      if (this.#state.books.isLive(index)) this.showBook(index, this.#state.now);
  }

  /** Halts a strategy: it is no longer called. */
  haltStrategy(running: RunningStrategy, reason: string): void {
    if (running.haltedBy !== null) return;
    running.haltedBy = reason;
    this.#updateAllListeners();
    this.#actions.haltFailed(running, reason);
  }

  /** Resumes a halted strategy with its present state. */
  resumeStrategy(name: StrategyName): void {
    const running = this.strategyNamed(name);
    if (!running) return;
    running.haltedBy = null;
    this.#updateAllListeners();
  }

  callFollowers(market: MarketIndex, call: (handlers: Handlers, view: StrategyView) => Intents): void {
    for (const running of this.#byMarket[market] ?? []) this.callStrategy(running, call);
  }

  callNamed(name: StrategyName, call: (handlers: Handlers, view: StrategyView) => Intents): void {
    const running = this.strategyNamed(name);
    if (running) this.callStrategy(running, call);
  }

  callAll(call: (handlers: Handlers, view: StrategyView) => Intents): void {
    for (const { running } of this.#entries) this.callStrategy(running, call);
  }

  /** Calls a strategy and collects its intents. A strategy that throws is halted. */
  callStrategy(running: RunningStrategy, call: (handlers: Handlers, view: StrategyView) => Intents): void {
    if (running.haltedBy !== null) return;
    const saver = this.#entries[running.index]?.saver ?? null;
    if (saver !== null) saver.wasCalled = true;
    let intents: Intents;
    try {
      intents = call(running.handlers, running.view);
    } catch (fault) {
      return this.haltStrategy(running, describeThrown(fault));
    }
    if (this.#takeAnswer(running, intents) && running.haltedBy === null) this.#callAfterQuotes(intents ?? []);
  }

  /** At the next change of a book, a strategy may replace the quotes that another of its handlers has answered. */
  #callAfterQuotes(intents: readonly Intent[]): void {
    for (const intent of intents) if (intent.type === 'quote') this.#othersBest.markDue(intent.market);
  }

  /** Passes an answer on, or halts the strategy when the answer is invalid. Returns true when there was an answer. */
  #takeAnswer(running: RunningStrategy, answer: Intents): boolean {
    if (answer === undefined) return false;
    const fault = answerFault(answer, this.#state.tickers.size);
    if (fault !== null) this.haltStrategy(running, fault);
    else if (answer.length > 0) this.#actions.submitIntents(running, answer);
    return fault !== null || answer.length > 0;
  }

  /** Sets a timer of a strategy. Too many timers halt the strategy. */
  setTimer(running: RunningStrategy, { name, at }: TimerIntent): void {
    running.timers.set(name, at);
    this.#hasNewTimer = true;
    if (running.timers.size > TIMERS_MAX) this.haltStrategy(running, `it has more than ${TIMERS_MAX} timers running`);
  }

  /** Fires the timers that are due. Those of a halted strategy wait until it is resumed. */
  fireTimers(now: Micros): void {
    for (const { running } of this.#entries) {
      if (running.haltedBy !== null) continue;
      // A timer set by a handler waits for the next call. Otherwise, a timer that sets itself again would never end.
      for (const timer of running.timers.takeDue(now)) this.#fireTimer(running, timer);
    }
  }

  /** Calls the strategy. A timer at which it fails, or that is due after the failure, stays due. */
  #fireTimer(running: RunningStrategy, timer: RunningTimer): void {
    const { name, at } = timer;
    this.callStrategy(running, (handlers, view) => handlers.onTimer?.({ name, at }, view));
    if (running.haltedBy !== null && !this.#isClosed) running.timers.putBack(timer);
  }

  /** True when a timer was set since the last call: the next timer may be another one. */
  takeNewTimer(): boolean {
    const hasNewTimer = this.#hasNewTimer;
    this.#hasNewTimer = false;
    return hasNewTimer;
  }

  /** Returns when the next timer is due that may fire; `null` when there is none. */
  timerAt(): Micros | null {
    let earliest: Micros | null = null;
    for (const { running } of this.#entries) {
      if (running.haltedBy !== null) continue;
      const at = running.timers.nextAt();
      if (at !== null && (earliest === null || at < earliest)) earliest = at;
    }
    return earliest;
  }

  strategyNamed(name: StrategyName): RunningStrategy | undefined {
    return this.#entries.find(({ running }) => running.name === name)?.running;
  }

  allStrategies(): readonly RunningStrategy[] {
    return this.#entries.map(({ running }) => running);
  }
}
