// Compares the fee of each fill with the fee schedule, and raises an alarm for a difference above rounding. Must never
// stop trading: a person has to look at an unexpected fee.
import { centsText, contractsText, dollarsText } from '../domain/amounts.ts';
import type { Alarm } from '../domain/alarm.ts';
import type { FillReport } from '../domain/event.ts';
import { type FeeSchedule, chargeFill } from '../domain/fee-schedule.ts';
import type { ClientOrderId, MarketIndex } from '../domain/ids.ts';
import { type Order, isFinished } from '../domain/orders/order.ts';
import { type Position, cashOfTrade, heldBefore } from '../domain/position.ts';
import { type Micros, type Money, NO_MONEY, addMoney, fromSeconds } from '../domain/units.ts';

/** Shortest time between two alarms about the fees of one market. Microseconds. */
const ALARM_INTERVAL = fromSeconds(60);
/** The venue returns accumulated rounding in rebates of this size. Millionths of a dollar. */
const REBATE = 10_000;

/** A fill of ours and the fee schedule of its market. */
export interface ChargedFill {
  readonly order: Order;
  readonly fill: FillReport;
  readonly position: Position;
  readonly schedule: FeeSchedule;
  readonly ticker: string;
  readonly at: Micros;
}

interface Unpredictable {
  readonly ticker: string;
  readonly market: MarketIndex;
  readonly feeType: string;
  readonly at: Micros;
}

/** Fees of a session's fills: as charged, and by the fee schedules. */
export interface FeeTotals {
  readonly fills: number;
  readonly charged: Money;
  readonly expected: Money;
}

/** Checks the fees of our orders. */
export class FeeWatch {
  /** Accumulated rounding. Added with an order's first fill; removed when the order ends. */
  readonly #roundingByOrder = new Map<ClientOrderId, Money>();
  #checked: FeeTotals = { fills: 0, charged: NO_MONEY, expected: NO_MONEY };
  /** Added with an alarm; removed with the market. */
  readonly #alarmedAt = new Map<MarketIndex, Micros>();
  /** Added with an alarm; removed with the market. */
  readonly #unpredictable = new Set<MarketIndex>();

  /** Counts only fills with a predictable fee. */
  get totals(): FeeTotals {
    return this.#checked;
  }

  /** Checks a fill. Returns an alarm for an unexpected fee, at most once a minute for each market. */
  checkFill(charged: ChargedFill): Alarm | null {
    const { order, fill, position, schedule } = charged;
    const id = order.clientOrderId;
    const gathered = this.#roundingByOrder.get(id) ?? NO_MONEY;
    const before = heldBefore(position.qty, fill);
    const { price, qty, liquidity } = fill;
    const expected = chargeFill(schedule, { price, qty, liquidity, cash: cashOfTrade(before, fill), gathered });
    this.#checked = {
      fills: this.#checked.fills + 1,
      charged: addMoney(this.#checked.charged, fill.fee),
      expected: addMoney(this.#checked.expected, expected.fee),
    };
    if (isFinished(order.state)) this.#roundingByOrder.delete(id);
    else this.#roundingByOrder.set(id, expected.gathered);
    const isFirst = order.filledQty === fill.qty;
    return isWithinRounding(fill.fee - expected.fee, schedule, isFirst) ? null : this.#alarm(charged, expected.fee);
  }

  #alarm({ fill, ticker, at }: ChargedFill, expected: Money): Alarm | null {
    const alarmedAt = this.#alarmedAt.get(fill.market);
    if (alarmedAt !== undefined && at - alarmedAt < ALARM_INTERVAL) return null;
    this.#alarmedAt.set(fill.market, at);
    const { fee, price, qty: size, liquidity, tradeId } = fill;
    const text = `${ticker}: a fill of ${contractsText(size)} at ${centsText(price)} as ${liquidity} was charged ${dollarsText(fee)}, not ${dollarsText(expected)}`;
    return { type: 'alarm', code: 'fee-unexpected', at, text, figures: { ticker, tradeId, fee, expected } };
  }

  /** Records a fill with an unknown fee type. Returns an alarm for the first one in a market. */
  onUnpredictableFill({ ticker, market, feeType, at }: Unpredictable): Alarm | null {
    if (this.#unpredictable.has(market)) return null;
    this.#unpredictable.add(market);
    const text = `${ticker}: its fees cannot be predicted, because their type is not known: ${JSON.stringify(feeType)}`;
    return { type: 'alarm', code: 'fee-unexpected', at, text, figures: { ticker, feeType } };
  }

  dropOrder(id: ClientOrderId): void {
    this.#roundingByOrder.delete(id);
  }

  dropMarket(market: MarketIndex): void {
    this.#alarmedAt.delete(market);
    this.#unpredictable.delete(market);
  }
}

/**
 * Fills may be charged in a different sequence from that of the reports. A fee then differs by at most a step, or by a
 * rebate.
 */
function isWithinRounding(difference: number, { balanceStep }: FeeSchedule, isFirst: boolean): boolean {
  const size = Math.abs(difference);
  return size <= balanceStep || (!isFirst && Math.abs(size - REBATE) <= balanceStep);
}
