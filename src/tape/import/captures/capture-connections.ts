// Tracks the subscriptions in the messages of a capture, to detect a new connection of the recorder. Must never take a
// late message for a new connection.
import type { FeedDialect, JsonObject } from '../import-wire.ts';

/** Tracks the subscriptions of one capture. */
export class CaptureConnections {
  readonly #dialect: FeedDialect;
  /** Confirmed subscriptions of this connection. Added when confirmed; removed with the connection. */
  readonly #confirmed = new Set<number>();
  /**
   * The last number of each subscription of this connection. Added with a numbered message; removed with the
   * connection.
   */
  readonly #lastSeq = new Map<number, number>();
  #number = 1;
  #hasNumbers = false;

  constructor(dialect: FeedDialect) {
    this.#dialect = dialect;
  }

  /** Number of the present connection, from 1. */
  get number(): number {
    return this.#number;
  }

  get hasNumbers(): boolean {
    return this.#hasNumbers;
  }

  /**
   * Registers a message. Returns its subscription when the message is the first of a new connection, and `null` for any
   * other message.
   */
  addMessage(message: JsonObject): number | null {
    const confirmed = this.#dialect.confirmedSubscription(message);
    const sid = confirmed ?? message['sid'];
    if (typeof sid !== 'number') return null;
    const isNew = confirmed !== null ? this.#confirmed.has(sid) : this.#startsOver(sid, message);
    if (isNew) {
      this.#confirmed.clear();
      this.#lastSeq.clear();
      this.#number += 1;
    }
    if (confirmed !== null) this.#confirmed.add(sid);
    if (typeof message['seq'] === 'number') {
      this.#lastSeq.set(sid, message['seq']);
      this.#hasNumbers = true;
    }
    return isNew ? sid : null;
  }

  /**
   * A subscription starts over when its numbers begin at 1 again. A capture of a part of a larger stream may lack the
   * message with number 1. Then a snapshot shows the start: its number is not above the last number.
   */
  #startsOver(sid: number, { type, id, seq }: JsonObject): boolean {
    const last = this.#lastSeq.get(sid);
    if (last === undefined || typeof seq !== 'number') return false;
    // A snapshot that answers a command may be outside the sequence.
    return seq === 1 || (type === this.#dialect.snapshotType && typeof id !== 'number' && seq <= last);
  }
}
