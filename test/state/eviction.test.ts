// Eviction removes settled markets from every part of the state, and no market about which messages may still arrive.
import { describe, expect, it } from 'vitest';
import { AssertionFault } from '../../src/base/assert.ts';
import { clientOrderId, eventTicker, seriesTicker, ticker, tradeId, venueOrderId } from '../../src/domain/ids.ts';
import type { Market } from '../../src/domain/market.ts';
import { cents, contracts, dollars, fromSeconds, money } from '../../src/domain/units.ts';
import type { StateChange } from '../../src/state/state-change.ts';
import { evictableMarkets, releaseStrays } from '../../src/state/eviction.ts';
import { State } from '../../src/state/state.ts';
import {
  BEGIN,
  M0,
  M1,
  aFill,
  aMarket,
  aPlace,
  after,
  levels,
  tickerOf,
  tickerTable,
} from '../support/engine/builders.ts';

const GROUP = { eventTicker: eventTicker('EVENT'), seriesTicker: seriesTicker('S'), title: '', isExclusive: false };
const LATER = fromSeconds(5000);

/** A state that trades in two markets of one event group. */
function trading(): State {
  const state = new State(tickerTable(2));
  const changes: StateChange[] = [];
  for (const number of [0, 1]) state.applyEvent({ kind: 'market', at: BEGIN, market: aMarket(number) }, changes);
  state.applyEvent(
    { kind: 'event-group', at: BEGIN, group: { ...GROUP, tickers: [tickerOf(0), tickerOf(1)] } },
    changes,
  );
  state.portfolio.setOpeningCash(dollars(100));
  state.portfolio.openAccount();
  return state;
}

const settle = (state: State, over: Partial<Market> = {}): void => {
  const market = aMarket(0, { status: 'finalized', result: 'yes', settlementValue: cents(100), ...over });
  state.applyEvent({ kind: 'market', at: after(1000), market }, []);
};

const evict = (state: State): StateChange[] => {
  const changes: StateChange[] = [];
  state.evictMarkets(evictableMarkets(state, LATER), changes);
  return changes;
};

describe('evictable markets', () => {
  it('a market is evictable once it was settled long enough ago', () => {
    const state = trading();
    expect(evictableMarkets(state, LATER)).toEqual([]);
    settle(state);
    expect(evictableMarkets(state, after(1000))).toEqual([]);
    expect(evictableMarkets(state, after(1001)).map(({ index }) => index)).toEqual([M0]);
  });

  it('a market with an open order or a position is not evictable', () => {
    const held = trading();
    held.applyEvent({ kind: 'fill', at: BEGIN, fill: aFill() }, []);
    settle(held, { result: null, settlementValue: null });
    expect(evictableMarkets(held, LATER)).toEqual([]);
    const open = trading();
    open.orders.addOrder(aPlace(), 'test');
    settle(open);
    expect(evictableMarkets(open, LATER)).toEqual([]);
  });
});

