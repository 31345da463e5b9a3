// The speed at which the whole engine handles book changes, in a session that trades: the cost of state, strategy, risk
// and planner on top of the books alone. The venue is the tests' scripted one.
import { deltaRows, ROW_LENGTH, undoRows } from '../../support/tapes/workload.ts';
import type { BookDelta } from '../../../src/domain/event.ts';
import type { Intent } from '../../../src/domain/intent.ts';
import { type MarketIndex, strategyName } from '../../../src/domain/ids.ts';
import { type Micros, type Price, type Qty, cents, contracts, micros } from '../../../src/domain/units.ts';
import type { Engine } from '../../../src/engine.ts';
import type { BoundStrategy, Handlers } from '../../../src/strategy/strategy-definition.ts';
import { aMarket } from '../../support/engine/builders.ts';
import { EngineHarness } from '../../support/engine/engine-harness.ts';
import type { Figures, Scenario } from '../scenario.ts';
import { wideOptions } from '../trading-engine.ts';

const MARKETS = 1000;
const QUOTED = 50;
const ROWS = 1_000_000;
const PASSES = 10;
/** Engines that share a process, and the rows that one handles before the next has its turn. */
const ENGINES = 3;
const TURN_ROWS = 100_000;
/** Few enough that everything they allocate is still there to be counted when they are done. */
const COUNTED_CHANGES = 400_000;
/** Microseconds from one change to the next, and from the venue to us. */
const BETWEEN_CHANGES = 20;
const FEED_DELAY = 300;

/** Counts the changes that a strategy saw, with a checksum, so that none can be left out. */
interface Seen {
  count: number;
  checksum: number;
}

/** Receives each change, and looks at nothing. */
const idle = (seen: Seen): Handlers => ({ onBook: () => void (seen.count += 1) });

/** Looks at both sides of every book that changes; keeps a bid and an ask in the first fifty markets. */
function quoter(seen: Seen): Handlers {
  return {
    onBook({ market }, view): readonly Intent[] | undefined {
      const { bestBid, bestAsk } = view.book(market);
      seen.count += 1;
      if (bestBid !== null && bestAsk !== null) seen.checksum = (seen.checksum + bestAsk - bestBid) | 0;
      if (market >= QUOTED || view.orders(market).length > 0) return undefined;
      const [bid, ask] = [cents(1), cents(99)].map((price) => ({ price, qty: contracts(5) }));
      return bid && ask ? [{ type: 'quote', market, bid, ask }] : undefined;
    },
  };
}

function measure(handlers: (seen: Seen) => Handlers, quotes: number): Figures {
  const seen: Seen = { count: 0, checksum: 0 };
  const { engine, now } = openWorld({ name: strategyName('bench'), selector: {}, handlers: handlers(seen) });
  const resting = engine.state.orders.openCount;
  if (resting !== quotes) throw new Error(`engine: expected ${quotes} resting orders, found ${resting}`);
  const rows = deltaRows({ markets: MARKETS, rows: ROWS, seed: 7 });
  const blocks = [rows, undoRows(rows)] as const;
  const stepper = new Stepper(engine, now);
  for (const block of blocks) stepper.stepAll(block);
  seen.count = 0;
  const begun = performance.now();
  for (let pass = 0; pass < PASSES; pass++) stepper.stepAll(blocks[pass % 2 === 0 ? 0 : 1]);
  const elapsedMs = performance.now() - begun;
  if (seen.count !== ROWS * PASSES) throw new Error(`engine: expected ${ROWS * PASSES} changes, found ${seen.count}`);
  const counted = rows.subarray(0, COUNTED_CHANGES * ROW_LENGTH);
  global.gc?.();
  const { heapUsed } = process.memoryUsage();
  stepper.stepAll(counted);
  const bytesPerChange = Math.max(0, process.memoryUsage().heapUsed - heapUsed) / COUNTED_CHANGES;
  return { changesPerSecond: (ROWS * PASSES * 1000) / elapsedMs, bytesPerChange, checksum: seen.checksum };
}

