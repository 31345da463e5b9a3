// The gaps that a tape lists: of all markets until the first snapshot, and of each other market from then on.
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/units.ts';
import type { RowWriter } from '../../../src/tape/baked/baked-writer.ts';
import { GapTracker } from '../../../src/tape/baked/gap-tracker.ts';
import type { TapeGap } from '../../../src/tape/baked/tape-rows.ts';
import { M0, M1, index, tickerTable } from '../../support/engine/builders.ts';

const SECOND = 1_000_000;

function trackerOf(markets: number) {
  const gaps: TapeGap[] = [];
  const tickers = tickerTable(markets);
  const rows: Partial<RowWriter> = { tickers, writeOther: () => undefined, listGap: (gap) => void gaps.push(gap) };
  const tracker = new GapTracker(rows as RowWriter); // tidy: as (the tracker uses these three members)
  return { gaps, tickers, tracker };
}

describe('a gap of some books', () => {
  const reason = 'a lost message';

  it('ends for the books with a snapshot, and goes on for a market that has closed and has none', () => {
    const { gaps, tickers, tracker } = trackerOf(3);
    const M2 = index(2);
    tracker.addSuspectBooks(micros(10), [M0, M1, M2], reason);
    tracker.onSnapshot(M0, micros(20));
    tracker.onSnapshot(M2, micros(25));
    tracker.endGaps(micros(90 * SECOND));
    expect(gaps).toEqual([
      { from: 10, to: 25, reason, tickers: [M0, M2].map((market) => tickers.tickerOf(market)) },
      { from: 10, to: 90 * SECOND, reason, tickers: [tickers.tickerOf(M1)] },
    ]);
  });

  it('is listed once where all its books have a snapshot within a second', () => {
    const { gaps, tickers, tracker } = trackerOf(2);
    tracker.addSuspectBooks(micros(10), [M0, M1], reason);
    tracker.onSnapshot(M0, micros(20));
    tracker.onSnapshot(M1, micros(20 + SECOND));
    tracker.onSnapshot(M1, micros(50 * SECOND));
    tracker.endGaps(micros(90 * SECOND));
    const both = [M0, M1].map((market) => tickers.tickerOf(market));
    expect(gaps).toEqual([{ from: 10, to: 20 + SECOND, reason, tickers: both }]);
  });
});

describe('a gap of all books', () => {
  it('ends at the first snapshot, and goes on from there for the markets without one', () => {
    const { gaps, tickers, tracker } = trackerOf(2);
    tracker.onSnapshot(M0, micros(1));
    tracker.onSnapshot(M1, micros(1));
    tracker.addSuspectBooks(micros(10), [], 'a new connection');
    tracker.onSnapshot(M1, micros(20));
    tracker.endGaps(micros(90));
    const reason = 'a new connection';
    expect(gaps).toEqual([
      { from: 10, to: 20, reason, tickers: [] },
      { from: 20, to: 90, reason, tickers: [tickers.tickerOf(M0)] },
    ]);
  });
});
