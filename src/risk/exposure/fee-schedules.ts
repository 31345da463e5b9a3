// Finds the fee schedule of each market from its series, and the highest fee that an order may be charged. Must never
// treat an unknown schedule as free: an unknown fee counts as the most expensive schedule.
import {
  type FeeRounding,
  type FeeSchedule,
  DIRECT_ROUNDING,
  feeSchedule,
  isFeeType,
  modelFee,
  roundingAt,
  waivedFees,
} from '../../domain/fee-schedule.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Liquidity } from '../../domain/orders/order.ts';
import type { OrderTerms } from '../../domain/orders/order-terms.ts';
import { openingPrice } from '../../domain/position.ts';
import type { FeeTerms } from '../../domain/market.ts';
import { EPOCH, type Micros, type Money, QTY_PER_CONTRACT, type Qty, fromSeconds, money } from '../../domain/units.ts';
import type { Markets } from '../../state/market-catalog.ts';

/** The terms of an order that its fee depends on, except the quantity. A post-only order is charged as a maker. */
export type FeeInput = Pick<OrderTerms, 'side' | 'price' | 'postOnly'>;

/** How a market charges its fills: by a schedule, by an unknown fee type, or unknown because the market's series is. */
export type FeeLookup =
  | { readonly type: 'schedule'; readonly schedule: FeeSchedule }
  | { readonly type: 'unpredictable'; readonly feeType: string }
  | { readonly type: 'unknown' };

/**
 * The date of a rounding change is known only to the month, so the earlier rounding still counts for this long after
 * the change. Microseconds.
 */
const ROUNDING_GRACE = fromSeconds(90 * 24 * 3600);

/** Fee schedules by market. */
export class FeeSchedules {
  readonly #markets: Markets;
  readonly #roundings: readonly FeeRounding[];
  readonly #now: () => Micros;
  /** The coarsest rounding that an order may be charged with now. */
  #coarsest: FeeRounding;
  #mostExpensive: FeeSchedule;
  /** Time until which `#coarsest` and `#mostExpensive` are valid. Microseconds. */
  #roundingUntil = Number.NEGATIVE_INFINITY;
  /**
   * Every schedule that may apply while an order rests, by market. Valid for one revision of the market descriptions.
   */
  #schedules: (readonly FeeSchedule[] | undefined)[] = [];
  #revision = -1;

  /**
   * @param roundings earliest first. The default is the rounding of an account that clears directly.
   * @param now the current time. Without it the coarsest rounding of all time counts.
   */
  constructor(markets: Markets, roundings: readonly FeeRounding[] = [DIRECT_ROUNDING], now = (): Micros => EPOCH) {
    this.#markets = markets;
    this.#roundings = roundings;
    this.#now = now;
    this.#coarsest = coarsestOf(roundings);
    this.#mostExpensive = mostExpensiveBy(this.#coarsest);
  }

  /** Finds the coarsest rounding again when one of the roundings has expired. */
  #updateRounding(): void {
    const now = this.#now();
    if (now < this.#roundingUntil) return;
    const ends = this.#roundings.map((_, index) => (this.#roundings[index + 1]?.since ?? Infinity) + ROUNDING_GRACE);
    this.#roundingUntil = Math.min(...ends.filter((end) => end > now));
    this.#coarsest = coarsestOf(this.#roundings.filter((_, index) => (ends[index] ?? 0) > now));
    this.#mostExpensive = mostExpensiveBy(this.#coarsest);
    this.#schedules = [];
  }

  /** How a fill of a market was charged at a time, with a fee waiver if there was one. */
  lookupAt(index: MarketIndex, at: Micros): FeeLookup {
    const market = this.#markets.get(index);
    const terms = market && this.#markets.feesOf(market.eventTicker, at);
    if (!market || !terms) return { type: 'unknown' };
    const { feeType, feeMultiplierPercent } = terms;
    if (!isFeeType(feeType)) return { type: 'unpredictable', feeType };
    const schedule = feeSchedule(feeType, feeMultiplierPercent, roundingAt(this.#roundings, at));
    return { type: 'schedule', schedule: at < (market.feesWaivedUntil ?? 0) ? waivedFees(schedule) : schedule };
  }

  /** The schedule of a fill at a time; the most expensive one where it is not known. */
  scheduleAt(index: MarketIndex, at: Micros): FeeSchedule {
    this.#updateRounding();
    const charging = this.lookupAt(index, at);
    return charging.type === 'schedule' ? charging.schedule : this.#mostExpensive;
  }

  /** Every schedule that may apply while an order rests. A waiver may end, and a planned change may begin. */
  #possibleSchedules(market: MarketIndex): readonly FeeSchedule[] {
    this.#updateRounding();
    if (this.#markets.revision !== this.#revision) {
      this.#revision = this.#markets.revision;
      this.#schedules = [];
    }
    return (this.#schedules[market] ??= this.#findPossible(market));
  }

  #findPossible(index: MarketIndex): readonly FeeSchedule[] {
    const market = this.#markets.get(index);
    const possible = market ? this.#markets.feeTimelineOf(market.eventTicker) : [];
    return possible.length === 0 ? [this.#mostExpensive] : possible.map(({ terms }) => this.#scheduleOf(terms));
  }

  #scheduleOf({ feeType, feeMultiplierPercent }: FeeTerms): FeeSchedule {
    return isFeeType(feeType) ? feeSchedule(feeType, feeMultiplierPercent, this.#coarsest) : this.#mostExpensive;
  }

  /**
   * The highest fee of an order that fills `qty`, assuming at most one fill per contract. Each further fill may cost
   * one rounding more. A fill at a better price saves more than its fee can rise, so the order's own price is the worst
   * case.
   */
  highestFee(market: MarketIndex, order: FeeInput, qty: Qty): Money {
    let highest = 0;
    for (const schedule of this.#possibleSchedules(market))
      highest = Math.max(highest, highestFee(schedule, order, qty));
    return money(highest);
  }
}

const coarsestOf = (roundings: readonly FeeRounding[]): FeeRounding =>
  roundings.reduce((coarsest, { feeStep, balanceStep }) => ({
    ...coarsest,
    feeStep: feeStep > coarsest.feeStep ? feeStep : coarsest.feeStep,
    balanceStep: balanceStep > coarsest.balanceStep ? balanceStep : coarsest.balanceStep,
  }));

const mostExpensiveBy = (rounding: FeeRounding): FeeSchedule =>
  feeSchedule('quadratic_with_combo_maker_fees', 100, rounding);

function highestFee(schedule: FeeSchedule, order: FeeInput, qty: Qty): number {
  const liquidity: Liquidity = order.postOnly || schedule.takerRate < schedule.makerRate ? 'maker' : 'taker';
  const fee = modelFee(schedule, { price: order.price, qty, liquidity });
  if (fee === 0 && openingPrice(order.side, order.price) % schedule.balanceStep === 0) return fee;
  // The fee of each fill is rounded up to the fee step, and the balance that it leaves is rounded down to the balance
  // step.
  return fee + Math.ceil(qty / QTY_PER_CONTRACT) * (schedule.feeStep + schedule.balanceStep);
}
