// Books that are not live are requested again: at once, after growing waits, by stronger means, and never without end.
import { describe, expect, it } from 'vitest';
import type { UnnumberedFeedCommand } from '../../../src/domain/venue-command.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { ResyncWatch } from '../../../src/execution/feed/resync-watch.ts';
import { tradeId } from '../../../src/domain/ids.ts';
import { cents, contracts } from '../../../src/domain/units.ts';
import { State } from '../../../src/state/state.ts';
import { M0, M1, aMarket, after, index, tickerOf, tickerTable } from '../../support/engine/builders.ts';

const A_PRINT = {
  exchangeAt: null,
  market: M0,
  tradeId: tradeId('t'),
  side: 'buy',
  price: cents(40),
  qty: contracts(1),
} as const;

function watching(count = 2) {
  const state = new State(tickerTable(count));
  for (let number = 0; number < count; number++)
    state.applyEvent({ kind: 'market', at: after(0), market: aMarket(number) }, []);
  state.applyEvent({ kind: 'feed-up', at: after(0), connection: 1 }, []);
  const requests: { readonly ms: number; readonly command: UnnumberedFeedCommand }[] = [];
  const notices: Notice[] = [];
  let mayReconnect = true;
  let ms = 0;
  const sendFeed = (command: UnnumberedFeedCommand): void => void requests.push({ ms, command });
  const watch = new ResyncWatch({
    state,
    sendFeed,
    observe: (notice) => notices.push(notice),
    reconnect: (reason) => {
      if (!mayReconnect) return false;
      mayReconnect = false;
      sendFeed({ type: 'reconnect', reason });
      return true;
    },
  });
  watch.onFeedCommand({ type: 'subscribe', tickers: state.markets.allMarkets().map(({ ticker }) => ticker) });
  const snapshot = (market = M0): void => {
    state.applyEvent({ kind: 'book-snapshot', at: after(ms), exchangeAt: null, market, bids: [], asks: [] }, []);
    watch.onBookLive(market, after(ms));
  };
  /** Delivers a message, so that the feed counts as alive. */
  const deliver = (): void => void state.applyEvent({ kind: 'print', ...A_PRINT, at: after(ms) }, []);
  const distrust = (isWrong = false, market = M0): void => {
    deliver();
    state.books.distrust(market);
    watch.onBookSuspect(market, { at: after(ms), isWrong });
    watch.flushResyncs();
  };
  /** The feed reports that it cannot provide a book yet. */
  const withhold = (market = M0): void => {
    state.applyEvent({ kind: 'feed-untold', at: after(ms), markets: [market] }, []);
    watch.onBooksUnavailable([market], after(ms));
  };
  const run = (untilMs: number, isSilent = false): void => {
    for (; ms <= untilMs; ms += 500) {
      if (!isSilent) deliver();
      state.applyEvent({ kind: 'timer', at: after(ms) }, []);
      watch.checkBooks(after(ms));
      watch.flushResyncs();
    }
  };
  return {
    state,
    watch,
    requests,
    notices,
    snapshot,
    deliver,
    distrust,
    withhold,
    run,
    forbid: () => (mayReconnect = false),
    allow: () => (mayReconnect = true),
  };
}

const kinds = (requests: readonly { readonly ms: number; readonly command: UnnumberedFeedCommand }[]): string[] =>
  requests.map(({ ms, command }) => `${ms} ${command.type}`);

