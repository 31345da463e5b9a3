// Jumps of a touch: when they are doubted, what explains them, and when the doubt ends.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Micros, type Price, cents } from '../../src/domain/units.ts';
import { MarketWatch } from '../../src/risk/market-watch.ts';
import { M0, M1, after } from '../support/engine/builders.ts';
import { booksWithMid } from './fixed-books.ts';

const LIMITS = { touchJumpMax: 1000, jumpPauseMs: 3000 };

/** Watches one market whose mid is given in cents. */
function watching(limits = LIMITS) {
  const watch = new MarketWatch();
  const mid = (at: number, cent: number): number =>
    watch.onTouchChange(M0, booksWithMid(after(at), 2 * cents(cent)), limits);
  const traded = (at: number): void => watch.onPrint(M0, cents(50), after(at));
  const forMs = (at: number): number => watch.doubtOf(M0, after(at))?.forMs ?? 0;
  return { watch, mid, traded, forMs };
}

describe('a touch', () => {
  it('that jumps after a quiet minute is reported once and doubted for the pause', () => {
    const { mid, forMs } = watching();
    mid(0, 50);
    expect(mid(60_000, 60)).toBe(0);
    expect(mid(120_000, 71)).toBe(1100);
    expect([forMs(120_000), forMs(122_999), forMs(123_000)]).toEqual([3000, 1, 0]);
  });

  it('that moves as far in steps within a second is doubted, and one that moves slowly is not', () => {
    const fast = watching();
    for (const [at, cent] of [
      [0, 50],
      [2000, 50],
      [2100, 54],
      [2200, 58],
    ] as const)
      expect(fast.mid(at, cent)).toBe(0);
    expect(fast.mid(2300, 62)).toBe(1200);
    const slow = watching();
    for (let i = 0; i < 12; i++) expect(slow.mid(i * 500, 30 + i * 4)).toBe(0);
  });

  it('that jumps again while it is doubted is doubted for longer and not reported again', () => {
    const { mid, forMs } = watching();
    mid(0, 50);
    expect(mid(2000, 65)).toBe(1500);
    expect(mid(2500, 80)).toBe(0);
    expect(forMs(2500)).toBe(3000);
  });

  it('that moves just after a trade is explained by it', () => {
    const { mid, traded, forMs } = watching();
    mid(0, 50);
    traded(2000);
    expect(mid(2100, 70)).toBe(0);
    expect(forMs(2100)).toBe(0);
    // The trade has explained that move only.
    expect(mid(3200, 90)).toBe(2000);
  });

  it('is trusted again once a trade explains its move', () => {
    const { mid, traded, forMs } = watching();
    mid(0, 50);
    mid(2000, 70);
    traded(2900);
    expect(forMs(2900)).toBe(0);
  });

  it('stays doubted when the trade comes too late to explain it', () => {
    const { mid, traded, forMs } = watching();
    mid(0, 50);
    mid(2000, 70);
    traded(3000);
    expect(forMs(3000)).toBe(2000);
  });

  it('of a replaced book has not jumped', () => {
    const { watch, mid } = watching();
    mid(0, 50);
    watch.onBookReplaced(M0);
    expect(mid(500, 80)).toBe(0);
    expect(mid(2000, 60)).toBe(2000);
  });

  it('belongs to its own market and is dropped with it', () => {
    const { watch, mid, forMs } = watching();
    mid(0, 50);
    mid(2000, 70);
    expect(watch.doubtOf(M1, after(2000))).toBeNull();
    watch.dropMarket(M0);
    expect(forMs(2000)).toBe(0);
    expect(watch.lastPrintPrice(M0, after(2000))).toBeNull();
  });
});

const SECOND = 1_000_000;

/** The same check in its plainest form for one market: it keeps every value and computes it every time. */
class PlainWatch {
  #isNew = true;
  #anchor = 0;
  #anchoredAt = 0;
  #last = 0;
  #tradedAt = -Infinity;
  #jumpedAt = -Infinity;
  #doubtedUntil = -Infinity;

  touched(mid: number, at: number): number {
    const isExplained = this.#isNew || at - this.#tradedAt < SECOND;
    if (isExplained || at - this.#anchoredAt >= SECOND) {
      this.#anchor = isExplained ? mid : this.#last;
      this.#anchoredAt = at;
    }
    this.#isNew = false;
    this.#last = mid;
    const jump = Math.abs(mid - this.#anchor);
    if (jump <= LIMITS.touchJumpMax) return 0;
    const isReported = at >= this.#doubtedUntil;
    this.#anchor = mid;
    this.#jumpedAt = at;
    this.#doubtedUntil = at + LIMITS.jumpPauseMs * 1000;
    return isReported ? jump : 0;
  }

  traded(at: number): void {
    this.#tradedAt = at;
    if (at - this.#jumpedAt < SECOND) this.#doubtedUntil = -Infinity;
  }

  begun(): void {
    this.#isNew = true;
  }

  isDoubted(at: number): boolean {
    return at < this.#doubtedUntil;
  }
}

const someSteps = fc.array(
  fc.record({
    after: fc.constantFrom(0, 1, 400_000, 999_999, 1_000_000, 3_000_000),
    what: fc.oneof(
      { weight: 6, arbitrary: fc.constant('touch') },
      { weight: 1, arbitrary: fc.constantFrom('trade', 'begin') },
    ),
    cent: fc.integer({ min: 20, max: 50 }),
  }),
  { maxLength: 30 },
);

describe('a market watch', () => {
  it('finds the same jumps as the plain check, for any order of events', () => {
    fc.assert(
      fc.property(someSteps, (steps) => {
        const [watch, plain] = [new MarketWatch(), new PlainWatch()];
        let now = 1_700_000_000 * SECOND;
        for (const { after: passed, what, cent } of steps) {
          now += passed;
          const at = now as Micros;
          const mid = cents(cent + 1);
          if (what === 'touch')
            expect(watch.onTouchChange(M1, booksWithMid(at, 2 * mid), LIMITS)).toBe(plain.touched(mid, now));
          if (what === 'trade') watch.onPrint(M1, 5000 as Price, at);
          if (what === 'trade') plain.traded(now);
          if (what === 'begin') watch.onBookReplaced(M1);
          if (what === 'begin') plain.begun();
          expect(watch.doubtOf(M1, at) !== null).toBe(plain.isDoubted(now));
        }
      }),
    );
  });
});
