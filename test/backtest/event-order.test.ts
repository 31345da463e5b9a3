// The one order of events: no row reaches the engine before it has passed at the venue, time never goes back, and the
// feed keeps its order. On tapes whose venue times are late, early, missing or absurd.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryRows } from '../../backtest/memory-rows.ts';
import { type BacktestOptions, Backtest } from '../../backtest/backtest-run.ts';
import { must } from '../../src/base/assert.ts';
import type { Command } from '../../src/domain/venue-command.ts';
import type { EngineEvent } from '../../src/domain/event.ts';
import {
  type MarketIndex,
  TickerTable,
  eventTicker,
  seriesTicker,
  strategyName,
  ticker,
} from '../../src/domain/ids.ts';
import { CENT_GRID } from '../../src/domain/price-grid.ts';
import { type Micros, type Price, type Qty, cents, micros } from '../../src/domain/units.ts';
import { Engine } from '../../src/engine.ts';
import type { Handlers } from '../../src/strategy/strategy-definition.ts';
import type { SimulatedVenue } from '../../src/venues/simulated/simulator-interfaces.ts';
import { aBacktestConfig, at, backtestOptions } from '../support/tapes/active-tape.ts';
import { runCount } from '../support/runner/property-runs.ts';

const M0 = 0 as MarketIndex;

/** A row: the time since the row before it was learned, its delay, and its kind. */
interface Step {
  readonly after: number;
  /** Microseconds; `null` without a venue time; below 0 the venue's clock is ahead. */
  readonly late: number | null;
  readonly what: 'delta' | 'print' | 'snapshot';
}

const steps = fc.array(
  fc.record({
    after: fc.integer({ min: 0, max: 200_000 }),
    late: fc.option(
      fc
        .integer({ min: -10_000_000, max: 90_000_000 })
        .map((late) => (late < 80_000_000 ? Math.trunc(late / 800) : late)),
    ),
    what: fc.constantFrom<Step['what']>('delta', 'delta', 'delta', 'print', 'snapshot'),
  }),
  { minLength: 5, maxLength: 120 },
);

/** The bid at one cent grows by one contract with each delta: its quantity counts the rows seen. */
function tapeOf(rows: readonly Step[]): MemoryRows {
  const tickers = new TickerTable();
  tickers.internTicker(ticker('RAIN-0'));
  const tape = new MemoryRows(tickers, 3);
  const [group, series] = [eventTicker('RAIN'), seriesTicker('WEATHER')];
  tape.addEvent({
    kind: 'series',
    at: at(0),
    series: { ticker: series, title: '', category: '', frequency: '', feeType: 'quadratic', feeMultiplierPercent: 100 },
  });
  tape.addEvent({
    kind: 'event-group',
    at: at(0),
    group: { eventTicker: group, seriesTicker: series, title: '', isExclusive: false, tickers: [ticker('RAIN-0')] },
  });
  tape.addEvent({
    kind: 'market',
    at: at(0),
    market: {
      ticker: ticker('RAIN-0'),
      index: M0,
      eventTicker: group,
      title: '',
      status: 'active',
      openAt: at(-10),
      closeAt: at(3600),
      canCloseEarly: false,
      grid: CENT_GRID,
      result: null,
      settlementValue: null,
    },
  });
  tape.addSnapshot({ at: at(0) }, M0, { bids: [[cents(40), 1000 as Qty]], asks: [[cents(60), 1000 as Qty]] });
  let [learned, seen] = [at(0) as number, 0];
  for (const { after, late, what } of rows) {
    learned += after;
    const times = { at: learned as Micros, ...(late !== null && { venueAt: micros(learned - late) }) };
    if (what === 'delta') tape.addDelta(times, { market: M0, side: 'bid', price: cents(1), change: 100 as Qty });
    if (what === 'delta') seen += 1;
    if (what === 'print') tape.addPrint(times, { market: M0, side: 'sell', price: cents(40), qty: 100 as Qty });
    const counted: (readonly [Price, Qty])[] = seen === 0 ? [] : [[cents(1), (seen * 100) as Qty]];
    if (what === 'snapshot')
      tape.addSnapshot(times, M0, { bids: [[cents(40), 1000 as Qty], ...counted], asks: [[cents(60), 1000 as Qty]] });
  }
  return tape;
}

/** Quotes and cancels all the time, so that messages are always in flight. */
const alwaysQuoting = (): Handlers => ({
  onBook: ({ market }, view) => {
    const isOut = view.orders(market).length > 0;
    return [{ type: 'quote', market, bid: isOut ? null : { price: cents(40), qty: 100 as Qty }, ask: null }];
  },
});

