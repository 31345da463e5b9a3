// Finds the fee schedule of each market, and the highest fee that an order may be charged. Must never treat an unknown
// schedule as free: it counts as the most expensive one.
import {
  type FeeRounding,
  type FeeSchedule,
  type FillParts,
  DIRECT_ROUNDING,
  feeMax,
  feeSchedule,
  isFeeType,
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

/** The part of an order's terms that its fee depends on, without the quantity. */
export type FeeInput = Pick<OrderTerms, 'side' | 'price' | 'postOnly'>;

/**
 * How a market charges its fills. `unpredictable`: by an unknown fee type; `unknown`: the market or its fees are not
 * known.
 */
export type FeeLookup =
  | { readonly type: 'schedule'; readonly schedule: FeeSchedule }
  | { readonly type: 'unpredictable'; readonly feeType: string }
  | { readonly type: 'unknown' };

interface LastSchedule {
  readonly terms: FeeTerms;
  readonly rounding: FeeRounding;
  readonly lookup: Extract<FeeLookup, { type: 'schedule' }>;
}

/**
 * The date of a rounding change is known only to the month. The earlier rounding still counts for this long.
 * Microseconds.
 */
const ROUNDING_GRACE = fromSeconds(90 * 24 * 3600);

/** Fee schedules by market. */
export class FeeSchedules {
  readonly #markets: Markets;
  readonly #roundings: readonly FeeRounding[];
  readonly #now: () => Micros;
  #coarsest: FeeRounding;
  #mostExpensive: FeeSchedule;
  /** Time until which `#coarsest` and `#mostExpensive` are valid. Microseconds. */
  #roundingUntil = Number.NEGATIVE_INFINITY;
  /** Every schedule that may apply while an order rests. Valid for one revision of the market descriptions. */
  #schedules: (readonly FeeSchedule[] | undefined)[] = [];
  #revision = -1;
  /** The last schedule of each market. Strategies ask for it at every change of a book. */
  readonly #last: (LastSchedule | undefined)[] = [];

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

  #updateRounding(): void {
    const now = this.#now();
    if (now < this.#roundingUntil) return;
    const ends = this.#roundings.map((_, index) => (this.#roundings[index + 1]?.since ?? Infinity) + ROUNDING_GRACE);
    this.#roundingUntil = Math.min(...ends.filter((end) => end > now));
    this.#coarsest = coarsestOf(this.#roundings.filter((_, index) => (ends[index] ?? 0) > now));
    this.#mostExpensive = mostExpensiveBy(this.#coarsest);
    this.#schedules = [];
  }

  /** How a fill was charged at a time. Fee waivers count. */
  lookupAt(index: MarketIndex, at: Micros): FeeLookup {
    const market = this.#markets.get(index);
    const terms = market && this.#markets.feesOf(market.eventTicker, at);
    if (!market || !terms) return { type: 'unknown' };
    const { feeType, feeMultiplierPercent } = terms;
    if (!isFeeType(feeType)) return { type: 'unpredictable', feeType };
    const rounding = roundingAt(this.#roundings, at);
    const last = this.#last[index];
    const isSame = last?.terms === terms && last.rounding === rounding;
    const lookup = isSame
      ? last.lookup
      : ({ type: 'schedule', schedule: feeSchedule(feeType, feeMultiplierPercent, rounding) } as const);
    if (!isSame) this.#last[index] = { terms, rounding, lookup };
    return at < (market.feesWaivedUntil ?? 0) ? { type: 'schedule', schedule: waivedFees(lookup.schedule) } : lookup;
  }

  /** The schedule of a fill at a time, or the most expensive one where none is known. */
  scheduleAt(index: MarketIndex, at: Micros): FeeSchedule {
    this.#updateRounding();
    const charging = this.lookupAt(index, at);
    return charging.type === 'schedule' ? charging.schedule : this.#mostExpensive;
  }

  /** A waiver may end, and a planned change may begin. */
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
    if (isFeeType(feeType)) return feeSchedule(feeType, feeMultiplierPercent, this.#coarsest);
    return feeMultiplierPercent > 100 ? mostExpensiveBy(this.#coarsest, feeMultiplierPercent) : this.#mostExpensive;
  }

  /**
   * The highest fee of an order that fills `qty`, with at most one fill per contract. A fill at a better price saves
   * more than its fee can rise, so the order's own price is the worst case.
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

const mostExpensiveBy = (rounding: FeeRounding, multiplierPercent = 100): FeeSchedule =>
  feeSchedule('quadratic_with_combo_maker_fees', multiplierPercent, rounding);

/** The limits assume that each fill is at least a contract. */
const ASSUMED_PARTS: FillParts = { qtyStep: 1, fillMin: QTY_PER_CONTRACT };

function highestFee(schedule: FeeSchedule, { side, price, postOnly }: FeeInput, qty: Qty): Money {
  const liquidity: Liquidity = postOnly || schedule.takerRate < schedule.makerRate ? 'maker' : 'taker';
  return feeMax(schedule, { price: openingPrice(side, price), qty, liquidity }, ASSUMED_PARTS);
}
