// The account in numbers: cash, positions, profit and fees, as plain data. Every sum is exact.
import type { MarketIndex } from '../../domain/ids.ts';
import type { MarketStatus } from '../../domain/market.ts';
import { type Money, NO_MONEY, type Price, type Qty, addMoney, money } from '../../domain/units.ts';
import {
  type Holdings,
  availableCash,
  equity,
  markOf,
  reservedCash,
  positionValue,
  unrealized,
} from '../../state/account/equity.ts';
import type { EvictedTotals } from '../../state/account/portfolio.ts';
import type { State } from '../../state/state.ts';

/** Figures of one market. */
export interface PositionLine {
  readonly ticker: string;
  readonly status: MarketStatus;
  readonly qty: Qty;
  readonly cost: Money;
  /** The value of YES, by the book or the settlement. */
  readonly mark: Price;
  readonly value: Money;
  readonly realized: Money;
  readonly unrealized: Money;
  readonly fees: Money;
}

/** The whole account. */
export interface AccountSummary {
  /** The venue's figures have been read. Before that, every sum is 0 and means nothing. */
  readonly isOpen: boolean;
  readonly cash: Money;
  readonly pledged: Money;
  readonly available: Money;
  readonly positionsValue: Money;
  readonly equity: Money;
  readonly realized: Money;
  readonly unrealized: Money;
  /** Fees of all fills, also in settled markets that are no longer tracked. */
  readonly fees: Money;
  /** Realized plus unrealized, less fees. */
  readonly profit: Money;
  readonly positions: readonly PositionLine[];
  /** Figures of settled markets that are no longer tracked. The sums above include them. */
  readonly past: EvictedTotals;
}

/** Returns the account's figures from the state. */
export function accountSummary(state: State): AccountSummary {
  const positions = [...state.portfolio.positions().keys()].map((market) => positionLine(state, market));
  const sum = (of: (line: PositionLine) => Money): Money =>
    positions.reduce((total, line) => addMoney(total, of(line)), NO_MONEY);
  const { evictedTotals } = state.portfolio;
  const realized = addMoney(
    evictedTotals.realized,
    sum((line) => line.realized),
  );
  const open = sum((line) => line.unrealized);
  const fees = addMoney(
    evictedTotals.fees,
    sum((line) => line.fees),
  );
  return {
    isOpen: state.portfolio.isOpen,
    cash: state.portfolio.cash,
    pledged: reservedCash(state),
    available: availableCash(state),
    positionsValue: sum((line) => line.value),
    equity: equity(state),
    realized,
    unrealized: open,
    fees,
    profit: money(realized + open - fees),
    positions,
    past: evictedTotals,
  };
}

function positionLine(state: State & Holdings, market: MarketIndex): PositionLine {
  const { qty, cost, realized, fees } = state.portfolio.position(market);
  return {
    ticker: state.tickers.tickerOf(market),
    status: state.markets.get(market)?.status ?? 'finalized',
    qty,
    cost,
    mark: markOf(state, market),
    value: positionValue(state, market),
    realized,
    unrealized: unrealized(state, market),
    fees,
  };
}
