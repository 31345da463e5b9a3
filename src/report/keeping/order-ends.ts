// Why orders of ours came to nothing: those that were never sent, and those that the venue refused, counted by reason.
// Bounded: reasons that are told after many others are counted together.
import type { StateChange } from '../../state/change.ts';
import type { OrderEndNote } from '../run-record.ts';

const REASONS_MAX = 50;
/** What stands for reasons beyond those that are kept. */
const OTHERS = 'for other reasons';

type Moved = Pick<Extract<StateChange, { type: 'order' }>, 'to' | 'why'>;

/** Reasons, by how often each was told. */
export class OrderEnds {
  readonly #counts = new Map<string, { -readonly [K in keyof OrderEndNote]: OrderEndNote[K] }>();

  /** An order moved along its life. */
  moved({ to, why }: Moved): void {
    if (to !== 'not-sent' && to !== 'rejected') return;
    const isFull = this.#counts.size >= REASONS_MAX && !this.#counts.has(`${to} ${why}`);
    const reason = isFull ? OTHERS : why;
    const known = this.#counts.get(`${to} ${reason}`);
    if (known) known.count += 1;
    else this.#counts.set(`${to} ${reason}`, { state: to, reason, count: 1 });
  }

  /** Them all, the most frequent first. */
  notes(): OrderEndNote[] {
    return [...this.#counts.values()].map((note) => ({ ...note })).sort((a, b) => b.count - a.count);
  }
}
