// Backtests as users run them: recorded windows with a quoter and a market maker, a sparse week of many markets, days of
// quotes, and a strategy with ten orders a second. Each against the same tape applied to the books alone.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBacktestOnce } from '../../../src/app/backtest/backtest-session.ts';
import { openTapeAt } from '../../../src/app/tape-place.ts';
import { type BacktestConfig, readBacktestConfig } from '../../../src/config/backtest-config.ts';
import type { Command } from '../../../src/domain/venue-command.ts';
import { cents, contracts } from '../../../src/domain/units.ts';
import { loadStrategy } from '../../../src/runtime/plugins/strategy-loader.ts';
import { defineStrategy } from '../../../src/strategy/define-strategy.ts';
import type { Strategy } from '../../../src/strategy/strategy-definition.ts';
import type { RowSource } from '../../../src/tape/baked/tape-rows.ts';
import { z } from 'zod';
import { ROOT } from '../../e2e/presage.ts';
import { BareBooks } from '../bare-books.ts';
import { GENERATED_SERIES, generatedTape, goldTape, importGold, quotesTape, tradesTape } from '../real-tapes.ts';
import { inFolder } from '../recording.ts';
import type { Figures, Scenario } from '../scenario.ts';

/**
 * Measured runs after the warm-up. The first run of a process is what a command does; a warm one is what most trials of a
 * study do.
 */
const WARM_RUNS = 9;
/** Runs are repeated for this long before they count: V8 goes on compiling for some 20 runs of a short tape. */
const WARM_UP_MS = 3000;

const none = z.strictObject({});

/** Looks at every book and does nothing: what rows and the time between them cost. */
const watcher = defineStrategy({
  name: 'watcher',
  params: none,
  setup: () => ({ onBook: () => undefined }),
});

/** Buys one contract in each market, once. */
const buyer = defineStrategy({
  name: 'buyer',
  params: none,
  setup: () => ({
    onBook: ({ market }, view) => {
      const { bestAsk } = view.book(market);
      if (bestAsk === null || view.own(market).qty !== 0 || view.orders(market).length > 0) return undefined;
      return [{ type: 'place', market, side: 'buy', price: bestAsk, qty: contracts(1) }];
    },
  }),
});

const REPLACED_EVERY = 200_000;

/** Cancels an order and places another, far from the market, five times a second: ten orders sent or canceled. */
const replacer = defineStrategy({
  name: 'replacer',
  params: none,
  setup: () => {
    let [nextAt, cent] = [0, 0];
    return {
      onBook: ({ market, at }, view) => {
        if (at < nextAt) return undefined;
        nextAt = at + REPLACED_EVERY;
        cent = (cent + 1) % 5;
        const [old] = view.orders(market);
        const place = { type: 'place', market, side: 'buy', price: cents(30 + cent), qty: contracts(1) } as const;
        return old === undefined ? [place] : [{ type: 'cancel', clientOrderId: old.clientOrderId }, place];
      },
    };
  },
});

/** Moves its quote, far from the market, in one market after another, five times a second. */
const mover = defineStrategy({
  name: 'mover',
  params: none,
  setup: () => {
    let [nextAt, cent] = [0, 0];
    return {
      onBook: ({ market, at }) => {
        if (at < nextAt) return undefined;
        nextAt = at + REPLACED_EVERY;
        cent = (cent + 1) % 5;
        return [{ type: 'quote', market, bid: { price: cents(30 + cent), qty: contracts(1) }, ask: null }];
      },
    };
  },
});

/** Work over one tape. */
interface Work {
  readonly name: string;
  readonly what: string;
  readonly tape: (folder: string) => Promise<string | null>;
  readonly series: string;
  readonly strategy: () => Promise<Strategy>;
  readonly moveQuotesBy?: 'cancel' | 'amend';
}

const shipped = (name: string) => (): Promise<Strategy> => loadStrategy(join(ROOT, 'strategies', `${name}.ts`));
const ours = (strategy: Strategy) => (): Promise<Strategy> => Promise.resolve(strategy);

