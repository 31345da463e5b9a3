// Quiet books and dead ones: which books are read over REST, when, and how many at a time.
import { describe, expect, it, vi } from 'vitest';
import type { ReadCommand } from '../../../src/domain/venue-command.ts';
import type { Levels } from '../../../src/domain/event.ts';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import { cents, qty } from '../../../src/domain/units.ts';
import { BookWatch } from '../../../src/execution/feed/book-watch.ts';
import { VenueReader } from '../../../src/execution/session/venue-reader.ts';
import { State } from '../../../src/state/state.ts';
import { M0, M1, aMarket, after, index, levels, tickerTable } from '../../support/engine/builders.ts';

const BIDS = levels([40, 10]);
const ASKS = levels([60, 10]);

/** Live books, a watch over them, and a venue that answers reads after a delay. */
function watching({ count = 1, bookAgeMsMax = 10_000, answerMs = 20 } = {}) {
  const state = new State(tickerTable(count));
  for (let number = 0; number < count; number++) {
    const at = after(0);
    state.applyEvent({ kind: 'market', at, market: aMarket(number) }, []);
    state.applyEvent(
      { kind: 'book-snapshot', at, exchangeAt: null, market: index(number), bids: BIDS, asks: ASKS },
      [],
    );
  }
  state.applyEvent({ kind: 'feed-up', at: after(0), connection: 1 }, []);
  const reads: { readonly ms: number; readonly market: MarketIndex }[] = [];
  const answers: { readonly ms: number; readonly askedMs: number; readonly market: MarketIndex }[] = [];
  let ms = 0;
  let commands = 0;
  const enqueue = ({ target }: ReadCommand): boolean => {
    if (target.what !== 'book') throw new Error('only books are read');
    reads.push({ ms, market: target.market });
    answers.push({ ms: ms + answerMs, askedMs: ms, market: target.market });
    return true;
  };
  const reader = new VenueReader({ enqueue, nextCommandId: () => (commands += 1), onEndless: () => {} });
  const watch = new BookWatch({ state, reader, bookAgeMsMax });
  const truth = new Map<MarketIndex, Levels>();
  const answer = (): void => {
    while (answers[0] && answers[0].ms <= ms) {
      const { askedMs, market } = answers.shift()!;
      const bids = truth.get(market) ?? BIDS;
      state.applyEvent({ kind: 'book-poll', at: after(ms), askedAt: after(askedMs), market, bids, asks: ASKS }, []);
    }
  };
  const change = (market: MarketIndex, stream = 0): void => {
    const delta = { kind: 'book-delta', at: after(ms), exchangeAt: null, market, side: 'bid', stream } as const;
    state.applyEvent({ ...delta, price: cents(30), change: qty(1) }, []);
    truth.set(market, state.books.levels(market, 'bid'));
  };
  /** Runs in steps of ten milliseconds and calls `happen` at each. */
  const run = (untilMs: number, act: (nowMs: number) => void = () => {}): void => {
    for (; ms <= untilMs; ms += 10) {
      act(ms);
      answer();
      state.applyEvent({ kind: 'timer', at: after(ms) }, []);
      if (ms % 500 === 0) watch.probeQuietBooks(after(ms));
    }
  };
  return { state, watch, reads, truth, change, run };
}