describe('eviction of a market', () => {
  it('eviction is reported, and releases the market’s number', () => {
    const state = trading();
    settle(state);
    expect(evict(state)).toMatchObject([{ type: 'evicted', market: { ticker: 'M-0', index: M0 } }]);
    expect(state.markets.get(M0)).toBeUndefined();
    expect(state.tickers.indexOf(tickerOf(0))).toBeUndefined();
    expect(state.markets.membersOf(eventTicker('EVENT')).map(({ index }) => index)).toEqual([M1]);
    expect(state.books.isOpen(M0)).toBe(false);
  });

  it('eviction leaves cash unchanged, and moves the market’s totals to the past', () => {
    const state = trading();
    state.applyEvent(
      { kind: 'fill', at: BEGIN, fill: aFill({ qty: contracts(4), price: cents(40), fee: dollars(0.01) }) },
      [],
    );
    settle(state);
    const { cash } = state.portfolio;
    evict(state);
    expect(state.portfolio.cash).toBe(cash);
    expect(state.portfolio.positions().size).toBe(0);
    expect(state.portfolio.evictedTotals).toEqual({ markets: 1, realized: dollars(2.4), fees: dollars(0.01) });
    expect(cash).toBe(money(dollars(100) + dollars(2.4) - dollars(0.01)));
  });

  it('eviction removes the market’s finished orders, fills and waiting fills, and no other market’s', () => {
    const state = trading();
    for (const [market, name] of [
      [M0, 'a'],
      [M1, 'b'],
    ] as const) {
      const id = clientOrderId(name);
      state.orders.addOrder(aPlace({ market, clientOrderId: id }), 'test');
      state.orders.applyChange(id, 'drop', BEGIN);
      const named = { market, tradeId: tradeId(`t-${name}`), clientOrderId: null };
      state.applyEvent({ kind: 'fill', at: BEGIN, fill: aFill({ ...named, venueOrderId: venueOrderId(name) }) }, []);
    }
    settle(state);
    evict(state);
    expect(state.orders.finishedCount).toBe(1);
    expect(state.orders.get(clientOrderId('a'))).toBeUndefined();
    expect(state.orders.get(clientOrderId('b'))).toBeDefined();
    expect([state.portfolio.fillsRemembered, state.orphanFills.size]).toEqual([1, 1]);
  });

  it('an event group and a series are removed with their last market', () => {
    const state = trading();
    state.markets.defineSeries({
      ticker: seriesTicker('S'),
      title: '',
      category: '',
      frequency: '',
      feeType: '',
      feeMultiplierPercent: 100,
    });
    settle(state);
    evict(state);
    expect([state.markets.group(GROUP.eventTicker), state.markets.series(GROUP.seriesTicker)]).not.toContain(undefined);
    state.applyEvent(
      { kind: 'market-changed', at: after(2000), exchangeAt: null, market: M1, status: 'finalized' },
      [],
    );
    evict(state);
    expect([state.markets.group(GROUP.eventTicker), state.markets.series(GROUP.seriesTicker)]).toEqual([
      undefined,
      undefined,
    ]);
    expect(state.markets.count).toBe(0);
  });

  it('eviction with a position or an open order is a programming error', () => {
    const held = trading();
    held.applyEvent({ kind: 'fill', at: BEGIN, fill: aFill() }, []);
    expect(() => held.evictMarkets([aMarket(0)], [])).toThrow(AssertionFault);
    const open = trading();
    open.orders.addOrder(aPlace(), 'test');
    expect(() => open.evictMarkets([aMarket(0)], [])).toThrow(AssertionFault);
  });
});

describe('an evicted market', () => {
  it('an evicted market does not return when a list still shows it as settled', () => {
    const state = trading();
    settle(state);
    evict(state);
    const index = state.tickers.internTicker(tickerOf(0));
    const changes: StateChange[] = [];
    state.applyEvent({ kind: 'market', at: LATER, market: aMarket(index, { status: 'finalized' }) }, changes);
    expect(changes).toEqual([]);
    expect(state.markets.get(index)).toBeUndefined();
  });

  it('an evicted market returns for an unknown fill, and is paid out with it', () => {
    const state = trading();
    settle(state);
    evict(state);
    const market = state.tickers.internTicker(tickerOf(0));
    state.applyEvent({ kind: 'fill', at: LATER, fill: aFill({ market, fee: money(0) }) }, []);
    const changes: StateChange[] = [];
    const settled = { ticker: tickerOf(0), status: 'finalized', result: 'yes', settlementValue: cents(100) } as const;
    state.applyEvent({ kind: 'market', at: LATER, market: aMarket(market, settled) }, changes);
    expect(changes).toMatchObject([
      { type: 'settled', paid: dollars(4) },
      { type: 'market', before: null },
    ]);
    expect(state.portfolio.cash).toBe(dollars(102.4));
  });

  it('an evicted market leaves no level in the book that takes its place', () => {
    const state = trading();
    state.applyEvent(
      { kind: 'book-snapshot', at: BEGIN, exchangeAt: null, market: M0, bids: levels([40, 5]), asks: [] },
      [],
    );
    const { byteLength } = state.books;
    settle(state);
    evict(state);
    const index = state.tickers.internTicker(ticker('NEW'));
    state.applyEvent({ kind: 'market', at: LATER, market: aMarket(index, { ticker: ticker('NEW') }) }, []);
    const empty = { kind: 'book-snapshot', at: LATER, exchangeAt: null, market: index, bids: [], asks: [] } as const;
    state.applyEvent(empty, []);
    expect([state.books.bestBid(index), state.books.qtyAt(index, 'bid', cents(40))]).toEqual([null, 0]);
    expect(state.books.byteLength).toBe(byteLength);
  });
});

