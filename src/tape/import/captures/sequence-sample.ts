// Samples the sequence numbers of a capture's first messages. The numbers show whether the file holds a whole stream or
// a part, such as one market. Must never take a few lost messages for such a part.
import { countedNote } from '../../baked/counted-notes.ts';
import type { FeedDialect, JsonObject } from '../import-wire.ts';

const SAMPLE_SIZE = 500;
/** With fewer jumps, the jumps count as lost messages. `JUMP_SHARE_MIN` is the same bound as a share of all numbers. */
const JUMPS_MIN = 10;
const JUMP_SHARE_MIN = 0.1;

interface Seen {
  last: number;
  numbers: number;
  jumps: number;
  hasBooks: boolean;
}

/** The numbers of one capture's first messages. */
export class SequenceSample {
  readonly #dialect: FeedDialect;
  readonly #bySid = new Map<number, Seen>();
  #bookNumbers = 0;

  constructor(dialect: FeedDialect) {
    this.#dialect = dialect;
  }

  /** True: the sample is large enough, or the dialect has no variant without numbers. */
  get isFull(): boolean {
    return this.#dialect.unnumbered === null || this.#bookNumbers >= SAMPLE_SIZE;
  }

  addMessage(message: JsonObject): void {
    const { sid, seq, type } = message;
    if (typeof sid !== 'number' || typeof seq !== 'number') return;
    const seen = this.#bySid.get(sid);
    const isOfBook = type === this.#dialect.deltaType || type === this.#dialect.snapshotType;
    if (isOfBook) this.#bookNumbers += 1;
    if (seen === undefined) return void this.#bySid.set(sid, { last: seq, numbers: 1, jumps: 0, hasBooks: isOfBook });
    if (seq > seen.last + 1) seen.jumps += 1;
    seen.last = seq;
    seen.numbers += 1;
    seen.hasBooks ||= isOfBook;
  }

  /** Returns an assumption when the numbers are those of a larger stream; `null` when they can be checked. */
  splitStreamText(): string | null {
    const books = [...this.#bySid.values()].filter(({ hasBooks }) => hasBooks);
    const numbers = books.reduce((sum, each) => sum + each.numbers, 0);
    const jumps = books.reduce((sum, each) => sum + each.jumps, 0);
    if (jumps < JUMPS_MIN || jumps < JUMP_SHARE_MIN * numbers) return null;
    return countedNote('partOfStream', { counts: [jumps, numbers], name: this.#dialect.name });
  }
}
