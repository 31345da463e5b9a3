// The facts of a session: our changes of the public books, and the times of requests.
import { describe, expect, it } from 'vitest';
import type { EngineEvent, FillReport } from '../../../src/domain/event.ts';
import { TickerTable, ticker } from '../../../src/domain/ids.ts';
import type { AmendCommand, PlaceCommand, RequestCommand } from '../../../src/domain/venue-command.ts';
import { SessionCollector } from '../../../src/research/calibration/session-collector.ts';

const MARKET = ticker('M-0');
const IDS = { clientOrderId: 'c-1', venueOrderId: 'v-1' };
// tidy: as — the collector reads no other members of a command
const PLACE = {
  type: 'place',
  ...IDS,
  ticker: MARKET,
  side: 'buy',
  price: 4000,
  qty: 1000,
  createdAt: 90,
} as unknown as PlaceCommand;
const AMEND = { type: 'amend', ...IDS, ticker: MARKET } as unknown as AmendCommand; // tidy: as — as above

/** A session in which order `c-1` was sent. Times are given to each step. */
function session() {
  const tickers = new TickerTable();
  const market = tickers.internTicker(MARKET);
  const collector = new SessionCollector('s', tickers);
  collector.onCommand(PLACE);
  const event = (fields: object): void =>
    // tidy: as — branded numbers and ids
    collector.onEvent({ ...IDS, ...fields } as unknown as EngineEvent);
  const answer = (command: RequestCommand, at: number, fields: object): void => {
    collector.beginAnswer(command, at - 20, at);
    event({ at, ...fields });
    collector.endAnswer();
  };
  const fill = (at: number, qty: number, liquidity: FillReport['liquidity']): void =>
    event({
      kind: 'fill',
      at,
      fill: { ...IDS, tradeId: `t-${at}`, market, side: 'buy', price: 4000, qty, liquidity, exchangeAt: at - 5 },
    });
  return { collector, answer, fill };
}

const changesOf = (collector: SessionCollector) =>
  collector.facts().changes.map(({ at, isBid, change }) => [at, isBid ? 'bid' : 'ask', change]);

describe('our changes of the public books', () => {
  it('have the rest of an order that took before it rested; the rest is no order to judge by', () => {
    const { collector, answer, fill } = session();
    answer(PLACE, 100, { kind: 'order-accepted', exchangeAt: 92, filledQty: 300, leavesQty: 700, isFinished: false });
    fill(103, 300, 'taker');
    fill(200, 200, 'maker');
    answer(AMEND, 300, { kind: 'cancel-accepted', reducedBy: 500 });
    expect(changesOf(collector)).toEqual([
      [100, 'bid', 700],
      [103, 'ask', -300],
      [200, 'bid', -200],
      [300, 'bid', -500],
    ]);
    expect(collector.facts().spells).toEqual([]);
  });

  it('count a fill once that the answer to a decrease has counted already', () => {
    const { collector, answer, fill } = session();
    answer(PLACE, 100, { kind: 'order-accepted', exchangeAt: 92, filledQty: 0, leavesQty: 1000, isFinished: false });
    answer(AMEND, 200, { kind: 'amend-accepted', price: 4000, filledQty: 300, leavesQty: 500, exchangeAt: 185 });
    fill(203, 300, 'maker');
    expect(changesOf(collector)).toEqual([
      [100, 'bid', 1000],
      [200, 'bid', -200],
      [203, 'bid', -300],
    ]);
    const [spell] = collector.facts().spells;
    expect(spell).toMatchObject({ cuts: [{ at: 185, qty: 200 }], endedBy: 'session', endedAt: null });
    fill(300, 500, 'maker');
    expect(collector.facts().spells[0]).toMatchObject({ endedBy: 'filled', endedAt: 295 });
  });
});

describe('the time of an amend', () => {
  it.each([
    [185, 185],
    [undefined, null],
  ])('is that of the venue where the answer has one: %j', (exchangeAt, effectAt) => {
    const { collector, answer } = session();
    answer(PLACE, 100, { kind: 'order-accepted', exchangeAt: 92, filledQty: 0, leavesQty: 1000, isFinished: false });
    answer(AMEND, 200, { kind: 'amend-accepted', price: 4100, leavesQty: 1000, exchangeAt });
    expect(collector.facts().trips.map((trip) => trip.effectAt)).toEqual([92, effectAt]);
    expect(collector.facts().spells.map(({ arrivedAt }) => arrivedAt)).toEqual([92, effectAt ?? 190]);
  });
});
