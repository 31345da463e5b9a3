// Runs the strategies: holds the markets that each has joined, calls the strategies that an event concerns, and
// collects their answers and their saved states. A strategy that throws is halted alone; the others are not affected.
import type { MarketIndex, StrategyName } from '../domain/ids.ts';
import type { Intent, TimerIntent } from '../domain/intent.ts';
import { type Market, isSettled } from '../domain/market.ts';
import type { Micros } from '../domain/units.ts';
import type { State } from '../state/state.ts';
import type { BookView } from '../state/book-view.ts';
import type { ViewSources } from '../state/view-sources.ts';
import { StrategyView } from '../state/view.ts';
import { answerFault } from './answer.ts';
import { describeThrown } from './fault-place.ts';
import { Keepers } from './keepers.ts';
import { Keeper } from './kept.ts';
import { type Listener, Listeners } from './listeners.ts';
import { Membership } from './membership.ts';
import type { Running } from './running.ts';
import type { BoundStrategy, Handlers, Intents, MarketMoved } from './strategy.ts';

export type { Running } from './running.ts';

/** Receives strategies' answers and failures. */
export interface RosterSink {
  onIntents(running: Running, intents: readonly Intent[]): void;
  onHalt(running: Running, reason: string): void;
  /** A market is no longer one of a strategy's: its resting orders there must be canceled. */
  onLeave(running: Running, market: MarketIndex): void;
  /** The state of a strategy has changed. */
  onSave(running: Running, json: string): void;
  /** Source of what views show beyond the state. */
  readonly sources?: ViewSources;
}

/** Timers that one strategy may have running at once. A strategy with more leaks them. */
const TIMERS_MAX = 10_000;

interface Entry {
  readonly running: Running;
  readonly membership: Membership;
  /** `null` when it saves no state. */
  readonly saver: Keeper | null;
  /** `null` when it has no `onBook`. */
  readonly listener: Listener | null;
}

/** Returns the bound `onBook`. For a strategy that saves its state it also marks that the strategy was called. */
function bookHandler(handlers: Handlers, saver: Keeper | null): Listener['onBook'] | undefined {
  const onBook = handlers.onBook?.bind(handlers);
  if (onBook === undefined || saver === null) return onBook;
  return (event, view) => {
    saver.isAsked = true;
    return onBook(event, view);
  };
}

/** All strategies of a session. */
export class Roster {
  readonly #state: State;
  readonly #sink: RosterSink;
  readonly #entries: readonly Entry[];
  readonly #byMarket: Running[][] = [];
  readonly #listeners: Listeners;
  #isClosed = false;
  /** True when markets must be checked again and again, or states saved. */
  readonly needsCare: boolean;
  /** The saved states. */
  readonly keepers: Keepers;

