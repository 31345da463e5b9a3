// Records the mid just before each of our trades, where the venue is simulated. The bot's book may already include the
// effect of a trade when the trade is reported. For an order that crosses, the mid is read from the venue's book when
// the order arrives. For one that rested, it is read from the bot's book at the moment of the trade, before the bot
// learns of the change.
import type { Command } from '../../domain/venue-command.ts';
import type { FillReport } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { State } from '../../state/state.ts';
import type { FillSimulator, SimulatedAccount } from '../../venues/simulated/simulator-interfaces.ts';
import { mid2Of } from './market-log.ts';

/** Maximum number of mids that are held, for trades and for orders each. */
const MIDS_MAX = 20_000;

/** The parts of the simulated venue that are read. */
interface Venue {
  readonly matching: Pick<FillSimulator, 'levelsOf'>;
  readonly account: Pick<SimulatedAccount, 'fills'>;
}

/** Records mids as orders arrive and trade, until the engine learns of the trade. */
export class VenueMids {
  readonly #venue: () => Venue;
  readonly #state: State;
  readonly #byTrade = new Map<string, number | null>();
  readonly #byOrder = new Map<string, number | null>();

  /**
   * @param state State of the bot. It must receive a change of a book only after the venue has received that change.
   */
  constructor(venue: () => Venue, state: State) {
    this.#venue = venue;
    this.#state = state;
  }

  /** Called before the venue handles a command. Records the mid for an order, or an amendment, that may cross. */
  onArrival(command: Command): void {
    if (command.type !== 'amend' && (command.type !== 'place' || command.postOnly)) return;
    const market = command.type === 'place' ? command.market : this.#state.tickers.indexOf(command.ticker);
    if (market !== undefined) storeMid(this.#byOrder, command.clientOrderId, this.#mid2AtVenue(market));
  }

  /** Called just after a resting order has traded, before the bot learns what caused it. */
  onExecution(): void {
    const fill = this.#venue().account.fills.at(-1);
    if (fill) storeMid(this.#byTrade, fill.tradeId, mid2Of(this.#state, fill.market));
  }

  /**
   * Returns bid plus ask just before a trade; `null` when one side was empty or nothing was recorded. Each maker trade
   * can be read once.
   */
  mid2Before({ tradeId, clientOrderId, liquidity }: FillReport): number | null {
    if (liquidity === 'taker') return this.#byOrder.get(clientOrderId ?? '') ?? null;
    const mid2 = this.#byTrade.get(tradeId) ?? null;
    this.#byTrade.delete(tradeId);
    return mid2;
  }

  #mid2AtVenue(market: MarketIndex): number | null {
    const { bids, asks } = this.#venue().matching.levelsOf(market);
    const bid = bids.reduce((best, [price]) => Math.max(best, price), -1);
    const ask = asks.reduce((best, [price]) => Math.min(best, price), Number.POSITIVE_INFINITY);
    return bid < 0 || !Number.isFinite(ask) ? null : bid + ask;
  }
}

function storeMid(mids: Map<string, number | null>, key: string, mid2: number | null): void {
  mids.set(key, mid2);
  if (mids.size <= MIDS_MAX) return;
  for (const oldest of mids.keys()) return void mids.delete(oldest);
}
