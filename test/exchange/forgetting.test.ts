// Removal of settled markets: a paid-out market is removed with everything that belongs to it; open ones and cash
// remain.
import { describe, expect, it } from 'vitest';
import { eventTicker, ticker } from '../../src/domain/ids.ts';
import { contracts, micros } from '../../src/domain/units.ts';
import type { Op } from '../../src/exchange/input.ts';
import type { LedgerView } from '../../src/exchange/output.ts';
import { Hall, definitionOf, orderOf, seconds } from './hall.ts';

/** Lists a market, trades in it, and pays it out. */
function liveThrough(hall: Hall, name: string, clientOrderId: string | null = null): void {
  const market = ticker(name);
  hall.ask({ type: 'define-market', market: definitionOf(name) });
  hall.step({ type: 'tick' });
  hall.place('bob', { ticker: market, side: 'sell', qty: contracts(3) });
  hall.place('ann', { ticker: market, clientOrderId });
  hall.ask({ type: 'close', ticker: market });
  hall.ask({ type: 'determine', ticker: market, result: 'yes', settlementValue: null });
  hall.ask({ type: 'settle', ticker: market });
}

const forget = (settledBefore: number): Op => ({ type: 'forget', settledBefore: micros(settledBefore) });

describe('removing settled markets', () => {
  it('removes markets paid out before a time, with their orders, fills, positions and client order ids', () => {
    const hall = new Hall();
    liveThrough(hall, 'OLD', 'old');
    hall.wait(10);
    liveThrough(hall, 'NEW', 'new');
    const resting = hall.place('ann', { ticker: ticker('A'), clientOrderId: 'rests' });
    const before = hall.exchange.ledger();
    const [fact] = hall.facts(forget(seconds(10)), 'forgotten');
    expect(fact).toMatchObject({ tickers: ['OLD'], groups: [] });
    expect(hall.exchange.market(ticker('OLD'))).toBeUndefined();
    expect(hall.exchange.orders('ann').map((order) => order.clientOrderId)).toEqual(['new', 'rests']);
    expect(hall.exchange.fills('ann').map((fill) => fill.ticker)).toEqual(['NEW']);
    expect(hall.exchange.positions('ann').map((position) => position.ticker)).toEqual(['NEW']);
    expect(hall.exchange.order('ann', resting.orderId)?.status).toBe('resting');
    const after = hall.exchange.ledger();
    const moneyOf = (ledger: LedgerView) => ({
      ...ledger,
      accounts: ledger.accounts.map((account) => ({ ...account, positions: [] })),
    });
    expect(moneyOf(after)).toEqual(moneyOf(before));
    const codeOf = (clientOrderId: string): string =>
      hall.codeOf({ type: 'place', account: 'ann', order: orderOf({ clientOrderId }) });
    expect(['old', 'new', 'rests'].map(codeOf)).toEqual(['order', 'order_already_exists', 'order_already_exists']);
    hall.exchange.audit();
  });

  it('keeps markets that are not paid out, however old they are', () => {
    const hall = new Hall();
    hall.place('ann');
    hall.ask({ type: 'close', ticker: ticker('A') });
    expect(hall.facts(forget(seconds(1_000_000)), 'forgotten')).toEqual([]);
    expect(hall.exchange.statusOf(ticker('A'))).toBe('closed');
  });

  it('removes an event group with its last market', () => {
    const hall = new Hall({ markets: [] });
    liveThrough(hall, 'B');
    hall.wait(1);
    expect(hall.facts(forget(seconds(1)), 'forgotten')[0]?.groups).toEqual(['RAIN-26']);
    expect(hall.exchange.groups()).toEqual([]);
    expect(hall.exchange.marketsOf(eventTicker('RAIN-26'))).toEqual([]);
  });

  it('removes the older half by itself when twice the maximum is remembered', () => {
    const hall = new Hall({ markets: [definitionOf('STAYS')], cash: 100_000 });
    for (let i = 1; i <= 2000; i++) liveThrough(hall, `M${i}`, `name-${i}`);
    const { exchange } = hall;
    expect(exchange.markets()).toHaveLength(1001);
    expect(exchange.statusOf(ticker('M1000'))).toBeUndefined();
    expect(exchange.statusOf(ticker('M1001'))).toBe('finalized');
    expect(exchange.fills('ann')).toHaveLength(1000);
    exchange.audit();
  });
});
