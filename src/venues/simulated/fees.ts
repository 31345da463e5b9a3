// What our fills are charged: the schedule that the tape has told by the time of the fill, by series and event group, and
// the rounding that each order gathers. It lies where the tape told too late, or never: then the config's fees hold.
import { type FeeSchedule, type FeeType, FEE_RATES, chargeFill, feeSchedule, modelFee } from '../../domain/fees.ts';
import type { Liquidity } from '../../domain/order.ts';
import { type Money, type Price, type Qty, money } from '../../domain/units.ts';
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

const isFeeType = (name: string): name is FeeType => Object.hasOwn(FEE_RATES, name);

/** A fill before it is charged. */
interface Filling {
  readonly price: Price;
  readonly qty: Qty;
  readonly liquidity: Liquidity;
  /** What the trade does to cash before fees, signed. */
  readonly cash: Money;
}

/** Charges fills. */
export class Fees {
  readonly #listing: Listing;
  readonly #fallback: FeeFallback;
  readonly #known = new WeakMap<MarketRecord, { readonly revision: number; readonly schedule: FeeSchedule }>();

  constructor(listing: Listing, fallback: FeeFallback) {
    this.#listing = listing;
    this.#fallback = fallback;
  }

  /** How a market's trades are charged now. */
  scheduleOf(market: MarketRecord): FeeSchedule {
    const { feesRevision: revision } = this.#listing;
    const known = this.#known.get(market);
    if (known?.revision === revision) return known.schedule;
    const schedule = this.#readSchedule(market);
    this.#known.set(market, { revision, schedule });
    return schedule;
  }

  #readSchedule({ market }: MarketRecord): FeeSchedule {
    const { feeType, feeMultiplierPercent } = this.#listing.feesOf(market.eventTicker);
    if (isFeeType(feeType)) return feeSchedule(feeType, feeMultiplierPercent);
    return feeSchedule(this.#fallback.fallback, this.#fallback.multiplierPercent);
  }

  /** Charges a fill of an order, which gathers the rounding of it. */
  charge(order: OrderRecord, fill: Filling): Money {
    const { fee, gathered } = chargeFill(this.scheduleOf(order.market), { ...fill, gathered: order.gathered });
    order.gathered = gathered;
    return fee;
  }
}

/**
 * The most that so much of an order can be charged at its price, however its fills are cut: each is rounded up to the
 * fee's step, and what it leaves of the balance down to the balance's.
 */
export function mostCharged(
  schedule: FeeSchedule,
  { price, qty, liquidity }: Omit<Filling, 'cash'>,
  qtyStep: number,
): Money {
  const fee = modelFee(schedule, { price, qty, liquidity });
  if (fee === 0 && (price * qtyStep) % schedule.balanceStep === 0) return fee;
  return money(fee + Math.ceil(qty / qtyStep) * (schedule.feeStep + schedule.balanceStep));
}
