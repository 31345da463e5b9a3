// Rests of takers on a session's tape: they say whether quotes that cross our orders trade with them.
import { describe, expect, it } from 'vitest';
import { MemoryRows } from '../../../backtest/memory-rows.ts';
import { ticker } from '../../../src/domain/ids.ts';
import type { Micros, Price, Qty } from '../../../src/domain/units.ts';
import type { RestingSpell, SessionFacts } from '../../../src/research/calibration/calibration-facts.ts';
import {
  CROSSING_FILLS_MIN,
  crossingEvidence,
  fillsWhenCrossed,
  summedEvidence,
} from '../../../src/research/calibration/crossing-evidence.ts';

const SECOND = 1_000_000;
const WINDOW = 10_000;
const NAME = 'M-0';
const PRICE = 5500;

type Side = RestingSpell['side'];
interface Level {
  readonly isBid: boolean;
  readonly price?: number;
  readonly qty?: number;
  /** After the fill, microseconds. */
  readonly after?: number;
}

/** A session in which each second an order of ours at `PRICE` is used up, and then the level changes. */
function sessionWith(side: Side, changes: readonly (Level | null)[], { isPrinted = true } = {}) {
  const rows = new MemoryRows();
  const market = rows.tickers.internTicker(ticker(NAME));
  const timesAt = (venueAt: number) => ({ at: (venueAt + 5000) as Micros, venueAt: venueAt as Micros });
  const fills = changes.map((_, index) => (10 + index) * SECOND);
  changes.forEach((change, index) => {
    const at = fills[index] ?? 0;
    const print = { market, price: PRICE as Price, qty: 500 as Qty, side: side === 'buy' ? 'sell' : 'buy' } as const;
    if (isPrinted) rows.addPrint(timesAt(at), print);
    if (change === null) return;
    const { isBid, price = PRICE, qty = 700, after = 1000 } = change;
    const delta = { market, side: isBid ? 'bid' : 'ask', price: price as Price, change: qty as Qty } as const;
    rows.addDelta(timesAt(at + after), delta);
  });
  const spells = fills.map((at, index): RestingSpell => ({
    orderId: `${index}`,
    ticker: NAME,
    side,
    price: PRICE,
    qty: 500,
    arrivedAt: at - SECOND / 2,
    endedAt: at,
    endedBy: 'filled',
    fills: [{ at, qty: 500 }],
    cuts: [],
    positions: [],
  }));
  const facts: SessionFacts = {
    name: 's',
    from: 0,
    to: 1000 * SECOND,
    trips: [],
    feed: [],
    spells,
    changes: [],
    taken: new Set(),
  };
  return crossingEvidence(rows, facts, WINDOW);
}

const rest = (side: Side, price = PRICE): Level => ({ isBid: side === 'sell', price });

describe('the rest of a taker', () => {
  it.each([
    ['sell', PRICE],
    ['sell', PRICE + 100],
    ['buy', PRICE],
    ['buy', PRICE - 100],
  ] as const)('after a fill of our %s order is found at %i', (side, price) => {
    expect(sessionWith(side, [rest(side, price), null])).toEqual({ fills: 2, rested: 1 });
  });

  it.each([
    ['at a worse price', { isBid: true, price: PRICE - 100 }],
    ['on our own side', { isBid: false }],
    ['where the level shrinks', { isBid: true, qty: -700 }],
    ['later than the window', { isBid: true, after: WINDOW + 1000 }],
  ])('is none %s', (_, level) => {
    expect(sessionWith('sell', [level])).toEqual({ fills: 1, rested: 0 });
  });

  it('is not looked for where the tape does not show the fill’s print at that moment', () => {
    expect(sessionWith('sell', [rest('sell')], { isPrinted: false })).toEqual({ fills: 0, rested: 0 });
  });
});

describe('the verdict', () => {
  it('keeps the default until enough fills are without a rest', () => {
    expect(fillsWhenCrossed({ fills: CROSSING_FILLS_MIN - 1, rested: 0 })).toBe(true);
    expect(fillsWhenCrossed({ fills: CROSSING_FILLS_MIN, rested: 0 })).toBe(false);
  });

  it('keeps the default where quotes made more than a few of the fills', () => {
    expect(fillsWhenCrossed({ fills: 200, rested: 10 })).toBe(false);
    expect(fillsWhenCrossed({ fills: 200, rested: 15 })).toBe(true);
    expect(fillsWhenCrossed({ fills: 0, rested: 0 })).toBe(true);
  });

  it('counts the fills of all sessions', () => {
    expect(
      summedEvidence([
        { fills: 3, rested: 1 },
        { fills: 4, rested: 0 },
      ]),
    ).toEqual({ fills: 7, rested: 1 });
  });
});