describe('one book', () => {
  it('does not read a book that changes', () => {
    const { reads, change, run } = watching();
    run(60_000, (ms) => ms % 100 === 0 && change(M0));
    expect(reads).toEqual([]);
  });
  it('reads a book within three seconds when it changed ten times a second and falls silent, once for each silence', () => {
    const { reads, change, run, state } = watching({ bookAgeMsMax: 0 });
    run(30_000, (ms) => ms % 100 === 0 && change(M0));
    run(40_000);
    expect(reads).toHaveLength(1);
    expect(reads[0]!.ms).toBeLessThanOrEqual(33_000);
    expect(state.confirmedAt(M0)).toBe(after(reads[0]!.ms));
  });
  it('does not call a book quiet after two seconds when it changes every twenty', () => {
    const { reads, change, run } = watching({ bookAgeMsMax: 0 });
    run(120_000, (ms) => ms % 20_000 === 0 && change(M0));
    expect(reads).toEqual([]);
  });
  it('reads a book again and again when nothing confirmed it for half the age that an order allows', () => {
    const { reads, run, state } = watching({ bookAgeMsMax: 10_000 });
    run(60_000, (ms) => {
      if (ms > 0) expect(after(ms) - state.confirmedAt(M0)).toBeLessThan(6_000_000);
    });
    expect(reads.length).toBeGreaterThanOrEqual(10);
    expect(reads.length).toBeLessThanOrEqual(12);
  });
  it('takes a message for another book of the same sequence as a confirmation', () => {
    const { reads, change, run } = watching({ count: 2 });
    run(100, () => [M0, M1].forEach((market) => change(market, 7)));
    run(60_000, (ms) => ms % 1000 === 0 && change(M1, 7));
    expect(reads.filter(({ ms }) => ms > 10_000)).toEqual([]);
  });
  it('reads a book again that differs, and distrusts it when it differs twice', () => {
    const { reads, run, state, truth } = watching({ bookAgeMsMax: 2000 });
    truth.set(M0, levels([41, 3]));
    run(30_000);
    expect(state.books.trust(M0)).toBe('suspect');
    expect(reads).toHaveLength(2);
    expect(reads[1]!.ms).toBeLessThan(13_000);
  });
});

describe('many books', () => {
  it('reads books at a limited rate, the oldest first, and each in the end', () => {
    const { reads, run } = watching({ count: 100, bookAgeMsMax: 2000, answerMs: 100 });
    run(60_000);
    for (let from = 0; from < 60_000; from += 1000)
      expect(reads.filter(({ ms }) => ms >= from && ms < from + 1000).length).toBeLessThanOrEqual(4);
    expect(new Set(reads.slice(0, 100).map(({ market }) => market)).size).toBe(100);
  });
  it('has at most four reads in flight to a venue that does not answer', () => {
    const { reads, run } = watching({ count: 100, bookAgeMsMax: 2000, answerMs: 1_000_000 });
    run(50_000);
    expect(reads).toHaveLength(4);
  });
  it('audits each book in turn, whatever is known of it', () => {
    const { watch, reads, run } = watching({ count: 5, bookAgeMsMax: 0 });
    run(10_000, (ms) => ms % 1000 === 0 && watch.auditNextBook());
    expect(new Set(reads.map(({ market }) => market)).size).toBe(5);
  });
  it('audits each book in turn while another one cannot be read', () => {
    const { state, watch, reads, run } = watching({ count: 4, bookAgeMsMax: 0 });
    state.applyEvent({ kind: 'feed-gap', at: after(0), markets: [index(2)], reason: 'lost' }, []);
    run(6000, (ms) => ms % 1000 === 0 && watch.auditNextBook());
    expect(reads.map(({ market }) => market)).toEqual([1, 3, 0, 1, 3, 0, 1].map(index));
  });
  it('audits a doubted book before the others', () => {
    const { state, watch, reads, truth, run } = watching({ count: 5, bookAgeMsMax: 0 });
    run(10);
    truth.set(index(3), levels([41, 10]));
    while (reads.at(-1)?.market !== index(3)) watch.auditNextBook();
    let next: MarketIndex | undefined;
    run(20_000, () => {
      if (next !== undefined || !state.doubtedBooks.has(index(3))) return;
      watch.auditNextBook();
      next = reads.at(-1)?.market;
    });
    expect(next).toBe(index(3));
  });
  it('looks at the books that have changed, not at all of them', () => {
    const { state, reads, change, run } = watching({ count: 500 });
    run(1000, (ms) => {
      if (ms === 0) for (let number = 0; number < 500; number++) change(index(number), 7);
    });
    const counted = vi.spyOn(state.confirmations, 'messageCount');
    run(60_000, (ms) => ms % 1000 === 0 && change(M1, 7));
    expect(reads).toEqual([]);
    expect(counted.mock.calls.length).toBeLessThan(100);
  });
  it('forgets books that are gone', () => {
    const { watch, state, run } = watching({ count: 5 });
    run(1000);
    expect(watch.size).toBe(5);
    for (let number = 0; number < 3; number++)
      state.applyEvent(
        { kind: 'market-changed', at: after(1000), exchangeAt: null, market: index(number), status: 'closed' },
        [],
      );
    run(2000);
    expect(watch.size).toBe(2);
  });
});
