// I4: what the bot could come to hold and lose, from the exchange's own list of its resting orders and positions, against
// the bot's limits, after every fact about it. Must never look at what the bot believes.
import { collateral, openingPrice } from '../../src/domain/position.ts';
import type { ExchangeReader } from '../../src/exchange/exchange.ts';
import type { OrderView } from '../../src/exchange/output.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { ACCOUNT } from './scenario.ts';
import type { Verdict } from './verdict.ts';

type Limits = NonNullable<BotConfig['limits']>;

/** Checks exposure at the exchange. */
export class ExposureCheck {
  readonly #limits: Limits;
  readonly #verdict: Verdict;
  /** The nearest that each limit has come to, as a share: what a run says of how hard it leaned on them. */
  readonly nearest: Record<string, number> = {};

  constructor(limits: Limits, verdict: Verdict) {
    this.#limits = limits;
    this.#verdict = verdict;
  }

  check(exchange: ExchangeReader): void {
    const resting = exchange.restingOrders(ACCOUNT);
    this.#within('workingOrdersMax', resting.length, this.#limits.workingOrdersMax, 'the account');
    const byTicker = new Map<string, OrderView[]>();
    for (const order of resting) byTicker.set(order.ticker, [...(byTicker.get(order.ticker) ?? []), order]);
    let total = 0;
    for (const { ticker, qty, cost } of exchange.positions(ACCOUNT)) {
      const orders = byTicker.get(ticker) ?? [];
      byTicker.delete(ticker);
      total += this.#checkMarket(ticker, { qty, cost }, orders);
    }
    for (const [ticker, orders] of byTicker) total += this.#checkMarket(ticker, { qty: 0, cost: 0 }, orders);
    this.#within('accountCostMax', total, this.#limits.accountCostMax, 'the account');
  }

  /** Returns what is held and pledged in the market. */
  #checkMarket(ticker: string, held: { qty: number; cost: number }, orders: readonly OrderView[]): number {
    const limits = this.#limits;
    const leaves = (side: string): number =>
      orders.filter((order) => order.side === side).reduce((sum, order) => sum + order.leavesQty, 0);
    this.#within('positionQtyMax', held.qty + leaves('buy'), limits.positionQtyMax, ticker);
    this.#within('positionQtyMax', leaves('sell') - held.qty, limits.positionQtyMax, ticker);
    for (const { initialQty, price, side, orderId } of orders) {
      this.#within('orderQtyMax', initialQty, limits.orderQtyMax, orderId);
      this.#within('orderCostMax', openingPrice(side, price) * initialQty, limits.orderCostMax, orderId);
    }
    const cost = held.cost + collateral(held.qty as never, orders);
    this.#within('marketCostMax', cost, limits.marketCostMax, ticker);
    return cost;
  }

  #within(limit: string, value: number, most: number, where: string): void {
    const share = value / most;
    if (share > (this.nearest[limit] ?? 0)) this.nearest[limit] = share;
    this.#verdict.require(value <= most, 'I4', () => `${where}: ${value} is above ${limit} ${most} at the exchange`);
  }
}
