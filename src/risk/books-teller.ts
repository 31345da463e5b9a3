// Tells what strategies hold, when it has changed, so that the next session can take it over. Must never tell before the
// account is known: what was kept before would be lost.
import { type Micros, fromSeconds } from '../domain/units.ts';
import type { State } from '../state/state.ts';
import type { RiskNotice } from './notice.ts';

/** Told no more often. Microseconds. */
const TELL_EVERY = fromSeconds(1);

/** Tells of the books. */
export class BooksTeller {
  readonly #state: State;
  readonly #tell: (notice: RiskNotice) => void;
  #told = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor({ state, tell }: { readonly state: State; readonly tell: (notice: RiskNotice) => void }) {
    this.#state = state;
    this.#tell = tell;
  }

  /** Looks whether there is something to tell. */
  look(at: Micros): void {
    const { portfolio, succession } = this.#state;
    const { revision } = succession;
    if (!portfolio.isOpen || revision === this.#told || at - this.#toldAt < TELL_EVERY) return;
    this.#told = revision;
    this.#toldAt = at;
    this.#tell({ type: 'books', at, books: succession.keep(at) });
  }
}
