// A maker: quotes a ladder on both sides of its view, leans against its inventory, and keeps its quotes a little late.
// Must never quote through its own view, and moves only a few quotes each time: that is what makes it late.
import type { Side } from '../../domain/order.ts';
import { ceilToGrid, floorToGrid, cellOf, priceOfCell, type PriceGrid } from '../../domain/price-grid.ts';
import { type Micros, type Price, type Qty } from '../../domain/units.ts';
import type { OrderView } from '../output.ts';
import { type Agent, type AgentTools, agentOrder, toPrice, toQty } from './agent.ts';

/** Book changes a maker makes each time it wakes, about. */
const CHANGES_PER_WAKE = 6;
const CANCELS_MAX = 5;
const PLACES_MAX = 6;
/** Its own disagreement with the crowd, as a deviation in dollars. */
const OWN_ERROR = 0.004;
/** A full ladder's worth of inventory moves its view by this many half-spreads. */
const LEAN = 1;
/** A quote left with less than this share of its size is renewed. */
const STALE_SHARE = 0.3;

/** The ladder's prices and the size of a quote. */
interface Ladder {
  readonly prices: ReadonlyMap<Side, readonly Price[]>;
  readonly sizeAt: (level: number) => Qty;
}

/** Quotes both sides of one market. */
export class Maker implements Agent {
  readonly #tools: AgentTools;

  constructor(tools: AgentTools) {
    this.#tools = tools;
  }

  wake(now: Micros): number {
    const { world, ticker, chance, config, exchange } = this.#tools;
    const wait = chance.wait(this.#meanWait());
    const ownError = OWN_ERROR * chance.normal();
    const renewed = chance.uniform();
    const size = chance.uniform();
    const market = exchange.market(ticker);
    if (market?.status !== 'active') return wait;
    world.advance(now);
    const center = world.crowdView(ticker) + ownError - this.#lean();
    const sizeAt = (level: number): Qty =>
      toQty(config.levelQty * (0.4 + 1.2 * ((size + level * 0.618) % 1)), market.definition.qtyStep);
    this.#quote({ prices: this.#prices(market.grid, center), sizeAt }, renewed);
    return wait;
  }

  #meanWait(): number {
    const { config } = this.#tools;
    return (
      (1_000_000 * CHANGES_PER_WAKE * Math.max(1, config.makersPerMarket)) / Math.max(0.01, config.changesPerSecond)
    );
  }

  #lean(): number {
    const { exchange, account, ticker, config } = this.#tools;
    const held = exchange.position(account, ticker)?.qty ?? 0;
    const full = config.levelQty * config.levels * 2;
    return (Math.max(-4, Math.min(4, held / full)) * LEAN * config.halfSpread) / 10_000;
  }

  #prices(grid: PriceGrid, center: number): Map<Side, Price[]> {
    const { config } = this.#tools;
    const half = config.halfSpread / 10_000;
    const bid = floorToGrid(grid, toPrice(center - half));
    const ask = ceilToGrid(grid, toPrice(center + half));
    return new Map([
      ['buy', ladder(grid, bid, { step: -1, levels: config.levels })],
      ['sell', ladder(grid, ask, { step: 1, levels: config.levels })],
    ]);
  }

  #quote(ladder: Ladder, renewed: number): void {
    const { exchange, account, ticker, config, submit } = this.#tools;
    const resting = exchange.restingOrdersIn(account, ticker);
    const chosen = resting[Math.floor(renewed * resting.length)];
    const isStale = (order: OrderView): boolean =>
      order === chosen ||
      order.leavesQty < STALE_SHARE * config.levelQty ||
      ladder.prices.get(order.side)?.includes(order.price) !== true;
    const boldness = (order: OrderView): number => {
      const best = ladder.prices.get(order.side)?.[0] ?? 0;
      return order.side === 'buy' ? order.price - best : best - order.price;
    };
    // Boldest first: they are the ones that would be hit.
    const gone = resting
      .filter(isStale)
      .sort((a, b) => boldness(b) - boldness(a))
      .slice(0, CANCELS_MAX);
    for (const order of gone) submit({ type: 'cancel', account, orderId: order.orderId });
    this.#placeMissing(ladder, new Set(resting.filter((order) => !gone.includes(order)).map((order) => order.price)));
  }

  #placeMissing({ prices, sizeAt }: Ladder, kept: ReadonlySet<Price>): void {
    const { account, ticker, config, submit } = this.#tools;
    // Level by level and not side by side: neither side starves while the view runs away.
    const missing = Array.from({ length: config.levels }, (_, level) => level).flatMap((level) =>
      [...prices].flatMap(([side, wanted]) => {
        const price = wanted[level];
        return price === undefined || kept.has(price) ? [] : [{ side, price, level }];
      }),
    );
    for (const { side, price, level } of missing.slice(0, PLACES_MAX)) {
      const terms = { ticker, side, price, qty: sizeAt(level), timeInForce: 'gtc', postOnly: true } as const;
      submit({ type: 'place', account, order: agentOrder(terms) });
    }
  }
}

function ladder(grid: PriceGrid, from: Price | null, { step, levels }: { step: 1 | -1; levels: number }): Price[] {
  if (from === null) return [];
  const prices: Price[] = [];
  // A tenth-of-a-cent grid would put all levels within half a cent: keep them about a cent apart.
  const stride = Math.max(1, Math.round(grid.cellCount / 99));
  for (
    let cell = cellOf(grid, from);
    cell >= 0 && cell < grid.cellCount && prices.length < levels;
    cell += step * stride
  )
    prices.push(priceOfCell(grid, cell));
  return prices;
}
