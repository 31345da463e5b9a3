// The state as a whole: audits of books, health of the feed, markets by the clock, changing grids, late settlements.
import { describe, expect, it } from 'vitest';
import type { BookPoll, EngineEvent, Levels } from '../../src/domain/event.ts';
import { tradeId } from '../../src/domain/ids.ts';
import { DECI_CENT_GRID } from '../../src/domain/price-grid.ts';
import { cents, contracts, dollars, fromSeconds, price, qty } from '../../src/domain/units.ts';
import { BookChange } from '../../src/state/books/order-books.ts';
import type { StateChange } from '../../src/state/state-change.ts';
import { State } from '../../src/state/state.ts';
import { M0, M1, aFill, aMarket, after, levels, tickerTable } from '../support/engine/builders.ts';

const BIDS = levels([40, 10], [39, 5]);
const ASKS = levels([60, 10]);

function stateWith(): State {
  const state = new State(tickerTable(2));
  const changes: StateChange[] = [];
  for (const number of [0, 1]) state.applyEvent({ kind: 'market', at: after(0), market: aMarket(number) }, changes);
  for (const market of [M0, M1])
    state.applyEvent(
      { kind: 'book-snapshot', at: after(0), exchangeAt: null, market, bids: BIDS, asks: ASKS },
      changes,
    );
  return state;
}
function apply(state: State, ...events: readonly EngineEvent[]): StateChange[] {
  const changes: StateChange[] = [];
  for (const event of events) state.applyEvent(event, changes);
  return changes;
}
const poll = (askedMs: number, bids: Levels = BIDS, asks: Levels = ASKS): BookPoll => ({
  kind: 'book-poll',
  at: after(askedMs + 5),
  askedAt: after(askedMs),
  market: M0,
  bids,
  asks,
});
const WRONG = levels([40, 9], [39, 5]);

/** Lets milliseconds pass in which nothing arrives. */
const passed = (ms: number): EngineEvent => ({ kind: 'timer', at: after(ms) });

describe('audits of the state', () => {
  it('one difference raises a doubt, and a second one distrusts the book', () => {
    const state = stateWith();
    expect(apply(state, poll(1, WRONG), passed(5005))).toEqual([]);
    expect(state.doubtedBooks.has(M0)).toBe(false);
    apply(state, passed(5006));
    expect(state.doubtedBooks.has(M0)).toBe(true);
    expect(state.books.isLive(M0)).toBe(true);
    expect(apply(state, poll(6000, WRONG), passed(12_000))).toMatchObject([
      { type: 'trust', trust: 'suspect' },
      { type: 'surprise', what: 'book-audit' },
    ]);
    expect(state.books.trust(M0)).toBe('suspect');
  });
  it.each([
    ['an equal one', poll(6000)],
    [
      'a snapshot',
      { kind: 'book-snapshot', at: after(6000), exchangeAt: null, market: M0, bids: BIDS, asks: ASKS } as const,
    ],
  ])('the doubt ends after %s', (_, between) => {
    const state = stateWith();
    apply(state, poll(1, WRONG), passed(5500), between);
    expect(state.doubtedBooks.has(M0)).toBe(false);
    apply(state, poll(7000, WRONG), passed(20_000));
    expect(state.books.isLive(M0)).toBe(true);
  });
  it('an equal audit confirms the book as of the request', () => {
    const state = stateWith();
    expect(state.confirmedAt(M0)).toBe(after(0));
    apply(state, { kind: 'feed-heard', at: after(400) }, poll(500));
    expect(state.confirmedAt(M0)).toBe(after(500));
    apply(state, poll(600, WRONG));
    expect(state.confirmedAt(M0)).toBe(after(500));
  });
});

