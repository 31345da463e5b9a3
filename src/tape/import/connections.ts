// The subscriptions that the messages of a capture show, to notice where the recorder connected again.
// Must never take a message that is only late for a new connection.
import type { FeedDialect, JsonRecord } from './wire.ts';

/** Follows the subscriptions of one capture. */
export class Connections {
  readonly #dialect: FeedDialect;
  /** Subscriptions of this connection that were announced. Removed with the connection. */
  readonly #announced = new Set<number>();
  /** The last number of each subscription of this connection. Removed with the connection. */
  readonly #lastSeq = new Map<number, number>();
  #number = 1;
  #hasNumbers = false;

  constructor(dialect: FeedDialect) {
    this.#dialect = dialect;
  }

  /** The number of the present connection, from 1. */
  get number(): number {
    return this.#number;
  }

  /** Whether any message carried a number. */
  get hasNumbers(): boolean {
    return this.#hasNumbers;
  }

  /** Takes a message. Returns its subscription where that begins again: the message is the first of a new connection. */
  follow(message: JsonRecord): number | null {
    const announced = this.#dialect.announces(message);
    const sid = announced ?? message['sid'];
    if (typeof sid !== 'number') return null;
    const isNew = announced !== null ? this.#announced.has(sid) : this.#beginsAgain(sid, message);
    if (isNew) {
      this.#announced.clear();
      this.#lastSeq.clear();
      this.#number += 1;
    }
    if (announced !== null) this.#announced.add(sid);
    if (typeof message['seq'] === 'number') {
      this.#lastSeq.set(sid, message['seq']);
      this.#hasNumbers = true;
    }
    return isNew ? sid : null;
  }

  /** A subscription counts from 1; in a part of a larger stream, its first message of a market is a snapshot. */
  #beginsAgain(sid: number, { type, id, seq }: JsonRecord): boolean {
    const last = this.#lastSeq.get(sid);
    if (last === undefined || typeof seq !== 'number') return false;
    // A snapshot that answers a command may stand outside the sequence.
    return seq === 1 || (type === this.#dialect.snapshotType && typeof id !== 'number' && seq <= last);
  }
}
