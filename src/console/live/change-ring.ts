// The numbered changes of the last seconds, for readers that continue after a broken connection. Must never answer from
// incomplete changes.
import type { PartChange } from './pending-parts.ts';

/** Time for which a change is kept. Milliseconds. */
export const RING_MS = 10_000;
const CHANGES_MAX = 5000;

interface NumberedChange {
  readonly seq: number;
  readonly atMs: number;
  readonly change: PartChange;
}

/** The changes of one bot. */
export class ChangeRing {
  /** Oldest first. */
  #changes: NumberedChange[] = [];
  #seq: number;
  /** Number of the newest change that was dropped. */
  #droppedSeq: number;

  /** @param firstSeq A number above every number of an earlier console, such as the time of the start. */
  constructor(firstSeq: number) {
    this.#seq = firstSeq;
    this.#droppedSeq = firstSeq;
  }

  get seq(): number {
    return this.#seq;
  }

  addChange(change: PartChange, nowMs: number): void {
    this.#seq += 1;
    this.#changes.push({ seq: this.#seq, atMs: nowMs, change });
    const isOld = ({ atMs }: NumberedChange): boolean => nowMs - atMs > RING_MS;
    let drop = this.#changes.length > CHANGES_MAX ? CHANGES_MAX / 10 : 0;
    for (let next = this.#changes[drop]; next !== undefined && isOld(next); next = this.#changes[drop]) drop += 1;
    if (drop === 0) return;
    this.#droppedSeq = this.#changes[drop - 1]?.seq ?? this.#droppedSeq;
    this.#changes = this.#changes.slice(drop);
  }

  /** Returns the changes after a number; `null` when changes are missing or the number is unknown. */
  changesSince(seq: number, nowMs: number): readonly PartChange[] | null {
    if (seq < this.#droppedSeq || seq > this.#seq) return null;
    const after = this.#changes.filter((each) => each.seq > seq);
    const [first] = after;
    if (first !== undefined && nowMs - first.atMs > RING_MS) return null;
    return after.map(({ change }) => change);
  }
}

/** Makes the id of an event from the session and the number of a change. */
export const eventId = (session: string, seq: number): string => `${session}.${seq}`;

/** Returns the number in an event's id; `null` when the id is of another session. */
export function seqOfEventId(id: string | undefined, session: string): number | null {
  const end = id?.lastIndexOf('.') ?? -1;
  if (id === undefined || end < 0 || id.slice(0, end) !== session) return null;
  const digits = id.slice(end + 1);
  return /^\d{1,16}$/.test(digits) ? Number(digits) : null;
}
