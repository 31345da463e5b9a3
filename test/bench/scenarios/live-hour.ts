// Measures an hour of a live session in virtual time: ten thousand followed markets, a fourth of them quoted, with
// every duty of a session, and the time of its engine by cause. The same changes go into books alone, too.
import { Draws } from '../../simulation/draws.ts';
import type { BookDelta } from '../../../src/domain/event.ts';
import { type MarketIndex, eventTicker } from '../../../src/domain/ids.ts';
import type { Intent } from '../../../src/domain/intent.ts';
import type { Market, Series } from '../../../src/domain/market.ts';
import {
  type Micros,
  type Price,
  type Qty,
  cents,
  contracts,
  fromSeconds,
  micros,
  price,
} from '../../../src/domain/units.ts';
import type { StrategyView } from '../../../src/state/strategy-view.ts';
import { CENT_GRID } from '../../../src/domain/price-grid.ts';
import { OrderBooks } from '../../../src/state/books/order-books.ts';
import { aMarket } from '../../support/engine/builders.ts';
import { ROW_LENGTH, deltaRows } from '../../support/tapes/workload.ts';
import { WORKLOAD_SERIES } from '../../support/tapes/workload-rows.ts';
import { CAUSES, type ChangeSource, type ClockedHandlers, LiveWorld } from '../live-world.ts';
import { BOOK_STREAM } from '../prompt-venue.ts';
import type { Figures, Scenario } from '../scenario.ts';

const MARKETS = 10_000;
const QUOTED_EVERY = 4;
const GROUP_SIZE = 10;
const HOUR_S = 3600;
/** Changes that fill the books before the session, and mean changes per second of the hour. */
const OPENING_ROWS = 40 * MARKETS;
const CHANGES_PER_SECOND = 50;
const ROWS = OPENING_ROWS + CHANGES_PER_SECOND * HOUR_S;
/** Time to become ready, and time to place all quotes, one market after the other. Seconds. */
const READY_S = 30;
const QUOTING_S = 600;
/** The quoter looks at each of its markets this often, even if its book does not change. Microseconds. */
const LOOK_EVERY = fromSeconds(600);
const BEGIN = fromSeconds(1_700_000_000);
const CENT = cents(1);

/** The fees are not known to the engine: those of the venue's fills are flat. */
const SERIES: Series = {
  ticker: WORKLOAD_SERIES,
  title: 'Generated',
  category: 'None',
  frequency: 'one_off',
  feeType: 'flat',
  feeMultiplierPercent: 100,
};

const marketOf = (number: number): Market =>
  aMarket(number, {
    eventTicker: eventTicker(`WORK-${Math.floor(number / GROUP_SIZE)}`),
    openAt: BEGIN,
    closeAt: micros(BEGIN + fromSeconds(24 * HOUR_S)),
  });

/** The changes, in turn: those that fill the books, then those of the hour. */
class HourChanges implements ChangeSource {
  readonly #rows = deltaRows({ markets: MARKETS, rows: ROWS, seed: 7 });
  readonly #draws = new Draws(7, 'waits');
  #next = 0;
  readonly first: BookDelta = {
    kind: 'book-delta',
    at: BEGIN,
    exchangeAt: BEGIN,
    market: 0 as MarketIndex,
    side: 'bid',
    price: CENT,
    change: contracts(1),
    stream: BOOK_STREAM,
  };