describe('the feed', () => {
  it('a feed that goes down makes every book suspect, once', () => {
    const state = stateWith();
    const down = { kind: 'feed-down', at: after(1), reason: 'cut' } as const;
    expect(apply(state, down).map(({ type }) => type)).toEqual(['trust', 'trust']);
    expect(apply(state, down)).toEqual([]);
    expect(state.feed.isUp).toBe(false);
  });
  it('a feed gap makes the named books suspect, or all of them', () => {
    const one = stateWith();
    apply(one, { kind: 'feed-gap', at: after(1), markets: [M1], reason: 'sequence' });
    expect([one.books.trust(M0), one.books.trust(M1)]).toEqual(['live', 'suspect']);
    const all = stateWith();
    apply(all, { kind: 'feed-gap', at: after(1), markets: [], reason: 'sequence' });
    expect([all.books.trust(M0), all.books.trust(M1)]).toEqual(['suspect', 'suspect']);
    expect(all.surprises.get('feed-gap')).toBe(1);
  });
  it('the feed does not confirm a suspect book until a snapshot arrives', () => {
    const state = stateWith();
    const delta = { kind: 'book-delta', exchangeAt: null, market: M0, side: 'bid', price: cents(30) } as const;
    const messageFigures = (): readonly number[] => [
      state.confirmations.messageAt(M0),
      state.confirmations.messageCount(M0),
    ];
    apply(state, { ...delta, at: after(1), change: contracts(1) });
    expect(messageFigures()).toEqual([after(1), 2]);
    // Below zero: the feed has sent a change of the book that cannot be right.
    apply(state, { ...delta, at: after(2), change: contracts(-2) });
    expect(state.books.trust(M0)).toBe('suspect');
    expect(messageFigures()).toEqual([after(2), 3]);
    apply(state, { ...delta, at: after(3), change: contracts(1) });
    expect(messageFigures()).toEqual([after(2), 3]);
    apply(state, { kind: 'book-snapshot', at: after(4), exchangeAt: null, market: M0, bids: BIDS, asks: ASKS });
    expect(messageFigures()).toEqual([after(4), 4]);
  });
  it('every message of the feed counts as a sign of life', () => {
    const state = stateWith();
    const delta = {
      kind: 'book-delta',
      exchangeAt: null,
      market: M0,
      side: 'bid',
      price: cents(30),
      change: qty(1),
    } as const;
    const events: readonly EngineEvent[] = [
      { ...delta, at: after(1) },
      { kind: 'feed-heard', at: after(2) },
      { kind: 'feed-channel', at: after(3), channel: 'fills', isUp: true, reason: 'subscribed' },
      { kind: 'feed-up', at: after(4), connection: 4 },
    ];
    for (const event of events) {
      apply(state, event);
      expect(state.feed.lastMessageAt).toBe(event.at);
    }
    apply(state, { kind: 'timer', at: after(9) });
    expect(state.feed).toMatchObject({ isUp: true, lastMessageAt: after(4), contentAt: after(1), connections: 4 });
    expect(state.now).toBe(after(9));
  });
  it('only the return value reports level changes', () => {
    const state = stateWith();
    const changes: StateChange[] = [];
    const delta = {
      kind: 'book-delta',
      at: after(1),
      exchangeAt: null,
      market: M0,
      side: 'bid',
      change: qty(1),
    } as const;
    expect(state.applyEvent({ ...delta, price: cents(40) }, changes)).toBe(BookChange.touch);
    expect(state.applyEvent({ ...delta, price: cents(30) }, changes)).toBe(BookChange.depth);
    expect(changes).toEqual([]);
    expect(state.applyEvent({ ...delta, price: cents(70) }, changes)).toBe(BookChange.fault);
    expect(changes).toMatchObject([{ type: 'trust', trust: 'suspect' }]);
  });
});

