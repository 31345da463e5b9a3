// Records the mid just before each of our trades at a simulated venue. When a trade is reported, the bot's book may
// already include the trade's effect. For a crossing order, the mid is the venue's at the order's arrival. For a
// resting order, the mid is the bot's just before the time of the trade. Must never depend on how far the venue is ahead
// of the bot when the order trades: that differs from run to run.
import { must } from '../../base/assert.ts';
import type { Command } from '../../domain/venue-command.ts';
import type { FillReport } from '../../domain/event.ts';
import type { ClientOrderId, MarketIndex, TradeId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';
import type { FillSimulator, SimulatedAccount } from '../../venues/simulated/simulator-interfaces.ts';
import { mid2Of } from './market-log.ts';
import type { TradeMids } from './run-recorder.ts';

/** Maximum number of mids held, for trades and for orders each. */
const MIDS_MAX = 20_000;

interface Venue {
  readonly matching: Pick<FillSimulator, 'mid2Of'>;
  readonly account: Pick<SimulatedAccount, 'fills'>;
}

/** The latest order or amendment that may have crossed at its arrival. */
interface Arrival {
  readonly clientOrderId: ClientOrderId;
  readonly mid2: number | null;
  /** Number of fills before the arrival. */
  readonly fillsBefore: number;
}

/** A trade of a resting order that the bot's time has not reached. */
interface PendingTrade {
  readonly tradeId: TradeId;
  readonly market: MarketIndex;
  readonly at: Micros;
}

/** Records mids as orders arrive and trade, until the engine learns of the trade. */
export class VenueMids implements TradeMids {
  readonly #venue: () => Venue;
  readonly #state: State;
  readonly #byTrade = new Map<string, number | null>();
  readonly #byOrder = new Map<string, number | null>();
  /** Added by a trade, the earliest first; removed when the bot's time reaches it. */
  readonly #pending: PendingTrade[] = [];
  #latest: Arrival | null = null;

  /** @param state State of the bot. The venue must receive each change of a book before this state. */
  constructor(venue: () => Venue, state: State) {
    this.#venue = venue;
    this.#state = state;
  }

  /** Records the mid for an order or amendment that may cross. Called before the venue handles the command. */
  onArrival(command: Command): void {
    if (command.type !== 'amend' && (command.type !== 'place' || command.postOnly)) return;
    this.#keepLatest();
    const market = command.type === 'place' ? command.market : this.#state.tickers.indexOf(command.ticker);
    if (market === undefined) return;
    const { matching, account } = this.#venue();
    const { clientOrderId } = command;
    this.#latest = { clientOrderId, mid2: matching.mid2Of(market), fillsBefore: account.fills.length };
  }

  /** Keeps the mid of the latest arrival if the order has traded since. Most orders do not cross. */
  #keepLatest(): void {
    if (this.#latest === null) return;
    const { clientOrderId, mid2, fillsBefore } = this.#latest;
    this.#latest = null;
    const { fills } = this.#venue().account;
    if (fills.length > fillsBefore && fills.slice(fillsBefore).some((fill) => fill.clientOrderId === clientOrderId))
      storeMid(this.#byOrder, clientOrderId, mid2);
  }

  /** Called after a trade of a resting order. The bot has no news of it yet. */
  onExecution(): void {
    const { tradeId, market, exchangeAt } = must(this.#venue().account.fills.at(-1), 'the fill of a trade');
    this.#pending.push({ tradeId, market, at: must(exchangeAt, 'the time of a trade') });
  }

  get dueAt(): number {
    return this.#pending[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  recordDue(now: number): void {
    for (let first = this.#pending[0]; first !== undefined && first.at <= now; first = this.#pending[0]) {
      storeMid(this.#byTrade, first.tradeId, mid2Of(this.#state, first.market));
      this.#pending.shift();
    }
  }

  /** Returns bid plus ask just before a trade, or `null`. The mid of a maker's trade can be read once. */
  mid2Before({ tradeId, clientOrderId, liquidity }: FillReport): number | null {
    this.#keepLatest();
    if (liquidity === 'taker') return this.#byOrder.get(clientOrderId ?? '') ?? null;
    const mid2 = this.#byTrade.get(tradeId) ?? null;
    this.#byTrade.delete(tradeId);
    return mid2;
  }
}

function storeMid(mids: Map<string, number | null>, key: string, mid2: number | null): void {
  mids.set(key, mid2);
  if (mids.size <= MIDS_MAX) return;
  for (const oldest of mids.keys()) return void mids.delete(oldest);
}
