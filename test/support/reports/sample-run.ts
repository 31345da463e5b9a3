// A run of thirty hours in many markets, for tests of reports: quotes that are filled, crossings, forecasts, gaps,
// denials and halts. The same seed gives the same run.
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { eventTicker, strategyName, ticker } from '../../../src/domain/ids.ts';
import type { RunFacts, RunRecord } from '../../../src/report/record/run-record.ts';
import { ManualRun, seconds } from './manual-run.ts';

export interface SampleOptions {
  readonly seed?: number;
  readonly groups?: number;
  readonly perGroup?: number;
  readonly trades?: number;
  /** Title of every market. */
  readonly title?: string;
}

const HOURS = 30;

/** Makes a run of thirty hours. */
export function sampleRun(options: SampleOptions = {}): RunRecord {
  const { seed = 7, groups = 14, perGroup = 3, trades = 900, title } = options;
  const generator = xoroshiro128plus(seed);
  const draw = (): number => uniformFloat64(generator);
  const count = groups * perGroup;
  const run = new ManualRun({
    markets: count,
    cash: 500_000_000,
    market: (number) => ({
      title:
        title ??
        `Will the high in city ${Math.floor(number / perGroup) + 1} be above ${60 + (number % perGroup) * 2}°?`,
      eventTicker: eventTicker(
        `HIGH${['NY', 'CHI', 'MIA'][Math.floor(number / perGroup) % 3]}-${Math.floor(number / perGroup) + 1}`,
      ),
      closeAt: seconds(3600 * (6 + ((number * 7) % 20))),
    }),
  });
  run.recorder.beginRecord();
  const belief = Array.from({ length: count }, () => 0.15 + 0.7 * draw());
  const chance = belief.map((each) => each);
  const outcome = chance.map((each) => draw() < each);
  const settled = new Set<number>();
  const step = (HOURS * 3600) / trades;
  for (let number = 0; number < trades; number++) {
    const at = 10 + number * step;
    settleDue(run, { at, settled, outcome });
    const market = Math.floor(draw() * count);
    if (settled.has(market)) continue;
    const drift = outcome[market] === true ? 0.004 : -0.004;
    belief[market] = Math.min(0.97, Math.max(0.03, (belief[market] ?? 0.5) + drift + (draw() - 0.5) * 0.05));
    tradeOnce(run, { at, market, belief: belief[market] ?? 0.5, draw });
    if (number % 2 === 0)
      run.emitForecast(
        at + 0.5,
        market,
        Math.round(
          10_000 * Math.min(0.99, Math.max(0.01, (belief[market] ?? 0.5) + drift * 20 + (draw() - 0.5) * 0.08)),
        ),
      );
  }
  endings(run);
  return run.finishRecord(HOURS * 3600, { ...FACTS, seed });
}

const FACTS: Partial<RunFacts> = {
  name: 'two-sided quoter, highs of November',
  events: 1_284_331,
  decisionHash: '9f3c1a7be0d24c5586aa41f07e3d9b1c9f3c1a7be0d24c5586aa41f07e3d9b1c',
  strategies: [
    {
      name: 'maker',
      file: '/home/somebody/bots/strategies/two-sided-quoter.ts',
      params: { size: 10, edge: 0.02, markets: ['HIGHNY', 'HIGHCHI'] },
    },
    { name: 'taker', file: 'strategies/group-arbitrage.ts', params: { edgeMin: 0.01 } },
  ],
  models: {
    queue: { model: 'pessimistic' },
    latency: {
      feed: 'recorded',
      order: { model: 'constant', delay: 150_000 },
      answer: { model: 'constant', delay: 100_000 },
    },
    fees: { fallback: 'quadratic_with_maker_fees', multiplierPercent: 100 },
  },
  coverage: {
    source: 'recording of the local exchange',
    from: seconds(0),
    to: seconds(HOURS * 3600),
    rows: 1_284_331,
    gaps: [
      { from: seconds(20_000), to: seconds(23_000), reason: 'feed down: connection reset', tickers: [] },
      { from: seconds(70_000), to: seconds(70_400), reason: 'sequence gap', tickers: [] },
      { from: seconds(80_000), to: seconds(80_001), reason: 'sequence gap', tickers: ['M-1'] },
    ],
    assumptions: ['The source does not give the fees of series: the simulation uses its fallback.'],
  },
};

function settleDue(
  run: ManualRun,
  { at, settled, outcome }: { at: number; settled: Set<number>; outcome: readonly boolean[] },
): void {
  outcome.forEach((isYes, market) => {
    const closesAt = 3600 * (6 + ((market * 7) % 20));
    if (settled.has(market) || at < closesAt + 600) return;
    run.passTime(closesAt + 1);
    run.settleMarket(at, market, isYes ? 10_000 : 0);
    settled.add(market);
  });
}

interface Chance {
  readonly at: number;
  readonly market: number;
  readonly belief: number;
  readonly draw: () => number;
}

function tradeOnce(run: ManualRun, { at, market, belief, draw }: Chance): void {
  const mid = Math.round(belief * 100);
  const bid = Math.max(1, mid - 1) * 100;
  const ask = Math.min(99, mid + 1) * 100;
  run.setBook(at, market, [bid, ask]);
  const isTaker = draw() < 0.2;
  const side = draw() < 0.5 ? 'buy' : 'sell';
  const isBid = (side === 'buy') !== isTaker;
  const qty = 100 * (1 + Math.floor(draw() * 12));
  const fee = Math.round(qty * belief * (1 - belief) * (isTaker ? 700 : 175));
  const terms = { market, side, price: isBid ? bid : ask, qty, fee } as const;
  if (draw() < 0.35) {
    const id = run.placeOrder(at, { ...terms, orderQty: qty, strategy: 'maker' });
    run.cancelOrder(at + 0.2, id, qty);
    return;
  }
  const id = run.tradeOrder(at + 0.1, {
    ...terms,
    liquidity: isTaker ? 'taker' : 'maker',
    strategy: isTaker ? 'taker' : 'maker',
    orderQty: qty + 400,
  });
  const moved = (side === 'buy' ? -1 : 1) * (draw() < 0.35 ? 100 : 0);
  run.setBook(at + 0.7, market, [Math.max(100, bid + moved), Math.min(9900, ask + moved)]);
  if (draw() < 0.7) run.cancelOrder(at + 5, id, 400);
  run.setBook(at + 30, market, [Math.max(100, bid + moved - 100), Math.min(9900, ask + moved)]);
}

function endings(run: ManualRun): void {
  const strategy = strategyName('maker');
  const intent = { type: 'cancel-all' } as const;
  for (let times = 0; times < 214; times++)
    run.emitNotice({ type: 'denied', strategy, intent, denial: { code: 'no-reference' } });
  for (let times = 0; times < 31; times++)
    run.emitNotice({ type: 'denied', strategy, intent, denial: { code: 'book-not-live', trust: 'suspect' } });
  run.emitNotice({
    type: 'halt',
    halt: {
      scope: { type: 'market', ticker: ticker('M-3') },
      by: 'risk',
      reason: 'the same was done too often',
      since: seconds(50_000),
    },
    isCarried: false,
  });
  run.budgets.trade.takeUnits(60, seconds(HOURS * 3600 - 1));
  run.budgets.read.takeUnits(12, seconds(HOURS * 3600 - 1));
  run.emitNotice({ type: 'rate-limited', budget: 'trade', retryAfter: null });
}
