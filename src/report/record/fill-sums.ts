// Exact sums over our trades by market, strategy and liquidity: a report need not hold every trade. Mids are doubled,
// bid plus ask, so that they are integers.
import { type Liquidity, type Side, signOf } from '../../domain/orders/order.ts';
import type { FillNote, FillsNote, MarkoutSum } from './run-record.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends object | null ? Mutable<T[K]> : T[K] };

/** Time after a trade at which the mid is read. */
export type MidDelay = 'after1s' | 'after1m';

/** A trade that still waits for later mids. */
export interface TrackedTrade {
  readonly ticker: string;
  strategy: string | null;
  clientOrderId: string | null;
  readonly at: number;
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
  readonly fee: number;
  readonly liquidity: Liquidity;
  /** Change of cash before fees, signed. */
  readonly cash: number;
  /** Cost of the opened quantity plus proceeds of the closed quantity. */
  readonly turnover: number;
  /** Twice the mid at the trade, and at each later time. `null` where no mid is known. */
  readonly mid2: number | null;
  after1s: number | null;
  after1m: number | null;
}

/** Sums by market, strategy and liquidity. */
export class FillSums {
  readonly #cells = new Map<string, Mutable<FillsNote>>();

  addTrade(trade: TrackedTrade): void {
    this.#addTimes(trade, 1);
  }

  attributeTrade(trade: TrackedTrade, to: { readonly strategy: string; readonly clientOrderId: string }): void {
    this.#addTimes(trade, -1);
    trade.strategy = to.strategy;
    trade.clientOrderId = to.clientOrderId;
    this.#addTimes(trade, 1);
  }

  addLaterMid(trade: TrackedTrade, horizon: MidDelay, mid2: number): void {
    trade[horizon] = mid2;
    addLaterSum(this.#cell(trade)[horizon], trade, { mid2, times: 1 });
  }

  sums(): FillsNote[] {
    return [...this.#cells.values()].filter(({ fills }) => fills > 0);
  }

  #cell({ ticker, strategy, liquidity }: TrackedTrade): Mutable<FillsNote> {
    // The length of the strategy's name keeps different pairs of strategy and ticker apart.
    const key = `${liquidity} ${strategy?.length ?? '-'} ${strategy ?? ''} ${ticker}`;
    const known = this.#cells.get(key);
    if (known) return known;
    const cell = emptySum({ ticker, strategy, liquidity });
    this.#cells.set(key, cell);
    return cell;
  }

  #addTimes(trade: TrackedTrade, times: 1 | -1): void {
    const cell = this.#cell(trade);
    const signed = times * signOf(trade.side) * trade.qty;
    cell.fills += times;
    cell.qty += times * trade.qty;
    cell.net += signed;
    cell.paid += signed * trade.price;
    cell.fees += times * trade.fee;
    cell.cash += times * trade.cash;
    cell.turnover += times * trade.turnover;
    if (trade.mid2 === null) return;
    cell.known.fills += times;
    cell.known.qty += times * trade.qty;
    cell.known.net += signed;
    cell.known.paid += signed * trade.price;
    cell.known.mid2 += signed * trade.mid2;
    for (const horizon of ['after1s', 'after1m'] as const) {
      const mid2 = trade[horizon];
      if (mid2 !== null) addLaterSum(cell[horizon], trade, { mid2, times });
    }
  }
}

function addLaterSum(sum: Mutable<MarkoutSum>, trade: TrackedTrade, later: { mid2: number; times: 1 | -1 }): void {
  if (trade.mid2 === null) return;
  const signed = later.times * signOf(trade.side) * trade.qty;
  sum.fills += later.times;
  sum.qty += later.times * trade.qty;
  sum.edge2 += signed * (later.mid2 - 2 * trade.price);
  sum.moved2 += signed * (later.mid2 - trade.mid2);
}

const noMarkouts = (): MarkoutSum => ({ fills: 0, qty: 0, edge2: 0, moved2: 0 });

const emptySum = (of: Pick<FillsNote, 'ticker' | 'strategy' | 'liquidity'>): Mutable<FillsNote> => ({
  ...of,
  fills: 0,
  qty: 0,
  net: 0,
  paid: 0,
  fees: 0,
  cash: 0,
  turnover: 0,
  known: { fills: 0, qty: 0, net: 0, paid: 0, mid2: 0 },
  after1s: noMarkouts(),
  after1m: noMarkouts(),
});

const half = (mid2: number | null): number | null => (mid2 === null ? null : mid2 / 2);

/** Converts a trade to its form in the record. */
export const fillNote = (trade: TrackedTrade): FillNote => ({
  at: trade.at,
  clientOrderId: trade.clientOrderId,
  strategy: trade.strategy,
  ticker: trade.ticker,
  side: trade.side,
  price: trade.price,
  qty: trade.qty,
  fee: trade.fee,
  liquidity: trade.liquidity,
  mid: half(trade.mid2),
  midAfter1s: half(trade.after1s),
  midAfter1m: half(trade.after1m),
});
