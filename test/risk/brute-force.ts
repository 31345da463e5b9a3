// The worst loss by brute force: every set of fills at every outcome. The rules' closed forms are compared with it.
// Also opens the account of these tests.
import { feeSchedule, modelFee } from '../../src/domain/fee-schedule.ts';
import type { EventGroup } from '../../src/domain/market.ts';
import { type Order, leavesQty } from '../../src/domain/orders/order.ts';
import { openingPrice, valueOf } from '../../src/domain/position.ts';
import { type Money, type Price, price, qty } from '../../src/domain/units.ts';
import { State } from '../../src/state/state.ts';
import { BEGIN, aMarket, index, levels, tickerTable } from '../support/engine/builders.ts';
import { aSeries, describeGroup } from './rule-context.ts';

/** Fee schedule of the account's trades. */
export const FEES = feeSchedule('quadratic');

/** Opens an account with cash and the markets of a group, each bid at 40 cents and offered at 60. */
export function openAccount(state: State, group: EventGroup, cash: Money): void {
  describeGroup(state, group, aSeries({ feeType: 'quadratic' }));
  group.tickers.forEach((_, i) => {
    state.applyEvent({ kind: 'market', at: BEGIN, market: aMarket(i) }, []);
    const sides = { bids: levels([40, 1]), asks: levels([60, 1]) };
    state.applyEvent({ kind: 'book-snapshot', at: BEGIN, exchangeAt: null, market: index(i), ...sides }, []);
  });
  state.portfolio.setOpeningCash(cash);
  state.portfolio.openAccount();
}

/** Makes a state that knows only this number of markets. */
export const emptyState = (markets: number): State => new State(tickerTable(markets));

/** Highest fee of an order's fills: a taker's fee, and the rounding of one fill per contract. */
function feeOf(order: Order): number {
  const size = leavesQty(order);
  return modelFee(FEES, { price: order.price, qty: size, liquidity: 'taker' }) + Math.ceil(size / 100) * 101;
}

/** Loss of an order that fills and whose market pays `pays`. */
function lossOf(order: Order, pays: Price): number {
  const size = leavesQty(order);
  const acquired = qty(order.side === 'buy' ? size : -size);
  return openingPrice(order.side, order.price) * size + feeOf(order) - valueOf(acquired, pays);
}

/** The input of a brute-force search. */
export interface BruteForceInput {
  readonly markets: number;
  readonly open: readonly Order[];
  /** Loss of the positions when the markets pay `pays`. */
  readonly held: (pays: readonly Price[]) => number;
  /** True when the markets may pay `pays`; always when absent. */
  readonly isPossible?: (pays: readonly Price[]) => boolean;
}

/** Worst loss over every set of fills and every outcome; 0 where nothing can be lost. Millionths of a dollar. */
export function worstByBruteForce({ markets, open, held, isPossible = () => true }: BruteForceInput): number {
  let worst = 0;
  for (let outcome = 0; outcome < 2 ** markets; outcome++) {
    const pays = Array.from({ length: markets }, (_, i) => price((outcome & (1 << i)) > 0 ? 10_000 : 0));
    if (!isPossible(pays)) continue;
    const loss = held(pays);
    const losses = open.map((order) => lossOf(order, pays[order.market]!));
    for (let fills = 0; fills < 2 ** open.length; fills++)
      worst = Math.max(
        worst,
        losses.reduce((sum, lost, i) => sum + ((fills & (1 << i)) > 0 ? lost : 0), loss),
      );
  }
  return worst;
}
