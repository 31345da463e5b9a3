// The running strategies: which markets each has joined, whom an event concerns, what they answer, and what they keep.
// A strategy that throws is halted alone; the others never notice.
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

/** What to do with a strategy's answer, and with its failure. */
export interface RosterSink {
  onIntents(running: Running, intents: readonly Intent[]): void;
  onHalt(running: Running, reason: string): void;
  /** A market is none of a strategy's any more: what rests there of it must go. */
  onLeave(running: Running, market: MarketIndex): void;
  /** What a strategy keeps is not what it kept before. */
  onSave(running: Running, json: string): void;
  /** Where views get what the state does not hold. */
  readonly sources?: ViewSources;
}

/** Timers that one strategy may have running: more are those of one that never lets go. */
const TIMERS_MAX = 10_000;

interface Entry {
  readonly running: Running;
  readonly membership: Membership;
  /** `null` when it keeps nothing. */
  readonly keeper: Keeper | null;
  /** `null` when it is not told of books. */
  readonly listener: Listener | null;
}

/** What is told of books. Of those that keep something it is noted that they were asked, and of nobody else. */
function bookHandler(handlers: Handlers, keeper: Keeper | null): Listener['onBook'] | undefined {
  const onBook = handlers.onBook?.bind(handlers);
  if (onBook === undefined || keeper === null) return onBook;
  return (event, view) => {
    keeper.isAsked = true;
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
  /** Whether anybody's markets must be looked at again and again, or what they keep. */
  readonly needsCare: boolean;
  /** What they keep. */
  readonly keepers: Keepers;

  constructor(state: State, strategies: readonly BoundStrategy[], sink: RosterSink) {
    this.#state = state;
    this.#sink = sink;
    const books: BookView[] = [];
    this.#entries = strategies.map((bound, index) => {
      const membership = new Membership(state, bound.selector);
      const { list: markets } = membership;
      const view = new StrategyView(state, books, {
        strategy: bound.name,
        markets,
        ...(sink.sources && { sources: sink.sources }),
      });
      const { name, handlers, keeping } = bound;
      const running: Running = { name, index, handlers, view, timers: new Map(), haltedBy: null };
      const keeper = keeping ? new Keeper(keeping) : null;
      const onBook = bookHandler(handlers, keeper);
      return { running, membership, keeper, listener: onBook ? { running, onBook, view } : null };
    });
    const failed = (running: Running, fault: unknown): true => {
      this.halt(running, describeThrown(fault));
      return true;
    };
    const take = (running: Running, intents: Intents): boolean => this.#take(running, intents);
    this.#listeners = new Listeners({ take, failed }, state.tickers.size);
    this.keepers = new Keepers(
      this.#entries.flatMap(({ running, keeper }) => (keeper === null ? [] : [{ running, keeper }])),
      { onSave: (...kept) => sink.onSave(...kept), halt: (...failed) => this.halt(...failed) },
    );
    this.needsCare = this.keepers.isNeeded || this.#entries.some(({ membership }) => membership.isDynamic);
  }

  /** Tells nobody of markets and timers any more; what becomes of own orders is still told. */
  close(): void {
    this.#isClosed = true;
    this.#byMarket.length = 0;
    this.#listeners.close();
    for (const { running } of this.#entries) running.timers.clear();
  }

  /** Lets a market join every strategy that selects it; one that is over is nobody's. Returns those that it was new to. */
  join(market: Market): readonly Running[] {
    const joined: Running[] = [];
    if (this.#isClosed || isSettled(market.status)) return joined;
    for (const entry of this.#entries) {
      if (!this.#guarded(entry.running, false, () => entry.membership.takes(market, entry.running.view))) continue;
      this.#add(entry, market.index);
      joined.push(entry.running);
    }
    return joined;
  }

  #add({ membership, running }: Entry, market: MarketIndex): void {
    membership.add(market);
    (this.#byMarket[market] ??= []).push(running);
    this.#listen(market);
  }

  /** Tells those who follow a market how it moved on; to those who have just joined it is new, and its book is shown. */
  marketMoved(moved: MarketMoved, joined: readonly Running[]): void {
    for (const running of this.#byMarket[moved.market.index]?.slice() ?? [])
      if (joined.includes(running)) this.welcome(running, moved.market);
      else this.ask(running, (handlers, view) => handlers.onMarket?.(moved, view));
  }

  /** Tells a strategy of a market that is new to it, and shows it the book. */
  welcome(running: Running, market: Market): void {
    this.ask(running, (handlers, view) => handlers.onMarket?.({ market, before: null }, view));
    const listener = this.#entries[running.index]?.listener;
    if (!listener || running.haltedBy !== null || !this.#state.books.isLive(market.index)) return;
    this.#listeners.welcome(listener, { market: market.index, at: this.#state.now });
  }

  /** Looks again at whose the markets are that may join and leave. */
  look(): void {
    if (this.#isClosed) return;
    for (const entry of this.#entries) {
      const { membership, running } = entry;
      if (!membership.isDynamic || running.haltedBy !== null) continue;
      const moves = this.#guarded(running, [], () => membership.look(running.view));
      for (const { market, isIn } of moves) {
        if (isIn) this.#add(entry, market.index);
        if (isIn) this.welcome(running, market);
        else this.#remove(entry, market);
      }
    }
  }

  #remove({ membership, running }: Entry, market: Market): void {
    membership.remove(market.index);
    this.#byMarket[market.index] = this.#byMarket[market.index]?.filter((one) => one !== running) ?? [];
    this.#listen(market.index);
    const reason = 'the selector does not take it any more';
    this.ask(running, (handlers, view) => handlers.onLeave?.({ market, reason }, view));
    this.#sink.onLeave(running, market.index);
  }

  /** What a strategy's own code says of itself; `otherwise` where it throws, which halts it. */
  #guarded<T>(running: Running, otherwise: T, look: () => T): T {
    try {
      return look();
    } catch (fault) {
      this.halt(running, `its selector: ${describeThrown(fault)}`);
      return otherwise;
    }
  }

  /** Has all who follow a market keep what they want to keep. */
  keepFollowers(market: MarketIndex): void {
    this.keepers.keep(({ running }) => this.#byMarket[market]?.includes(running) ?? false);
  }

  /** Somebody was halted, or is asked again. */
  #listenAgain(): void {
    for (const market of this.#byMarket.keys()) this.#listen(market as MarketIndex);
  }

  #listen(market: MarketIndex): void {
    const followers = this.#byMarket[market] ?? [];
    this.#listeners.follow(
      market,
      followers.flatMap(({ index }) => this.#entries[index]?.listener ?? []),
    );
  }

  /** Lets a settled market leave. */
  leave(market: MarketIndex): void {
    for (const { membership } of this.#entries) membership.drop(market);
    this.#byMarket[market] = [];
    this.#listen(market);
  }

  /** Tells a market's strategies that a level of its book changed. Whether any had something to say. */
  get bookChanged(): Listeners['bookChanged'] {
    return this.#listeners.bookChanged;
  }

  /** Shows a market's book to those who follow it, as if its touch had changed at a time. */
  showBook(market: MarketIndex, at: Micros): void {
    this.#listeners.show(market, at);
  }

  /** Shows every book that is believed. */
  showBooks(): void {
    for (const { index } of this.#state.markets.all())
      if (this.#state.books.isLive(index)) this.showBook(index, this.#state.now);
  }

  /** Asks a strategy nothing more. */
  halt(running: Running, reason: string): void {
    if (running.haltedBy !== null) return;
    running.haltedBy = reason;
    this.#listenAgain();
    this.#sink.onHalt(running, reason);
  }

  /** Asks a halted strategy again, as it is: whether it is fit to be asked is the operator's judgment. */
  resume(name: StrategyName): void {
    const running = this.named(name);
    if (!running) return;
    running.haltedBy = null;
    this.#listenAgain();
  }

  /** Asks everyone who has joined a market. */
  askFollowers(market: MarketIndex, question: (handlers: Handlers, view: StrategyView) => Intents): void {
    for (const running of this.#byMarket[market] ?? []) this.ask(running, question);
  }

  /** Asks one strategy by name; an unknown name is nobody. */
  askNamed(name: StrategyName, question: (handlers: Handlers, view: StrategyView) => Intents): void {
    const running = this.named(name);
    if (running) this.ask(running, question);
  }

  /** Asks every strategy. */
  askAll(question: (handlers: Handlers, view: StrategyView) => Intents): void {
    for (const { running } of this.#entries) this.ask(running, question);
  }

  /** Asks a strategy, takes its intents, and halts it if it throws. */
  ask(running: Running, question: (handlers: Handlers, view: StrategyView) => Intents): void {
    if (running.haltedBy !== null) return;
    const keeper = this.#entries[running.index]?.keeper ?? null;
    if (keeper !== null) keeper.isAsked = true;
    let intents: Intents;
    try {
      intents = question(running.handlers, running.view);
    } catch (fault) {
      return this.halt(running, describeThrown(fault));
    }
    this.#take(running, intents);
  }

  /** Takes an answer, or halts whose it is where it is none. Whether there was anything to take. */
  #take(running: Running, answer: Intents): boolean {
    if (answer === undefined) return false;
    const fault = answerFault(answer);
    if (fault !== null) this.halt(running, fault);
    else if (answer.length > 0) this.#sink.onIntents(running, answer);
    return fault !== null || answer.length > 0;
  }

  /** Sets a timer of a strategy. One that could never fire, or that is one too many, halts it. */
  setTimer(running: Running, { name, at }: TimerIntent): void {
    if (!Number.isFinite(at)) return this.halt(running, `its timer "${name}" is to fire at ${at}, which is no time`);
    running.timers.set(name, at);
    if (running.timers.size > TIMERS_MAX) this.halt(running, `it has more than ${TIMERS_MAX} timers running`);
  }

  /** Calls back the timers that are due. */
  fireTimers(now: Micros): void {
    for (const { running } of this.#entries) {
      // A timer that a timer sets waits for the next time, or there would be no end to it.
      const due = [...running.timers].filter(([, at]) => at <= now);
      for (const [name] of due) running.timers.delete(name);
      for (const [name, at] of due) this.ask(running, (handlers, view) => handlers.onTimer?.({ name, at }, view));
    }
  }

  /** When the next timer is due; `null` when none is set. */
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
