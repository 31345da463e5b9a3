// The losses of each strategy that has a loss limit of its own: of the day, and from its highest profit. An exceeded
// limit halts that strategy alone. Must never restart the day with the program.
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

/** Watches the losses of strategies. */
export class StrategyLosses {
  readonly #options: StrategyLossesOptions;
  /** Added at the first check of a strategy with its own loss limit; never removed. */
  readonly #byStrategy = new Map<StrategyName, Losses>();
  #restored = new Map<StrategyName, LossStanding>();
  /** Changes whenever a figure changes that must be saved. */
  revision = 0;

  constructor(options: StrategyLossesOptions) {
    this.#options = options;
  }

  /** Takes over the figures of an earlier session. */
  carry(books: KeptBooks | undefined): void {
    const saved = books?.books ?? [];
    this.#restored = new Map(saved.flatMap(({ strategy, losses }) => (losses === null ? [] : [[strategy, losses]])));
  }

  /** The figures that a strategy's loss limits are computed from; `null` while it has none. */
  standingOf(strategy: StrategyName): LossStanding | null {
    return this.#byStrategy.get(strategy)?.standing ?? this.#restored.get(strategy) ?? null;
  }

  /** Checks every strategy that has a loss limit of its own. The account must be known, and its positions priced. */
  look(now: Micros): readonly Breach[] {
    const breaches: Breach[] = [];
    for (const strategy of this.#options.strategies) {
      const breach = this.#checkStrategy(strategy, now);
      if (breach !== null) breaches.push(breach);
    }
    return breaches;
  }

  #checkStrategy(strategy: StrategyName, now: Micros): Breach | null {
    const { state, limits, marks } = this.#options;
    const { dailyLossMax, drawdownMax } = limits.ownOf(strategy);
    if (dailyLossMax === undefined && drawdownMax === undefined) return null;
    const profit = marks.profitOf(state.strategyBooks.of(strategy));
    const losses = this.#lossesOf(strategy);
    const { standing } = losses;
    if (standing) losses.applyEquity(profit, now);
    else losses.begin(this.#restored.get(strategy) ?? null, profit, now);
    if (losses.standing !== standing) this.revision += 1;
    const own = { dailyLossMax: dailyLossMax ?? NO_LIMIT, drawdownMax: drawdownMax ?? NO_LIMIT, lossStreakMax: null };
    const reason = losses.breach(profit, own);
    return reason === null ? null : { strategy, reason: `strategy limit: ${reason}` };
  }

  #lossesOf(strategy: StrategyName): Losses {
    const existing = this.#byStrategy.get(strategy);
    if (existing) return existing;
    const losses = new Losses();
    this.#byStrategy.set(strategy, losses);
    return losses;
  }

  /** Applies a resume by the operator: a halted strategy counts its loss from the peak again from now. */
  resumed(lifted: readonly Halt[]): void {
    const { state, marks } = this.#options;
    for (const { by, scope } of lifted)
      if (by === 'risk' && scope.type === 'strategy')
        this.#byStrategy.get(scope.strategy)?.forgetPeak(marks.profitOf(state.strategyBooks.of(scope.strategy)));
  }
}
