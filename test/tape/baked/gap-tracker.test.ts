// The gaps that a tape lists: of all markets until the first snapshot, and of each other market from then on.
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/units.ts';
import type { RowWriter } from '../../../src/tape/baked/baked-writer.ts';
import { GapTracker } from '../../../src/tape/baked/gap-tracker.ts';
import type { TapeGap } from '../../../src/tape/baked/tape-rows.ts';
import { M0, M1, tickerTable } from '../../support/engine/builders.ts';

describe('a gap of all books', () => {
  it('ends at the first snapshot, and goes on from there for the markets without one', () => {
    const gaps: TapeGap[] = [];
    const tickers = tickerTable(2);
    const rows: Partial<RowWriter> = { tickers, writeOther: () => undefined, listGap: (gap) => void gaps.push(gap) };
    const tracker = new GapTracker(rows as RowWriter); // tidy: as (the tracker uses these three members)
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
