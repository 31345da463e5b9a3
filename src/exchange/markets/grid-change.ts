// Changes the price grid of a market: its book is rebuilt, and every order keeps its queue position. Must never move an
// order to another price: a grid without an order's price is refused.
import { centsText } from '../../domain/amounts.ts';
import { type PriceGrid, cellOf, priceGrid } from '../../domain/price-grid.ts';

import { RestingBook } from '../machine/resting-book.ts';
import type { ExchangeState } from '../machine/exchange-state.ts';
import type { OperatorOp } from '../machine/exchange-input.ts';
import { emitMarket, gridError } from './market-transitions.ts';
import { sideIndexOf } from '../machine/match-plan.ts';
import type { Answer } from '../machine/exchange-output.ts';
import { refusedAnswer } from '../machine/order-placement.ts';
import type { MarketRecord } from '../machine/exchange-records.ts';
import { restingOrdersIn } from '../machine/resting-orders.ts';

/** Changes the price grid of a market that has no result yet. */
export function changeGrid(state: ExchangeState, op: OperatorOp & { type: 'set-grid' }): Answer {
  const market = state.markets.get(op.ticker);
  if (market === undefined) return refusedAnswer('market_not_found', op.ticker);
  if (!['initialized', 'active', 'inactive', 'closed'].includes(market.status))
    return refusedAnswer('wrong_status', `cannot change the grid of market ${op.ticker}, which is ${market.status}`);
  const error = gridError(op.gridRanges);
  if (error !== null) return refusedAnswer('invalid_parameters', `market ${op.ticker}: ${error}`);
  const grid = priceGrid(op.gridRanges);
  const offGrid = restingOrdersIn(market).find(({ price }) => cellOf(grid, price) < 0);
  if (offGrid !== undefined)
    return refusedAnswer(
      'invalid_price',
      `order ${offGrid.orderId} rests at ${centsText(offGrid.price)}, off ${op.gridName}`,
    );
  rebuild(market, grid);
  market.definition = { ...market.definition, gridName: op.gridName, gridRanges: op.gridRanges };
  emitMarket(state, market, { word: 'price_level_structure_updated', from: market.status });
  return { type: 'done' };
}

function rebuild(market: MarketRecord, grid: PriceGrid): void {
  const resting = restingOrdersIn(market);
  market.grid = grid;
  market.book = new RestingBook(grid.cellCount);
  for (const order of resting) {
    const level = market.book.levelOf(sideIndexOf(order.side), cellOf(grid, order.price));
    order.slot = market.book.addOrder(level, order.leavesQty, order);
  }
}
