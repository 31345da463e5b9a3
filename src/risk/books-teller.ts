// Tells what strategies hold and have lost, when it has changed, so that the next session can take it over. Must never
// tell before the account is known: what was kept before would be lost.
import type { KeptBooks } from '../domain/operator.ts';
import { type Micros, fromSeconds } from '../domain/units.ts';
import type { State } from '../state/state.ts';
import type { RiskNotice } from './notice.ts';
import type { StrategyLosses } from './strategy-losses.ts';

/** Told no more often. Microseconds. */
const TELL_EVERY = fromSeconds(1);

export interface BooksTellerOptions {
  readonly state: State;
  readonly losses: StrategyLosses;
  readonly tell: (notice: RiskNotice) => void;
}

/** Tells of the books. */
export class BooksTeller {
  readonly #options: BooksTellerOptions;
  #told = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: BooksTellerOptions) {
    this.#options = options;
  }

  /** Looks whether there is something to tell. */
  look(at: Micros): void {
    const { state, losses, tell } = this.#options;
    const revision = state.succession.revision + losses.revision;
    if (!state.portfolio.isOpen || revision === this.#told || at - this.#toldAt < TELL_EVERY) return;
    this.#told = revision;
    this.#toldAt = at;
    tell({ type: 'books', at, books: this.#kept(at) });
  }

  #kept(at: Micros): KeptBooks {
    const { state, losses } = this.#options;
    const kept = state.succession.keep(at);
    return { ...kept, books: kept.books.map((book) => ({ ...book, losses: losses.standingOf(book.strategy) })) };
  }
}
