// Losses of the day, losses from the highest equity, and losing closes in a row. Must never restart the day's figures
// with the program: a later session of the same day continues them.
import { dollarsText } from '../../domain/amounts.ts';
import type { LossBaseline } from '../../domain/operator-order.ts';
import { type Micros, type Money, subtractMoney } from '../../domain/units.ts';
import { DAY, dayOf } from './utc-day.ts';
import type { RiskLimits } from '../risk-limits.ts';

/** The limits on losses. */
export type LossLimits = Pick<RiskLimits, 'dailyLossMax' | 'drawdownMax' | 'lossStreakMax'>;

/** The figures behind the loss limits. */
export class Losses {
  #baseline: LossBaseline | null = null;
  /** The equity of the last check of this session; `null` before the first. */
  #lastEquity: Money | null = null;
  #streak = 0;
  /** Cached, so that the day's name is not built on every check. */
  #today = { name: '', from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY };

  get figures(): LossBaseline | null {
    return this.#baseline;
  }

  get streak(): number {
    return this.#streak;
  }

  startFrom(restored: LossBaseline | null, equity: Money, now: Micros): void {
    this.#baseline = restored ?? { day: this.#dayOf(now), dayEquity: equity, peakEquity: equity };
    this.applyEquity(equity, now);
  }

  /**
   * Raises the peak if the equity is higher. A new day counts its loss from the equity of the last check before it, so that
   * the loss of its first event counts. A session that begins with the day counts from its first equity.
   */
  applyEquity(equity: Money, now: Micros): void {
    const baseline = this.#baseline;
    if (!baseline) return;
    const before = this.#lastEquity ?? equity;
    this.#lastEquity = equity;
    const day = this.#dayOf(now);
    const isNewDay = day !== baseline.day;
    if (!isNewDay && equity <= baseline.peakEquity) return;
    const peakEquity = equity > baseline.peakEquity ? equity : baseline.peakEquity;
    this.#baseline = { day, dayEquity: isNewDay ? before : baseline.dayEquity, peakEquity };
  }

  #dayOf(now: Micros): string {
    const today = this.#today;
    if (now >= today.from && now < today.to) return today.name;
    const from = Math.floor(now / DAY) * DAY;
    this.#today = { name: dayOf(now), from, to: from + DAY };
    return this.#today.name;
  }

  /** Counts a close of a position, whole or in part. `profit` is after fees. */
  countClose(profit: Money): void {
    if (profit > 0) this.#streak = 0;
    if (profit < 0) this.#streak += 1;
  }

  describeBreach(equity: Money, limits: LossLimits): string | null {
    const baseline = this.#baseline;
    if (!baseline) return null;
    const { dailyLossMax, drawdownMax, lossStreakMax } = limits;
    const dayLoss = subtractMoney(baseline.dayEquity, equity);
    if (dayLoss > dailyLossMax)
      return `the day's loss ${dollarsText(dayLoss)} is above dailyLossMax ${dollarsText(dailyLossMax)}`;
    const drawdown = subtractMoney(baseline.peakEquity, equity);
    if (drawdown > drawdownMax)
      return `the loss from the peak ${dollarsText(drawdown)} is above drawdownMax ${dollarsText(drawdownMax)}`;
    if (lossStreakMax !== null && this.#streak > lossStreakMax)
      return `${this.#streak} losing closes in a row are above lossStreakMax ${lossStreakMax}`;
    return null;
  }

  /** The operator has seen the loss and continues. */
  resetPeak(equity: Money): void {
    if (this.#baseline) this.#baseline = { ...this.#baseline, peakEquity: equity };
  }

  resetStreak(): void {
    this.#streak = 0;
  }
}
