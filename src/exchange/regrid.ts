// A market whose prices come to lie on another grid: its book is built anew, every queue in its order.
// Must never move an order to another price: a grid that has no place for one is refused.
import { centsText } from '../domain/amounts.ts';
import { type PriceGrid, cellOf, priceGrid } from '../domain/price-grid.ts';

import { Book } from './book.ts';
import type { Floor } from './floor.ts';
import type { OperatorOp } from './input.ts';
import { tellMarket, wrongGrid } from './market-life.ts';
import { sideIndex } from './matching.ts';
import type { Answer } from './output.ts';
import { refused } from './placing.ts';
import type { MarketRecord } from './records.ts';
import { restingIn } from './resting.ts';

/** Gives a market that may still trade another grid. */
export function setGrid(floor: Floor, op: OperatorOp & { type: 'set-grid' }): Answer {
  const market = floor.markets.get(op.ticker);
  if (market === undefined) return refused('market_not_found', op.ticker);
  if (!['initialized', 'active', 'inactive', 'closed'].includes(market.status))
    return refused('wrong_status', `cannot change the grid of market ${op.ticker}, which is ${market.status}`);
  const wrong = wrongGrid(op.gridRanges);
  if (wrong !== null) return refused('invalid_parameters', `market ${op.ticker}: ${wrong}`);
  const grid = priceGrid(op.gridRanges);
  const stray = restingIn(market).find(({ price }) => cellOf(grid, price) < 0);
  if (stray !== undefined)
    return refused('invalid_price', `order ${stray.orderId} rests at ${centsText(stray.price)}, off ${op.gridName}`);
  rebuild(market, grid);
  market.definition = { ...market.definition, gridName: op.gridName, gridRanges: op.gridRanges };
  tellMarket(floor, market, { word: 'price_level_structure_updated', from: market.status });
  return { type: 'done' };
}

function rebuild(market: MarketRecord, grid: PriceGrid): void {
  const resting = restingIn(market);
  market.grid = grid;
  market.book = new Book(grid.cellCount);
  for (const order of resting) {
    const level = market.book.levelOf(sideIndex(order.side), cellOf(grid, order.price));
    order.slot = market.book.add(level, order.leavesQty, order);
  }
}
