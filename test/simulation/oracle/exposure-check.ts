// Invariant I4: checks the bot's possible position and loss against its limits after every fact about it, from the
// exchange's own list of resting orders and positions. Must never read the bot's state.
import { FLAT, collateral, openingPrice } from '../../../src/domain/position.ts';
import type { ExchangeReader } from '../../../src/exchange/machine/exchange-interface.ts';
import type { EventTicker, Ticker } from '../../../src/domain/ids.ts';
import type { OrderView, PositionView } from '../../../src/exchange/machine/exchange-output.ts';
import type { BotConfig } from '../../../src/config/bot-config.ts';
import { ACCOUNT } from '../scenario.ts';
import type { Verdict } from './verdict.ts';
import { type MarketStake, worstOf } from './worst-case.ts';

/** A figure and its limit. */
interface Measured {
  readonly value: number;
  readonly most: number;
  readonly where: string;
}

type Limits = NonNullable<BotConfig['limits']>;

/** Checks exposure at the exchange. */
export class ExposureCheck {
  readonly #limits: Limits;
  readonly #verdict: Verdict;
  /** The largest share of each limit that was used: a run reports it to show how hard it pressed the limits. */
  readonly nearest: Record<string, number> = {};
  readonly #realized = new Map<Ticker, number>();
  #takenProfit = 0;

  constructor(limits: Limits, verdict: Verdict) {
    this.#limits = limits;
    this.#verdict = verdict;
  }

  check(exchange: ExchangeReader): void {
    const resting = exchange.restingOrders(ACCOUNT);
    this.#requireWithin('workingOrdersMax', {
      value: resting.length,
      most: this.#limits.workingOrdersMax,
      where: 'the account',
    });
    const byTicker = new Map<Ticker, OrderView[]>();
    for (const order of resting) byTicker.set(order.ticker, [...(byTicker.get(order.ticker) ?? []), order]);
    const byGroup = new Map<EventTicker, MarketStake[]>();
    const check = (ticker: Ticker, held: MarketStake['held'], orders: readonly OrderView[]): void => {
      this.#checkMarket(ticker, held, orders);
      const group = exchange.market(ticker)?.definition.eventTicker;
      if (group !== undefined) byGroup.set(group, [...(byGroup.get(group) ?? []), { held, orders }]);
    };
    for (const position of exchange.positions(ACCOUNT)) {
      this.#addTakenProfit(position);
      check(position.ticker, position, byTicker.get(position.ticker) ?? []);
      byTicker.delete(position.ticker);
    }
    for (const [ticker, orders] of byTicker) check(ticker, FLAT, orders);
    this.#checkGroups(exchange, byGroup);
  }

  /** Adds up profit that was taken: it can be lost again, but is not in the cost of what is held. */
  #addTakenProfit({ ticker, realized }: PositionView): void {
    this.#takenProfit += Math.max(0, realized - (this.#realized.get(ticker) ?? 0));
    this.#realized.set(ticker, realized);
  }

  #checkGroups(exchange: ExchangeReader, byGroup: ReadonlyMap<EventTicker, readonly MarketStake[]>): void {
    let total = -this.#takenProfit;
    for (const [name, stakes] of byGroup) {
      const worst = worstOf(stakes, exchange.group(name)?.isExclusive ?? false);
      this.#requireWithin('groupCostMax', {
        value: worst - this.#takenProfit,
        most: this.#limits.groupCostMax,
        where: name,
      });
      total += worst;
    }
    this.#requireWithin('accountCostMax', { value: total, most: this.#limits.accountCostMax, where: 'the account' });
  }

  #checkMarket(ticker: string, held: MarketStake['held'], orders: readonly OrderView[]): void {
    const limits = this.#limits;
    const leaves = (side: string): number =>
      orders.filter((order) => order.side === side).reduce((sum, order) => sum + order.leavesQty, 0);
    this.#requireWithin('positionQtyMax', {
      value: held.qty + leaves('buy'),
      most: limits.positionQtyMax,
      where: ticker,
    });
    this.#requireWithin('positionQtyMax', {
      value: leaves('sell') - held.qty,
      most: limits.positionQtyMax,
      where: ticker,
    });
    for (const { initialQty, price, side, orderId } of orders) {
      this.#requireWithin('orderQtyMax', { value: initialQty, most: limits.orderQtyMax, where: orderId });
      this.#requireWithin('orderCostMax', {
        value: openingPrice(side, price) * initialQty,
        most: limits.orderCostMax,
        where: orderId,
      });
    }
    const cost = held.cost + collateral(held.qty, orders);
    this.#requireWithin('marketCostMax', { value: cost, most: limits.marketCostMax, where: ticker });
  }

  #requireWithin(limit: string, { value, most, where }: Measured): void {
    const share = value / most;
    if (share > (this.nearest[limit] ?? 0)) this.nearest[limit] = share;
    this.#verdict.require(value <= most, 'I4', () => `${where}: ${value} is above ${limit} ${most} at the exchange`);
  }
}
