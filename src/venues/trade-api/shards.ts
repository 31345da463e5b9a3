// Which part of the exchange each market trades on, as reads of markets have told: what is sent for a market may have to say it.
// Must never be asked for more than that: events know nothing of it.
import type { Ticker } from '../../domain/ids.ts';

/** Where a market trades that says nothing of it. */
const FIRST = 0;

/** The shards of the markets that are not on the first. */
export class Shards {
  readonly #known = new Map<Ticker, number>();

  /** A market has said where it trades. */
  note(ticker: Ticker, shard: number | null): void {
    if (shard === null || shard === FIRST) this.#known.delete(ticker);
    else this.#known.set(ticker, shard);
  }

  of(ticker: Ticker): number {
    return this.#known.get(ticker) ?? FIRST;
  }
}