function configFor(folder: string, tape: string, { series, moveQuotesBy = 'cancel' }: Work): string {
  const file = join(folder, 'work.yaml');
  const selected = `markets:\n  series: [${series}]\nstrategies:\n  - name: bench\n    file: strategy.ts\n`;
  const text = readFileSync(join(ROOT, 'config/backtest.yaml'), 'utf8')
    .replace(/^tape: .*$/m, `tape: ${tape}`)
    .replace(/^cash: .*$/m, 'cash: 100000')
    .replace(/^markets:[\s\S]*?^strategies:[\s\S]*?^limits:/m, `${selected}\nlimits:`)
    .replace(/^ {2}workingOrdersMax: .*$/m, '  workingOrdersMax: 2000')
    .replace(/^ {2}accountCostMax: .*$/m, '  accountCostMax: 50000')
    .replace(/^report:[\s\S]*/m, '')
    .concat(`orders:\n  moveQuotesBy: ${moveQuotesBy}\n`);
  writeFileSync(file, text);
  return file;
}

interface MeasuredRun {
  readonly rows: number;
  readonly orders: number;
  readonly ms: number;
}

/** Runs a backtest once, and more often in the same process. */
async function runsOf(config: BacktestConfig, source: RowSource, strategy: Strategy): Promise<MeasuredRun[]> {
  const runs: MeasuredRun[] = [];
  let warmUpMs = 0;
  for (let measured = 0; measured < WARM_RUNS;) {
    let orders = 0;
    const onArrival = ({ type }: Command): void => void (orders += type === 'place' || type === 'amend' ? 1 : 0);
    const began = performance.now();
    const hooks = { loadStrategy: () => Promise.resolve(strategy), observer: { onArrival } };
    const { driver } = await runBacktestOnce(config, source, hooks);
    const ms = performance.now() - began;
    runs.push({ rows: driver.rowsPassed, orders, ms });
    if (warmUpMs < WARM_UP_MS) warmUpMs += ms;
    else measured += 1;
  }
  return runs;
}

const warmMsOf = (runs: readonly MeasuredRun[]): number => medianOf(runs.slice(-WARM_RUNS).map(({ ms }) => ms));

/** Measures the work, and the same tape watched alone: the difference is what orders cost. */
async function measureWork(work: Work): Promise<Figures> {
  const { tape, strategy } = work;
  return inFolder(async (folder): Promise<Figures> => {
    const path = await tape(folder);
    if (path === null) return {};
    const config = readBacktestConfig(configFor(folder, path, work));
    const source = openTapeAt(path);
    try {
      const runs = await runsOf(config, source, await strategy());
      const [first = { rows: 0, orders: 0, ms: 0 }] = runs;
      const warmMs = warmMsOf(runs);
      const watchedMs = warmMsOf(await runsOf(config, source, watcher));
      return {
        rowsPerSecond: (first.rows * 1000) / first.ms,
        warmRowsPerSecond: (first.rows * 1000) / warmMs,
        wholeMs: first.ms,
        warmMs,
        watchedMs,
        orders: first.orders,
        ...(first.orders > 0 && { microsecondsPerOrder: ((warmMs - watchedMs) * 1000) / first.orders }),
      };
    } finally {
      source.close();
    }
  });
}

const medianOf = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Applies the rows of the tape to books, and nothing else. */
async function measureBare({ tape }: Work): Promise<Figures> {
  return inFolder(async (folder): Promise<Figures> => {
    const path = await tape(folder);
    if (path === null) return {};
    const source = openTapeAt(path);
    const began = performance.now();
    const rows = applyRows(source);
    const ms = performance.now() - began;
    const warm = Array.from({ length: WARM_RUNS }, () => {
      const from = performance.now();
      applyRows(source);
      return performance.now() - from;
    });
    source.close();
    const warmMs = medianOf(warm);
    return { rowsPerSecond: (rows * 1000) / ms, warmRowsPerSecond: (rows * 1000) / warmMs, wholeMs: ms, warmMs };
  });
}