  readonly wait = (): number => Math.max(1, Math.round(this.#draws.wait(1_000_000 / CHANGES_PER_SECOND)));

  readonly nextChange = (into: BookDelta): boolean => {
    if (this.#next === ROWS) return false;
    const from = ROW_LENGTH * this.#next;
    this.#next += 1;
    into.market = this.#rows[from] as MarketIndex;
    into.side = this.#rows[from + 1] === 1 ? 'bid' : 'ask';
    into.price = this.#rows[from + 2] as Price;
    into.change = this.#rows[from + 3] as Qty;
    return true;
  };

  /** Passes on the changes that fill the books. */
  fillBooks(apply: (delta: BookDelta) => void): void {
    while (this.#next < OPENING_ROWS && this.nextChange(this.first)) apply(this.first);
  }
}

/** Looks at every book, and answers nothing. */
const watcher = (): ClockedHandlers => ({
  onBook: ({ market }, view) => void view.book(market).bestBid,
  onTimer: () => undefined,
});

/** Keeps a bid and an ask a cent behind the touch in every fourth market, and looks at each again after a while. */
function quoter(): ClockedHandlers {
  const begun = new Set<MarketIndex>();
  const lookAt = (market: MarketIndex, at: Micros): Intent => ({ type: 'timer', name: String(market), at });
  return {
    onBook({ market, isTouch }, view) {
      if (market % QUOTED_EVERY !== 0 || !isTouch) return undefined;
      if (begun.has(market)) return quote(market, view);
      begun.add(market);
      return [lookAt(market, micros(view.now + (market / MARKETS) * LOOK_EVERY))];
    },
    onTimer({ name }, view) {
      const market = Number(name) as MarketIndex;
      return [...(quote(market, view) ?? []), lookAt(market, micros(view.now + LOOK_EVERY))];
    },
  };
}

function quote(market: MarketIndex, view: StrategyView): readonly Intent[] | undefined {
  const { bestBid, bestAsk } = view.book(market);
  if (bestBid === null || bestAsk === null || bestBid <= CENT || bestAsk >= cents(99)) return undefined;
  const qty = contracts(5);
  return [
    { type: 'quote', market, bid: { price: price(bestBid - CENT), qty }, ask: { price: price(bestAsk + CENT), qty } },
  ];
}

/** Time that the changes of the hour take in books alone. Milliseconds. */
function bareMs(): number {
  const books = new OrderBooks(MARKETS);
  for (let number = 0; number < MARKETS; number++) {
    const market = number as MarketIndex;
    books.openBook(market, CENT_GRID);
    books.applySnapshot({ at: BEGIN, exchangeAt: null, market, bids: [], asks: [] });
  }
  const changes = new HourChanges();
  changes.fillBooks((delta) => void books.applyDelta(delta));
  const began = performance.now();
  while (changes.nextChange(changes.first)) books.applyDelta(changes.first);
  return performance.now() - began;
}

function measure(handlers: ClockedHandlers): Figures {
  const world = new LiveWorld(
    SERIES,
    Array.from({ length: MARKETS }, (_, number) => marketOf(number)),
    handlers,
  );
  const changes = new HourChanges();
  changes.fillBooks((delta) => world.venue.changeLevel(delta.market, delta.side, delta));
  world.startTrading(READY_S);
  const readyMs = world.wholeMs;
  world.passTime(QUOTING_S);
  world.clearFigures();
  world.passTime(HOUR_S, changes);
  const { wholeMs, ms, longestMs, sent, venue, engine } = world;
  const open = engine.state.orders.openCount;
  if (engine.session.phase !== 'trading' || Math.abs(open - venue.restingCount) > 100)
    throw new Error(`the session is ${engine.session.phase} with ${open} orders, and ${venue.restingCount} rest`);
  const bare = bareMs();
  return {
    percentOfCore: wholeMs / (HOUR_S * 10),
    inBare: wholeMs / bare,
    bareMs: bare,
    readyMs,
    longestMs,
    ...Object.fromEntries(CAUSES.map((cause) => [`${cause}Ms`, ms[cause]])),
    changes: world.changes,
    resting: venue.restingCount,
    placed: sent.get('place') ?? 0,
    canceled: sent.get('cancel') ?? 0,
    reads: sent.get('read') ?? 0,
  };
}

export const liveHour: readonly Scenario[] = [
  {
    name: 'live-hour',
    what: 'an hour of virtual time, 10 000 markets, 2500 of them quoted: time of the engine by cause',
    baseline: 'live-hour-watched',
    run: () => measure(quoter()),
  },
  {
    name: 'live-hour-watched',
    what: 'the same hour with a strategy that looks at every book and does nothing',
    run: () => measure(watcher()),
  },
];
