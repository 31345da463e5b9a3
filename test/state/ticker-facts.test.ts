// What the venue says of a market's trading: shown as it was told last, and forgotten with the market.
import { describe, expect, it } from 'vitest';
import { strategyName } from '../../src/domain/ids.ts';
import { cents, contracts } from '../../src/domain/units.ts';
import { State } from '../../src/state/state.ts';
import { StrategyView } from '../../src/state/view.ts';
import { BEGIN, M0, M1, aMarket, after, tickerTable } from '../support/engine/builders.ts';

const told = (volume: number, at = BEGIN) =>
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

describe('a market’s trading as a whole', () => {
  it('is unknown until it is told, and then what was told last', () => {
    const state = new State(tickerTable(2));
    const view = new StrategyView(state, [], { strategy: strategyName('s'), markets: [] });
    expect(view.ticker(M0)).toBeNull();
    state.apply(told(5), []);
    const facts = view.ticker(M0);
    expect(facts).toEqual({ at: BEGIN, lastPrice: cents(43), volume: contracts(5), openInterest: contracts(7) });
    state.apply({ ...told(6, after(1)), lastPrice: null }, []);
    expect(view.ticker(M0)).toBe(facts);
    expect(facts).toMatchObject({ at: after(1), lastPrice: null, volume: contracts(6) });
    expect(view.ticker(M1)).toBeNull();
  });

  it('is forgotten with its market, whose number another may have', () => {
    const state = new State(tickerTable(1));
    const market = aMarket(0);
    state.apply({ kind: 'market', at: BEGIN, market }, []);
    state.apply(told(5), []);
    expect(state.tickerBoard.count).toBe(1);
    state.evict([market], []);
    expect([state.tickerBoard.count, state.tickerBoard.of(M0)]).toEqual([0, null]);
  });
});