  constructor(state: State, strategies: readonly BoundStrategy[], sink: RosterSink) {
    this.#state = state;
    this.#sink = sink;
    const books: BookView[] = [];
    this.#entries = strategies.map((bound, index) => {
      const membership = new Membership(state, bound.selector);
      const markets = membership.list;
      const view = new StrategyView(state, books, {
        strategy: bound.name,
        markets,
        ...(sink.sources && { sources: sink.sources }),
      });
      const { name, handlers, keeping } = bound;
      const running: Running = { name, index, handlers, view, timers: new Map(), haltedBy: null };
      const saver = keeping ? new Keeper(keeping) : null;
      const onBook = bookHandler(handlers, saver);
      return { running, membership, saver, listener: onBook ? { running, onBook, view } : null };
    });
    const failed = (running: Running, fault: unknown): true => {
      this.halt(running, describeThrown(fault));
      return true;
    };
    const take = (running: Running, intents: Intents): boolean => this.#takeAnswer(running, intents);
    this.#listeners = new Listeners({ take, failed }, state.tickers.size);
    this.keepers = new Keepers(
      this.#entries.flatMap(({ running, saver }) => (saver === null ? [] : [{ running, saver }])),
      { onSave: (running, json) => sink.onSave(running, json), halt: (running, reason) => this.halt(running, reason) },
    );
    this.needsCare = this.keepers.isNeeded || this.#entries.some(({ membership }) => membership.isDynamic);
  }

  /** Stops calls about markets and timers. Events of own orders are still delivered. */
  close(): void {
    this.#isClosed = true;
    this.#byMarket.length = 0;
    this.#listeners.close();
    for (const { running } of this.#entries) running.timers.clear();
  }

  /**
   * Adds a market to every strategy that selects it, unless it has settled. Returns the strategies to which it is new.
   */
  join(market: Market): readonly Running[] {
    const joined: Running[] = [];
    if (this.#isClosed || isSettled(market.status)) return joined;
    for (const entry of this.#entries) {
      if (!this.#runSelector(entry.running, false, () => entry.membership.takes(market, entry.running.view))) continue;
      this.#addMember(entry, market.index);
      joined.push(entry.running);
    }
    return joined;
  }

  #addMember({ membership, running }: Entry, market: MarketIndex): void {
    membership.add(market);
    (this.#byMarket[market] ??= []).push(running);
    this.#updateListeners(market);
  }

  /**
   * Calls the followers of a market that moved on. To those that have just joined, the market is new and its book is
   * shown.
   */
  marketMoved(moved: MarketMoved, joined: readonly Running[]): void {
    for (const running of this.#byMarket[moved.market.index]?.slice() ?? [])
      if (joined.includes(running)) this.welcome(running, moved.market);
      else this.ask(running, (handlers, view) => handlers.onMarket?.(moved, view));
  }

  /** Announces a new market to a strategy and shows its book. */
  welcome(running: Running, market: Market): void {
    this.ask(running, (handlers, view) => handlers.onMarket?.({ market, before: null }, view));
    const listener = this.#entries[running.index]?.listener;
    if (!listener || running.haltedBy !== null || !this.#state.books.isLive(market.index)) return;
    this.#listeners.welcome(listener, { market: market.index, at: this.#state.now });
  }

  /** Checks again which markets join and leave. */
  look(): void {
    if (this.#isClosed) return;
    for (const entry of this.#entries) {
      const { membership, running } = entry;
      if (!membership.isDynamic || running.haltedBy !== null) continue;
      const moves = this.#runSelector(running, [], () => membership.look(running.view));
      for (const { market, isIn } of moves) {
        if (isIn) this.#addMember(entry, market.index);
        if (isIn) this.welcome(running, market);
        else this.#removeMember(entry, market);
      }
    }
  }

  #removeMember({ membership, running }: Entry, market: Market): void {
    membership.remove(market.index);
    this.#byMarket[market.index] = this.#byMarket[market.index]?.filter((each) => each !== running) ?? [];
    this.#updateListeners(market.index);
    const reason = 'the selector no longer takes it';
    this.ask(running, (handlers, view) => handlers.onLeave?.({ market, reason }, view));
    this.#sink.onLeave(running, market.index);
  }

  /** Returns the result of a strategy's own code, or `otherwise` when it throws, which halts the strategy. */
  #runSelector<T>(running: Running, otherwise: T, select: () => T): T {
    try {
      return select();
    } catch (fault) {
      this.halt(running, `its selector: ${describeThrown(fault)}`);
      return otherwise;
    }
  }

  /** Saves the changed states of a market's followers. */
  keepFollowers(market: MarketIndex): void {
    this.keepers.keep(({ running }) => this.#byMarket[market]?.includes(running) ?? false);
  }

  /** Rebuilds all chains of listeners, because a strategy was halted or resumed. */
  #updateAllListeners(): void {
    for (const market of this.#byMarket.keys()) this.#updateListeners(market as MarketIndex);
  }

  #updateListeners(market: MarketIndex): void {
    const followers = this.#byMarket[market] ?? [];
    this.#listeners.follow(
      market,
      followers.flatMap(({ index }) => this.#entries[index]?.listener ?? []),
    );
  }

  /** Removes a settled market from every strategy. */
  leave(market: MarketIndex): void {
    for (const { membership } of this.#entries) membership.drop(market);
    this.#byMarket[market] = [];
    this.#updateListeners(market);
  }

  /** Calls a market's strategies for a change of a level of its book. Returns true when one of them answered. */
  get bookChanged(): Listeners['bookChanged'] {
    return this.#listeners.bookChanged;
  }

  /** Shows a market's book to its followers as if its touch had changed at `at`. */
  showBook(market: MarketIndex, at: Micros): void {
    this.#listeners.show(market, at);
  }

  /** Shows every live book. */
  showBooks(): void {
    for (const { index } of this.#state.markets.all())
      if (this.#state.books.isLive(index)) this.showBook(index, this.#state.now);
  }

  /** Halts a strategy: it is no longer called. */
  halt(running: Running, reason: string): void {
    if (running.haltedBy !== null) return;
    running.haltedBy = reason;
    this.#updateAllListeners();
    this.#sink.onHalt(running, reason);
  }

  /** Resumes a halted strategy with its state as it is. The operator judges whether it is fit to run. */
  resume(name: StrategyName): void {
    const running = this.named(name);
    if (!running) return;
    running.haltedBy = null;
    this.#updateAllListeners();
  }

  /** Calls every strategy that has joined a market. */
  askFollowers(market: MarketIndex, call: (handlers: Handlers, view: StrategyView) => Intents): void {
    for (const running of this.#byMarket[market] ?? []) this.ask(running, call);
  }

  /** Calls one strategy by name; does nothing for an unknown name. */
  askNamed(name: StrategyName, call: (handlers: Handlers, view: StrategyView) => Intents): void {
    const running = this.named(name);
    if (running) this.ask(running, call);
  }

  /** Calls every strategy. */
  askAll(call: (handlers: Handlers, view: StrategyView) => Intents): void {
    for (const { running } of this.#entries) this.ask(running, call);
  }

  /** Calls a strategy, collects its intents, and halts it if it throws. */
  ask(running: Running, call: (handlers: Handlers, view: StrategyView) => Intents): void {
    if (running.haltedBy !== null) return;
    const saver = this.#entries[running.index]?.saver ?? null;
    if (saver !== null) saver.isAsked = true;
    let intents: Intents;
    try {
      intents = call(running.handlers, running.view);
    } catch (fault) {
      return this.halt(running, describeThrown(fault));
    }
    this.#takeAnswer(running, intents);
  }

  /** Passes an answer on, or halts the strategy when the answer is invalid. Returns true when there was an answer. */
  #takeAnswer(running: Running, answer: Intents): boolean {
    if (answer === undefined) return false;
    const fault = answerFault(answer);
    if (fault !== null) this.halt(running, fault);
    else if (answer.length > 0) this.#sink.onIntents(running, answer);
    return fault !== null || answer.length > 0;
  }

  /** Sets a timer of a strategy. A timer that could never fire, or one too many, halts the strategy. */
  setTimer(running: Running, { name, at }: TimerIntent): void {
    if (!Number.isFinite(at)) return this.halt(running, `its timer "${name}" is set to ${at}, which is not a time`);
    running.timers.set(name, at);
    if (running.timers.size > TIMERS_MAX) this.halt(running, `it has more than ${TIMERS_MAX} timers running`);
  }

  /** Fires the timers that are due. */
  fireTimers(now: Micros): void {
    for (const { running } of this.#entries) {
      // A timer that is set by a timer waits for the next call, or this would never end.
      const due = [...running.timers].filter(([, at]) => at <= now);
      for (const [name] of due) running.timers.delete(name);
      for (const [name, at] of due) this.ask(running, (handlers, view) => handlers.onTimer?.({ name, at }, view));
    }
  }

  /** The time at which the next timer is due; `null` when none is set. */
  timerAt(): Micros | null {
    let earliest: Micros | null = null;
    for (const { running } of this.#entries)
      for (const at of running.timers.values()) if (earliest === null || at < earliest) earliest = at;
    return earliest;
  }

  named(name: StrategyName): Running | undefined {
    return this.#entries.find(({ running }) => running.name === name)?.running;
  }

  all(): readonly Running[] {
    return this.#entries.map(({ running }) => running);
  }
}
