// The value of an event group: from all its quotes, or none at all where one of them cannot be trusted.
import { describe, expect, it } from 'vitest';
import { type EventTicker, eventTicker, seriesTicker } from '../../src/domain/ids.ts';
import type { EventGroup } from '../../src/domain/market.ts';
import { type GroupValueOptions, groupFairValues } from '../../src/kit/group-values.ts';
import { State } from '../../src/state/state.ts';
import { StrategyView } from '../../src/state/strategy-view.ts';
import { BEGIN, M0, MAKER, aMarket, aPlace, index, levels, tickerOf } from '../support/engine/builders.ts';
import { cents, contracts } from '../../src/domain/units.ts';

const EVENT: EventTicker = eventTicker('EVENT');

/** Makes a group of markets with their books: bid and ask in cents, ten contracts each. */
function grouped(
  quotes: readonly (readonly [bid: number | null, ask: number | null])[],
  over: Partial<EventGroup> = {},
) {
  const state = new State();
  const tickers = quotes.map((_, i) => tickerOf(i));
  for (const name of tickers) state.tickers.internTicker(name);
  state.markets.defineGroup({
    eventTicker: EVENT,
    seriesTicker: seriesTicker('SERIES'),
    title: 'event',
    isExclusive: true,
    tickers,
    ...over,
  });
  quotes.forEach(([bid, ask], i) => {
    state.markets.defineMarket(aMarket(i));
    state.books.openBook(index(i), aMarket(i).grid);
    const [bids, asks] = [bid, ask].map((each) => (each === null ? [] : levels([each, 10])));
    state.books.applySnapshot({ at: BEGIN, exchangeAt: null, market: index(i), bids: bids!, asks: asks! });
  });
  const view = new StrategyView(state, [], { strategy: MAKER, markets: [] });
  const fair = (options: GroupValueOptions = {}) => {
    const values = groupFairValues(view, EVENT, options);
    return values && [...quotes.map((_, i) => values.byMarket.get(index(i)) ?? null), values.none, values.quoted];
  };
  return { state, fair };
}

const close = (...values: readonly number[]) => values.map((each) => expect.closeTo(each, 9) as number);

describe('the fair values of an event group', () => {
  it('sum to one where the quotes sum to more', () => {
    const { fair } = grouped([
      [58, 62],
      [38, 42],
      [18, 22],
    ]);
    expect(fair()).toEqual(close(0.5, 1 / 3, 1 / 6, 0, 1.2));
    const power = fair({ method: 'power' })!;
    expect(power[2]).toBeLessThan(1 / 6);
    expect(power[0]! + power[1]! + power[2]!).toBeCloseTo(1, 12);
  });

  it('leave the rest of a dollar as the chance of none, unless one outcome must happen', () => {
    const { fair } = grouped([
      [48, 52],
      [28, 32],
    ]);
    expect(fair()).toEqual(close(0.5, 0.3, 0.2, 0.8));
    expect(fair({ isComplete: true })).toEqual(close(0.625, 0.375, 0, 0.8));
  });

  it("use the microprice, or others' quotes", () => {
    const { state, fair } = grouped([
      [40, 60],
      [40, 60],
    ]);
    state.books.applySnapshot({
      at: BEGIN,
      exchangeAt: null,
      market: M0,
      bids: levels([40, 30], [20, 5]),
      asks: levels([60, 10]),
    });
    expect(fair({ by: 'microprice' })).toEqual(close(0.55 / 1.05, 0.5 / 1.05, 0, 1.05));
    state.orders.addOrder(aPlace({ side: 'buy', price: cents(40), qty: contracts(30) }), '');
    state.orders.applyChange(aPlace().clientOrderId, 'send', BEGIN);
    expect(fair({ by: 'others' })).toEqual(close(0.4, 0.5, 0.1, 0.9));
  });

  it.each([
    ['the group is not exclusive', grouped([[40, 60]], { isExclusive: false })],
    ['one of its markets is not known', grouped([[40, 60]], { tickers: [tickerOf(0), tickerOf(1)] })],
    [
      'a book has one side',
      grouped([
        [40, 60],
        [null, 2],
      ]),
    ],
  ])('are null where %s', (_, { fair }) => {
    expect(fair()).toBeNull();
  });

  it('are null where a book is not live, a market is not open, or the group is not described', () => {
    const doubted = grouped([[40, 60]]);
    expect(doubted.fair()).not.toBeNull();
    doubted.state.books.distrust(M0);
    expect(doubted.fair()).toBeNull();
    const closed = grouped([[40, 60]]);
    closed.state.markets.defineMarket(aMarket(0, { status: 'closed' }));
    expect(closed.fair()).toBeNull();
    const view = new StrategyView(new State(), [], { strategy: MAKER, markets: [] });
    expect(groupFairValues(view, EVENT)).toBeNull();
  });
});
