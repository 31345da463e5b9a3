// Removal of settled markets: a paid-out market is removed with everything that belongs to it; open ones and cash
// remain.
import { describe, expect, it } from 'vitest';
import { eventTicker, ticker } from '../../../src/domain/ids.ts';
import { contracts, micros } from '../../../src/domain/units.ts';
import type { Op } from '../../../src/exchange/machine/exchange-input.ts';
import type { LedgerView } from '../../../src/exchange/machine/exchange-output.ts';
import { ExchangeHarness, definitionOf, orderOf, seconds } from '../exchange-harness.ts';

/** Lists a market, trades in it, and pays it out. */
function liveThrough(harness: ExchangeHarness, name: string, clientOrderId: string | null = null): void {
  const market = ticker(name);
  harness.submit({ type: 'define-market', market: definitionOf(name) });
  harness.step({ type: 'tick' });
  harness.placeOrder('bob', { ticker: market, side: 'sell', qty: contracts(3) });
  harness.placeOrder('ann', { ticker: market, clientOrderId });
  harness.submit({ type: 'close', ticker: market });
  harness.submit({ type: 'determine', ticker: market, result: 'yes', settlementValue: null });
  harness.submit({ type: 'settle', ticker: market });
}

const forget = (settledBefore: number): Op => ({ type: 'forget', settledBefore: micros(settledBefore) });

describe('removing settled markets', () => {
  it('removes markets paid out before a time, with their orders, fills, positions and client order ids', () => {
    const harness = new ExchangeHarness();
    liveThrough(harness, 'OLD', 'old');
    harness.advance(10);
    liveThrough(harness, 'NEW', 'new');
    const resting = harness.placeOrder('ann', { ticker: ticker('A'), clientOrderId: 'rests' });
    const before = harness.exchange.ledger();
    const [fact] = harness.facts(forget(seconds(10)), 'forgotten');
    expect(fact).toMatchObject({ tickers: ['OLD'], groups: [] });
    expect(harness.exchange.market(ticker('OLD'))).toBeUndefined();
    expect(harness.exchange.orders('ann').map((order) => order.clientOrderId)).toEqual(['new', 'rests']);
    expect(harness.exchange.fills('ann').map((fill) => fill.ticker)).toEqual(['NEW']);
    expect(harness.exchange.positions('ann').map((position) => position.ticker)).toEqual(['NEW']);
    expect(harness.exchange.order('ann', resting.orderId)?.status).toBe('resting');
    const after = harness.exchange.ledger();
    const moneyOf = (ledger: LedgerView) => ({
      ...ledger,
      accounts: ledger.accounts.map((account) => ({ ...account, positions: [] })),
    });
    expect(moneyOf(after)).toEqual(moneyOf(before));
    const codeOf = (clientOrderId: string): string =>
      harness.codeOf({ type: 'place', account: 'ann', order: orderOf({ clientOrderId }) });
    expect(['old', 'new', 'rests'].map(codeOf)).toEqual(['order', 'order_already_exists', 'order_already_exists']);
    harness.exchange.audit();
  });

  it('keeps markets that are not paid out, however old they are', () => {
    const harness = new ExchangeHarness();
    harness.placeOrder('ann');
    harness.submit({ type: 'close', ticker: ticker('A') });
    expect(harness.facts(forget(seconds(1_000_000)), 'forgotten')).toEqual([]);
    expect(harness.exchange.statusOf(ticker('A'))).toBe('closed');
  });

  it('removes an event group with its last market', () => {
    const harness = new ExchangeHarness({ markets: [] });
    liveThrough(harness, 'B');
    harness.advance(1);
    expect(harness.facts(forget(seconds(1)), 'forgotten')[0]?.groups).toEqual(['RAIN-26']);
    expect(harness.exchange.groups()).toEqual([]);
    expect(harness.exchange.marketsOf(eventTicker('RAIN-26'))).toEqual([]);
  });

  it('removes the older half by itself when twice the maximum is remembered', () => {
    const harness = new ExchangeHarness({ markets: [definitionOf('STAYS')], cash: 100_000 });
    for (let i = 1; i <= 2000; i++) liveThrough(harness, `M${i}`, `name-${i}`);
    const { exchange } = harness;
    expect(exchange.markets()).toHaveLength(1001);
    expect(exchange.statusOf(ticker('M1000'))).toBeUndefined();
    expect(exchange.statusOf(ticker('M1001'))).toBe('finalized');
    expect(exchange.fills('ann')).toHaveLength(1000);
    exchange.audit();
  });
});
