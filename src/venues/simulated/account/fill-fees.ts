// Charges the fees of our fills by the latest schedule that the tape has shown. Where the tape shows no fees, the
// config's fees apply. Fees are wrong where the tape shows them too late.
import {
  type FeeRounding,
  type FeeSchedule,
  type FeeType,
  type FillParts,
  DIRECT_ROUNDING,
  chargeFill,
  feeSchedule,
  isRoundedToCents,
  isFeeType,
  roundingAt,
  waivedFees,
} from '../../../domain/fee-schedule.ts';
import type { Liquidity } from '../../../domain/orders/order.ts';
import { type Micros, type Money, type Price, QTY_PER_CONTRACT, type Qty } from '../../../domain/units.ts';
import type { FeeTerms } from '../../../domain/market.ts';
import type { TapeListing } from '../feed/tape-listing.ts';
import type { VenueMarket, VenueOrder } from './venue-records.ts';

/** Fees of a series where the tape shows none, or an unknown type. */
export interface FeeFallback {
  readonly fallback: FeeType;
  readonly multiplierPercent: number;
}

export const fallbackTerms = ({ fallback, multiplierPercent }: FeeFallback): FeeTerms => ({
  feeType: fallback,
  feeMultiplierPercent: multiplierPercent,
});

interface UnchargedFill {
  readonly price: Price;
  readonly qty: Qty;
  readonly liquidity: Liquidity;
  /** Change of cash before fees, signed. */
  readonly cash: Money;
}

export interface FillFeesOptions {
  readonly clock: { readonly now: Micros };
  readonly listing: TapeListing;
  readonly fallback: FeeFallback;
  /** The rounding of fees over time, earliest first. Default: that of an account that clears directly. */
  readonly roundings?: readonly FeeRounding[] | undefined;
}

interface CachedSchedule {
  readonly revision: number;
  readonly rounding: FeeRounding;
  /** No planned change affects the schedule before this time. */
  readonly until: number;
  readonly schedule: FeeSchedule;
}

/** Charges fills by the fees in force when they happen. */
export class FillFees {
  readonly #clock: FillFeesOptions['clock'];
  readonly #listing: TapeListing;
  readonly #fallback: FeeFallback;
  readonly #roundings: readonly FeeRounding[];
  readonly #cache = new WeakMap<VenueMarket, CachedSchedule>();

  constructor({ clock, listing, fallback, roundings = [DIRECT_ROUNDING] }: FillFeesOptions) {
    this.#clock = clock;
    this.#listing = listing;
    this.#fallback = fallback;
    this.#roundings = roundings;
  }

  /** Returns the fee schedule of a market's trades now. A fee waiver is left out: it may end before an order does. */
  scheduleOf(market: VenueMarket): FeeSchedule {
    const { feesRevision: revision } = this.#listing;
    const rounding = roundingAt(this.#roundings, this.#clock.now);
    const cached = this.#cache.get(market);
    if (cached?.revision === revision && cached.rounding === rounding && this.#clock.now < cached.until)
      return cached.schedule;
    const { terms, until } = this.#listing.feesOf(market.market.eventTicker);
    const schedule = this.#scheduleBy(terms, rounding);
    this.#cache.set(market, { revision, rounding, until, schedule });
    return schedule;
  }

  #scheduleBy({ feeType, feeMultiplierPercent }: FeeTerms, rounding: FeeRounding): FeeSchedule {
    if (isFeeType(feeType)) return feeSchedule(feeType, feeMultiplierPercent, rounding);
    return feeSchedule(this.#fallback.fallback, this.#fallback.multiplierPercent, rounding);
  }

  chargeFill(order: VenueOrder, fill: UnchargedFill): Money {
    const { market } = order.market;
    const standard = this.scheduleOf(order.market);
    const schedule = this.#clock.now < (market.feesWaivedUntil ?? 0) ? waivedFees(standard) : standard;
    const { price, qty, liquidity, cash } = fill;
    const charge = chargeFill(schedule, { price, qty, liquidity, cash, gathered: order.accumulatedRounding });
    order.accumulatedRounding = charge.gathered;
    return charge.fee;
  }
}

/**
 * The parts in which an order is assumed to be filled. Where a step of its fees is a cent or more, each part is assumed to
 * be at least a contract. Otherwise the charge could exceed the price of the contracts.
 */
export const assumedParts = (schedule: FeeSchedule, qtyStep: number): FillParts => ({
  qtyStep,
  fillMin: isRoundedToCents(schedule) ? Math.max(qtyStep, QTY_PER_CONTRACT) : qtyStep,
});
