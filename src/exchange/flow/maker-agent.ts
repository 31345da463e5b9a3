// A market maker: quotes several levels on both sides of its estimate of the price, and moves the quotes against its
// inventory. It is slow: it changes only a few quotes at each wakeup. Must never place a quote through its own
// estimate.
import type { Side } from '../../domain/orders/order.ts';
import { ceilToGrid, floorToGrid, cellOf, priceOfCell, type PriceGrid } from '../../domain/price-grid.ts';
import type { Micros, Price, Qty } from '../../domain/units.ts';
import type { OrderView } from '../machine/exchange-output.ts';
import { type FlowAgent, type AgentTools, agentOrder, toPrice, toQty } from './flow-agent.ts';

/** Approximate number of book changes that a maker makes at each wakeup. */
const CHANGES_PER_WAKE = 6;
const CANCELS_MAX = 5;
const PLACES_MAX = 6;
/** Standard deviation of a maker's disagreement with the crowd, in dollars. */
const OWN_ERROR = 0.004;
/** Half-spreads by which a full inventory moves the estimate. A full inventory equals all quoted levels together. */
const SKEW_HALF_SPREADS = 1;
/** A quote with less than this share of `levelQty` left is replaced. */
const STALE_SHARE = 0.3;

/** Prices per side, best first, and the quantity of each level. */
interface Ladder {
  readonly prices: ReadonlyMap<Side, readonly Price[]>;
  readonly sizeAt: (level: number) => Qty;
}

/** Quotes both sides of one market. */
export class MakerAgent implements FlowAgent {
  readonly #tools: AgentTools;

  constructor(tools: AgentTools) {
    this.#tools = tools;
  }

  act(now: Micros): number {
    const { world, ticker, chance, config, exchange } = this.#tools;
    const wait = chance.drawWait(this.#meanWait());
    const ownError = OWN_ERROR * chance.drawNormal();
    const replacedDraw = chance.drawUniform();
    const size = chance.drawUniform();
    const market = exchange.market(ticker);
    if (market?.status !== 'active') return wait;
    world.advanceTo(now);
    const center = world.crowdView(ticker) + ownError - this.#skew();
    const sizeAt = (level: number): Qty =>
      toQty(config.levelQty * (0.4 + 1.2 * ((size + level * 0.618) % 1)), market.definition.qtyStep);
    this.#quote({ prices: this.#prices(market.grid, center), sizeAt }, replacedDraw);
    return wait;
  }

  #meanWait(): number {
    const { config } = this.#tools;
    return (
      (1_000_000 * CHANGES_PER_WAKE * Math.max(1, config.makersPerMarket)) / Math.max(0.01, config.changesPerSecond)
    );
  }

  #skew(): number {
    const { exchange, account, ticker, config } = this.#tools;
    const held = exchange.position(account, ticker)?.qty ?? 0;
    const full = config.levelQty * config.levels * 2;
    return (Math.max(-4, Math.min(4, held / full)) * SKEW_HALF_SPREADS * config.halfSpread) / 10_000;
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

  #quote(ladder: Ladder, replacedDraw: number): void {
    const { exchange, account, ticker, config, submit } = this.#tools;
    const resting = exchange.restingOrdersIn(account, ticker);
    const replaced = resting[Math.floor(replacedDraw * resting.length)];
    const isStale = (order: OrderView): boolean =>
      order === replaced ||
      order.leavesQty < STALE_SHARE * config.levelQty ||
      ladder.prices.get(order.side)?.includes(order.price) !== true;
    const aggressiveness = (order: OrderView): number => {
      const best = ladder.prices.get(order.side)?.[0] ?? 0;
      return order.side === 'buy' ? order.price - best : best - order.price;
    };
    // Quotes farthest through the new estimate are canceled first, because they would trade first.
    const canceled = resting
      .filter(isStale)
      .sort((a, b) => aggressiveness(b) - aggressiveness(a))
      .slice(0, CANCELS_MAX);
    for (const order of canceled) submit({ type: 'cancel', account, orderId: order.orderId });
    this.#placeMissing(
      ladder,
      new Set(resting.filter((order) => !canceled.includes(order)).map((order) => order.price)),
    );
  }

  #placeMissing({ prices, sizeAt }: Ladder, keptPrices: ReadonlySet<Price>): void {
    const { account, ticker, config, submit } = this.#tools;
    // Missing quotes are placed level by level, so that neither side starves.
    const missing = Array.from({ length: config.levels }, (_, level) => level).flatMap((level) =>
      [...prices].flatMap(([side, wanted]) => {
        const price = wanted[level];
        return price === undefined || keptPrices.has(price) ? [] : [{ side, price, level }];
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
  // On a grid of tenths of a cent, adjacent prices are too close for levels: they are kept about a cent apart.
  const stride = Math.max(1, Math.round(grid.cellCount / 99));
  for (
    let cell = cellOf(grid, from);
    cell >= 0 && cell < grid.cellCount && prices.length < levels;
    cell += step * stride
  )
    prices.push(priceOfCell(grid, cell));
  return prices;
}
