// What our fills are charged: the schedule that the tape has told by the time of the fill, by series and event group, and
// the rounding that each order gathers. It lies where the tape told too late, or never: then the config's fees hold.
import {
  type FeeRounding,
  type FeeSchedule,
  type FeeType,
  DIRECT_ROUNDING,
  chargeFill,
  feeSchedule,
  isRoundedToCents,
  isFeeType,
  modelFee,
  roundingAt,
  waived,
} from '../../domain/fees.ts';
import type { Liquidity } from '../../domain/order.ts';
import { type Micros, type Money, type Price, QTY_PER_CONTRACT, type Qty, money } from '../../domain/units.ts';
import type { FeeTerms } from '../../domain/market.ts';
import type { Listing } from './listing.ts';
import type { MarketRecord, OrderRecord } from './records.ts';

/** How a series is charged where the tape does not say, or in a way that nobody knows. */
export interface FeeFallback {
  readonly fallback: FeeType;
  readonly multiplierPercent: number;
}

export const termsOf = ({ fallback, multiplierPercent }: FeeFallback): FeeTerms => ({
  feeType: fallback,
  feeMultiplierPercent: multiplierPercent,
});

/** A fill before it is charged. */
interface Filling {
  readonly price: Price;
  readonly qty: Qty;
  readonly liquidity: Liquidity;
  /** What the trade does to cash before fees, signed. */
  readonly cash: Money;
}

export interface FeesOptions {
  readonly clock: { readonly now: Micros };
  readonly listing: Listing;
  readonly fallback: FeeFallback;
  /** To what fees are rounded, in the order of time; an account's that clears directly unless said. */
  readonly roundings?: readonly FeeRounding[] | undefined;
}

/** A schedule, and what it was made of. */
interface Known {
  readonly revision: number;
  readonly rounding: FeeRounding;
  /** Until when nothing that is planned changes it. */
  readonly until: number;
  readonly schedule: FeeSchedule;
}

/** Charges fills. */
export class Fees {
  readonly #clock: FeesOptions['clock'];
  readonly #listing: Listing;
  readonly #fallback: FeeFallback;
  readonly #roundings: readonly FeeRounding[];
  readonly #known = new WeakMap<MarketRecord, Known>();

  constructor({ clock, listing, fallback, roundings = [DIRECT_ROUNDING] }: FeesOptions) {
    this.#clock = clock;
    this.#listing = listing;
    this.#fallback = fallback;
    this.#roundings = roundings;
  }

  /** How a market's trades are charged now, but for a waiver, which may end before an order does. */
  scheduleOf(market: MarketRecord): FeeSchedule {
    const { feesRevision: revision } = this.#listing;
    const rounding = roundingAt(this.#roundings, this.#clock.now);
    const known = this.#known.get(market);
    if (known?.revision === revision && known.rounding === rounding && this.#clock.now < known.until)
      return known.schedule;
    const { terms, until } = this.#listing.feesOf(market.market.eventTicker);
    const schedule = this.#scheduleBy(terms, rounding);
    this.#known.set(market, { revision, rounding, until, schedule });
    return schedule;
  }

  #scheduleBy({ feeType, feeMultiplierPercent }: FeeTerms, rounding: FeeRounding): FeeSchedule {
    if (isFeeType(feeType)) return feeSchedule(feeType, feeMultiplierPercent, rounding);
    return feeSchedule(this.#fallback.fallback, this.#fallback.multiplierPercent, rounding);
  }

  /** Charges a fill of an order, which gathers the rounding of it. */
  charge(order: OrderRecord, fill: Filling): Money {
    const { market } = order.market;
    const usual = this.scheduleOf(order.market);
    const schedule = this.#clock.now < (market.feesWaivedUntil ?? 0) ? waived(usual) : usual;
    const { fee, gathered } = chargeFill(schedule, { ...fill, gathered: order.gathered });
    order.gathered = gathered;
    return fee;
  }
}

/**
 * The most that so much of an order can be charged at its price, however its fills are cut: each is rounded up to the
 * fee's step, and what it leaves of the balance down to the balance's. Where that is a cent, a fill is taken to be a
 * contract at the least: a cent for each hundredth of a contract would cost more than the contracts.
 */
export function mostCharged(
  schedule: FeeSchedule,
  { price, qty, liquidity }: Omit<Filling, 'cash'>,
  qtyStep: number,
): Money {
  const fee = modelFee(schedule, { price, qty, liquidity });
  if (fee === 0 && (price * qtyStep) % schedule.balanceStep === 0) return fee;
  const fillMin = isRoundedToCents(schedule) ? Math.max(qtyStep, QTY_PER_CONTRACT) : qtyStep;
  return money(fee + Math.ceil(qty / fillMin) * (schedule.feeStep + schedule.balanceStep));
}