/** An event that the engine received, with the venue's book at that time. */
interface SeenEvent {
  readonly at: number;
  readonly kind: EngineEvent['kind'];
  /** Changes of the bid at one cent seen by the engine and by the venue. */
  readonly byEngine: number;
  readonly byVenue: number;
}

interface ObservedEngine {
  readonly engine: Engine;
  readonly seen: SeenEvent[];
  venue: SimulatedVenue | null;
}

/** An engine that records all its events. */
function observe(engine: Engine): ObservedEngine {
  const observed: ObservedEngine = { engine, seen: [], venue: null };
  const { books } = engine.state;
  const record = (event: EngineEvent): void => {
    const byVenue = observed.venue?.matching.levelsOf(M0).bids.find(([price]) => price === cents(1))?.[1] ?? 0;
    const byEngine = books.isLive(M0) ? books.qtyAt(M0, 'bid', cents(1)) : 0;
    observed.seen.push({ at: event.at, kind: event.kind, byEngine: byEngine / 100, byVenue: byVenue / 100 });
  };
  const recording =
    <E extends EngineEvent>(tell: (event: E) => readonly Command[]) =>
    (event: E): readonly Command[] => {
      const commands = tell(event);
      record(event);
      return commands;
    };
  Object.assign(engine, { step: recording(engine.step.bind(engine)), stepDelta: recording(engine.stepDelta) });
  return observed;
}

function replay(
  rows: readonly Step[],
  simulation: object,
  handlers = alwaysQuoting(),
): { readonly seen: readonly SeenEvent[]; readonly run: Backtest } {
  const config = aBacktestConfig({ simulation });
  const options: BacktestOptions = backtestOptions(
    tapeOf(rows),
    [{ name: strategyName('quoter'), selector: {}, handlers }],
    config,
  );
  const engines: ObservedEngine[] = [];
  const run = new Backtest({
    ...options,
    makeEngine: (parts) => {
      const observed = observe(new Engine(parts));
      engines.push(observed);
      return observed.engine;
    },
  });
  const observed = must(engines[0], 'the engine');
  observed.venue = run.driver.venue;
  while (run.driver.runSteps(1));
  return { seen: observed.seen, run };
}

const slow = { model: 'log-normal', median: '50ms', p99: '2s' };
const feedKinds = [
  ['as recorded', {}],
  ['always as late', { latency: { feed: { model: 'constant', delay: '70ms' } } }],
  ['drawn', { latency: { feed: slow, order: slow, answer: slow } }],
] as const;

describe.each(feedKinds)('a run whose feed is %s', (_name, simulation) => {
  it('the engine receives no row before the venue, and time never goes back', () => {
    fc.assert(
      fc.property(steps, (rows) => {
        const { seen } = replay(rows, simulation);
        let now = Number.NEGATIVE_INFINITY;
        expect(seen.length).toBeGreaterThan(0);
        for (const each of seen) {
          expect(each.at).toBeGreaterThanOrEqual(now);
          expect(each.byEngine).toBeLessThanOrEqual(each.byVenue);
          now = each.at;
        }
      }),
      { numRuns: runCount(40) },
    );
  });

  it('the engine’s book equals the venue’s at the end', () => {
    fc.assert(
      fc.property(steps, (rows) => {
        const { run } = replay(rows, simulation);
        const { engine, venue } = run.driver;
        if (!engine.state.books.isLive(M0)) return;
        const { bids, asks } = venue.matching.levelsOf(M0);
        const sorted = (levels: readonly (readonly [Price, Qty])[]) => [...levels].sort(([a], [b]) => a - b);
        expect(sorted(engine.state.books.levels(M0, 'bid'))).toEqual(sorted(bids));
        expect(sorted(engine.state.books.levels(M0, 'ask'))).toEqual(sorted(asks));
      }),
      { numRuns: runCount(40) },
    );
  });
});

/** Places one bid better than the book's, until a time. */
const oneBidUntil = (expiresAt: Micros): Handlers => ({
  onBook: ({ market }, view) => {
    if (view.now > at(4)) return;
    const terms = { market, side: 'buy', price: cents(41), qty: 100 as Qty } as const;
    return view.orders(market).length > 0 ? [] : [{ type: 'place', ...terms, timeInForce: 'gtd', expiresAt }];
  },
});

describe('an order that expires', () => {
  it.each([
    ['fills by a print of the microsecond before', 1, 1],
    ['does not fill by a print of the same microsecond', 0, 0],
  ])('%s', (_, earlier, fills) => {
    const rows: Step[] = [
      { after: 2_500_000, late: 0, what: 'delta' },
      { after: 2_500_000 - earlier, late: 0, what: 'print' },
      { after: 2_000_000, late: 0, what: 'delta' },
    ];
    const { run } = replay(rows, {}, oneBidUntil(at(5)));
    expect(run.driver.venue.account.fills).toHaveLength(fills);
  });
});
