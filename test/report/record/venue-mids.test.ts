// The mid before a trade at a simulated venue, from the venue's book when the crossing order arrives.
import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/domain/venue-command.ts';
import type { FillReport } from '../../../src/domain/event.ts';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { cents } from '../../../src/domain/units.ts';
import { VenueMids } from '../../../src/report/record/venue-mids.ts';
import { State } from '../../../src/state/state.ts';
import { M0, tickerTable } from '../../support/engine/builders.ts';

function looking() {
  const state = new State(tickerTable(1));
  let book = { bid: 40, ask: 44 };
  const mid2Of = () => cents(book.bid) + cents(book.ask);
  const fills: FillReport[] = [];
  const mids = new VenueMids(() => ({ matching: { mid2Of }, account: { fills } }), state);
  const ticker = state.tickers.tickerOf(M0);
  const arriving = (command: Partial<Command>): void =>
    mids.onArrival({ clientOrderId: 'a', market: M0, ticker, ...command } as Command);
  const fillOf = (clientOrderId: string): FillReport =>
    ({ tradeId: 't', clientOrderId, liquidity: 'taker' }) as FillReport;
  const trading = (clientOrderId = 'a'): void => void fills.push(fillOf(clientOrderId));
  const taken = (): number | null => mids.mid2Before(fillOf('a'));
  return { arriving, trading, taken, book: (bid: number, ask: number) => (book = { bid, ask }) };
}

describe('the mid before one of our orders crosses', () => {
  it('an order that crosses has the mid at its arrival', () => {
    const { arriving, trading, taken, book } = looking();
    arriving({ type: 'place', postOnly: false });
    trading();
    book(50, 54);
    expect(taken()).toBe(cents(40) + cents(44));
  });
  it('an order that crosses keeps its mid when others arrive and trade before the bot learns of the fill', () => {
    const { arriving, trading, taken, book } = looking();
    arriving({ type: 'place', postOnly: false });
    trading('b');
    trading();
    book(50, 54);
    arriving({ type: 'place', postOnly: false, clientOrderId: clientOrderId('b') });
    trading('b');
    expect(taken()).toBe(cents(40) + cents(44));
  });
  it('an order without a trade at its arrival has none', () => {
    const { arriving, trading, taken } = looking();
    arriving({ type: 'place', postOnly: false });
    trading('b');
    expect(taken()).toBeNull();
  });
  it('an order that crosses by its amendment has the mid at the amendment’s arrival', () => {
    const { arriving, trading, taken, book } = looking();
    arriving({ type: 'place', postOnly: true });
    expect(taken()).toBeNull();
    book(50, 54);
    arriving({ type: 'amend' });
    trading();
    expect(taken()).toBe(cents(50) + cents(54));
  });
});
