// Lists of markets lag behind the feed and the clock: a market's life never goes back.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTicker, seriesTicker, ticker } from '../../src/domain/ids.ts';
import { type EventGroup, MARKET_LIFE, type Market, type MarketStatus, canBecome } from '../../src/domain/market.ts';
import { DECI_CENT_GRID } from '../../src/domain/price-grid.ts';
import { State } from '../../src/state/state.ts';
import { BEGIN, M0, aMarket, after, tickerTable } from '../support/engine/builders.ts';

const STATUSES = Object.keys(MARKET_LIFE).filter((name): name is MarketStatus => name in MARKET_LIFE);
const CLOSE_AT = after(3_600_000);

function knowing(status: MarketStatus): State {
  const state = new State(tickerTable(1));
  state.applyEvent({ kind: 'market', at: BEGIN, askedAt: BEGIN, market: aMarket(0, { status: 'initialized' }) }, []);
  if (status !== 'initialized')
    state.applyEvent({ kind: 'market-changed', at: after(10), exchangeAt: null, market: M0, status }, []);
  return state;
}
/** One change of each member that a list may give differently. */
const OTHERWISE: readonly Partial<Market>[] = [
  { eventTicker: eventTicker('ANOTHER') },
  { title: 'another' },
  { openAt: after(-5) },
  { closeAt: after(4_000_000) },
  { canCloseEarly: false },
  { canCloseEarly: true },
  { grid: DECI_CENT_GRID },
  { strike: null },
  { feesWaivedUntil: after(1000) },
  { feesWaivedUntil: null },
  { strike: { type: 'between', floor: 1, cap: 3 } },
  { strike: { type: 'between', floor: 0, cap: 3 } },
  { strike: { type: 'greater', floor: 0, cap: 3 } },
  { status: 'inactive' },
  { status: 'closed' },
  { status: 'determined', result: 'yes' },
];
/** One change of each member of an event group. */
const GROUPED_OTHERWISE: readonly Partial<EventGroup>[] = [
  { seriesTicker: seriesTicker('ANOTHER') },
  { title: 'another' },
  { isExclusive: true },
  { isExclusive: false },
  { tickers: [ticker('M-1')] },
  { tickers: [ticker('M-1'), ticker('M-0')] },
  { fees: { feeType: 'flat' } },
  { fees: { feeType: 'flat', feeMultiplierPercent: 50 } },
  { fees: null },
];
const listed = (state: State, status: MarketStatus, askedAtMs: number): MarketStatus | undefined => {
  const market = aMarket(0, { status, closeAt: CLOSE_AT });
  state.applyEvent({ kind: 'market', at: after(askedAtMs + 50), askedAt: after(askedAtMs), market }, []);
  return state.markets.get(M0)?.status;
};

describe('a market in a list', () => {
  it('a list requested after our knowledge moves a market to any status its life allows', () => {
    for (const from of STATUSES)
      for (const to of STATUSES)
        expect(listed(knowing(from), to, 20), `${from} → ${to}`).toBe(canBecome(from, to) ? to : from);
  });

  it('a list requested before our knowledge leaves the market unchanged', () => {
    for (const from of STATUSES.filter((status) => status !== 'initialized'))
      for (const to of STATUSES) expect(listed(knowing(from), to, 5), `${from} → ${to}`).toBe(from);
  });

  it('a list that repeats what is known changes nothing and invalidates no cache', () => {
    const state = new State(tickerTable(1));
    const market = aMarket(0, { closeAt: CLOSE_AT, strike: { type: 'between', floor: 1, cap: 2 } });
    const list = (row: Market): void => {
      state.applyEvent({ kind: 'market', at: after(20), askedAt: after(20), market: row }, []);
    };
    list(market);
    const { revision } = state.markets;
    list({ ...market, strike: { type: 'between', floor: 1, cap: 2 } });
    expect(state.markets.revision).toBe(revision);
    for (const changed of OTHERWISE) {
      const before = state.markets.revision;
      list({ ...market, ...changed });
      expect(state.markets.revision, JSON.stringify(Object.keys(changed))).toBeGreaterThan(before);
      expect(state.markets.get(M0)).toMatchObject(changed);
    }
  });

  it('an unchanged event group invalidates no cache', () => {
    const { markets } = new State(tickerTable(2));
    const group: EventGroup = {
      eventTicker: eventTicker('EVENT'),
      seriesTicker: seriesTicker('SERIES'),
      title: 'An event',
      isExclusive: false,
      tickers: [ticker('M-0'), ticker('M-1')],
    };
    markets.defineGroup(group);
    const { revision } = markets;
    markets.defineGroup(group);
    markets.defineGroup({ ...group, tickers: [...group.tickers], fees: null });
    expect(markets.revision).toBe(revision);
    let known = group;
    for (const changed of GROUPED_OTHERWISE) {
      const isNew = Object.entries(changed).some(
        ([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(known, name)),
      );
      known = { ...known, ...changed };
      const before = markets.revision;
      markets.defineGroup(known);
      expect(markets.revision, JSON.stringify(changed)).toBe(before + (isNew ? 1 : 0));
      expect(markets.group(group.eventTicker)).toEqual(known);
    }
  });

  it('a list from before a moved close does not move it back', () => {
    const state = knowing('active');
    state.applyEvent(
      { kind: 'market-changed', at: after(20), exchangeAt: null, market: M0, closeAt: after(90_000) },
      [],
    );
    listed(state, 'active', 15);
    expect(state.markets.get(M0)?.closeAt).toBe(after(90_000));
    listed(state, 'active', 30);
    expect(state.markets.get(M0)?.closeAt).toBe(CLOSE_AT);
  });

  it('a market never gets a status outside its life, in any order of messages', () => {
    const aMessage = fc.record({ status: fc.constantFrom(...STATUSES), askedAtMs: fc.nat(100), isList: fc.boolean() });
    fc.assert(
      fc.property(fc.array(aMessage, { maxLength: 20 }), (messages) => {
        const state = knowing('active');
        for (const { status, askedAtMs, isList } of messages) {
          const before = state.markets.get(M0)!.status;
          if (isList) expect(canBecome(before, listed(state, status, askedAtMs)!)).toBe(true);
          else if (canBecome(before, status))
            state.applyEvent(
              { kind: 'market-changed', at: after(askedAtMs), exchangeAt: null, market: M0, status },
              [],
            );
        }
      }),
    );
  });
});

describe('markets that trade', () => {
  it('the open markets are those active now, whatever the source', () => {
    const state = new State(tickerTable(2));
    const open = (): readonly number[] => state.markets.openMarkets().map(({ index }) => index);
    state.applyEvent(
      { kind: 'market', at: BEGIN, market: aMarket(0, { status: 'initialized', openAt: after(10) }) },
      [],
    );
    state.applyEvent({ kind: 'market', at: BEGIN, market: aMarket(1, { closeAt: after(20) }) }, []);
    expect(open()).toEqual([1]);
    state.applyEvent({ kind: 'timer', at: after(10) }, []);
    expect(open()).toEqual([0, 1]);
    state.applyEvent({ kind: 'timer', at: after(20) }, []);
    expect(open()).toEqual([0]);
    state.applyEvent({ kind: 'market-changed', at: after(30), exchangeAt: null, market: M0, status: 'inactive' }, []);
    expect(open()).toEqual([]);
  });
});
