// What was lost since the day began, since the account was at its highest, and in a row. Pure: times are handed in.
// Must never begin a day anew because the program did: figures of the same day are taken over.
import { dollarsText } from '../domain/amounts.ts';
import type { LossStanding } from '../domain/operator.ts';
import { type Micros, type Money, subtractMoney } from '../domain/units.ts';
import { DAY, dayOf } from './day.ts';
import type { RiskLimits } from './limits.ts';

/** The limits of what may be lost. */
export type LossLimits = Pick<RiskLimits, 'dailyLossMax' | 'drawdownMax' | 'lossStreakMax'>;

/** The figures that loss limits are reckoned from. */
export class Losses {
  #standing: LossStanding | null = null;
  #streak = 0;
  /** The day that it is, and when it is over: its name is not made at every look. */
  #today = { name: '', from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY };

  /** `null` until the account is known. */
  get standing(): LossStanding | null {
    return this.#standing;
  }

  /** Closes in a row that lost. */
  get streak(): number {
    return this.#streak;
  }

  /** Begins with what an earlier session left, if anything. */
  begin(carried: LossStanding | null, equity: Money, now: Micros): void {
    this.#standing = carried ?? { day: this.#dayOf(now), dayEquity: equity, peakEquity: equity };
    this.take(equity, now);
  }

  /** Takes what the account is worth now. */
  take(equity: Money, now: Micros): void {
    const known = this.#standing;
    if (!known) return;
    const day = this.#dayOf(now);
    const isNewDay = day !== known.day;
    if (!isNewDay && equity <= known.peakEquity) return;
    const peakEquity = equity > known.peakEquity ? equity : known.peakEquity;
    this.#standing = { day, dayEquity: isNewDay ? equity : known.dayEquity, peakEquity };
  }

  #dayOf(now: Micros): string {
    const today = this.#today;
    if (now >= today.from && now < today.to) return today.name;
    const from = Math.floor(now / DAY) * DAY;
    this.#today = { name: dayOf(now), from, to: from + DAY };
    return this.#today.name;
  }

  /** Takes what a fill or a settlement that closed something brought, fees taken off. */
  closed(profit: Money): void {
    if (profit > 0) this.#streak = 0;
    if (profit < 0) this.#streak += 1;
  }

  /** What has been lost beyond a limit, in words; `null` when nothing has. */
  breach(equity: Money, limits: LossLimits): string | null {
    const known = this.#standing;
    if (!known) return null;
    const { dailyLossMax, drawdownMax, lossStreakMax } = limits;
    const ofDay = subtractMoney(known.dayEquity, equity);
    if (ofDay > dailyLossMax)
      return `the day's loss ${dollarsText(ofDay)} is above dailyLossMax ${dollarsText(dailyLossMax)}`;
    const fromPeak = subtractMoney(known.peakEquity, equity);
    if (fromPeak > drawdownMax)
      return `the loss from the peak ${dollarsText(fromPeak)} is above drawdownMax ${dollarsText(drawdownMax)}`;
    if (lossStreakMax !== null && this.#streak > lossStreakMax)
      return `${this.#streak} losing closes in a row are above lossStreakMax ${lossStreakMax}`;
    return null;
  }

  /** A person has seen the loss from the peak and goes on: it is counted from here. */
  forgetPeak(equity: Money): void {
    if (this.#standing) this.#standing = { ...this.#standing, peakEquity: equity };
  }

  /** A person has seen the streak: it begins anew. */
  forgetStreak(): void {
    this.#streak = 0;
  }
}
