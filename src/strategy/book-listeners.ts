// Calls the strategies that follow a market when its book changes: at every change, or only when the best price of others
// has moved. Markets with the same strategies share one linked chain of listeners. This code runs for every change of a
// book. Must never call a halted strategy.
import { PresizedColumns, grownCopy } from '../base/typed-columns.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { EPOCH, type Micros } from '../domain/units.ts';
import type { StrategyView } from '../state/strategy-view.ts';
import type { ChangedLevel, OthersBestWatch } from './others-best-watch.ts';
import type { RunningStrategy } from './running-strategy.ts';
import type { BookChanged, Handlers, Intents } from './strategy-definition.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

type ShownBook = Pick<BookChanged, 'market' | 'at'>;

/** A changed level, and the time of the change. */
export interface LevelChange extends ChangedLevel {
  readonly at: Micros;
}

/** A handler of a strategy for changes of a book. */
export interface BookListener {
  readonly running: RunningStrategy;
  readonly onBook: NonNullable<Handlers['onBook']>;
  readonly view: StrategyView;
  /** True for a handler that is called only when the best price of others has moved. */
  readonly isSelective: boolean;
}

interface Link extends BookListener {
  readonly next: Link | null;
  /** True when this link, or one after it, is selective. */
  readonly hasSelective: boolean;
}

/** Every link is made here: compiled code is fastest when all links have their members in the same sequence. */
const makeLink = ({ running, onBook, view, isSelective }: BookListener, next: Link | null): Link => ({
  running,
  onBook,
  view,
  isSelective,
  hasSelective: isSelective || next?.hasSelective === true,
  next,
});

/** Bits that say whether a change of a book has moved the touch, and the best price of others. */
const TOUCH_MOVED = 1;
const OTHERS_BEST_MOVED = 2;

/** Receives a strategy's answers and failures. Each method returns whether there was something to handle. */
export interface BookListenerSink {
  onIntents(running: RunningStrategy, intents: Intents): boolean;
  onFailure(running: RunningStrategy, fault: unknown): boolean;
}

/** The listeners of each market's book, in chains. */
export class BookListeners extends PresizedColumns {
  readonly #sink: BookListenerSink;
  readonly #othersBest: OthersBestWatch;
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
  constructor(sink: BookListenerSink, othersBest: OthersBestWatch, room: number) {
    super(room);
    this.#sink = sink;
    this.#othersBest = othersBest;
  }

  /** Sets the listeners of a market; the first in the list is called first. Halted strategies are left out. */
  setListeners(market: MarketIndex, followers: readonly BookListener[]): void {
    if (market >= this.#chainOf.length) this.#grow(market + 1);
    this.#chainOf[market] = this.#chainFor(followers);
    this.#othersBest.markDue(market);
  }

  #chainFor(followers: readonly BookListener[]): number {
    const active = followers.filter(({ running }) => running.haltedBy === null);
    const key = active.map(({ running, isSelective }) => `${running.index}${isSelective ? 's' : ''}`).join();
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
  readonly emitBookChange: (change: LevelChange, isTouch: boolean) => boolean = this.#makeBookChanged();

  #makeBookChanged(): BookListeners['emitBookChange'] {
    const chains = this.#chains;
    const event = this.#event;
    return (change, isTouch) => {
      const { market } = change;
      const first = chains[this.#chainOf[market] ?? 0] ?? null;
      if (first === null) return false;
      const isOthersBest = first.hasSelective && this.#othersBest.hasMoved(change);
      if (first.next !== null)
        return this.#callFrom(first, change, (isTouch ? TOUCH_MOVED : 0) | (isOthersBest ? OTHERS_BEST_MOVED : 0));
      if (first.isSelective && !isOthersBest) return false;
      event.market = market;
      event.at = change.at;
      event.isTouch = isTouch;
      return this.#call(first, event);
    };
  }

  /** Calls a link and all links after it. Strategies that an earlier answer has halted are skipped. */
  #callFrom(first: Link, { market, at }: ShownBook, moved: number): boolean {
    let isAnswered = false;
    const event = this.#event;
    for (let link: Link | null = first; link !== null; link = link.next) {
      if (link.running.haltedBy !== null || (link.isSelective && (moved & OTHERS_BEST_MOVED) === 0)) continue;
      // Written again for each link: an earlier handler may have caused a change of another book.
      event.market = market;
      event.at = at;
      event.isTouch = (moved & TOUCH_MOVED) !== 0;
      if (this.#call(link, event)) isAnswered = true;
    }
    return isAnswered;
  }

  /** Shows a market's book to its listeners as if everything in it had changed at `at`. */
  showBook(market: MarketIndex, at: Micros): void {
    const first = this.#chains[this.#chainOf[market] ?? 0] ?? null;
    if (first === null) return;
    this.#othersBest.markDue(market);
    this.#callFrom(first, { market, at }, TOUCH_MOVED | OTHERS_BEST_MOVED);
  }

  showBookTo(listener: BookListener, { market, at }: ShownBook): void {
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
