// What a fill would be charged in each market, from the fee schedule of its series.
// Must never take an unknown schedule for a free one: what is not known is charged like the dearest that is.
import { type FeeSchedule, FEE_RATES, type FeeType, feeSchedule, modelFee } from '../domain/fees.ts';
import type { MarketIndex } from '../domain/ids.ts';
import type { Market, Series } from '../domain/market.ts';
import type { Liquidity, Side } from '../domain/order.ts';
import { openingPrice } from '../domain/position.ts';
import { type Money, type Price, QTY_PER_CONTRACT, type Qty, money } from '../domain/units.ts';
import type { Markets } from '../state/markets.ts';

/** An order's terms, as far as its fee depends on them. */
export interface Feeable {
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  /** An order that only rests is charged as a maker. */
  readonly postOnly: boolean;
}

const DEAREST = feeSchedule('quadratic_with_combo_maker_fees');

/** Fee schedules by market. */
export class FeeBook {
  readonly #markets: Markets;
  /** Schedules found so far, each with the series it was made of. */
  readonly #bySeries = new WeakMap<Series, FeeSchedule | null>();

  constructor(markets: Markets) {
    this.#markets = markets;
  }

  /** A market's schedule; `null` while its series is not known, or charges in a way that is not. */
  schedule(market: Market): FeeSchedule | null {
    const group = this.#markets.group(market.eventTicker);
    const series = group && this.#markets.series(group.seriesTicker);
    if (!series) return null;
    const known = this.#bySeries.get(series);
    if (known !== undefined) return known;
    const found = isFeeType(series.feeType) ? feeSchedule(series.feeType, series.feeMultiplierPercent) : null;
    this.#bySeries.set(series, found);
    return found;
  }

  /**
   * The most that an order's fills are charged, one fill a contract at the most: finer cuts may cost a hundredth of a
   * cent each more. A fill at a better price is charged less than it saves, so the order's own price is the worst.
   */
  most(market: MarketIndex, order: Feeable): Money {
    const known = this.#markets.get(market);
    const schedule = (known && this.schedule(known)) ?? DEAREST;
    const liquidity: Liquidity = order.postOnly || schedule.takerRate < schedule.makerRate ? 'maker' : 'taker';
    const fee = modelFee(schedule, { price: order.price, qty: order.qty, liquidity });
    return money(fee + roundingOf(schedule, fee, order));
  }
}

/** What the rounding of each fill may add: nothing where amounts are on the step of balances by themselves. */
function roundingOf({ feeStep, balanceStep }: FeeSchedule, fee: Money, { side, price, qty }: Feeable): number {
  if (fee === 0 && openingPrice(side, price) % balanceStep === 0) return 0;
  return Math.ceil(qty / QTY_PER_CONTRACT) * (feeStep + balanceStep);
}

const isFeeType = (text: string): text is FeeType => Object.hasOwn(FEE_RATES, text);
