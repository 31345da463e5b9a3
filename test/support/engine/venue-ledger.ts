// The account at a scripted venue: cash, positions, and the lists of what moved them. It is the truth.
import type { FillReport, OrderReport, SettlementReport } from '../../../src/domain/event.ts';
import { type MarketIndex, tradeId } from '../../../src/domain/ids.ts';
import { FLAT, type Position, afterSettlement, afterTrade, cashOfTrade, payout } from '../../../src/domain/position.ts';
import { type Micros, type Money, type Price, money, qty } from '../../../src/domain/units.ts';

/** The fee of every fill. */
export const FEE = 1234 as Money;

export class VenueLedger {
  fills: FillReport[] = [];
  settlements: SettlementReport[] = [];
  readonly positions = new Map<MarketIndex, Position>();
  cash: Money;
  #trades = 0;

  constructor(cash: Money) {
    this.cash = cash;
  }

  position(market: MarketIndex): Position {
    return this.positions.get(market) ?? FLAT;
  }

  /** Records a trade of some of an order. */
  recordTrade({ market, side, price, venueOrderId, clientOrderId }: OrderReport, size: number, at: Micros): FillReport {
    const trade = { side, price, qty: qty(size), fee: FEE };
    const before = this.position(market);
    this.cash = money(this.cash + cashOfTrade(before.qty, trade) - FEE);
    this.positions.set(market, afterTrade(before, trade));
    this.#trades += 1;
    const named = { tradeId: tradeId(`t-${this.#trades}`), venueOrderId, clientOrderId, market };
    const fill: FillReport = { ...trade, ...named, liquidity: 'maker', exchangeAt: at };
    this.fills.push(fill);
    return fill;
  }

  /** Pays a market out. */
  settleMarket(market: MarketIndex, settlementValue: Price, at: Micros): void {
    const before = this.position(market);
    const revenue = payout(before.qty, settlementValue);
    this.cash = money(this.cash + revenue);
    this.positions.set(market, afterSettlement(before, settlementValue));
    this.settlements.push({ market, result: 'scalar', settlementValue, revenue, settledAt: at });
  }

  /** Forgets a market: its index may be reused. */
  forgetMarket(gone: MarketIndex): void {
    this.positions.delete(gone);
    this.fills = this.fills.filter(({ market }) => market !== gone);
    this.settlements = this.settlements.filter(({ market }) => market !== gone);
  }
}
