// Compares what each fill was charged with what the fee schedule says, and tells when they differ.
// Must never stop trading: a fee that surprises is a person's to look at.
import { centsText, contractsText, dollarsText } from '../domain/amounts.ts';
import type { Alarm } from '../domain/alarm.ts';
import type { FillReport } from '../domain/event.ts';
import { type FeeSchedule, chargeFill } from '../domain/fees.ts';
import type { ClientOrderId, MarketIndex } from '../domain/ids.ts';
import { type Order, isFinished, signOf } from '../domain/order.ts';
import { type Position, cashOfTrade } from '../domain/position.ts';
import { type Micros, type Money, NO_MONEY, addMoney, fromSeconds, qty } from '../domain/units.ts';

/** A market's fees are told to be wrong no more often. Microseconds. */
const TELL_EVERY = fromSeconds(60);
/** What the venue gives back of gathered rounding comes with whichever fill it is due at. Millionths of a dollar. */
const REBATE = 10_000;

/** A fill of ours, and what its market charges. */
export interface Charged {
  readonly order: Order;
  readonly fill: FillReport;
  /** What is held after it. */
  readonly position: Position;
  readonly schedule: FeeSchedule;
  readonly ticker: string;
  readonly at: Micros;
}

/** A market that charges in a way of its own. */
interface Unpredictable {
  readonly ticker: string;
  readonly market: MarketIndex;
  readonly feeType: string;
  readonly at: Micros;
}

/** What fills of a session were charged, and what the schedules gave for the same fills. */
export interface FeesChecked {
  readonly fills: number;
  readonly charged: Money;
  readonly expected: Money;
}

/** Watches the fees of our orders. */
export class FeeWatch {
  /** Rounding gathered by each unfinished order. */
  readonly #gathered = new Map<ClientOrderId, Money>();
  #checked: FeesChecked = { fills: 0, charged: NO_MONEY, expected: NO_MONEY };
  readonly #toldAt = new Map<MarketIndex, Micros>();
  /** Markets of which it was told that their fees cannot be predicted. */
  readonly #unpredictable = new Set<MarketIndex>();

  /** All fills so far whose fees could be predicted. */
  get checked(): FeesChecked {
    return this.#checked;
  }

  /** Takes a fill; an alarm when its fee is not what was to be expected. */
  take(charged: Charged): Alarm | null {
    const { order, fill, position, schedule } = charged;
    const id = order.clientOrderId;
    const gathered = this.#gathered.get(id) ?? NO_MONEY;
    const before = qty(position.qty - signOf(fill.side) * fill.qty);
    const expected = chargeFill(schedule, { ...fill, cash: cashOfTrade(before, fill), gathered });
    this.#checked = {
      fills: this.#checked.fills + 1,
      charged: addMoney(this.#checked.charged, fill.fee),
      expected: addMoney(this.#checked.expected, expected.fee),
    };
    if (isFinished(order.state)) this.#gathered.delete(id);
    else this.#gathered.set(id, expected.gathered);
    const isFirst = order.filledQty === fill.qty;
    return isAlike(fill.fee - expected.fee, schedule, isFirst) ? null : this.#tell(charged, expected.fee);
  }

  #tell({ fill, ticker, at }: Charged, expected: Money): Alarm | null {
    const toldAt = this.#toldAt.get(fill.market);
    if (toldAt !== undefined && at - toldAt < TELL_EVERY) return null;
    this.#toldAt.set(fill.market, at);
    const { fee, price, qty: size, liquidity, tradeId } = fill;
    const text = `${ticker}: a fill of ${contractsText(size)} at ${centsText(price)} as ${liquidity} was charged ${dollarsText(fee)}, not ${dollarsText(expected)}`;
    return { type: 'alarm', code: 'fee-unexpected', at, text, figures: { ticker, tradeId, fee, expected } };
  }

  /** Takes a fill of a market whose fees we know no way to reckon; an alarm the first time. */
  unpredictable({ ticker, market, feeType, at }: Unpredictable): Alarm | null {
    if (this.#unpredictable.has(market)) return null;
    this.#unpredictable.add(market);
    const text = `${ticker}: what its fills are charged cannot be predicted, for its fees are of a type that is not known: ${JSON.stringify(feeType)}`;
    return { type: 'alarm', code: 'fee-unexpected', at, text, figures: { ticker, feeType } };
  }

  /** An order is over: so is its rounding. */
  ended(id: ClientOrderId): void {
    this.#gathered.delete(id);
  }

  /** Forgets a market: its number may soon be another's. */
  forget(market: MarketIndex): void {
    this.#toldAt.delete(market);
    this.#unpredictable.delete(market);
  }
}

/** Fills told in another order than the venue charged them in are rounded otherwise, by no more than a step. */
function isAlike(difference: number, { balanceStep }: FeeSchedule, isFirst: boolean): boolean {
  const size = Math.abs(difference);
  return size <= balanceStep || (!isFirst && Math.abs(size - REBATE) <= balanceStep);
}