/** Several engines in one process, each of which handles a part of the rows in turn. */
function measureSeveral(): Figures {
  const worlds = Array.from({ length: ENGINES }, () => {
    const seen: Seen = { count: 0, checksum: 0 };
    const { engine, now } = openWorld({ name: strategyName('bench'), selector: {}, handlers: quoter(seen) });
    return { seen, stepper: new Stepper(engine, now) };
  });
  const rows = deltaRows({ markets: MARKETS, rows: ROWS, seed: 7 });
  const blocks = [rows, undoRows(rows)] as const;
  for (const { stepper } of worlds) for (const block of blocks) stepper.stepAll(block);
  for (const { seen } of worlds) seen.count = 0;
  const begun = performance.now();
  for (const block of blocks)
    for (let from = 0; from < block.length; from += TURN_ROWS * ROW_LENGTH)
      for (const { stepper } of worlds) stepper.stepAll(block.subarray(from, from + TURN_ROWS * ROW_LENGTH));
  const elapsedMs = performance.now() - begun;
  const changes = worlds.reduce((sum, { seen }) => sum + seen.count, 0);
  if (changes !== 2 * ROWS * ENGINES)
    throw new Error(`engine: expected ${2 * ROWS * ENGINES} changes, found ${changes}`);
  return { changesPerSecond: (changes * 1000) / elapsedMs };
}

/** A session that trades, with empty books. */
function openWorld(strategy: BoundStrategy): EngineHarness {
  const markets = Array.from({ length: MARKETS }, (_, number) => aMarket(number, { closeAt: micros(2 ** 52) }));
  const harness = new EngineHarness({ strategies: [strategy], markets, engine: wideOptions }).startTrading();
  harness.run(1000);
  // Intents from before the session traded were denied: every book changes once more.
  for (const { index: market } of markets) harness.venue.changeLevel(market, 'bid', { price: cents(45), change: 100 });
  harness.run(1000);
  for (const { index: market } of markets)
    harness.step({ kind: 'book-snapshot', at: harness.now, exchangeAt: harness.now, market, bids: [], asks: [] });
  return harness;
}

/** Steps an engine through rows, with one event filled again for each, as a replay does. */
class Stepper {
  readonly #engine: Engine;
  #now: number;
  readonly #delta: BookDelta;

  constructor(engine: Engine, now: Micros) {
    this.#engine = engine;
    this.#now = now;
    const [market, price, change] = [0 as MarketIndex, 0 as Price, 0 as Qty];
    this.#delta = { kind: 'book-delta', at: now, exchangeAt: now, market, side: 'bid', price, change, stream: 0 };
  }

  stepAll(rows: Int32Array): void {
    const delta = this.#delta;
    let now = this.#now;
    for (let at = 0; at < rows.length; at += ROW_LENGTH) {
      now += BETWEEN_CHANGES;
      delta.at = now as Micros;
      delta.exchangeAt = (now - FEED_DELAY) as Micros;
      delta.market = (rows[at] ?? 0) as MarketIndex;
      delta.side = rows[at + 1] === 1 ? 'bid' : 'ask';
      delta.price = (rows[at + 2] ?? 0) as Price;
      delta.change = (rows[at + 3] ?? 0) as Qty;
      this.#engine.step(delta);
    }
    this.#now = now;
  }
}

export const engineSteps: Scenario = {
  name: 'engine',
  what: 'the same rows → Engine.step with a strategy that receives each and looks at nothing',
  baseline: 'books',
  run: () => measure(idle, 0),
};

export const engineQuotes: Scenario = {
  name: 'engine-quotes',
  what: 'the same with a strategy that looks at both sides of each book, and at its two quotes in 50 markets',
  baseline: 'books',
  run: () => measure(quoter, QUOTED * 2),
};

export const severalEngines: Scenario = {
  name: 'engine-several',
  what: 'the same with three engines in one process, which take turns',
  baseline: 'engine-quotes',
  run: measureSeveral,
};
