// Calls the strategies that follow a market when its book changes. Markets with the same strategies share one linked
// chain of listeners. This code runs for every change of a book. Must never call a halted strategy.
import { PresizedColumns, grownCopy } from '../base/typed-columns.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { EPOCH, type Micros } from '../domain/units.ts';
import type { StrategyView } from '../state/strategy-view.ts';
import type { RunningStrategy } from './running-strategy.ts';
import type { BookChanged, Handlers, Intents } from './strategy-definition.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

type Change = Pick<BookChanged, 'market' | 'at'>;

/** A strategy with an `onBook` handler. */
export interface BookListener {
  readonly running: RunningStrategy;
  readonly onBook: NonNullable<Handlers['onBook']>;
  readonly view: StrategyView;
}

interface Link extends BookListener {
  readonly next: Link | null;
}

/** Every link is made here: compiled code is fastest when all links have their members in the same sequence. */
const makeLink = ({ running, onBook, view }: BookListener, next: Link | null): Link => ({
  running,
  onBook,
  view,
  next,
});

/** Receives a strategy's answers and failures. Each method returns whether there was something to handle. */
export interface BookListenerSink {
  onIntents(running: RunningStrategy, intents: Intents): boolean;
  onFailure(running: RunningStrategy, fault: unknown): boolean;
}

/** The listeners of each market's book, in chains. */
export class BookListeners extends PresizedColumns {
  readonly #sink: BookListenerSink;
  /**
   * Number of the chain of each market's listeners, 0 for none. Every change of a book reads this array, so it is kept
   * small.
   */
  #chainOf = new Uint32Array(this.capacity);
  /** Chains by their number. Added when a set of strategies first follows a market; never removed. */
  readonly #chains: (Link | null)[] = [null];
  readonly #chainByKey = new Map<string, number>();
  /** Reused for every change; handlers may read it only during the call. */
  readonly #event: Mutable<BookChanged> = { market: 0 as MarketIndex, at: EPOCH, isTouch: false };

  /** @param room expected number of markets. */
  constructor(sink: BookListenerSink, room: number) {
    super(room);
    this.#sink = sink;
  }

  /** Sets the listeners of a market; the first in the list is called first. Halted strategies are left out. */
  setListeners(market: MarketIndex, followers: readonly BookListener[]): void {
    if (market >= this.#chainOf.length) this.#grow(market + 1);
    this.#chainOf[market] = this.#chainFor(followers);
  }

  #chainFor(followers: readonly BookListener[]): number {
    const active = followers.filter(({ running }) => running.haltedBy === null);
    const key = active.map(({ running }) => running.index).join();
    const existing = key === '' ? 0 : this.#chainByKey.get(key);
    if (existing !== undefined) return existing;
    this.#chainByKey.set(key, this.#chains.length);
    return this.#chains.push(active.reduceRight<Link | null>((next, listener) => makeLink(listener, next), null)) - 1;
  }

  #grow(needed: number): void {
    const length = Math.max(needed, this.#chainOf.length * 2, 16);
    this.#chainOf = grownCopy(this.#chainOf, new Uint32Array(length));
  }

  close(): void {
    this.#chainOf.fill(0);
  }

  /**
   * Calls a market's strategies for a change of its book. Returns true when a strategy answered. The chains and the
   * event are captured once, which makes the compiled code faster.
   */
  readonly emitBookChange: (change: Change, isTouch: boolean) => boolean = this.#makeBookChanged();

  #makeBookChanged(): BookListeners['emitBookChange'] {
    const chains = this.#chains;
    const event = this.#event;
    return (change, isTouch) => {
      const { market } = change;
      const first = chains[this.#chainOf[market] ?? 0] ?? null;
      if (first === null) return false;
      event.market = market;
      event.at = change.at;
      event.isTouch = isTouch;
      const isAnswered = this.#call(first, event);
      return first.next === null ? isAnswered : this.#callFrom(first.next, change, isTouch) || isAnswered;
    };
  }

  /** Calls a link and all links after it. Strategies that an earlier answer has halted are skipped. */
  #callFrom(first: Link, { market, at }: Change, isTouch: boolean): boolean {
    let isAnswered = false;
    const event = this.#event;
    for (let link: Link | null = first; link !== null; link = link.next) {
      if (link.running.haltedBy !== null) continue;
      // Written again for each link: an earlier handler may have caused a change of another book.
      event.market = market;
      event.at = at;
      event.isTouch = isTouch;
      if (this.#call(link, event)) isAnswered = true;
    }
    return isAnswered;
  }

  /** Shows a market's book to its listeners as if its touch had changed at `at`. */
  showBook(market: MarketIndex, at: Micros): void {
    const first = this.#chains[this.#chainOf[market] ?? 0] ?? null;
    if (first !== null) this.#callFrom(first, { market, at }, true);
  }

  showBookTo(listener: BookListener, { market, at }: Change): void {
    this.#call(listener, { market, at, isTouch: true });
  }

  /** This is not a closure, so nothing is allocated when the strategy has no answer. */
  #call({ running, onBook, view }: BookListener, event: BookChanged): boolean {
    let intents: Intents;
    try {
      intents = onBook(event, view);
    } catch (fault) {
      return this.#sink.onFailure(running, fault);
    }
    return intents !== undefined && this.#sink.onIntents(running, intents);
  }
}
