// Times of a session by the clock of its tape's rows, where the venue's clock is ahead of ours or behind it.
import { describe, expect, it } from 'vitest';
import { MemoryRows } from '../../../backtest/memory-rows.ts';
import { ticker } from '../../../src/domain/ids.ts';
import type { Micros, Price, Qty } from '../../../src/domain/units.ts';
import type { RestingSpell, SessionFacts, Trip } from '../../../src/research/calibration/calibration-facts.ts';
import { crossingEvidence } from '../../../src/research/calibration/crossing-evidence.ts';
import { spellsOnTape } from '../../../src/research/calibration/row-times.ts';

const SECOND = 1_000_000;
const START = 1000 * SECOND;
const WINDOW = 10_000;
const FEED_DELAY = 5000;
const NAME = ticker('M-0');
const PRICE = 5500;

/** An order that rests from second 2 to 4 by our clock, when it is used up; a venue whose clock is `ahead` of ours. */
function sessionWith(ahead: number) {
  const rows = new MemoryRows();
  const market = rows.tickers.internTicker(NAME);
  const rowAt = (at: number) => ({ at: (at + FEED_DELAY) as Micros, venueAt: (at + ahead) as Micros });
  for (let second = 1; second < 10; second++) {
    const price = (second === 4 ? PRICE : PRICE + 100) as Price;
    rows.addPrint(rowAt(START + second * SECOND), { market, side: 'sell', price, qty: 100 as Qty });
  }
  const feed = [1, 2, 3, 4, 5].map((second) => ({
    at: START + second * SECOND + FEED_DELAY,
    venueAt: START + second * SECOND + ahead,
  }));
  const trips = [START + 2 * SECOND].map((at): Trip => {
    return { way: 'order', askedAt: at - 1000, answeredAt: at + 1000, effectAt: at + ahead, shownAt: null };
  });
  const spell: RestingSpell = {
    orderId: 'o',
    ticker: NAME,
    side: 'buy',
    price: PRICE,
    qty: 100,
    arrivedAt: START + 2 * SECOND + ahead,
    endedAt: START + 4 * SECOND + ahead,
    endedBy: 'filled',
    fills: [{ at: START + 4 * SECOND + ahead, qty: 100 }],
    cuts: [{ at: START + 2.5 * SECOND, qty: 1, isOurTime: true }],
    positions: [{ at: START + 3 * SECOND, ahead: 50 }],
  };
  const none = { changes: [], taken: new Set<string>() };
  const facts: SessionFacts = {
    name: 's',
    from: START,
    to: START + 20 * SECOND,
    trips,
    feed,
    spells: [spell],
    ...none,
  };
  return { rows, facts };
}

describe('resting orders by the clock of the tape', () => {
  it.each([
    ['behind', -3 * SECOND, -3 * SECOND],
    ['the same', 0, 0],
    // A backtest replays rows that would have come before they happened when they came.
    ['ahead', 3 * SECOND, FEED_DELAY],
  ])('where the venue’s clock is %s (%i µs)', (_, ahead, shift) => {
    const [spell] = spellsOnTape(sessionWith(ahead).facts);
    expect(spell).toMatchObject({ arrivedAt: START + 2 * SECOND + shift, endedAt: START + 4 * SECOND + shift });
    expect(spell?.fills[0]?.at).toBe(START + 4 * SECOND + shift);
    expect(spell?.cuts[0]?.at).toBeCloseTo(START + 2.5 * SECOND + shift, -4);
    expect(spell?.positions[0]?.at).toBeCloseTo(START + 3 * SECOND + shift, -4);
  });

  it.each([-3 * SECOND, 0, 3 * SECOND])('have the print of their fill, with a clock %i µs ahead', (ahead) => {
    const { rows, facts } = sessionWith(ahead);
    expect(crossingEvidence(rows, { ...facts, spells: spellsOnTape(facts) }, WINDOW).fills).toBe(1);
    expect(crossingEvidence(rows, facts, WINDOW).fills).toBe(ahead > 0 ? 0 : 1);
  });
});
