// What a fill would be charged in each market, from the fee schedule of its series.
// Must never take an unknown schedule for a free one: what is not known is charged like the dearest that is.
import { type FeeSchedule, FEE_RATES, type FeeType, feeSchedule, modelFee } from '../domain/fees.ts';
import type { MarketIndex } from '../domain/ids.ts';
import type { Liquidity, Side } from '../domain/order.ts';
import { openingPrice } from '../domain/position.ts';
import { type Money, type Price, QTY_PER_CONTRACT, type Qty, money } from '../domain/units.ts';
import type { Markets } from '../state/markets.ts';

/** An order's terms, as far as its fee depends on them, but for how much of it may fill. */
export interface Feeable {
  readonly side: Side;
  readonly price: Price;
  /** An order that only rests is charged as a maker. */
  readonly postOnly: boolean;
}

const DEAREST = feeSchedule('quadratic_with_combo_maker_fees');

/** Fee schedules by market. */
export class FeeBook {
  readonly #markets: Markets;
  /** Schedules found so far; `null` where none is known. They hold as long as nothing is described anew. */
  #schedules: (FeeSchedule | null | undefined)[] = [];
  #revision = -1;

  constructor(markets: Markets) {
    this.#markets = markets;
  }

  /** A market's schedule; `null` while its series is not known, or charges in a way that is not. */
  schedule(market: MarketIndex): FeeSchedule | null {
    if (this.#markets.revision !== this.#revision) {
      this.#revision = this.#markets.revision;
      this.#schedules = [];
    }
    const known = this.#schedules[market];
    return known === undefined ? (this.#schedules[market] = this.#find(market)) : known;
  }

  #find(index: MarketIndex): FeeSchedule | null {
    const market = this.#markets.get(index);
    const terms = market && this.#markets.feesOf(market.eventTicker);
    if (!terms || !isFeeType(terms.feeType)) return null;
    return feeSchedule(terms.feeType, terms.feeMultiplierPercent);
  }

  /**
   * The most that an order is charged for filling so much, one fill a contract at the most: finer cuts may cost a
   * hundredth of a cent each more. A fill at a better price is charged less than it saves, so the order's own price is
   * the worst.
   */
  most(market: MarketIndex, order: Feeable, qty: Qty): Money {
    const schedule = this.schedule(market) ?? DEAREST;
    const liquidity: Liquidity = order.postOnly || schedule.takerRate < schedule.makerRate ? 'maker' : 'taker';
    const fee = modelFee(schedule, { price: order.price, qty, liquidity });
    if (fee === 0 && openingPrice(order.side, order.price) % schedule.balanceStep === 0) return fee;
    // Each fill is rounded up to the fee's step, and what it leaves of the balance down to the balance's.
    return money(fee + Math.ceil(qty / QTY_PER_CONTRACT) * (schedule.feeStep + schedule.balanceStep));
  }
}

const isFeeType = (text: string): text is FeeType => Object.hasOwn(FEE_RATES, text);
