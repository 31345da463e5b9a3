// Changes the price grid of a market: its book is rebuilt with every queue in its order. Must never move an order to
// another price: a grid without an order's price is refused.
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

/** Puts a market that may still trade on another price grid. */
export function setGrid(state: Floor, op: OperatorOp & { type: 'set-grid' }): Answer {
  const market = state.markets.get(op.ticker);
  if (market === undefined) return refused('market_not_found', op.ticker);
  if (!['initialized', 'active', 'inactive', 'closed'].includes(market.status))
    return refused('wrong_status', `cannot change the grid of market ${op.ticker}, which is ${market.status}`);
  const error = wrongGrid(op.gridRanges);
  if (error !== null) return refused('invalid_parameters', `market ${op.ticker}: ${error}`);
  const grid = priceGrid(op.gridRanges);
  const offGrid = restingIn(market).find(({ price }) => cellOf(grid, price) < 0);
  if (offGrid !== undefined)
    return refused(
      'invalid_price',
      `order ${offGrid.orderId} rests at ${centsText(offGrid.price)}, off ${op.gridName}`,
    );
  rebuild(market, grid);
  market.definition = { ...market.definition, gridName: op.gridName, gridRanges: op.gridRanges };
  tellMarket(state, market, { word: 'price_level_structure_updated', from: market.status });
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
