// Follows the account's equity and its losing closes. Must never compute before the account is known. Starts only with
// a price for every position, or after a time limit.
import type { MarketIndex } from '../../domain/ids.ts';
import type { LossBaseline, SavedDayMarkets } from '../../domain/operator-order.ts';
import { closingQty, heldBefore } from '../../domain/position.ts';
import { type Micros, type Money, NO_MONEY, fromSeconds, subtractMoney } from '../../domain/units.ts';
import type { StateChange } from '../../state/state-change.ts';
import type { State } from '../../state/state.ts';
import type { RiskLimits } from '../risk-limits.ts';
import { equity as equityAtMarks } from '../../state/account/equity.ts';
import { marketProfits } from './market-profits.ts';
import { Losses } from './losses.ts';
import { DAY } from './utc-day.ts';
import type { Marks } from './marks.ts';
import type { RiskNotice } from '../risk-notice.ts';

export interface LossWatchOptions {
  readonly state: State;
  readonly marks: Marks;
  readonly report: (notice: RiskNotice) => void;
}

/** Time to wait for the books of open positions. Microseconds. */
const MARKS_TIMEOUT = fromSeconds(10);
/** Shortest time between two reports of the figures. Microseconds. */
const REPORT_INTERVAL = fromSeconds(1);
/** The end of a day. A session checks several times a second, so the last check of a day is within it. Microseconds. */
const LAST_MINUTE = fromSeconds(60);

/** The account with positions at their marks, at the last check of a day. */
interface Evening {
  readonly equity: Money;
  readonly markets: Map<MarketIndex, Money>;
}

/** The beginning of a day's figures. */
export interface DayStart {
  /** A UTC day such as `2026-11-30`. */
  readonly day: string;
  readonly equity: Money;
  /** Profit of each market at the same check; a market that is not here had none. */
  readonly markets: ReadonlyMap<MarketIndex, Money>;
}

export class LossWatch {
  readonly #options: LossWatchOptions;
  readonly #state: State;
  readonly #losses = new Losses();
  readonly #marks: Marks;
  #restored: LossBaseline | null = null;
  #restoredMarkets: SavedDayMarkets | null = null;
  #openedAt: Micros | null = null;
  #checkedEquity: Money | null = null;
  /** The day, and the figures with which it began, with positions at their marks; `null` until the account is known. */
  #dayStart: (DayStart & { readonly markets: Evening['markets'] }) | null = null;
  /** The figures of the last check of a day's last minute; `null` outside that minute. */
  #evening: Evening | null = null;
  #reported: LossBaseline | null = null;
  #reportedAt = Number.NEGATIVE_INFINITY;
  /** True between a resume and the reset of the peak. */
  #isResumed = false;
  /**
   * Realized profit of each market at its last close. Added when the account opens and at each close; removed with the
   * market.
   */
  readonly #realized = new Map<MarketIndex, Money>();

  constructor(options: LossWatchOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#marks = options.marks;
  }

  get figures(): LossBaseline | null {
    return this.#losses.figures;
  }

  /** Positions count at the prices at which they could be sold. `null` before the first check. */
  get checkedEquity(): Money | null {
    return this.#checkedEquity;
  }

  /**
   * Equity now less equity at the start of the day, both with positions at their marks; `null` until the account is
   * known. The limits on losses count with the lower prices at which positions could be sold.
   */
  get dayProfit(): Money | null {
    return this.#dayStart && subtractMoney(equityAtMarks(this.#state), this.#dayStart.equity);
  }

  /** The figures with which the day began; `null` until the account is known. */
  get dayStart(): DayStart | null {
    return this.#dayStart;
  }

  /** Number of losing closes in a row. */
  get streak(): number {
    return this.#losses.streak;
  }

  restore(standing: LossBaseline | null, markets: SavedDayMarkets | null): void {
    this.#restored = standing;
    this.#restoredMarkets = markets;
    this.#reported = standing;
  }

  applyChange(change: StateChange): void {
    if (change.type === 'settled') {
      const { index } = change.market;
      this.#countClose(index, this.#state.portfolio.position(index).realized, NO_MONEY);
    }
    if (change.type !== 'fill' || change.isCounted === true) return;
    const { fill, position } = change;
    // The portfolio may already hold later fills of the same list.
    if (closingQty(heldBefore(position.qty, fill), fill) > 0)
      this.#countClose(fill.market, position.realized, fill.fee);
  }