function applyRows(source: RowSource): number {
  const books = new BareBooks(source.tickers.size);
  let rows = 0;
  for (const block of source.readBlocks()) {
    books.applyBlock(block);
    rows += block.count;
  }
  return rows;
}

/** The work, and the rows of its tape into the books alone. */
const scenariosOf = (work: Work): Scenario[] => [
  { name: work.name, what: work.what, baseline: `${work.name}-bare`, run: () => measureWork(work) },
  { name: `${work.name}-bare`, what: 'the same rows into the books alone', run: () => measureBare(work) },
];

/** Imports the recorded windows several times in one process; the first time is not counted. */
const importWindows: Scenario = {
  name: 'import-gold',
  what: 'six recorded windows as they are: packed lines in a recorder’s wrapper → rows in a baked file',
  run: () =>
    inFolder(async (folder): Promise<Figures> => {
      const rates: number[] = [];
      for (let pass = 0; pass <= WARM_RUNS; pass++) {
        const began = performance.now();
        const read = await importGold(join(folder, `${pass}.arrow`));
        if (read === null) return {};
        if (pass > 0) rates.push((read * 1000) / (performance.now() - began));
      }
      return { framesPerSecond: medianOf(rates) };
    }),
};

const gold = { tape: goldTape, series: 'KXGOLD15M' };
const maker: Work = {
  ...gold,
  name: 'gold-maker',
  what: 'the gold windows with the market maker',
  strategy: shipped('inventory-market-maker'),
};

const rareTrades = { tape: tradesTape, series: 'KXINX, KXINXU' };
const momentum: Work = {
  ...rareTrades,
  name: 'rare-trades-momentum',
  what: 'the two months of trades with the momentum on prints',
  strategy: shipped('print-momentum'),
};

/** An hour of many changes, with a strategy of many orders. */
const busyHour = {
  tape: (folder: string) => Promise.resolve(generatedTape(folder, { markets: 20, hours: 1, changes: 360_000 })),
  series: GENERATED_SERIES,
};
const moved: Work = {
  ...busyHour,
  name: 'moved-by-cancel',
  what: 'the hour of 20 markets, five moved quotes a second: each a cancel, and a new order after its answer',
  strategy: ours(mover),
};
const amended: Work = {
  ...moved,
  name: 'moved-by-amend',
  what: 'the hour of 20 markets, five moved quotes a second: each one amend',
  moveQuotesBy: 'amend',
};

export const realWork: readonly Scenario[] = [
  importWindows,
  ...scenariosOf({
    ...gold,
    name: 'gold',
    what: 'six recorded windows of 15 minutes within six days, with the quoter',
    strategy: shipped('two-sided-quoter'),
  }),
  { name: maker.name, what: maker.what, baseline: 'gold-bare', run: () => measureWork(maker) },
  ...scenariosOf({
    name: 'sparse-week',
    what: '605 markets over six days, 359 000 changes, one purchase in each',
    tape: (folder) => Promise.resolve(generatedTape(folder, { markets: 605, hours: 144, changes: 359_000 })),
    series: GENERATED_SERIES,
    strategy: ours(buyer),
  }),
  ...scenariosOf({
    ...rareTrades,
    name: 'rare-trades',
    what: 'two months of trades in 423 markets, one a minute, with the closing taker',
    strategy: shipped('closing-taker'),
  }),
  { name: momentum.name, what: momentum.what, baseline: 'rare-trades-bare', run: () => measureWork(momentum) },
  ...scenariosOf({
    name: 'quotes',
    what: 'three days of recorded quotes of 18 markets, with the quoter',
    tape: quotesTape,
    series: 'KXHIGHNY',
    strategy: shipped('two-sided-quoter'),
  }),
  ...scenariosOf({
    ...busyHour,
    name: 'busy',
    what: 'an hour of 20 markets, 360 000 changes, ten orders sent or canceled a second',
    strategy: ours(replacer),
  }),
  { name: moved.name, what: moved.what, run: () => measureWork(moved) },
  { name: amended.name, what: amended.what, baseline: moved.name, run: () => measureWork(amended) },
];
