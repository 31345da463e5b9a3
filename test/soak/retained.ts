// Counts what a session holds: anything that grows with the number of past markets shows here long before it shows in
// bytes. Reads, never changes.
import type { LiveSession } from '../../src/runtime/session/live-session.ts';
import type { SoakStrategy } from './strategy.ts';

/** Counts by name. */
export type Retained = Readonly<Record<string, number>>;

/** Counts of everything the session holds. */
export function retained({ engine, tally }: LiveSession, strategy: SoakStrategy): Retained {
  const { state, planner } = engine;
  return {
    numbers: state.tickers.size,
    names: state.tickers.count,
    markets: state.markets.count,
    groups: state.markets.groups().length,
    settled: state.markets.settledAt().size,
    positions: state.portfolio.positions().size,
    'own positions': [...state.strategyLedgers.all().values()].reduce((sum, book) => sum + book.positions().size, 0),
    fills: state.portfolio.fillsRemembered,
    'open orders': state.orders.openCount,
    'finished orders': state.orders.finishedCount,
    orphans: state.orphanFills.size,
    surprises: state.surprises.size,
    'places in queues': state.queueEstimates.size,
    'book bytes': state.books.byteLength,
    'commands waiting': planner.load.waiting,
    'commands in flight': planner.load.inFlight,
    tallies: tally.strategies().length,
    'remembered by the strategy': strategy.remembered(),
  };
}