describe('a missing book', () => {
  it('requests a suspect book at once, and not again once it has arrived', () => {
    const { requests, snapshot, distrust, run } = watching(1);
    snapshot();
    distrust();
    snapshot();
    run(60_000);
    expect(requests).toEqual([{ ms: 0, command: { type: 'resync', tickers: [tickerOf(0)] } }]);
  });
  it('requests a missing book again, then a new subscription, then a new connection, then at a steady pace', () => {
    const { requests, notices, snapshot, distrust, run } = watching(1);
    snapshot();
    distrust();
    run(90_000);
    expect(kinds(requests)).toEqual([
      '0 resync',
      '2000 resync',
      '6000 resync',
      '14000 renew',
      '29000 reconnect',
      '44000 resync',
      '59000 resync',
      '74000 resync',
      '89000 resync',
    ]);
    expect(notices.at(0)).toEqual({
      type: 'alarm',
      code: 'book-unanswered',
      at: after(14_000),
      text: 'the book of M-0 has not been live for 14000 ms after 4 requests',
      figures: { ticker: 'M-0', forMs: 14_000, attempts: 4, books: 1 },
    });
  });
  it('requests a book whose subscription brought nothing, although it was never suspect', () => {
    const { requests, snapshot, run } = watching();
    snapshot(M1);
    run(7000);
    expect(requests).toEqual([
      { ms: 2000, command: { type: 'resync', tickers: [tickerOf(0)] } },
      { ms: 6000, command: { type: 'resync', tickers: [tickerOf(0)] } },
    ]);
  });
  it('waits for a book that the feed cannot provide yet, and requests it once it is lost again', () => {
    const { requests, notices, snapshot, distrust, withhold, run } = watching(1);
    withhold();
    run(600_000, true);
    expect(requests).toEqual([]);
    expect(notices).toEqual([]);
    snapshot();
    run(700_000, true);
    distrust(true);
    withhold();
    run(1_400_000, true);
    expect(requests).toEqual([{ ms: 700_500, command: { type: 'resync', tickers: [tickerOf(0)] } }]);
  });
  it('does not request a book when its market opens if the feed could not provide it before', () => {
    const { requests, state, watch, withhold, run } = watching(1);
    const become = (status: 'inactive' | 'active'): void =>
      void state.applyEvent({ kind: 'market-changed', at: state.now, exchangeAt: null, market: M0, status }, []);
    become('inactive');
    withhold();
    run(60_000, true);
    become('active');
    run(120_000, true);
    expect(requests).toEqual([]);
    expect(watch.size).toBe(1);
    watch.onFeedCommand({ type: 'unsubscribe', tickers: [tickerOf(0)] });
    run(180_000, true);
    expect(watch.size).toBe(0);
  });
  it('does not count a book that the feed cannot provide yet when it decides on a new connection', () => {
    const { requests, snapshot, distrust, withhold, run, allow } = watching(3);
    withhold(M0);
    withhold(M1);
    snapshot(index(2));
    distrust(false, index(2));
    run(40_000);
    expect(kinds(requests).filter((what) => what.endsWith('reconnect'))).toEqual(['29000 reconnect']);
    allow();
    run(300_000);
    expect(kinds(requests).filter((what) => what.endsWith('reconnect'))).toEqual(['29000 reconnect']);
  });
  it('requests a book that the feed could not provide on a new connection like any other', () => {
    const { requests, state, watch, withhold, run } = watching(1);
    withhold();
    run(10_000, true);
    state.applyEvent({ kind: 'feed-up', at: after(10_000), connection: 2 }, []);
    watch.onConnected(after(10_000));
    run(13_000);
    expect(kinds(requests)).toEqual(['12000 resync']);
  });
  it('does not request at full speed a book that arrives wrong again and again', () => {
    const { requests, snapshot, distrust, run } = watching(1);
    for (let ms = 0; ms <= 30_000; ms += 500) {
      snapshot();
      distrust(true);
      run(ms);
    }
    expect(requests.length).toBeLessThan(8);
    expect(kinds(requests)).toContain('29000 reconnect');
  });
  it('requests a book at once whenever a message is lost after it arrived', () => {
    const { requests, notices, snapshot, distrust, run } = watching(1);
    for (let ms = 0; ms < 60_000; ms += 2000) {
      distrust();
      snapshot();
      run(ms + 1500);
    }
    expect(requests).toHaveLength(30);
    expect(new Set(requests.map(({ command }) => command.type))).toEqual(new Set(['resync']));
    expect(notices).toEqual([]);
  });
  it('limits the requests for a book that loses messages all the time, and does not give it up', () => {
    const { requests, notices, snapshot, distrust, run } = watching(1);
    for (let ms = 0; ms < 60_000; ms += 500) {
      for (let times = 0; times < 10; times++) {
        snapshot();
        distrust();
      }
      run(ms);
    }
    expect(requests.length).toBeGreaterThan(100);
    expect(requests.length).toBeLessThanOrEqual(125);
    expect(new Set(requests.map(({ command }) => command.type))).toEqual(new Set(['resync']));
    expect(notices).toEqual([]);
  });
  it('requests no wrong book from a silent feed, because a frozen feed needs a new connection', () => {
    const { state, watch, requests, snapshot, deliver, run } = watching(1);
    deliver();
    snapshot();
    run(5500, true);
    state.applyEvent({ kind: 'feed-heard', at: after(6000) }, []);
    state.books.distrust(M0);
    watch.onBookSuspect(M0, { at: after(6000), isWrong: true });
    watch.flushResyncs();
    expect(requests.map(({ command }) => command)).toEqual([
      { type: 'reconnect', reason: 'no snapshot of the book of M-0' },
    ]);
  });
  it('does not wait for a missing book on a connection without any message', () => {
    const { requests, snapshot, distrust, run } = watching(1);
    snapshot();
    distrust();
    run(20_000, true);
    expect(kinds(requests)).toEqual(['0 resync', '2000 resync', '6000 resync', '14000 reconnect']);
  });
  it('starts from the beginning with the next fault of a book that was live for long', () => {
    const { requests, snapshot, distrust, run } = watching(1);
    snapshot();
    distrust();
    run(3000);
    snapshot();
    run(40_000);
    distrust();
    expect(kinds(requests)).toEqual(['0 resync', '2000 resync', '40500 resync']);
  });
  it('does not wait for the book of a closed market', () => {
    const { state, requests, watch, run } = watching(1);
    run(500);
    state.applyEvent({ kind: 'market-changed', at: after(600), exchangeAt: null, market: M0, status: 'closed' }, []);
    run(90_000);
    expect(requests).toEqual([]);
    expect(watch.size).toBe(0);
  });
});

