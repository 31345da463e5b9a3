// Reckons losses from the state: equity at what everything could be sold for, closes that lost, and what must be kept.
// Must never reckon before the account is known, nor begin with worth that no book has confirmed while one may yet.
import type { MarketIndex } from '../domain/ids.ts';
import type { LossStanding } from '../domain/operator.ts';
import { closingQty } from '../domain/position.ts';
import { type Micros, type Money, NO_MONEY, fromSeconds, qty, subtractMoney } from '../domain/units.ts';
import { signOf } from '../domain/order.ts';
import type { StateChange } from '../state/change.ts';
import type { State } from '../state/state.ts';
import type { RiskLimits } from './limits.ts';
import { Losses } from './losses.ts';
import type { Marks } from './marks.ts';
import type { RiskNotice } from './notice.ts';

export interface LossWatchOptions {
  readonly state: State;
  readonly marks: Marks;
  readonly tell: (notice: RiskNotice) => void;
}

/** How long the figures wait for the books of what is held; then cost stands for worth. Microseconds. */
const MARKS_WITHIN = fromSeconds(10);
/** Figures are told no more often. Microseconds. */
const TELL_EVERY = fromSeconds(1);

/** Watches what is lost. */
export class LossWatch {
  readonly #options: LossWatchOptions;
  readonly #state: State;
  readonly #losses = new Losses();
  readonly #marks: Marks;
  #carried: LossStanding | null = null;
  #openedAt: Micros | null = null;
  #told: LossStanding | null = null;
  #toldAt = Number.NEGATIVE_INFINITY;
  /** A person has resumed after a loss: the peak is forgotten as soon as it is known what the account is worth. */
  #isResumed = false;
  /** Profit realized so far in each market: what a close adds to it is its own. */
  readonly #realized = new Map<MarketIndex, Money>();

  constructor(options: LossWatchOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#marks = options.marks;
  }

  get standing(): LossStanding | null {
    return this.#losses.standing;
  }

  /** Takes over the figures of an earlier session. */
  carry(standing: LossStanding | null): void {
    this.#carried = standing;
    this.#told = standing;
  }

  /** Takes what an event changed: closes, and what they brought. */
  take(change: StateChange): void {
    if (change.type === 'settled') this.#closed(change.market.index, NO_MONEY);
    if (change.type !== 'fill') return;
    const { fill, position } = change;
    const before = qty(position.qty - signOf(fill.side) * fill.qty);
    if (closingQty(before, fill) > 0) this.#closed(fill.market, fill.fee);
  }

  #closed(market: MarketIndex, fee: Money): void {
    const { realized } = this.#state.portfolio.position(market);
    const brought = subtractMoney(realized, this.#realized.get(market) ?? NO_MONEY);
    this.#realized.set(market, realized);
    this.#losses.closed(subtractMoney(brought, fee));
  }

  /** Looks at what the account is worth; what has been lost beyond a limit, in words. */
  look(limits: RiskLimits, now: Micros): string | null {
    if (!this.#state.portfolio.isOpen) return null;
    if (this.#openedAt === null) this.#open(now);
    const equity = this.#marks.equity();
    if (this.#losses.standing) this.#losses.take(equity, now);
    else if (this.#mayBegin(now)) this.#losses.begin(this.#carried, equity, now);
    if (this.#isResumed && this.#losses.standing) {
      this.#losses.forgetPeak(equity);
      this.#isResumed = false;
    }
    this.#tellStanding(equity, now);
    return this.#losses.breach(equity, limits);
  }

  #open(now: Micros): void {
    this.#openedAt = now;
    for (const [market, { realized }] of this.#state.portfolio.positions()) this.#realized.set(market, realized);
  }

  #mayBegin(now: Micros): boolean {
    return this.#marks.isComplete() || now - (this.#openedAt ?? now) >= MARKS_WITHIN;
  }

  #tellStanding(equity: Money, at: Micros): void {
    const { standing } = this.#losses;
    if (standing === null || standing === this.#told || at - this.#toldAt < TELL_EVERY) return;
    this.#told = standing;
    this.#toldAt = at;
    this.#options.tell({ type: 'losses', at, standing, equity });
  }

  /** The account was halted for it: the streak begins anew once a person has resumed. */
  halted(): void {
    this.#losses.forgetStreak();
  }

  /** A person resumed the account after it was halted for a loss. */
  resumed(): void {
    this.#isResumed = true;
  }

  /** Forgets a market: its number may soon be another's. */
  forget(market: MarketIndex): void {
    this.#marks.forget(market);
    this.#realized.delete(market);
  }
}