describe('a market', () => {
  it('a market opens and closes by the clock, at the moment and not before', () => {
    const state = new State(tickerTable(1));
    const market = aMarket(0, { status: 'initialized', openAt: fromSeconds(2000), closeAt: fromSeconds(3000) });
    const statuses = [1999, 2000, 2999, 3000, 3001].map((second) => {
      if (second === 1999) apply(state, { kind: 'market', at: after(0), market });
      apply(state, { kind: 'timer', at: fromSeconds(second) });
      return state.markets.get(M0)?.status;
    });
    expect(statuses).toEqual(['initialized', 'active', 'active', 'closed', 'closed']);
  });
  it('a market whose grid changes loses its book until a snapshot on the new grid', () => {
    const state = stateWith();
    const epoch = state.books.epoch(M0);
    const changes = apply(state, {
      kind: 'market-changed',
      at: after(1),
      exchangeAt: null,
      market: M0,
      grid: DECI_CENT_GRID,
    });
    expect(changes).toMatchObject([{ type: 'trust', trust: 'suspect', reason: 'the price grid changed' }]);
    expect(state.books.trust(M0)).toBe('rebuilding');
    expect(state.books.epoch(M0)).toBe(epoch + 1);
    expect(state.books.grid(M0)).toBe(DECI_CENT_GRID);
  });
  it('an unchanged description of a market changes nothing', () => {
    const state = stateWith();
    expect(apply(state, { kind: 'market', at: after(1), market: aMarket(0) })).toEqual([]);
    expect(state.books.isLive(M0)).toBe(true);
  });
  it('a final market pays what is held, then and when a fill arrives late', () => {
    const state = stateWith();
    state.portfolio.setOpeningCash(dollars(100));
    state.portfolio.openAccount();
    apply(state, { kind: 'fill', at: after(1), fill: aFill({ fee: dollars(0) }) });
    const final = { kind: 'market-changed', at: after(2), exchangeAt: null, market: M0, status: 'finalized' } as const;
    expect(apply(state, final).map(({ type }) => type)).toEqual(['market']);
    expect(apply(state, { ...final, result: 'yes', settlementValue: cents(100) })).toMatchObject([
      { type: 'settled', held: contracts(4), paid: dollars(4) },
    ]);
    expect(apply(state, { ...final, result: 'yes', settlementValue: cents(100) })).toEqual([]);
    const late = aFill({ tradeId: tradeId('late'), fee: dollars(0) });
    expect(apply(state, { kind: 'fill', at: after(3), fill: late }).map(({ type }) => type)).toEqual([
      'fill',
      'settled',
    ]);
    expect(state.portfolio.position(M0).qty).toBe(0);
    expect(state.portfolio.cash).toBe(dollars(104.8));
    expect(state.books.isOpen(M0)).toBe(false);
  });
  it.each([
    ['the payout that the feed gave, where a list gives the same in whole cents', price(3333), price(3300), 1.3332],
    ['the payout of the list, where it is another one', price(3333), price(5000), 2],
    ['the payout of the list, where it is another one within the cent', price(3333), price(3350), 1.34],
    ['the payout of the list, where the feed gave none', null, price(3300), 1.32],
  ])('a scalar result pays %s', (_, settlementValue, listed, paid) => {
    const state = stateWith();
    state.portfolio.openAccount();
    apply(state, { kind: 'fill', at: after(1), fill: aFill({ fee: dollars(0) }) });
    const result = settlementValue === null ? null : 'scalar';
    const determined = { status: 'determined', result, settlementValue } as const;
    apply(state, { kind: 'market-changed', at: after(2), exchangeAt: null, market: M0, ...determined });
    const row = {
      market: M0,
      result: 'scalar',
      settlementValue: listed,
      revenue: dollars(1.33),
      settledAt: after(2),
    } as const;
    const read = { kind: 'settlements', askedAt: after(3), commandId: 1, cursor: null } as const;
    expect(apply(state, { ...read, at: after(4), rows: [row] })).toMatchObject([
      { type: 'settled', held: contracts(4), paid: dollars(paid) },
      { type: 'market' },
    ]);
  });
  it('an unknown market is not changed', () => {
    const state = new State(tickerTable(1));
    expect(
      apply(state, { kind: 'market-changed', at: after(1), exchangeAt: null, market: M0, status: 'closed' }),
    ).toEqual([]);
    expect(state.markets.allMarkets()).toEqual([]);
  });
});

describe('a market that was paid out', () => {
  it('a list requested before does not bring back a paid-out market', () => {
    const state = stateWith();
    const paid = { status: 'finalized', result: 'yes', settlementValue: price(10_000) } as const;
    apply(state, { kind: 'market-changed', at: after(2), exchangeAt: null, market: M0, ...paid });
    const changes = apply(state, { kind: 'market', at: after(3), market: aMarket(0) });
    expect(changes).toEqual([]);
    expect(state.markets.get(M0)?.status).toBe('finalized');
    expect(state.books.isOpen(M0)).toBe(false);
  });
  it.each([
    ['determines it', { status: 'determined', result: 'no', settlementValue: price(0) }],
    ['activates it', { status: 'active' }],
    ['moves its close', { closeAt: after(99_000) }],
    ['changes its grid', { grid: DECI_CENT_GRID }],
  ] as const)('a late message that %s does not bring back a paid-out market', (_, late) => {
    const state = stateWith();
    const paid = { status: 'finalized', result: 'yes', settlementValue: price(10_000) } as const;
    apply(state, { kind: 'market-changed', at: after(2), exchangeAt: null, market: M0, ...paid });
    const market = state.markets.get(M0);
    expect(apply(state, { kind: 'market-changed', at: after(3), exchangeAt: null, market: M0, ...late })).toEqual([]);
    expect(state.markets.get(M0)).toEqual(market);
    expect(state.books.isOpen(M0)).toBe(false);
  });
  it('the result of a final market may come after the message that pays it out', () => {
    const state = stateWith();
    state.portfolio.openAccount();
    apply(state, { kind: 'fill', at: after(1), fill: aFill({ fee: dollars(0) }) });
    const changed = { kind: 'market-changed', exchangeAt: null, market: M0 } as const;
    apply(state, { ...changed, at: after(2), status: 'finalized' });
    const determined = { status: 'determined', result: 'yes', settlementValue: price(10_000) } as const;
    expect(apply(state, { ...changed, at: after(3), ...determined })).toMatchObject([
      { type: 'settled', held: contracts(4), paid: dollars(4) },
    ]);
    expect(state.markets.get(M0)?.status).toBe('finalized');
  });
});