describe('a book that is not streamed', () => {
  it.each([
    ['never began', []],
    ['was given up', [tickerOf(0)]],
  ])('does not request a book whose stream %s', (_, tickers) => {
    const { watch, state, requests, run } = watching(1);
    watch.onFeedCommand({ type: 'unsubscribe', tickers });
    if (tickers.length === 0) state.applyEvent({ kind: 'market', at: after(0), market: aMarket(1, { index: M1 }) }, []);
    run(60_000);
    const expected = tickers.length === 0 ? [tickerOf(0)] : [];
    expect([...new Set(requests.flatMap(({ command }) => ('tickers' in command ? command.tickers : [])))]).toEqual(
      expected,
    );
  });
});

describe('many books', () => {
  it('requests many books in one command', () => {
    const { requests, run } = watching(50);
    run(2000);
    expect(requests).toHaveLength(1);
    expect(requests[0]!.command).toMatchObject({ type: 'resync', tickers: { length: 50 } });
  });
  it('requests another connection only when half of all books are missing', () => {
    for (const [live, expected] of [
      [10, 2],
      [40, 1],
    ] as const) {
      const { requests, snapshot, run, allow } = watching(50);
      for (let number = 0; number < live; number++) snapshot(index(number));
      run(60_000);
      allow();
      run(120_000);
      expect(requests.filter(({ command }) => command.type === 'reconnect')).toHaveLength(expected);
    }
  });
  it('raises one alarm for many books', () => {
    const { notices, run } = watching(50);
    run(14_500);
    expect(notices).toMatchObject([
      { text: 'the book of M-0 has not been live for 14000 ms after 4 requests, nor have 49 more' },
    ]);
  });
  it('requests one new connection for many books', () => {
    const { requests, run } = watching(50);
    run(300_000);
    const reconnections = requests.filter(({ command }) => command.type === 'reconnect');
    expect(reconnections).toHaveLength(1);
    expect(reconnections[0]!.command).toMatchObject({ reason: 'no snapshot of the book of M-0 and 49 more' });
  });
  it('waits when the last new connection is too recent', () => {
    const { requests, run, forbid } = watching(2);
    forbid();
    run(60_000);
    expect(requests.map(({ command }) => command.type)).not.toContain('reconnect');
    expect(requests.filter(({ ms, command }) => ms > 20_000 && command.type === 'resync').length).toBeGreaterThan(1);
  });
  it('requests no books while the feed is down, and gives them time once it is back', () => {
    const { state, watch, requests, run } = watching(2);
    state.applyEvent({ kind: 'feed-down', at: after(0), reason: 'cut' }, []);
    run(30_000);
    expect(requests).toEqual([]);
    state.applyEvent({ kind: 'feed-up', at: after(30_000), connection: 2 }, []);
    watch.onConnected(after(30_500));
    run(32_000);
    expect(requests).toEqual([]);
    run(33_000);
    expect(kinds(requests)).toEqual(['32500 resync']);
    expect(index(1)).toBe(M1);
  });
});
