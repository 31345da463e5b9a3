// What a fill is charged in each market, from the fee schedule of its series, and the most that an order may come to be.
// Must never take an unknown schedule for a free one: what is not known is charged like the dearest that is.
import {
  type FeeRounding,
  type FeeSchedule,
  DIRECT_ROUNDING,
  feeSchedule,
  isFeeType,
  modelFee,
  roundingAt,
  waived,
} from '../domain/fees.ts';
import type { MarketIndex } from '../domain/ids.ts';
import type { Liquidity, Side } from '../domain/order.ts';
import { openingPrice } from '../domain/position.ts';
import type { FeeTerms } from '../domain/market.ts';
import {
  EPOCH,
  type Micros,
  type Money,
  type Price,
  QTY_PER_CONTRACT,
  type Qty,
  fromSeconds,
  money,
} from '../domain/units.ts';
import type { Markets } from '../state/markets.ts';

/** An order's terms, as far as its fee depends on them, but for how much of it may fill. */
export interface Feeable {
  readonly side: Side;
  readonly price: Price;
  /** An order that only rests is charged as a maker. */
  readonly postOnly: boolean;
}

/** How a market's fills are charged: by a schedule, in a way that we do not know, or its series is not known yet. */
export type Charging =
  | { readonly type: 'schedule'; readonly schedule: FeeSchedule }
  | { readonly type: 'unpredictable'; readonly feeType: string }
  | { readonly type: 'unknown' };

/** When a venue began to round otherwise is known to the month at best: so long the rounding before counts, too. */
const ROUNDING_GRACE = fromSeconds(90 * 24 * 3600);

/** Fee schedules by market. */
export class FeeBook {
  readonly #markets: Markets;
  readonly #roundings: readonly FeeRounding[];
  readonly #now: () => Micros;
  /** The coarsest rounding that an order of now may be charged by. */
  #coarsest: FeeRounding;
  #dearest: FeeSchedule;
  /** Until when these two hold. */
  #roundedUntil = Number.NEGATIVE_INFINITY;
  /** By market, every schedule that may come to hold. They hold as long as nothing is described anew. */
  #schedules: (readonly FeeSchedule[] | undefined)[] = [];
  #revision = -1;

  /**
   * @param roundings in the order of time; without any, those of an account that clears directly.
   * @param now the time of what is asked; without it any time, and the coarsest rounding there ever was counts.
   */
  constructor(markets: Markets, roundings: readonly FeeRounding[] = [DIRECT_ROUNDING], now = (): Micros => EPOCH) {
    this.#markets = markets;
    this.#roundings = roundings;
    this.#now = now;
    this.#coarsest = coarsestOf(roundings);
    this.#dearest = dearestBy(this.#coarsest);
  }

  /** Finds the coarsest rounding once more where one of them counts no more. */
  #round(): void {
    const now = this.#now();
    if (now < this.#roundedUntil) return;
    const ends = this.#roundings.map((_, place) => (this.#roundings[place + 1]?.since ?? Infinity) + ROUNDING_GRACE);
    this.#roundedUntil = Math.min(...ends.filter((end) => end > now));
    this.#coarsest = coarsestOf(this.#roundings.filter((_, place) => (ends[place] ?? 0) > now));
    this.#dearest = dearestBy(this.#coarsest);
    this.#schedules = [];
  }

  /** How a fill of a market was charged at a time, a waiver among it. */
  at(index: MarketIndex, at: Micros): Charging {
    const market = this.#markets.get(index);
    const terms = market && this.#markets.feesOf(market.eventTicker, at);
    if (!market || !terms) return { type: 'unknown' };
    const { feeType, feeMultiplierPercent } = terms;
    if (!isFeeType(feeType)) return { type: 'unpredictable', feeType };
    const schedule = feeSchedule(feeType, feeMultiplierPercent, roundingAt(this.#roundings, at));
    return { type: 'schedule', schedule: at < (market.feesWaivedUntil ?? 0) ? waived(schedule) : schedule };
  }

  /** The schedule that a fill is charged by at a time; the dearest where it is not known. */
  scheduleAt(index: MarketIndex, at: Micros): FeeSchedule {
    this.#round();
    const charging = this.at(index, at);
    return charging.type === 'schedule' ? charging.schedule : this.#dearest;
  }

  /** What may come to hold while an order rests: a waiver may end, and what is planned may begin. */
  #everOf(market: MarketIndex): readonly FeeSchedule[] {
    this.#round();
    if (this.#markets.revision !== this.#revision) {
      this.#revision = this.#markets.revision;
      this.#schedules = [];
    }
    return (this.#schedules[market] ??= this.#find(market));
  }

  #find(index: MarketIndex): readonly FeeSchedule[] {
    const market = this.#markets.get(index);
    const ever = market ? this.#markets.feesEverOf(market.eventTicker) : [];
    return ever.length === 0 ? [this.#dearest] : ever.map(({ terms }) => this.#scheduleOf(terms));
  }

  #scheduleOf({ feeType, feeMultiplierPercent }: FeeTerms): FeeSchedule {
    return isFeeType(feeType) ? feeSchedule(feeType, feeMultiplierPercent, this.#coarsest) : this.#dearest;
  }

  /**
   * The most that an order is charged for filling so much, one fill a contract at the most: finer cuts may cost a
   * hundredth of a cent each more. A fill at a better price is charged less than it saves, so the order's own price is
   * the worst.
   */
  most(market: MarketIndex, order: Feeable, qty: Qty): Money {
    let most = 0;
    for (const schedule of this.#everOf(market)) most = Math.max(most, mostBy(schedule, order, qty));
    return money(most);
  }
}

const coarsestOf = (roundings: readonly FeeRounding[]): FeeRounding =>
  roundings.reduce((coarsest, { feeStep, balanceStep }) => ({
    ...coarsest,
    feeStep: feeStep > coarsest.feeStep ? feeStep : coarsest.feeStep,
    balanceStep: balanceStep > coarsest.balanceStep ? balanceStep : coarsest.balanceStep,
  }));

const dearestBy = (rounding: FeeRounding): FeeSchedule => feeSchedule('quadratic_with_combo_maker_fees', 100, rounding);

function mostBy(schedule: FeeSchedule, order: Feeable, qty: Qty): number {
  const liquidity: Liquidity = order.postOnly || schedule.takerRate < schedule.makerRate ? 'maker' : 'taker';
  const fee = modelFee(schedule, { price: order.price, qty, liquidity });
  if (fee === 0 && openingPrice(order.side, order.price) % schedule.balanceStep === 0) return fee;
  // Each fill is rounded up to the fee's step, and what it leaves of the balance down to the balance's.
  return fee + Math.ceil(qty / QTY_PER_CONTRACT) * (schedule.feeStep + schedule.balanceStep);
}
