// Selectors: the markets that they take by fixed properties, and by time, volume, spread and an own predicate.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTicker, seriesTicker, strategyName } from '../../src/domain/ids.ts';
import type { EventGroup, Market } from '../../src/domain/market.ts';
import { type Micros, type Qty, contracts, micros } from '../../src/domain/units.ts';
import { State } from '../../src/state/state.ts';
import { StrategyView } from '../../src/state/strategy-view.ts';
import { MarketSelection } from '../../src/strategy/market-selection.ts';
import type { MarketFacts, MarketSelector } from '../../src/strategy/strategy-definition.ts';
import { BEGIN, M0, aMarket, after, levels, tickerOf, tickerTable } from '../support/engine/builders.ts';
import { runCount } from '../support/runner/property-runs.ts';

const GROUP: EventGroup = {
  eventTicker: eventTicker('EVENT'),
  seriesTicker: seriesTicker('S'),
  title: '',
  tickers: [tickerOf(0)],
  isExclusive: true,
};

describe('the fixed members', () => {
  it.each([
    [{}, true],
    [{ tickers: [tickerOf(0)] }, true],
    [{ tickers: [tickerOf(1)] }, false],
    [{ tickers: [] }, false],
    [{ events: ['EVENT'] }, true],
    [{ events: ['OTHER'] }, false],
    [{ isExclusive: true }, true],
    [{ isExclusive: false }, false],
    [{ tickers: [tickerOf(0)], events: ['OTHER'] }, false],
    [{ series: ['S'] }, true],
    [{ series: ['T'] }, false],
    [{ series: ['S'], isExclusive: false }, false],
  ] as const)('%j takes a market of an exclusive group: %s', (selector, isTaken) => {
    const { markets } = new State(tickerTable(1));
    markets.defineGroup(GROUP);
    const selection = new MarketSelection(selector);
    expect(selection.coversMarket(aMarket(0), markets)).toBe(isTaken);
    expect(selection.isDynamic).toBe(false);
  });

  it.each([{ series: ['S'] }, { isExclusive: false }, { isExclusive: true }])(
    '%j takes no market whose event group is not known yet',
    (selector) => {
      const { markets } = new State(tickerTable(1));
      expect(new MarketSelection(selector).coversMarket(aMarket(0), markets)).toBe(false);
    },
  );
});

/** A session with one market, whose book and volume a test sets. */
class Stage {
  readonly state = new State(tickerTable(1));
  readonly view = new StrategyView(this.state, [], { strategy: strategyName('s'), markets: [] });
  readonly market: Market = aMarket(0);

  constructor(now: Micros = BEGIN) {
    this.state.applyEvent({ kind: 'market', at: now, market: this.market }, []);
  }

  at(now: Micros): this {
    this.state.applyEvent({ kind: 'timer', at: now }, []);
    return this;
  }

  traded(volume: Qty): this {
    const none = { exchangeAt: null, lastPrice: null, bestBid: null, bestAsk: null, openInterest: contracts(0) };
    this.state.applyEvent({ kind: 'ticker', at: this.state.now, market: M0, volume, ...none }, []);
    return this;
  }

  book(bid: number | null, ask: number | null): this {
    const [bids, asks] = [bid, ask].map((at) => (at === null ? [] : levels([at, 5])));
    const snapshot = { kind: 'book-snapshot', at: this.state.now, exchangeAt: null, market: M0 } as const;
    this.state.applyEvent({ ...snapshot, bids: bids!, asks: asks! }, []);
    return this;
  }

  gap(): this {
    this.state.applyEvent({ kind: 'feed-gap', at: this.state.now, markets: [M0], reason: 'test' }, []);
    return this;
  }

  fits(selector: MarketSelector, isIn = false): boolean {
    return new MarketSelection(selector).fitsMarket(this.market, this.view, isIn);
  }
}

describe('the time left', () => {
  it.each([
    [{ timeLeftMsMin: 60_000 }, -60_000, true],
    [{ timeLeftMsMin: 60_000 }, -59_999, false],
    [{ timeLeftMsMax: 60_000 }, -60_000, true],
    [{ timeLeftMsMax: 60_000 }, -60_001, false],
    [{ timeLeftMsMin: 1000, timeLeftMsMax: 60_000 }, -30_000, true],
    [{ timeLeftMsMin: 0 }, 1, false],
  ])('%j at the close %+i ms: %s', (selector, ms, isTaken) => {
    const stage = new Stage();
    expect(stage.at(micros(stage.market.closeAt + ms * 1000)).fits(selector)).toBe(isTaken);
  });
});

