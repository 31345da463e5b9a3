// The mid at a simulated venue just before each trade of ours: what we believe when we are told of a trade may already
// know what the trade did to the book. For backtest and paper, where the venue's book can be looked at.
import type { Command } from '../../domain/command.ts';
import type { FillReport } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Floor, SimulatedAccount } from '../../venues/simulated/ports.ts';

/** Mids that nobody has asked for yet. */
const KEPT_MAX = 20_000;

/** What is looked at of the venue. */
interface Venue {
  readonly floor: Pick<Floor, 'levels'>;
  readonly account: Pick<SimulatedAccount, 'fills'>;
}

/** Notes mids as orders arrive and trade, until the engine is told. */
export class VenueMids {
  readonly #venue: () => Venue;
  readonly #byTrade = new Map<string, number | null>();
  readonly #byOrder = new Map<string, number | null>();

  constructor(venue: () => Venue) {
    this.#venue = venue;
  }

  /** A command has arrived and is about to be taken: one that may cross does so from the mid of now. */
  arriving(command: Command): void {
    if (command.type !== 'place' || command.postOnly) return;
    remember(this.#byOrder, command.clientOrderId, this.#mid2(command.market));
  }

  /** An order that rested has just traded: what the tape's book shows is of before what it tells next. */
  executed(): void {
    const fill = this.#venue().account.fills.at(-1);
    if (fill) remember(this.#byTrade, fill.tradeId, this.#mid2(fill.market));
  }

  /** Bid plus ask just before a trade; `null` when one side was empty, or nobody looked. Each trade is asked for once. */
  mid2Before({ tradeId, clientOrderId, liquidity }: FillReport): number | null {
    if (liquidity === 'taker') return this.#byOrder.get(clientOrderId ?? '') ?? null;
    const mid2 = this.#byTrade.get(tradeId) ?? null;
    this.#byTrade.delete(tradeId);
    return mid2;
  }

  #mid2(market: MarketIndex): number | null {
    const { bids, asks } = this.#venue().floor.levels(market);
    const bid = bids.reduce((best, [price]) => Math.max(best, price), -1);
    const ask = asks.reduce((best, [price]) => Math.min(best, price), Number.POSITIVE_INFINITY);
    return bid < 0 || !Number.isFinite(ask) ? null : bid + ask;
  }
}

function remember(mids: Map<string, number | null>, key: string, mid2: number | null): void {
  mids.set(key, mid2);
  if (mids.size <= KEPT_MAX) return;
  for (const oldest of mids.keys()) return void mids.delete(oldest);
}
