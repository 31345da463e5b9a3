// A tape that is silent for a long time, or that lacks a book: the feed stays up, as a real one would, and no
// connection or order is given up for mere silence.
import { describe, expect, it } from 'vitest';
import { MemoryRows } from '../../backtest/memory-rows.ts';
import type { Command } from '../../src/domain/venue-command.ts';
import { type MarketIndex, TickerTable, eventTicker, strategyName, ticker } from '../../src/domain/ids.ts';
import { CENT_GRID } from '../../src/domain/price-grid.ts';
import { type Micros, cents, contracts } from '../../src/domain/units.ts';
import type { Notice } from '../../src/execution/engine-notice.ts';
import quoter from '../../strategies/two-sided-quoter.ts';
import { at, activeTape, backtestOver } from '../support/tapes/active-tape.ts';

const [KNOWN, UNKNOWN] = [0 as MarketIndex, 1 as MarketIndex];
const END = 1800;
const BOOK = { bids: [[cents(45), contracts(50)]], asks: [[cents(55), contracts(50)]] } as const;

/**
 * Two markets, the second of which opens later: a book of the first alone that changes once, and then single trades.
 */
function quietTape({ opensAt = -3600, tradesAt = [END] }: { opensAt?: number; tradesAt?: readonly number[] }) {
  const tickers = new TickerTable();
  const rows = new MemoryRows(tickers);
  for (const market of [KNOWN, UNKNOWN]) {
    tickers.internTicker(ticker(`RAIN-${market}`));
    const openAt = at(market === UNKNOWN ? opensAt : -3600);
    rows.addEvent({
      kind: 'market',
      at: at(0),
      market: {
        ticker: ticker(`RAIN-${market}`),
        index: market,
        eventTicker: eventTicker('RAIN'),
        title: 'Rain',
        status: openAt > at(0) ? 'initialized' : 'active',
        openAt,
        closeAt: at(END + 3600),
        canCloseEarly: false,
        grid: CENT_GRID,
        result: null,
        settlementValue: null,
      },
    });
  }
  rows.addSnapshot({ at: at(0) }, KNOWN, BOOK);
  rows.addDelta({ at: at(5) }, { market: KNOWN, side: 'bid', price: cents(46), change: contracts(50) });
  for (const seconds of tradesAt)
    rows.addPrint({ at: at(seconds) }, { market: UNKNOWN, side: 'buy', price: cents(30), qty: contracts(1) });
  return rows;
}

async function replayed(tape: MemoryRows) {
  const commands: { readonly at: Micros; readonly type: Command['type'] }[] = [];
  const alarms: string[] = [];
  const strategy = quoter.bind(strategyName('quoter'), { qtyContracts: 5, halfSpreadCents: 1, toleranceCents: 0 });
  const run = await backtestOver(tape, [strategy], {
    onDecision: (_text, { type }, when) => void commands.push({ at: when, type }),
    observe: (notice: Notice) => void (notice.type === 'alarm' && alarms.push(notice.code)),
  });
  const times = (type: Command['type']): readonly Micros[] =>
    commands.filter((command) => command.type === type).map((command) => command.at);
  return { run, times, alarms };
}

describe('a tape that is silent for a long time', () => {
  it.each([
    { what: 'not one row', over: {} },
    { what: 'trades of a market whose book it does not contain', over: { tradesAt: [300, 301, 900, END] } },
    { what: 'a market that opens meanwhile', over: { opensAt: 700 } },
  ])('a silent tape costs no connection and no quote: $what', async ({ over }) => {
    const { run, times, alarms } = await replayed(quietTape(over));
    expect(times('reconnect')).toEqual([]);
    expect(times('renew')).toEqual([]);
    expect(times('resync')).toEqual([]);
    expect(alarms).toEqual([]);
    expect(run.driver.engine.state.feed.connections).toBe(1);
    expect(times('place').length).toBeGreaterThanOrEqual(2);
    expect(times('place').filter((when) => when >= at(6))).toEqual([]);
    expect(times('cancel').filter((when) => when >= at(6) && when < at(END))).toEqual([]);
    expect(run.imbalances).toEqual([]);
  });

  it('a day of silence is a matter of few events, however many times a live bot would look', async () => {
    const day = quietTape({ tradesAt: [END] }).addPrint(
      { at: at(86_400) },
      { market: UNKNOWN, side: 'buy', price: cents(30), qty: contracts(1) },
    );
    const { run, times } = await replayed(day);
    expect(run.driver.now).toBeGreaterThanOrEqual(at(86_400));
    // A live bot would read more than 50 000 lists. Here, they are read at the start, at a change, and once an hour.
    expect(times('read').length).toBeLessThan(24 * 8 + 60);
    expect(run.driver.eventCount).toBeLessThan(2000);
    expect(run.imbalances).toEqual([]);
  });

  it.each([
    ['is paused', 600, [{ seconds: 600, isTrading: false }]],
    [
      'resumes',
      1200,
      [
        { seconds: 600, isTrading: false },
        { seconds: 1200, isTrading: true },
      ],
    ],
  ] as const)('the bot soon learns that the exchange %s, which the feed does not say', async (_, changeAt, changes) => {
    const tape = quietTape({ tradesAt: [] });
    for (const { seconds, isTrading } of changes)
      tape.addEvent({ kind: 'exchange-status', at: at(seconds), isActive: true, isTrading });
    tape.addPrint({ at: at(END) }, { market: UNKNOWN, side: 'buy', price: cents(30), qty: contracts(1) });
    const { run, times } = await replayed(tape);
    const reads = times('read').filter((when) => when > at(changeAt) && when < at(changeAt + 16));
    expect(reads.length).toBeGreaterThan(0);
    expect(run.driver.engine.state.exchange.isTrading).toBe(changes.at(-1)?.isTrading);
  });

  it('each book is requested once in a long gap, and comes with the next snapshot', async () => {
    const { run, times } = await replayed(activeTape({ gap: { from: 20, to: 900 }, seconds: 910, perSecond: 5 }));
    expect(times('reconnect')).toEqual([]);
    expect(times('renew')).toEqual([]);
    expect(times('resync').every((when) => when < at(21) || when > at(900))).toBe(true);
    expect(times('resync').filter((when) => when < at(21)).length).toBeGreaterThan(0);
    expect(times('place').some((when) => when > at(900))).toBe(true);
    expect(run.imbalances).toEqual([]);
  });
});

describe('a tape whose last rows were recorded long after the others', () => {
  it('a run ends', async () => {
    const tape = quietTape({});
    tape.addPrint(
      { at: at(END + 20), venueAt: at(END) },
      { market: UNKNOWN, side: 'buy', price: cents(30), qty: contracts(1) },
    );
    const { run } = await replayed(tape);
    expect(run.driver.engine.session.phase).toBe('stopped');
    expect(run.driver.now).toBeLessThan(at(END + 120));
  });
});
