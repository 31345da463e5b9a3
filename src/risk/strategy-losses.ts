// What each strategy has lost by itself, where it has a loss limit of its own: of the day, and from the most it had
// earned. It halts that strategy alone. Must never begin a day anew because the program did.
import type { StrategyName } from '../domain/ids.ts';
import type { Halt, KeptBooks, LossStanding } from '../domain/operator.ts';
import { type Micros, money } from '../domain/units.ts';
import type { State } from '../state/state.ts';
import type { LimitBook } from './limit-book.ts';
import { Losses } from './losses.ts';
import type { Marks } from './marks.ts';

const NO_LIMIT = money(Number.MAX_SAFE_INTEGER);

export interface StrategyLossesOptions {
  readonly state: State;
  readonly limits: LimitBook;
  readonly marks: Marks;
  readonly strategies: readonly StrategyName[];
}

/** A strategy that has lost more than it may. */
export interface Breach {
  readonly strategy: StrategyName;
  readonly reason: string;
}

/** Watches what strategies lose. */
export class StrategyLosses {
  readonly #options: StrategyLossesOptions;
  readonly #byStrategy = new Map<StrategyName, Losses>();
  #carried = new Map<StrategyName, LossStanding>();
  /** Another number whenever a figure has changed that is to be kept. */
  revision = 0;

  constructor(options: StrategyLossesOptions) {
    this.#options = options;
  }

  /** Takes over the figures of an earlier session. */
  carry(books: KeptBooks | undefined): void {
    const kept = books?.books ?? [];
    this.#carried = new Map(kept.flatMap(({ strategy, losses }) => (losses === null ? [] : [[strategy, losses]])));
  }

  /** What a strategy's limits are reckoned from; `null` while it has none of its own. */
  standingOf(strategy: StrategyName): LossStanding | null {
    return this.#byStrategy.get(strategy)?.standing ?? this.#carried.get(strategy) ?? null;
  }

  /** Looks at every strategy that has a loss limit of its own. The account must be known, and what it holds priced. */
  look(now: Micros): readonly Breach[] {
    const breaches: Breach[] = [];
    for (const strategy of this.#options.strategies) {
      const breach = this.#lookAt(strategy, now);
      if (breach !== null) breaches.push(breach);
    }
    return breaches;
  }

  #lookAt(strategy: StrategyName, now: Micros): Breach | null {
    const { state, limits, marks } = this.#options;
    const { dailyLossMax, drawdownMax } = limits.ownOf(strategy);
    if (dailyLossMax === undefined && drawdownMax === undefined) return null;
    const profit = marks.profitOf(state.strategyBooks.of(strategy));
    const losses = this.#lossesOf(strategy);
    const { standing } = losses;
    if (standing) losses.take(profit, now);
    else losses.begin(this.#carried.get(strategy) ?? null, profit, now);
    if (losses.standing !== standing) this.revision += 1;
    const own = { dailyLossMax: dailyLossMax ?? NO_LIMIT, drawdownMax: drawdownMax ?? NO_LIMIT, lossStreakMax: null };
    const reason = losses.breach(profit, own);
    return reason === null ? null : { strategy, reason: `of its own, ${reason}` };
  }

  #lossesOf(strategy: StrategyName): Losses {
    const known = this.#byStrategy.get(strategy);
    if (known) return known;
    const losses = new Losses();
    this.#byStrategy.set(strategy, losses);
    return losses;
  }

  /** A person lifted these halts: a loss from the peak that was one's reason has been seen, and is counted from now. */
  resumed(lifted: readonly Halt[]): void {
    const { state, marks } = this.#options;
    for (const { by, scope } of lifted)
      if (by === 'risk' && scope.type === 'strategy')
        this.#byStrategy.get(scope.strategy)?.forgetPeak(marks.profitOf(state.strategyBooks.of(scope.strategy)));
  }
}
