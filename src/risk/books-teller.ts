// Reports the positions and losses of every strategy when they have changed, so that the next session can take them
// over. Must never report before the account is known: that would overwrite what an earlier session saved.
import type { KeptBooks } from '../domain/operator.ts';
import { type Micros, fromSeconds } from '../domain/units.ts';
import type { State } from '../state/state.ts';
import type { RiskNotice } from './notice.ts';
import type { StrategyLosses } from './strategy-losses.ts';

/** Shortest time between two reports. Microseconds. */
const REPORT_INTERVAL = fromSeconds(1);

export interface BooksTellerOptions {
  readonly state: State;
  readonly losses: StrategyLosses;
  readonly tell: (notice: RiskNotice) => void;
}

/** Reports the strategy ledgers. */
export class BooksTeller {
  readonly #options: BooksTellerOptions;
  #reportedRevision = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: BooksTellerOptions) {
    this.#options = options;
  }

  /** Reports the ledgers if they have changed and the last report is old enough. */
  look(at: Micros): void {
    const { state, losses, tell } = this.#options;
    const revision = state.succession.revision + losses.revision;
    if (!state.portfolio.isOpen || revision === this.#reportedRevision || at - this.#reportedAt < REPORT_INTERVAL)
      return;
    this.#reportedRevision = revision;
    this.#reportedAt = at;
    tell({ type: 'books', at, books: this.#ledgersAt(at) });
  }

  #ledgersAt(at: Micros): KeptBooks {
    const { state, losses } = this.#options;
    const saved = state.succession.keep(at);
    return {
      ...saved,
      books: saved.books.map((ledger) => ({ ...ledger, losses: losses.standingOf(ledger.strategy) })),
    };
  }
}
