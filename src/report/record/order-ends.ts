// Counts orders that were never sent, and orders that the venue refused, by reason. Bounded: once there are many
// reasons, further ones are counted together.
import type { StateChange } from '../../state/state-change.ts';
import type { OrderEndNote } from './run-record.ts';

const REASONS_MAX = 50;
/** Replaces reasons beyond the maximum. */
const OTHERS = 'for other reasons';

type Moved = Pick<Extract<StateChange, { type: 'order' }>, 'to' | 'why'>;

/** Counts by reason. */
export class OrderEnds {
  readonly #counts = new Map<string, { -readonly [K in keyof OrderEndNote]: OrderEndNote[K] }>();

  /** Counts an order that was not sent or was rejected; ignores other changes of state. */
  onOrderChange({ to, why }: Moved): void {
    if (to !== 'not-sent' && to !== 'rejected') return;
    const isFull = this.#counts.size >= REASONS_MAX && !this.#counts.has(`${to} ${why}`);
    const reason = isFull ? OTHERS : why;
    const known = this.#counts.get(`${to} ${reason}`);
    if (known) known.count += 1;
    else this.#counts.set(`${to} ${reason}`, { state: to, reason, count: 1 });
  }

  /** Returns all counts, the most frequent first. */
  notes(): OrderEndNote[] {
    return [...this.#counts.values()].map((note) => ({ ...note })).sort((a, b) => b.count - a.count);
  }
}
