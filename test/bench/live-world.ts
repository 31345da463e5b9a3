// An engine, a prompt venue and a virtual clock: a live session without sockets. It times every call of the engine, and
// splits the time by cause. Must never count the venue's time.
import { EVENT_NATURES } from '../../src/domain/event-kinds.ts';
import type { BookDelta, EngineEvent } from '../../src/domain/event.ts';
import { strategyName } from '../../src/domain/ids.ts';
import type { Market, Series } from '../../src/domain/market.ts';
import { NOTHING_RESTORED } from '../../src/domain/operator-order.ts';
import { type Micros, contracts, micros } from '../../src/domain/units.ts';
import { Engine } from '../../src/engine.ts';
import type { Handlers, Intents } from '../../src/strategy/strategy-definition.ts';
import { tickerTable } from '../support/engine/builders.ts';
import { PromptVenue } from './prompt-venue.ts';
import { tapeEngineOptions } from './tape-engine.ts';

/**
 * Causes of the engine's work: changes of books that no strategy answers; answers of strategies, with the orders that
 * follow; answers of the venue to orders, and its reports about them; lists and other facts; the time that passes.
 * `strategy` is the time within the strategy's own code.
 */
export const CAUSES = ['rows', 'orders', 'answers', 'lists', 'time', 'strategy'] as const;
export type Cause = (typeof CAUSES)[number];

/** The handlers that the clocked strategies have. */
export type ClockedHandlers = Required<Pick<Handlers, 'onBook' | 'onTimer'>>;

/** The changes of books that happen while time passes. */
export interface ChangeSource {
  /** Fills in the next change, apart from its times. Returns false when there is none. */
  readonly nextChange: (into: BookDelta) => boolean;
  /** Time until the next change. Microseconds. */
  readonly wait: () => number;
  readonly first: BookDelta;
}

/** Time between two signs of life of the feed, when nothing else arrives. Microseconds. */
const HEARD_EVERY = 5_000_000;
/** Time from the venue to us. Microseconds. */
const FEED_DELAY = 300;
/** One of this many changes comes with a trade of an order of ours. */
const CHANGES_PER_TRADE = 100;
const NEVER = Number.POSITIVE_INFINITY;

/** One session in virtual time. */
export class LiveWorld {
  readonly venue: PromptVenue;
  readonly engine: Engine;
  /** Time of the engine by cause, since the last `clearFigures`. Milliseconds. */
  readonly ms: Record<Cause, number> = { rows: 0, orders: 0, answers: 0, lists: 0, time: 0, strategy: 0 };
  /** The longest step of the engine. Milliseconds. */
  longestMs = 0;
  /** Number of commands sent, by type. */
  readonly sent = new Map<string, number>();
  changes = 0;
  #now: Micros;
  #heardAt: number;
  /** Time within the strategy's code during this step; true when it answered. */
  #strategyMs = 0;
  #hasAnswered = false;

  constructor(series: Series, markets: readonly Market[], handlers: ClockedHandlers) {
    const [first] = markets;
    if (first === undefined) throw new Error('a session needs a market');
    this.#now = first.openAt;
    this.#heardAt = this.#now + HEARD_EVERY;
    this.venue = new PromptVenue(series, markets, this.#now);
    const tickers = tickerTable(markets.length);
    const strategy = { name: strategyName('bench'), selector: {}, handlers: this.#clocked(handlers) };
    this.engine = new Engine(tapeEngineOptions({ tickers, observe: () => {} }, [strategy]));
  }

  #clocked({ onBook, onTimer }: ClockedHandlers): Handlers {
    const clocked = (call: () => Intents): Intents => {
      const began = performance.now();
      const answer = call();
      this.#strategyMs += performance.now() - began;
      if (answer !== undefined) this.#hasAnswered = true;
      return answer;
    };
    return {
      onBook: (event, view) => clocked(() => onBook(event, view)),
      onTimer: (event, view) => clocked(() => onTimer(event, view)),
    };
  }

  /** Starts the session, and lets it become ready. */
  startTrading(seconds: number): void {
    this.#step({ kind: 'start', at: this.#now, session: 's', carried: NOTHING_RESTORED });
    this.venue.connectFeed();
    this.passTime(seconds);
    const { phase } = this.engine.session;
    if (phase !== 'trading') throw new Error(`the session is ${phase} after ${seconds} seconds`);
  }

  clearFigures(): void {
    for (const cause of CAUSES) this.ms[cause] = 0;
    this.longestMs = 0;
    this.changes = 0;
    this.sent.clear();
  }

  /** Time of the engine for all causes. Milliseconds. */
  get wholeMs(): number {
    return CAUSES.reduce((sum, cause) => sum + this.ms[cause], 0);
  }

  /** Lets time pass, with the changes of a source if there is one. */
  passTime(seconds: number, source: ChangeSource | null = null): void {
    const end = this.#now + seconds * 1_000_000;
    let changeAt = source === null ? NEVER : this.#now + source.wait();
    for (;;) {
      const wakeAt = Math.max(this.#now, this.#wakeAt());
      const venueAt = this.venue.nextAt();
      const next = Math.min(changeAt, venueAt, wakeAt, this.#heardAt);
      if (next > end) break;
      this.#setNow(next);
      if (next === venueAt) this.#step(this.venue.takeNext());
      else if (source !== null && next === changeAt) changeAt = this.#change(source);
      else if (next === this.#heardAt) this.#step({ kind: 'feed-heard', at: this.#now });
      else this.#step({ kind: 'timer', at: this.#now });
    }
    this.#setNow(end);
  }

  #setNow(now: number): void {
    this.#now = micros(now);
    this.venue.now = this.#now;
  }

  #wakeAt(): number {
    const began = performance.now();
    const at = this.engine.wakeAt();
    this.ms.time += performance.now() - began;
    return at ?? NEVER;
  }

  /** Makes one change, at times with a trade. Returns the time of the next one. */
  #change(source: ChangeSource): number {
    const delta = source.first;
    if (!source.nextChange(delta)) return NEVER;
    delta.at = this.#now;
    delta.exchangeAt = micros(this.#now - FEED_DELAY);
    this.venue.changeLevel(delta.market, delta.side, delta);
    this.#step(delta);
    this.changes += 1;
    if (this.changes % CHANGES_PER_TRADE === 0) this.venue.tradeNewest(contracts(1));
    return this.#now + source.wait();
  }

  #step(event: EngineEvent): void {
    this.#heardAt = this.#now + HEARD_EVERY;
    this.#strategyMs = 0;
    this.#hasAnswered = false;
    const began = performance.now();
    const commands = this.engine.step(event);
    const ms = performance.now() - began;
    this.ms[this.#causeOf(event)] += ms - this.#strategyMs;
    this.ms.strategy += this.#strategyMs;
    this.longestMs = Math.max(this.longestMs, ms);
    for (const command of commands) {
      this.sent.set(command.type, (this.sent.get(command.type) ?? 0) + 1);
      this.venue.acceptCommand(command);
    }
  }

  #causeOf({ kind }: EngineEvent): Cause {
    if (kind === 'answered') return 'answers';
    switch (EVENT_NATURES[kind]) {
      case 'book':
        return this.#hasAnswered ? 'orders' : 'rows';
      case 'account':
        return 'answers';
      case 'answer':
      case 'fact':
        return 'lists';
      case 'feed':
      case 'session':
        return this.#hasAnswered ? 'orders' : 'time';
    }
  }
}
