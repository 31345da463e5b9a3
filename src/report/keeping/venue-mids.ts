// The mid just before each trade of ours, where the venue is simulated: what the bot believes when it is told of a trade
// may already know what the trade did to the book. An order that crosses does so from the venue's book as it arrives; one
// that rested is traded by a change of the venue's book, of which the bot has not been told at that moment.
import type { Command } from '../../domain/command.ts';
import type { FillReport } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { State } from '../../state/state.ts';
import type { Floor, SimulatedAccount } from '../../venues/simulated/ports.ts';
import { mid2Of } from './market-log.ts';

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
  readonly #state: State;
  readonly #byTrade = new Map<string, number | null>();
  readonly #byOrder = new Map<string, number | null>();

  /** `state`: the bot's, which must be told of a change of a book only after the venue was. */
  constructor(venue: () => Venue, state: State) {
    this.#venue = venue;
    this.#state = state;
  }

  /** A command has arrived and is about to be taken: one that may cross, new terms too, does so from the mid of now. */
  arriving(command: Command): void {
    if (command.type !== 'amend' && (command.type !== 'place' || command.postOnly)) return;
    const market = command.type === 'place' ? command.market : this.#state.tickers.indexOf(command.ticker);
    if (market !== undefined) remember(this.#byOrder, command.clientOrderId, this.#mid2AtVenue(market));
  }

  /** An order that rested has just traded, and the bot has not been told by what. */
  executed(): void {
    const fill = this.#venue().account.fills.at(-1);
    if (fill) remember(this.#byTrade, fill.tradeId, mid2Of(this.#state, fill.market));
  }

  /** Bid plus ask just before a trade; `null` when one side was empty, or nobody looked. Each trade is asked for once. */
  mid2Before({ tradeId, clientOrderId, liquidity }: FillReport): number | null {
    if (liquidity === 'taker') return this.#byOrder.get(clientOrderId ?? '') ?? null;
    const mid2 = this.#byTrade.get(tradeId) ?? null;
    this.#byTrade.delete(tradeId);
    return mid2;
  }

  #mid2AtVenue(market: MarketIndex): number | null {
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
