// Audits of streamed books: a REST read against a stream that may be late, busy, or missing a message.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BookPoll, BookSide, Levels } from '../../../src/domain/event.ts';
import { CENT_GRID } from '../../../src/domain/price-grid.ts';
import { type Micros, type Price, type Qty, cents, contracts, price, qty } from '../../../src/domain/units.ts';
import { StreamAudits, STREAM_LATE_MAX } from '../../../src/state/books/stream-audits.ts';
import { OrderBooks } from '../../../src/state/books/order-books.ts';
import { M0, after, levels } from '../../support/engine/builders.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const BIDS = levels([40, 10], [39, 5]);
const ASKS = levels([60, 10]);
const LATE_MS = STREAM_LATE_MAX / 1000;

function audited() {
  const books = new OrderBooks();
  let streamedAt = after(0);
  const audits = new StreamAudits(books, () => streamedAt);
  books.openBook(M0, CENT_GRID);
  const snapshot = (at: Micros): void => {
    streamedAt = at;
    books.applySnapshot({ market: M0, at, exchangeAt: null, bids: BIDS, asks: ASKS });
  };
  snapshot(after(0));
  const change = (ms: number, at: Price, by: Qty): boolean => {
    const side: BookSide = 'bid';
    streamedAt = after(ms);
    books.applyDelta({ market: M0, at: streamedAt, exchangeAt: null, side, price: at, change: by });
    return audits.applyChange(M0, side, { price: at, change: by });
  };
  return { books, audits, change, snapshot };
}
const poll = (askedMs: number, bids: Levels = BIDS, asks: Levels = ASKS): BookPoll => ({
  kind: 'book-poll',
  at: after(askedMs + 5),
  askedAt: after(askedMs),
  market: M0,
  bids,
  asks,
});

describe('an audit', () => {
  it('an audit finds equal books, in any order and with empty levels', () => {
    const { audits } = audited();
    expect(audits.compareRead(poll(1, levels([39, 5], [38, 0], [40, 10])))).toBe('equal');
    expect(audits.count).toBe(0);
  });
  it.each([
    ['a quantity', levels([40, 9], [39, 5]), ASKS],
    ['a level too few', levels([40, 10]), ASKS],
    ['a level too many', levels([40, 10], [39, 5], [38, 1]), ASKS],
    ['a price', levels([40, 10], [38, 5]), ASKS],
    ['an ask', BIDS, levels([61, 10])],
    ['an empty side', BIDS, levels()],
  ])('an audit finds a difference in %s once the stream has had its time, and not before', (_, bids, asks) => {
    const { audits } = audited();
    audits.startAudit(M0, after(1));
    expect(audits.compareRead(poll(1, bids, asks))).toBeNull();
    expect(audits.endDueAudits(after(5 + LATE_MS))).toEqual([]);
    expect(audits.endDueAudits(after(6 + LATE_MS))).toEqual([{ market: M0, result: 'different' }]);
    expect(audits.count).toBe(0);
  });
  it('an audit finds a book equal that the stream passed through during the read', () => {
    const { audits, change } = audited();
    audits.startAudit(M0, after(1));
    change(2, cents(40), contracts(1));
    change(3, cents(40), contracts(2));
    expect(audits.compareRead(poll(1, levels([40, 11], [39, 5])))).toBe('equal');
  });
  it('an audit waits until the stream reaches what the read shows', () => {
    const { audits, change } = audited();
    audits.startAudit(M0, after(1));
    expect(audits.compareRead(poll(1, levels([40, 12], [39, 5])))).toBeNull();
    expect(change(3000, cents(40), contracts(1))).toBe(false);
    expect(change(4000, cents(40), contracts(1))).toBe(true);
    expect(audits.isUnderWay(M0)).toBe(false);
  });
  it('an audit is inconclusive when the book was replaced, is not live, or changed before an unannounced read', () => {
    const { audits, books, change, snapshot } = audited();
    const wrong = levels([40, 9]);
    audits.startAudit(M0, after(1));
    snapshot(after(2));
    expect(audits.compareRead(poll(1, wrong))).toBe('inconclusive');
    audits.startAudit(M0, after(3));
    audits.compareRead(poll(3, wrong));
    snapshot(after(20));
    expect(audits.endDueAudits(after(10_000))).toEqual([{ market: M0, result: 'inconclusive' }]);
    change(11_000, cents(40), contracts(1));
    expect(audits.compareRead(poll(11_000, wrong))).toBe('inconclusive');
    books.distrust(M0);
    audits.startAudit(M0, after(12_000));
    expect(audits.compareRead(poll(12_000, wrong))).toBe('inconclusive');
  });
  it('an audit gives up on an answer that does not arrive', () => {
    const { audits } = audited();
    audits.startAudit(M0, after(0));
    expect(audits.endDueAudits(after(59_999))).toEqual([]);
    expect(audits.endDueAudits(after(60_000))).toEqual([{ market: M0, result: 'inconclusive' }]);
  });
});