  /** Counts a close, with the profit that the market had realized right after it. */
  #countClose(market: MarketIndex, realized: Money, fee: Money): void {
    const profit = subtractMoney(realized, this.#realized.get(market) ?? NO_MONEY);
    this.#realized.set(market, realized);
    this.#losses.countClose(subtractMoney(profit, fee));
  }

  /** Checks the account's equity. Describes the exceeded limit, or returns `null`. */
  checkEquity(limits: RiskLimits, now: Micros): string | null {
    if (!this.#state.portfolio.isOpen) return null;
    if (this.#openedAt === null) this.#recordRealized(now);
    const equity = this.#marks.equity();
    this.#checkedEquity = equity;
    if (this.#losses.figures) this.#losses.applyEquity(equity, now);
    else if (this.#canStart(now)) this.#losses.startFrom(this.#restored, equity, now);
    this.#followDay(now);
    if (this.#isResumed && this.#losses.figures) {
      this.#losses.resetPeak(equity);
      this.#isResumed = false;
    }
    this.#reportFigures(equity, now);
    return this.#losses.describeBreach(equity, limits);
  }

  #recordRealized(now: Micros): void {
    this.#openedAt = now;
    for (const [market, { realized }] of this.#state.portfolio.positions()) this.#realized.set(market, realized);
  }

  /**
   * Takes the figures with which a day begins: those of the last check before it, as for the day's loss. A later session
   * of the same day continues from the saved figures.
   */
  #followDay(now: Micros): void {
    const day = this.#losses.figures?.day;
    if (day === undefined) return;
    if (day !== this.#dayStart?.day) {
      const saved = this.#dayStart === null && this.#restored?.day === day ? this.#restored : null;
      const before = this.#evening?.equity ?? equityAtMarks(this.#state);
      const equity = saved?.dayMarkEquity ?? saved?.dayEquity ?? before;
      const markets = (saved && this.#savedMarkets(day)) ?? this.#evening?.markets ?? marketProfits(this.#state);
      this.#dayStart = { day, equity, markets };
    }
    // Adding up all positions takes long, so it is done only where midnight is near.
    const isEvening = DAY - (now % DAY) <= LAST_MINUTE;
    this.#evening = isEvening ? { equity: equityAtMarks(this.#state), markets: marketProfits(this.#state) } : null;
  }

  /**
   * Profits with which an earlier session of the day began it; `null` when none are saved. The venue's figures of a position
   * outlive the session, so that the later ones are counted from these.
   */
  #savedMarkets(day: string): Map<MarketIndex, Money> | null {
    const saved = this.#restoredMarkets;
    if (saved?.day !== day) return null;
    const { portfolio, tickers } = this.#state;
    const byTicker = new Map(saved.profits.map(({ ticker, profit }) => [ticker, profit]));
    // A market without a position at the venue any more has no figure that could count from its profit.
    const found = [...portfolio.positions().keys()].flatMap((market) => {
      const profit = byTicker.get(tickers.tickerOf(market));
      return profit === undefined ? [] : [[market, profit] as const];
    });
    return new Map(found);
  }

  /** The beginning of the day by market, to be saved. Until the day has begun, that of an earlier session stays saved. */
  savedDayMarkets(): SavedDayMarkets | null {
    if (this.#dayStart === null) return this.#restoredMarkets;
    const { day, markets } = this.#dayStart;
    const { tickers } = this.#state;
    return { day, profits: [...markets].map(([market, profit]) => ({ ticker: tickers.tickerOf(market), profit })) };
  }

  #canStart(now: Micros): boolean {
    return this.#marks.isFullyPriced() || now - (this.#openedAt ?? now) >= MARKS_TIMEOUT;
  }

  #reportFigures(equity: Money, at: Micros): void {
    const { figures } = this.#losses;
    if (figures === null || figures === this.#reported || at - this.#reportedAt < REPORT_INTERVAL) return;
    this.#reported = figures;
    this.#reportedAt = at;
    const standing = { ...figures, ...(this.#dayStart && { dayMarkEquity: this.#dayStart.equity }) };
    this.#options.report({ type: 'losses', at, standing, equity });
  }

  /** The account was halted for a loss. */
  onHalt(): void {
    this.#losses.resetStreak();
  }

  /** The operator resumed the account after a loss halt. */
  onResume(): void {
    this.#isResumed = true;
  }

  dropMarket(market: MarketIndex): void {
    this.#marks.dropMarket(market);
    this.#realized.delete(market);
    this.#evening?.markets.delete(market);
    this.#dayStart?.markets.delete(market);
  }
}
