// Orders of a session placed again under a model of the queue: what fills, and what the model says is ahead.
import { describe, expect, it } from 'vitest';
import { MemoryRows } from '../../../backtest/memory-rows.ts';
import { eventTicker, ticker } from '../../../src/domain/ids.ts';
import { CENT_GRID } from '../../../src/domain/price-grid.ts';
import type { Micros, Price, Qty } from '../../../src/domain/units.ts';
import type { RestingSpell } from '../../../src/research/calibration/calibration-facts.ts';
import { probeOrders } from '../../../src/research/calibration/order-probe.ts';
import { queueModel } from '../../../src/venues/simulated/models/queue-models.ts';

const SECOND = 1_000_000;
const NAME = ticker('M-0');
const PRICE = 4000;
const ORDER: RestingSpell = {
  orderId: 'o-1',
  ticker: NAME,
  side: 'buy',
  price: PRICE,
  qty: 100,
  arrivedAt: 2 * SECOND,
  endedAt: 60 * SECOND,
  endedBy: 'canceled',
  fills: [],
  cuts: [],
  positions: [],
};

const timesAt = (seconds: number) => ({ at: (seconds * SECOND) as Micros, venueAt: (seconds * SECOND) as Micros });

/** An order at the back of 50 contracts; a taker then sells `sold` at its price. */
function placedAgain(spell: Partial<RestingSpell>, sold: number) {
  const rows = new MemoryRows();
  const market = rows.tickers.internTicker(NAME);
  const life = { openAt: 0 as Micros, closeAt: (1000 * SECOND) as Micros, canCloseEarly: false };
  const ends = { status: 'active', result: null, settlementValue: null, strike: null } as const;
  const listed = { ticker: NAME, index: market, eventTicker: eventTicker('M'), title: 'M', grid: CENT_GRID };
  rows.addEvent({ kind: 'market', at: SECOND as Micros, market: { ...listed, ...life, ...ends } });
  rows.addSnapshot(timesAt(1), market, { bids: [[PRICE as Price, 50 as Qty]], asks: [[6000 as Price, 500 as Qty]] });
  rows.addPrint(timesAt(30), { market, side: 'sell', price: PRICE as Price, qty: sold as Qty });
  const none = { trips: [], feed: [], changes: [], taken: new Set<string>() };
  const { spells, byModel } = probeOrders({
    session: { name: 's', from: 0, to: 100 * SECOND, spells: [{ ...ORDER, ...spell }], ...none },
    source: rows,
    models: [{ queue: queueModel({ model: 'pessimistic' }), printWindow: null, fillWhenCrossed: true }],
    survival: () => 1,
    takenLater: 0,
  });
  expect(spells).toHaveLength(1);
  return byModel[0]?.[0];
}

describe('an order that is placed again', () => {
  it('fills what a taker sells behind the quantity ahead', () => {
    expect(placedAgain({}, 120)?.fills).toEqual([{ at: 30 * SECOND, qty: 70 }]);
  });

  it('loses the quantity of each decrease', () => {
    const cuts = [10, 20].map((seconds) => ({ at: seconds * SECOND, qty: 30 }));
    expect(placedAgain({ cuts }, 500)?.fills).toEqual([{ at: 30 * SECOND, qty: 40 }]);
  });

  it('has nothing ahead once the model has filled it, where the venue still states a position', () => {
    const positions = [10, 40].map((seconds) => ({ at: seconds * SECOND, ahead: 50 }));
    expect(placedAgain({ positions }, 500)?.ahead).toEqual([50, 0]);
  });

  it('has no quantity ahead that is known after it was canceled', () => {
    expect(placedAgain({ positions: [{ at: 70 * SECOND, ahead: 50 }] }, 20)?.ahead).toEqual([null]);
  });
});
