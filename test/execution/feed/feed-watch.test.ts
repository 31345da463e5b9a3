// The times at which the feed is checked beside a lossless feed: when a check may find something, and not after every
// order. A report that does not come, and a clock that is wrong, are found in time.
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { clientOrderId, venueOrderId } from '../../../src/domain/ids.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { FeedWatch } from '../../../src/execution/feed/feed-watch.ts';
import { VenueReader } from '../../../src/execution/session/venue-reader.ts';
import { NO_QTY, contracts } from '../../../src/domain/units.ts';
import { State } from '../../../src/state/state.ts';
import { M0, aMarket, aReport, after, tickerOf, tickerTable } from '../../support/engine/builders.ts';

const NEVER = Number.POSITIVE_INFINITY;
const A = venueOrderId('v-a');
const accepted = (ms: number): EngineEvent => ({
  kind: 'order-accepted',
  at: after(ms),
  clientOrderId: clientOrderId('c-a'),
  venueOrderId: A,
  exchangeAt: null,
  filledQty: NO_QTY,
  leavesQty: contracts(1),
  isFinished: false,
});
const reported = (ms: number): EngineEvent => ({
  kind: 'order-updated',
  at: after(ms),
  order: aReport({ venueOrderId: A }),
});
/** An answer from a venue whose clock is behind ours by this many microseconds. */
const answered = (ms: number, clockOffset = 500_000): EngineEvent => ({
  kind: 'answered',
  at: after(ms),
  commandId: 1,
  ok: true,
  clockOffset,
  askedAt: after(ms - 20),
});

/** A watch beside a lossless feed that is up, after its first check: no other is due. */
function watching() {
  const state = new State(tickerTable(1), true);
  const notices: Notice[] = [];
  const watch = new FeedWatch({
    state,
    reader: new VenueReader({ enqueue: () => true, nextCommandId: () => 1, onEndless: () => {} }),
    hasKey: true,
    bookAgeMsMax: 0,
    clock: { offsetWarnMs: 2000, offsetMsMax: 10_000 },
    observe: (notice) => notices.push(notice),
    sendFeed: () => undefined,
    changes: [],
  });
  const happen = (event: EngineEvent): void => {
    state.applyEvent(event, []);
    watch.onEvent(event);
  };
  const check = (ms: number): void => {
    state.applyEvent({ kind: 'timer', at: after(ms) }, []);
    watch.checkFeed(after(ms));
  };
  happen({ kind: 'market', at: after(0), market: aMarket(0) });
  watch.start(after(0));
  happen({ kind: 'feed-up', at: after(0), connection: 1 });
  for (const channel of ['fills', 'orders', 'positions'] as const)
    happen({ kind: 'feed-channel', at: after(0), channel, isUp: true, reason: 'by test' });
  happen({ kind: 'book-snapshot', at: after(0), exchangeAt: null, market: M0, bids: [], asks: [] });
  watch.sendCommand({ type: 'subscribe', tickers: [tickerOf(0)] });
  check(500);
  const codes = (): string[] => notices.map((notice) => (notice.type === 'alarm' ? notice.code : ''));
  const loseBook = (): void => {
    state.books.distrust(M0);
    watch.onBookSuspect(M0, false);
  };
  return { watch, happen, check, codes, loseBook };
}

describe('a check of a lossless feed', () => {
  it('is not due while nothing is awaited', () => {
    const { watch, happen } = watching();
    expect(watch.dueAt()).toBe(NEVER);
    happen(answered(600));
    expect(watch.dueAt()).toBe(NEVER);
  });
  it('is due when the report of an accepted order is late, and not once it has come', () => {
    const { watch, happen } = watching();
    happen(answered(1000));
    happen(accepted(1000));
    expect(watch.dueAt()).toBe(after(6000));
    happen(reported(1010));
    expect(watch.dueAt()).toBe(NEVER);
  });
  it('finds a report that does not come, whatever else happens until then', () => {
    const { happen, check, codes, watch } = watching();
    happen(accepted(1000));
    for (let ms = 1400; ms < 6000; ms += 400) happen(answered(ms));
    expect(watch.dueAt()).toBe(after(6000));
    check(5999);
    expect(codes()).not.toContain('private-feed');
    check(6000);
    expect(codes()).toContain('private-feed');
  });
  it('is due half a second after an answer that shows a wrong clock, and then only as often as its alarm', () => {
    const { watch, happen, check, codes } = watching();
    happen(answered(1000, 5_000_000));
    expect(watch.dueAt()).toBe(after(1500));
    check(1500);
    expect(codes()).toContain('clock-offset');
    happen(answered(2000, 5_000_000));
    expect(watch.dueAt()).toBe(NEVER);
    happen(answered(602_000, 5_000_000));
    expect(watch.dueAt()).toBe(after(602_500));
  });
  it('is due half a second after an answer that shows the clock to be right again', () => {
    const { watch, happen, check } = watching();
    happen(answered(1000, 5_000_000));
    check(1500);
    happen(answered(2000));
    expect(watch.dueAt()).toBe(after(2500));
  });
  it('is due half a second after a book was lost', () => {
    const { watch, happen, check, loseBook } = watching();
    loseBook();
    expect(watch.dueAt()).toBe(after(1000));
    check(1000);
    happen({ kind: 'book-snapshot', at: after(1100), exchangeAt: null, market: M0, bids: [], asks: [] });
    watch.onBookLive(M0);
    expect(watch.dueAt()).toBe(after(1600));
  });
  it('is not due after the snapshot of a book that was live', () => {
    const { watch, happen } = watching();
    happen({ kind: 'book-snapshot', at: after(1100), exchangeAt: null, market: M0, bids: [], asks: [] });
    watch.onBookLive(M0);
    expect(watch.dueAt()).toBe(NEVER);
  });
});
