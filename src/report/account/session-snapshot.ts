// A session at one moment, as plain data: the content of the screen and of `--json`.
import type { MarketStatus } from '../../domain/market.ts';
import type { Halt } from '../../domain/operator-order.ts';
import { leavesQty } from '../../domain/orders/order.ts';
import type { Micros, Money, Price, Qty } from '../../domain/units.ts';
import type { Engine } from '../../engine.ts';
import type { RateBudget } from '../../domain/rate-budget.ts';
import { type AccountSummary, accountSummary } from './account-summary.ts';
import type { FeeTotals } from '../../risk/fee-watch.ts';
import type { BookTrust } from '../../state/books/order-books.ts';
import type { StrategyTally, SessionTally } from '../../runtime/session/session-tally.ts';

/** A price and a quantity. */
export interface QuoteLine {
  readonly price: Price;
  readonly qty: Qty;
}

/** One market's status, book, our best orders in it and our position. */
export interface MarketLine {
  readonly ticker: string;
  readonly status: MarketStatus;
  readonly trust: BookTrust;
  readonly bid: QuoteLine | null;
  readonly ask: QuoteLine | null;
  /** Our best working order on each side, with its leaves quantity. */
  readonly ownBid: QuoteLine | null;
  readonly ownAsk: QuoteLine | null;
  readonly position: Qty;
}

/** Remaining units of a rate budget. */
export interface BudgetLine {
  readonly available: number;
  readonly capacity: number;
}

/** The state of the feed. */
export interface FeedLine {
  readonly isUp: boolean;
  /** Time since the last message or heartbeat. */
  readonly ageMs: number;
  readonly connections: number;
  /** Lower bound of the delay of the feed's messages. */
  readonly lagMs: number;
  /** Reason why fills, orders and positions are not reported, or `null`. */
  readonly privateFault: string | null;
}

/** The state of our clock. */
export interface ClockLine {
  /** Our time less the venue's. */
  readonly offsetMs: number | null;
  /** The possible error of `offsetMs`. */
  readonly boundMs: number;
  /** The largest recent delay of our own timers. */
  readonly loopLateMs: number;
}

/** The comparison of our figures with the venue's. */
export interface DriftLine {
  /** Time since positions were last compared, or `null`. */
  readonly ageMs: number | null;
  /** Contracts and cash that are not explained so far. */
  readonly qty: Qty;
  readonly cash: Money;
  /** Set when a second check left the difference unexplained. */
  readonly isDrift: boolean;
}

/** A session at one moment. */
export interface SessionSnapshot {
  readonly at: Micros;
  readonly elapsedMs: number;
  /** Time for which the session ran: `elapsedMs` without the leaps of the clock, as while the machine slept. */
  readonly runMs: number;
  readonly phase: string;
  readonly halts: readonly Halt[];
  readonly feed: FeedLine;
  readonly clock: ClockLine;
  readonly markets: readonly MarketLine[];
  readonly account: AccountSummary;
  /** Fees of the session's fills: as charged, and by the fee schedules. */
  readonly fees: FeeTotals;
  readonly drift: DriftLine;
  readonly budgets: { readonly read: BudgetLine; readonly trade: BudgetLine };
  readonly orders: { readonly working: number; readonly waiting: number; readonly inFlight: number };
  readonly strategies: readonly StrategyTally[];
  readonly surprises: Readonly<Record<string, number>>;
}

interface SnapshotTimes {
  readonly now: Micros;
  readonly startedAt: Micros;
}

/** Takes a snapshot of a session. */
export function sessionSnapshot(engine: Engine, tally: SessionTally, times: SnapshotTimes): SessionSnapshot {
  const { state, planner, session } = engine;
  const { now, startedAt } = times;
  return {
    at: now,
    elapsedMs: Math.round((now - startedAt) / 1000),
    runMs: Math.round((now - startedAt - state.steppedBy) / 1000),
    phase: session.phase,
    halts: engine.halts.listHalts(),
    feed: feedLine(engine, times),
    clock: clockLine(engine, now),
    markets: marketLines(engine),
    account: accountSummary(state),
    fees: engine.risk.feesChecked,
    drift: driftLine(engine, now),
    budgets: { read: budgetLine(planner.budgets.read, now), trade: budgetLine(planner.budgets.trade, now) },
    orders: { working: state.orders.openCount, ...planner.load },
    strategies: tally.strategies(),
    surprises: Object.fromEntries(state.surprises),
  };
}

function driftLine({ session }: Engine, now: Micros): DriftLine {
  const { comparedAt, qty, cash, isDrift } = session.ledger.comparison;
  return { ageMs: comparedAt === null ? null : Math.round((now - comparedAt) / 1000), qty, cash, isDrift };
}

const feedLine = ({ state }: Engine, { now, startedAt }: SnapshotTimes): FeedLine => ({
  isUp: state.feed.isUp,
  ageMs: state.feed.ageMs(now, startedAt),
  connections: state.feed.connections,
  lagMs: Math.round(state.feedLag() / 1000),
  privateFault: state.feed.privateFault,
});

function clockLine({ state, feedWatch }: Engine, now: Micros): ClockLine {
  const known = state.clock.estimate(now);
  return {
    offsetMs: known === null ? null : Math.round(known.offset / 1000),
    boundMs: known === null ? 0 : Math.ceil(known.bound / 1000),
    loopLateMs: Math.round(feedWatch.loopLateMs),
  };
}

const budgetLine = (budget: RateBudget, now: Micros): BudgetLine => ({
  available: budget.peekAvailable(now),
  capacity: budget.capacity,
});

function marketLines({ state }: Engine): MarketLine[] {
  return state.markets.allMarkets().map(({ index, ticker, status }) => {
    const isOpen = state.books.isOpen(index);
    const bid = isOpen ? state.books.bestBid(index) : null;
    const ask = isOpen ? state.books.bestAsk(index) : null;
    return {
      ticker,
      status,
      trust: state.books.trust(index),
      bid: bid === null ? null : { price: bid, qty: state.books.qtyAt(index, 'bid', bid) },
      ask: ask === null ? null : { price: ask, qty: state.books.qtyAt(index, 'ask', ask) },
      ownBid: ownBest(state.orders.openIn(index), 'buy'),
      ownAsk: ownBest(state.orders.openIn(index), 'sell'),
      position: state.portfolio.position(index).qty,
    };
  });
}

type Orders = ReturnType<Engine['state']['orders']['openIn']>;

function ownBest(orders: Orders, side: 'buy' | 'sell'): QuoteLine | null {
  const working = orders.filter((order) => order.side === side && order.state === 'working');
  const best = working.reduce<Orders[number] | null>((found, order) => {
    if (!found) return order;
    return (side === 'buy') === order.price > found.price ? order : found;
  }, null);
  return best && { price: best.price, qty: leavesQty(best) };
}