describe('numbers of markets that are only named', () => {
  it('stray numbers are released when there are thousands, except those with a position or in doubt', () => {
    const state = trading();
    const [held, doubted] = ['HELD', 'DOUBTED'].map((name) => state.tickers.internTicker(ticker(name)));
    if (held === undefined || doubted === undefined) throw new Error('two numbers');
    state.applyEvent({ kind: 'fill', at: BEGIN, fill: aFill({ market: held }) }, []);
    for (let i = 0; i < 900; i++) state.tickers.internTicker(ticker(`STRAY-${i}`));
    releaseStrays(state, (market) => market === doubted);
    expect(state.tickers.count).toBe(904);
    for (let i = 0; i < 900; i++) state.tickers.internTicker(ticker(`MORE-${i}`));
    releaseStrays(state, (market) => market === doubted);
    expect(state.tickers.tickersByIndex().filter((name) => name !== undefined)).toEqual([
      'M-0',
      'M-1',
      'HELD',
      'DOUBTED',
    ]);
  });
});

describe('surprises', () => {
  it('surprises are counted by kind, and together once there are too many kinds', () => {
    const state = trading();
    for (let i = 0; i < 2000; i++)
      state.applyEvent({ kind: 'unrecognized', at: BEGIN, what: `type ${i}`, detail: '' }, []);
    expect(state.surprises.size).toBeLessThanOrEqual(501);
    expect([...state.surprises.values()].reduce((sum, count) => sum + count, 0)).toBe(2000);
  });
});

describe('the markets of an event group', () => {
  it('an event group includes markets listed after it was described', () => {
    const state = trading();
    const index = state.tickers.internTicker(ticker('M-2'));
    expect(state.markets.membersOf(GROUP.eventTicker).map(({ ticker: name }) => name)).toEqual(['M-0', 'M-1']);
    state.applyEvent({ kind: 'market', at: BEGIN, market: aMarket(index) }, []);
    expect(state.markets.membersOf(GROUP.eventTicker).map(({ ticker: name }) => name)).toEqual(['M-0', 'M-1', 'M-2']);
  });

  it('the markets of an event group are current at every call', () => {
    const state = trading();
    const statuses = () =>
      state.markets.membersOf(GROUP.eventTicker).map(({ ticker: name, status }) => `${name} ${status}`);
    expect(statuses()).toEqual(['M-0 active', 'M-1 active']);
    state.applyEvent({ kind: 'market-changed', at: BEGIN, exchangeAt: null, market: M1, status: 'closed' }, []);
    expect(statuses()).toEqual(['M-0 active', 'M-1 closed']);
    const turned = { ...GROUP, tickers: [ticker('M-1'), ticker('M-0')] };
    state.applyEvent({ kind: 'event-group', at: BEGIN, group: turned }, []);
    expect(statuses()).toEqual(['M-1 closed', 'M-0 active']);
    expect(state.markets.membersOf(eventTicker('NONE'))).toEqual([]);
  });
});
