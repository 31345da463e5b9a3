// The speed of a backtest: a generated tape through the simulated venue and the engine, with risk, portfolio and a
// strategy that looks at every change, against the same rows applied to the books alone.
import { WorkloadRows } from '../../support/tapes/workload-rows.ts';
import { Backtest } from '../../../backtest/backtest-run.ts';
import { simulationSchema } from '../../../src/config/simulation-config.ts';
import { strategyName } from '../../../src/domain/ids.ts';
import type { Intent } from '../../../src/domain/intent.ts';
import { cents, contracts, dollars, price } from '../../../src/domain/units.ts';
import type { BoundStrategy, Handlers } from '../../../src/strategy/strategy-definition.ts';
import { BareBooks } from '../bare-books.ts';
import type { Figures, Scenario } from '../scenario.ts';
import { type Stretch, timed } from '../stretches.ts';
import { tapeCapabilities, tapeEngineOptions } from '../tape-engine.ts';

const MARKETS = 1000;
const QUOTED = 50;
const ROWS = 10_000_000;
const PERIOD = 500_000;
/** Rows before the measurement starts: hot code warms up, and the orders come to rest. */
const WARM_ROWS = 1_000_000;
/**
 * Rows before the second measurement of the same length: code that runs per order is compiled late, so that the later
 * rows of a tape go faster than the first ones.
 */
const LATE_ROWS = 31_000_000;
/** Changes per second of the tape: fifty per market. The engine's work by the clock alone is spread over them. */
const PER_SECOND = 50_000;
/** Rows timed at once, approximately. */
const STRETCH = 250_000;
const STEPS = 4096;

const tape = (): WorkloadRows =>
  new WorkloadRows({ markets: MARKETS, rows: LATE_ROWS + ROWS, period: PERIOD, perSecond: PER_SECOND, seed: 7 });

/**
 * Distance of the quotes from the middle, and the move of the middle after which they are placed again. Ten-thousandths
 * of a dollar.
 */
const QUOTE_DISTANCE = 800;
const REQUOTE_MOVE = 800;

/** Looks at every change of a book, and keeps a bid and an ask in the first fifty markets. */
export function quoter(seen: { count: number }): Handlers {
  const centers = new Float64Array(MARKETS).fill(-1);
  return {
    onBook({ market }, view): readonly Intent[] | undefined {
      seen.count += 1;
      if (market >= QUOTED) return undefined;
      const { mid } = view.book(market);
      if (mid === null || Math.abs(mid - (centers[market] ?? 0)) < REQUOTE_MOVE) return undefined;
      centers[market] = mid;
      const center = Math.round(mid / 100) * 100;
      const level = (at: number) => ({ price: price(Math.min(9900, Math.max(100, at))), qty: contracts(5) });
      return [{ type: 'quote', market, bid: level(center - QUOTE_DISTANCE), ask: level(center + QUOTE_DISTANCE) }];
    },
    // Before the session trades every intent is denied.
    onIntentOutcome: ({ kind, intent }) => {
      if (kind === 'denied' && intent.type === 'place') centers[intent.market] = -1;
    },
  };
}

/** Time between two markets: with less, too many orders would wait to be sent. Microseconds. */
const PLACED_EVERY = 5000;

/** Rests ten orders in every market, far from any trade, and looks at every change. */
export function restingQuoter(seen: { count: number }): Handlers {
  const isDone = new Uint8Array(MARKETS);
  let nextAt = 0;
  return {
    onBook({ market, at }, view): readonly Intent[] | undefined {
      seen.count += 1;
      if (isDone[market] === 1) return undefined;
      // Intents from before orders could leave were denied.
      if (view.orders(market).length > 0) isDone[market] = 1;
      if (isDone[market] === 1 || at < nextAt) return undefined;
      nextAt = at + PLACED_EVERY;
      return [1, 2, 3, 4, 5].flatMap((cent): Intent[] => [
        { type: 'place', market, side: 'buy', price: cents(cent), qty: contracts(1), postOnly: true },
        { type: 'place', market, side: 'sell', price: cents(100 - cent), qty: contracts(1), postOnly: true },
      ]);
    },
  };
}

function replay(handlers: (seen: { count: number }) => Handlers, resting = 0): Figures {
  const seen = { count: 0 };
  const strategy: BoundStrategy = { name: strategyName('bench'), selector: {}, handlers: handlers(seen) };
  const { driver } = new Backtest({
    source: tape(),
    engine: (parts) => tapeEngineOptions(parts, [strategy]),
    capabilities: tapeCapabilities,
    simulation: simulationSchema.parse({}),
    cash: dollars(1_000_000),
    seed: 1,
    stopWithin: 15_000_000,
  });
  const reach = (rows: number): number => {
    while (driver.rowsPassed < rows && driver.phase !== 'over') driver.runSteps(STEPS);
    return driver.rowsPassed;
  };
  reach(WARM_ROWS);
  const restingCount = driver.engine.state.orders.openCount;
  if (restingCount < resting) throw new Error(`backtest: expected ${resting} resting orders, found ${restingCount}`);
  const rates = ratesOf(reach);
  if (seen.count < (LATE_ROWS + ROWS) * 0.99) throw new Error(`backtest: the strategy saw only ${seen.count} changes`);
  return {
    ...rates,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
    orders: restingCount,
  };
}

/** The rates of the first rows after the warm-up, and of late rows. */
function ratesOf(reach: (rows: number) => number): {
  readonly rowsPerSecond: readonly Stretch[];
  readonly lateRowsPerSecond: readonly Stretch[];
} {
  const rowsFrom = (begin: number): Stretch[] => {
    let reached = reach(begin);
    return Array.from({ length: ROWS / STRETCH }, (_, stretch) =>
      timed(() => {
        const before = reached;
        reached = reach(begin + (stretch + 1) * STRETCH);
        return reached - before;
      }),
    );
  };
  return { rowsPerSecond: rowsFrom(WARM_ROWS), lateRowsPerSecond: rowsFrom(LATE_ROWS) };
}

export const backtestRun: Scenario = {
  name: 'backtest',
  what: 'changes of 1000 markets → simulated venue and engine; a strategy looks at each, and quotes in 50',
  baseline: 'backtest-bare',
  run: () => replay(quoter),
};

export const backtestOrders: Scenario = {
  name: 'backtest-orders',
  what: 'the same with 10 000 resting orders of our own',
  baseline: 'backtest',
  run: () => replay(restingQuoter, 10_000),
};

/** The same rows, from the same blocks, applied to the books, and nothing else. */
export const backtestBare: Scenario = {
  name: 'backtest-bare',
  what: 'the same rows → Books.applyDelta: no venue, no engine',
  run() {
    const books = new BareBooks(MARKETS);
    return ratesOf(bareReach(books));
  },
};

/** Applies rows to the books up to a total; returns the total applied. */
function bareReach(books: BareBooks): (rows: number) => number {
  const blocks = tape().readBlocks();
  let done = 0;
  return (rows) => {
    while (done < rows) {
      const { done: isOver, value } = blocks.next();
      if (isOver === true) break;
      books.applyBlock(value);
      done += value.count;
    }
    return done;
  };
}
