// Which part of the exchange each market trades on, as reads of markets have told: what is sent for a market may have to say it,
// and what holds of the exchange is what holds there. Must never be asked for more than that: events know nothing of it.
import type { Ticker } from '../../domain/ids.ts';
import type { StatusRecord } from './wire/records.ts';

/** Where a market trades that says nothing of it. */
const FIRST = 0;

/** The shards of the markets that are not on the first. */
export class Shards {
  readonly #known = new Map<Ticker, number>();
  /** Where any market of ours has been. */
  readonly #ours = new Set<number>();

  /** A market has said where it trades. */
  note(ticker: Ticker, shard: number | null): void {
    this.#ours.add(shard ?? FIRST);
    if (shard === null || shard === FIRST) this.#known.delete(ticker);
    else this.#known.set(ticker, shard);
  }

  of(ticker: Ticker): number {
    return this.#known.get(ticker) ?? FIRST;
  }

  /**
   * Whether anything of ours can be traded: whether any of our shards trades, or the first until one is known. A shard that
   * is paused beside one that is not refuses orders by itself.
   */
  standing({ isActive, isTrading, shards }: StatusRecord): Pick<StatusRecord, 'isActive' | 'isTrading'> {
    const ours = (shards ?? []).filter(({ shard }) => this.#ours.has(shard));
    const parts = ours.length > 0 ? ours : [{ isActive, isTrading }];
    return {
      isActive: parts.some((part) => part.isActive),
      isTrading: parts.some((part) => part.isActive && part.isTrading),
    };
  }
}
