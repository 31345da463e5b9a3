// Counts orders that were not sent or were rejected, by reason. Reasons beyond `REASONS_MAX` are counted together.
import type { StateChange } from '../../state/state-change.ts';
import type { OrderEndNote } from './run-record.ts';

const REASONS_MAX = 50;
const OTHERS = 'for other reasons';

type Moved = Pick<Extract<StateChange, { type: 'order' }>, 'to' | 'why'>;

/** Counts by reason. */
export class OrderEnds {
  readonly #counts = new Map<string, { -readonly [K in keyof OrderEndNote]: OrderEndNote[K] }>();

  onOrderChange({ to, why }: Moved): void {
    if (to !== 'not-sent' && to !== 'rejected') return;
    const isFull = this.#counts.size >= REASONS_MAX && !this.#counts.has(`${to} ${why}`);
    const reason = isFull ? OTHERS : why;
    const known = this.#counts.get(`${to} ${reason}`);
    if (known) known.count += 1;
    else this.#counts.set(`${to} ${reason}`, { state: to, reason, count: 1 });
  }

  /** The most frequent reason comes first. */
  notes(): OrderEndNote[] {
    return [...this.#counts.values()].map((note) => ({ ...note })).sort((a, b) => b.count - a.count);
  }
}
