// What may be lost, by trying everything out: every set of fills at every outcome. The plain reckoning that the rules'
// closed forms are compared with, and the account that they are tried in.
import { feeSchedule, modelFee } from '../../src/domain/fees.ts';
import type { EventGroup } from '../../src/domain/market.ts';
import { type Order, leavesQty } from '../../src/domain/order.ts';
import { openingPrice, valueOf } from '../../src/domain/position.ts';
import { type Money, type Price, price, qty } from '../../src/domain/units.ts';
import { State } from '../../src/state/state.ts';
import { BEGIN, aMarket, index, levels, tickerTable } from '../support/engine/builders.ts';
import { aSeries, describeGroup } from './context.ts';

/** How the account's trades are charged. */
export const FEES = feeSchedule('quadratic');

/** An account that opens with so much cash, and a group's markets, each bid for at 40 cents and offered at 60. */
export function openAccount(state: State, group: EventGroup, cash: Money): void {
  describeGroup(state, group, aSeries({ feeType: 'quadratic' }));
  group.tickers.forEach((_, i) => {
    state.apply({ kind: 'market', at: BEGIN, market: aMarket(i) }, []);
    const sides = { bids: levels([40, 1]), asks: levels([60, 1]) };
    state.apply({ kind: 'book-snapshot', at: BEGIN, exchangeAt: null, market: index(i), ...sides }, []);
  });
  state.portfolio.openCash(cash);
  state.portfolio.open();
}

/** A state that knows of so many markets, and of nothing else. */
export const emptyState = (markets: number): State => new State(tickerTable(markets));

/** The most that an order's fills may be charged: a taker's fee, and rounding of each contract's fill. */
function feeOf(order: Order): number {
  const size = leavesQty(order);
  return modelFee(FEES, { price: order.price, qty: size, liquidity: 'taker' }) + Math.ceil(size / 100) * 101;
}

/** What an order loses if it fills and its market pays so much. */
function lossOf(order: Order, pays: Price): number {
  const size = leavesQty(order);
  const acquired = qty(order.side === 'buy' ? size : -size);
  return openingPrice(order.side, order.price) * size + feeOf(order) - valueOf(acquired, pays);
}

/** What is tried out. */
export interface Tried {
  readonly markets: number;
  readonly open: readonly Order[];
  /** What positions lose when the markets pay so. */
  readonly held: (pays: readonly Price[]) => number;
  /** Whether the markets may pay so; any way where absent. */
  readonly isPossible?: (pays: readonly Price[]) => boolean;
}

/** The worst of every set of fills and every outcome; 0 where nothing can be lost. Millionths of a dollar. */
export function triedOut({ markets, open, held, isPossible = () => true }: Tried): number {
  let worst = 0;
  for (let outcome = 0; outcome < 2 ** markets; outcome++) {
    const pays = Array.from({ length: markets }, (_, i) => price((outcome & (1 << i)) > 0 ? 10_000 : 0));
    if (!isPossible(pays)) continue;
    const begun = held(pays);
    const losses = open.map((order) => lossOf(order, pays[order.market]!));
    for (let fills = 0; fills < 2 ** open.length; fills++)
      worst = Math.max(
        worst,
        losses.reduce((sum, lost, i) => sum + ((fills & (1 << i)) > 0 ? lost : 0), begun),
      );
  }
  return worst;
}
