// How fast the whole engine takes book changes: what state, strategy, risk and planner cost on top of the books alone.
import { deltaRows, ROW_LENGTH, undoRows } from '../../../backtest/workload.ts';
import type { BookDelta } from '../../../src/domain/event.ts';
import { type MarketIndex, TickerTable, strategyName, ticker } from '../../../src/domain/ids.ts';
import { type Micros, type Price, type Qty, fromSeconds } from '../../../src/domain/units.ts';
import type { Engine } from '../../../src/engine.ts';
import type { BoundStrategy } from '../../../src/strategy/strategy.ts';
import type { Figures, Scenario } from '../scenario.ts';
import { marketDefined, tradingEngine } from '../trading-engine.ts';

const MARKETS = 1000;
const ROWS = 1_000_000;
const PASSES = 10;
const BEGIN = fromSeconds(1000);

export const engineSteps: Scenario = {
  name: 'engine',
  what: 'the same rows → Engine.step with a strategy that is told of each and wants nothing',
  baseline: 'books',
  run(): Figures {
    let told = 0;
    const engine = openEngine({
      name: strategyName('idle'),
      selector: {},
      handlers: { onBook: () => void (told += 1) },
    });
    const rows = deltaRows({ markets: MARKETS, rows: ROWS, seed: 7 });
    const blocks = [rows, undoRows(rows)] as const;
    for (const block of blocks) stepAll(engine, block);
    told = 0;
    const begun = performance.now();
    for (let pass = 0; pass < PASSES; pass++) stepAll(engine, blocks[pass % 2 === 0 ? 0 : 1]);
    const elapsedMs = performance.now() - begun;
    if (told !== ROWS * PASSES) throw new Error(`engine: expected ${ROWS * PASSES} changes told, found ${told}`);
    return { changesPerSecond: (ROWS * PASSES * 1000) / elapsedMs };
  },
};

function openEngine(strategy: BoundStrategy): Engine {
  const tickers = new TickerTable();
  const engine = tradingEngine(tickers, [strategy]);
  for (let number = 0; number < MARKETS; number++) {
    const market = tickers.intern(ticker(`BENCH-${number}`));
    engine.step(marketDefined(market, tickers, BEGIN));
    engine.step({ kind: 'book-snapshot', at: BEGIN, exchangeAt: null, market, bids: [], asks: [] });
  }
  return engine;
}

function stepAll(engine: Engine, rows: Int32Array): void {
  const delta: BookDelta = {
    kind: 'book-delta',
    at: BEGIN,
    exchangeAt: null,
    market: 0 as MarketIndex,
    side: 'bid',
    price: 0 as Price,
    change: 0 as Qty,
  };
  for (let at = 0; at < rows.length; at += ROW_LENGTH) {
    delta.at = (BEGIN + at) as Micros;
    delta.market = (rows[at] ?? 0) as MarketIndex;
    delta.side = rows[at + 1] === 1 ? 'bid' : 'ask';
    delta.price = (rows[at + 2] ?? 0) as Price;
    delta.change = (rows[at + 3] ?? 0) as Qty;
    engine.step(delta);
  }
}
