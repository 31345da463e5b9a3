// The shard of the exchange on which each market trades, as market reads have reported it. Requests for a market may
// have to name its shard. Must never put a shard into an event: events have none.
import type { Ticker } from '../../../domain/ids.ts';
import type { StatusRecord } from '../wire/wire-records.ts';

/** The shard of a market that names none. */
const FIRST_SHARD = 0;

/** Shards of markets, and the exchange status of our shards. */
export class MarketShards {
  /** Shards of markets that are not on the first shard. Updated by each read of a market. */
  readonly #byTicker = new Map<Ticker, number>();
  /** Every shard on which a market that we have read has been. */
  readonly #used = new Set<number>();

  recordShard(ticker: Ticker, shard: number | null): void {
    this.#used.add(shard ?? FIRST_SHARD);
    if (shard === null || shard === FIRST_SHARD) this.#byTicker.delete(ticker);
    else this.#byTicker.set(ticker, shard);
  }

  shardOf(ticker: Ticker): number {
    return this.#byTicker.get(ticker) ?? FIRST_SHARD;
  }

  /**
   * The status of the shards we use, or the first shard's status while none of them is listed. The result is active
   * when any shard is active. It is trading when any active shard is trading.
   */
  statusOfUsedShards({ isActive, isTrading, shards }: StatusRecord): Pick<StatusRecord, 'isActive' | 'isTrading'> {
    const used = (shards ?? []).filter(({ shard }) => this.#used.has(shard));
    const parts = used.length > 0 ? used : [{ isActive, isTrading }];
    return {
      isActive: parts.some((part) => part.isActive),
      isTrading: parts.some((part) => part.isActive && part.isTrading),
    };
  }
}