/**
 * A change at the venue: its delay after the message before, and the delay of its message; lost, when the stream never
 * carries it.
 */
interface Move {
  readonly afterMs: number;
  readonly lateMs: number;
  readonly cent: number;
  readonly add: number;
}

/** A venue's book of bids over time, and the messages of a late stream about it. Times are milliseconds. */
function history(moves: readonly Move[], lost: number | null) {
  const cells = new Map<number, number>(BIDS.map(([at, size]) => [at, size]));
  const states = [{ ms: 0, bids: BIDS }];
  const messages: { readonly ms: number; readonly price: Price; readonly change: Qty }[] = [];
  let ms = 0;
  let messageMs = 0;
  moves.forEach(({ afterMs, lateMs, cent, add }, number) => {
    ms += afterMs;
    const at = cents(cent);
    cells.set(at, (cells.get(at) ?? 0) + add);
    states.push({ ms, bids: [...cells].map(([message, size]) => [price(message), qty(size)] as const) });
    // One connection: no message overtakes an earlier message.
    messageMs = Math.max(messageMs, ms + lateMs);
    if (number !== lost) messages.push({ ms: messageMs, price: at, change: qty(add) });
  });
  const at = (when: number): Levels => states.findLast((state) => state.ms <= when)!.bids;
  return { at, messages, endMs: Math.max(ms, messageMs) };
}

const someMoves = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 1, max: 400 }),
    lateMs: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: LATE_MS - 200 })),
    cent: fc.integer({ min: 30, max: 39 }),
    add: fc.integer({ min: 1, max: 50 }),
  }),
  { minLength: 1, maxLength: 60 },
);
const someReads = fc.array(
  fc.record({
    askedMs: fc.integer({ min: 1, max: 20_000 }),
    toVenueMs: fc.nat(2000),
    backMs: fc.nat(2000),
  }),
  { minLength: 1, maxLength: 8 },
);

/** The result of every read of the venue's book at some moments, under a late stream. */
function resultsOf(
  moves: readonly Move[],
  {
    reads,
    lost,
  }: {
    readonly reads: readonly { askedMs: number; toVenueMs: number; backMs: number }[];
    readonly lost: number | null;
  },
): string[] {
  const { at, messages, endMs } = history(moves, lost);
  const { audits, change } = audited();
  const results: string[] = [];
  const happenings: { readonly ms: number; readonly act: () => void }[] = messages.map((message) => ({
    ms: message.ms,
    act: () => void (change(message.ms, message.price, message.change) && results.push('equal')),
  }));
  let freeMs = 0;
  for (const { askedMs, toVenueMs, backMs } of reads) {
    const asked = Math.max(freeMs, askedMs);
    const answered = asked + toVenueMs + backMs;
    freeMs = answered + LATE_MS + 2;
    happenings.push(
      { ms: asked, act: () => audits.startAudit(M0, after(asked)) },
      {
        ms: answered,
        act: () => {
          const shown = at(asked + toVenueMs);
          const read = { ...poll(asked, shown), at: after(answered) };
          const result = audits.compareRead(read);
          if (result !== null) results.push(result);
        },
      },
      {
        ms: answered + LATE_MS + 1,
        act: () => results.push(...audits.endDueAudits(after(answered + LATE_MS + 1)).map(({ result }) => result)),
      },
    );
  }
  expect(endMs).toBeGreaterThan(0);
  for (const { act } of happenings.toSorted((a, b) => a.ms - b.ms)) act();
  return results;
}

describe('audits of a stream that is seconds late', () => {
  it('audits of a late stream never find a difference where nothing was lost', () => {
    fc.assert(
      fc.property(someMoves, someReads, (moves, reads) => {
        const results = resultsOf(moves, { reads, lost: null });
        expect(results).toHaveLength(reads.length);
        expect(new Set(results)).toEqual(new Set(['equal']));
      }),
      { numRuns: runCount(300) },
    );
  });
  it('audits of a late stream find every lost change', () => {
    fc.assert(
      fc.property(someMoves, fc.nat(), (drawn, which) => {
        const lost = which % drawn.length;
        // No other changes add up to the lost message: the book without it never looks like message with it.
        const moves = drawn.map((move, number) => (number === lost ? { ...move, add: 1_000_000 } : move));
        const lostMs = moves.slice(0, lost + 1).reduce((total, { afterMs }) => total + afterMs, 0);
        const reads = [0, 1].map((turn) => ({ askedMs: lostMs + 10 + turn * 20_000, toVenueMs: 30, backMs: 30 }));
        expect(resultsOf(moves, { reads, lost })).toEqual(['different', 'different']);
      }),
      { numRuns: runCount(300) },
    );
  });
});
