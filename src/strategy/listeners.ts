// Who is told of every change of a book: a chain of strategies for each market, one chain for all that have the same.
// The hot path of a session. Must never tell one that was halted.
import { ByMarket, grownCopy } from '../domain/columns.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { EPOCH, type Micros } from '../domain/units.ts';
import type { StrategyView } from '../state/view.ts';
import type { Running } from './running.ts';
import type { BookChanged, Handlers, Intents } from './strategy.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What of a change is told. */
type Change = Pick<BookChanged, 'market' | 'at'>;

/** A strategy that is told of every change of a book. */
export interface Listener {
  readonly running: Running;
  readonly onBook: NonNullable<Handlers['onBook']>;
  readonly view: StrategyView;
}

/** One in a chain, and the next: all of one shape, whatever shape the strategies' handlers have. */
interface Link extends Listener {
  readonly next: Link | null;
}

/** The only place where one is made: all are of one shape. */
const linked = ({ running, onBook, view }: Listener, next: Link | null): Link => ({ running, onBook, view, next });

/** What becomes of what a strategy said, and of what it threw: whether there was anything. */
export interface Listening {
  take(running: Running, intents: Intents): boolean;
  failed(running: Running, fault: unknown): boolean;
}

/** The chains. */
export class Listeners extends ByMarket {
  readonly #listening: Listening;
  /** Which chain a market's listeners are, 0 being nobody: what every change of a book reads should be little. */
  #chainOf = new Uint32Array(this.room);
  readonly #chains: (Link | null)[] = [null];
  readonly #chainByKey = new Map<string, number>();
  /** Reused for every change: borrowed by the handlers. */
  readonly #event: Mutable<BookChanged> = { market: 0 as MarketIndex, at: EPOCH, isTouch: false };

  /** `room`: so many markets are expected. */
  constructor(listening: Listening, room: number) {
    super(room);
    this.#listening = listening;
  }

  /** From now on a market's changes are told to these, in this order, but for those who are halted now. */
  follow(market: MarketIndex, followers: readonly Listener[]): void {
    if (market >= this.#chainOf.length) this.#grow(market + 1);
    this.#chainOf[market] = this.#chainFor(followers);
  }

  #chainFor(followers: readonly Listener[]): number {
    const told = followers.filter(({ running }) => running.haltedBy === null);
    const key = told.map(({ running }) => running.index).join();
    const known = key === '' ? 0 : this.#chainByKey.get(key);
    if (known !== undefined) return known;
    this.#chainByKey.set(key, this.#chains.length);
    return this.#chains.push(told.reduceRight<Link | null>((next, one) => linked(one, next), null)) - 1;
  }

  #grow(needed: number): void {
    const length = Math.max(needed, this.#chainOf.length * 2, 16);
    this.#chainOf = grownCopy(this.#chainOf, new Uint32Array(length));
  }

  /** Nobody is told of anything any more. */
  close(): void {
    this.#chainOf.fill(0);
  }

  /**
   * Tells a market's strategies that a level of its book changed. Whether any had something to say. All that it uses is
   * captured, which compiled code can rely on.
   */
  readonly bookChanged: (change: Change, isTouch: boolean) => boolean = this.#teller();

  #teller(): Listeners['bookChanged'] {
    const chains = this.#chains;
    const event = this.#event;
    return (change, isTouch) => {
      const { market } = change;
      const first = chains[this.#chainOf[market] ?? 0] ?? null;
      if (first === null) return false;
      event.market = market;
      event.at = change.at;
      event.isTouch = isTouch;
      const isAnswered = this.#tell(first, event);
      return first.next === null ? isAnswered : this.#tellFrom(first.next, change, isTouch) || isAnswered;
    };
  }

  /** Tells one of a chain and all behind it: what one of them says may halt the next. */
  #tellFrom(first: Link, { market, at }: Change, isTouch: boolean): boolean {
    let isAnswered = false;
    const event = this.#event;
    for (let link: Link | null = first; link !== null; link = link.next) {
      if (link.running.haltedBy !== null) continue;
      // Anew: whoever was told before may have been told of another book meanwhile.
      event.market = market;
      event.at = at;
      event.isTouch = isTouch;
      if (this.#tell(link, event)) isAnswered = true;
    }
    return isAnswered;
  }

  /** Shows a market's book to those who follow it, as if its touch had changed at a time. */
  show(market: MarketIndex, at: Micros): void {
    const first = this.#chains[this.#chainOf[market] ?? 0] ?? null;
    if (first !== null) this.#tellFrom(first, { market, at }, true);
  }

  /** Shows one of them a market's book, as if its touch had changed at a time. */
  welcome(one: Listener, { market, at }: Change): void {
    this.#tell(one, { market, at, isTouch: true });
  }

  /** Without a closure: nothing is allocated when the strategy has nothing to say. */
  #tell({ running, onBook, view }: Listener, event: BookChanged): boolean {
    let intents: Intents;
    try {
      intents = onBook(event, view);
    } catch (fault) {
      return this.#listening.failed(running, fault);
    }
    return intents !== undefined && this.#listening.take(running, intents);
  }
}