describe('the volume', () => {
  it('counts as too low until the venue has reported it, and is then the last reported one', () => {
    const stage = new Stage();
    const selector = { volumeMin: contracts(10) };
    expect(stage.fits(selector)).toBe(false);
    expect(stage.traded(contracts(9)).fits(selector)).toBe(false);
    expect(stage.traded(contracts(10)).fits(selector)).toBe(true);
  });
});

describe('a spread', () => {
  it.each([
    [40, 44, true],
    [40, 45, false],
    [40, 42, true],
    [40, 41, false],
    [40, null, false],
    [null, 44, false],
  ])('of %s to %s cents is within two and four: %s', (bid, ask, isTaken) => {
    expect(new Stage().book(bid, ask).fits({ spreadMin: 200, spreadMax: 400 })).toBe(isTaken);
  });

  it('of a book that is not live adds and removes no market', () => {
    const stage = new Stage();
    const selector = { spreadMax: 400 };
    expect([stage.fits(selector, false), stage.fits(selector, true)]).toEqual([false, true]);
    stage.book(40, 42).gap();
    expect([stage.fits(selector, false), stage.fits(selector, true)]).toEqual([false, true]);
  });
});

describe('a predicate', () => {
  it.each([
    ['a text', 'no', '"no"'],
    ['a long text', 'n'.repeat(100), `"${'n'.repeat(40)}…"`],
    ['a number', 0, '0'],
    ['nothing', undefined, 'nothing'],
    ['an object', {}, 'an object'],
  ])('refuses %s in place of true or false', (_what, answer: unknown, found) => {
    const where = (): boolean => answer as boolean;
    expect(() => new Stage().fits({ where })).toThrow(`where: expected true or false, found ${found}`);
  });

  it('gets the market with its facts, and is called only where every other member fits', () => {
    const seen: MarketFacts[] = [];
    const where = (market: Market, facts: MarketFacts): boolean => {
      expect(market.ticker).toBe(tickerOf(0));
      seen.push(facts);
      return facts.volume !== null;
    };
    const stage = new Stage();
    stage.state.markets.defineGroup(GROUP);
    expect(stage.at(after(5)).fits({ where, timeLeftMsMax: 1 })).toBe(false);
    expect(seen).toEqual([]);
    expect(stage.fits({ where })).toBe(false);
    expect(stage.traded(contracts(3)).book(40, 42).fits({ where })).toBe(true);
    expect(seen.map(({ now, volume, group }) => ({ now, volume, group }))).toEqual([
      { now: after(5), volume: null, group: GROUP },
      { now: after(5), volume: contracts(3), group: GROUP },
    ]);
    expect(seen[1]?.book.spread).toBe(200);
  });
});

describe('any selector', () => {
  it('takes exactly the markets that each of its members alone would take', () => {
    const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
    const aSelector = fc.record({
      timeLeftMsMin: some(fc.integer({ min: 0, max: 4_000_000 })),
      timeLeftMsMax: some(fc.integer({ min: 0, max: 4_000_000 })),
      volumeMin: some(fc.nat(20).map(contracts)),
      spreadMin: some(fc.integer({ min: 0, max: 2000 })),
      spreadMax: some(fc.integer({ min: 0, max: 2000 })),
    });
    const aBook = fc.tuple(fc.integer({ min: 30, max: 40 }), fc.integer({ min: 41, max: 60 }));
    fc.assert(
      fc.property(aSelector, aBook, fc.nat(20), fc.nat(3_700_000), (wanted, [bid, ask], volume, ms) => {
        const entries = Object.entries(wanted).filter(([, value]) => value !== undefined);
        const stage = new Stage().at(after(ms)).book(bid, ask).traded(contracts(volume));
        const each = entries.map(([name, value]) => stage.fits({ [name]: value }));
        expect(stage.fits(Object.fromEntries(entries))).toBe(each.every(Boolean));
      }),
      { numRuns: runCount(200) },
    );
  });
});
