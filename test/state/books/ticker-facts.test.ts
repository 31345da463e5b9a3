// The venue's summary of a market's trading: the latest is shown, and it is dropped with the market.
import { describe, expect, it } from 'vitest';
import { strategyName } from '../../../src/domain/ids.ts';
import { cents, contracts } from '../../../src/domain/units.ts';
import { State } from '../../../src/state/state.ts';
import { StrategyView } from '../../../src/state/strategy-view.ts';
import { BEGIN, M0, M1, aMarket, after, tickerTable } from '../../support/engine/builders.ts';

const aTicker = (volume: number, at = BEGIN) =>
  ({
    kind: 'ticker',
    at,
    exchangeAt: null,
    market: M0,
    lastPrice: cents(43),
    bestBid: cents(42),
    bestAsk: cents(44),
    volume: contracts(volume),
    openInterest: contracts(7),
  }) as const;

describe('the summary of a market’s trading', () => {
  it('the summary is unknown until the first ticker, and then the latest', () => {
    const state = new State(tickerTable(2));
    const view = new StrategyView(state, [], { strategy: strategyName('s'), markets: [] });
    expect(view.ticker(M0)).toBeNull();
    state.applyEvent(aTicker(5), []);
    const facts = view.ticker(M0);
    expect(facts).toEqual({ at: BEGIN, lastPrice: cents(43), volume: contracts(5), openInterest: contracts(7) });
    state.applyEvent({ ...aTicker(6, after(1)), lastPrice: null }, []);
    expect(view.ticker(M0)).toBe(facts);
    expect(facts).toMatchObject({ at: after(1), lastPrice: null, volume: contracts(6) });
    expect(view.ticker(M1)).toBeNull();
  });

  it('the summary is dropped with its market, whose number another may get', () => {
    const state = new State(tickerTable(1));
    const market = aMarket(0);
    state.applyEvent({ kind: 'market', at: BEGIN, market }, []);
    state.applyEvent(aTicker(5), []);
    expect(state.tickerBoard.count).toBe(1);
    state.evictMarkets([market], []);
    expect([state.tickerBoard.count, state.tickerBoard.factsOf(M0)]).toEqual([0, null]);
  });
});
