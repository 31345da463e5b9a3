// The ledger: exact collateral, netting, cost and profit, fees, and conservation of cash.
import { describe, expect, it } from 'vitest';
import { ticker } from '../../../src/domain/ids.ts';
import { cents, contracts, dollars, qty } from '../../../src/domain/units.ts';
import type { ExchangeImage } from '../../../src/exchange/store/exchange-image.ts';
import { restoreExchange } from '../../../src/exchange/machine/exchange-machine.ts';
import { ExchangeHarness, definitionOf, orderOf } from '../exchange-harness.ts';

const A = ticker('A');
const free = { series: { feeType: 'free' } } as const;
const balance = (harness: ExchangeHarness, account: string) => harness.exchange.balance(account);
const position = (harness: ExchangeHarness, account: string) => harness.exchange.position(account, A);

describe('collateral of orders', () => {
  it('is the price for a bid and the complement for an ask, and is released with the order', () => {
    const harness = new ExchangeHarness(free);
    const bid = harness.placeOrder('ann', { price: cents(40) });
    const ask = harness.placeOrder('ann', { side: 'sell', price: cents(70) });
    expect(balance(harness, 'ann')).toMatchObject({ reserved: 4_000_000 + 3_000_000, available: 993_000_000 });
    harness.submit({ type: 'cancel', account: 'ann', orderId: bid.orderId });
    harness.submit({ type: 'decrease', account: 'ann', orderId: ask.orderId, by: { reduceTo: contracts(5) } });
    expect(balance(harness, 'ann')?.reserved).toBe(1_500_000);
  });

  it('is not required for what closes a position, best price first', () => {
    const harness = new ExchangeHarness(free);
    harness.placeOrder('bob', { side: 'sell', price: cents(40) });
    harness.placeOrder('ann', { price: cents(40) });
    harness.placeOrder('ann', { side: 'sell', price: cents(70), qty: contracts(8) });
    expect(balance(harness, 'ann')?.reserved).toBe(0);
    harness.placeOrder('ann', { side: 'sell', price: cents(60), qty: contracts(8) });
    // 10 YES cover all 8 at 60 cents and 2 of those at 70: 6 remain at 30 cents.
    expect(balance(harness, 'ann')?.reserved).toBe(1_800_000);
    harness.exchange.audit();
  });

  it('is saved on bids by held NO', () => {
    const harness = new ExchangeHarness(free);
    harness.placeOrder('bob', { side: 'sell', price: cents(40) });
    harness.placeOrder('ann', { price: cents(40) });
    harness.placeOrder('bob', { price: cents(30), qty: contracts(15) });
    expect(balance(harness, 'bob')?.reserved).toBe(1_500_000);
  });

  it('includes the worst-case fee, and releases what was not charged', () => {
    const harness = new ExchangeHarness();
    const order = harness.placeOrder('ann', { price: cents(50) });
    // 5 dollars, a fee of 0.0175 · 10 · 0.25, and the most that ten fills of one contract could be rounded up by.
    const reserved = balance(harness, 'ann')?.reserved ?? 0;
    expect(reserved).toBeGreaterThan(5_000_000 + 43_750);
    expect(reserved).toBeLessThan(5_000_000 + 43_750 + 1_100);
    harness.submit({ type: 'cancel', account: 'ann', orderId: order.orderId });
    expect(balance(harness, 'ann')?.reserved).toBe(0);
  });

  it('assumes whole cents when the account clears indirectly', () => {
    const harness = new ExchangeHarness();
    harness.submit({ type: 'open-account', account: 'dee', keepsHistory: true, clearing: 'indirect' });
    harness.submit({ type: 'deposit', account: 'dee', amount: dollars(100) });
    harness.placeOrder('dee', { price: cents(50) });
    // 5 dollars, a fee of 0.0175 · 10 · 0.25, and a fee step plus a cent for each of ten fills.
    expect(balance(harness, 'dee')?.reserved).toBe(5_000_000 + 43_750 + 10 * 10_001);
    harness.exchange.audit();
  });

  it('refuses an order that needs one millionth more than there is', () => {
    const harness = new ExchangeHarness({ ...free, cash: 1 });
    expect(
      harness.codeOf({ type: 'place', account: 'ann', order: orderOf({ qty: contracts(2), price: cents(51) }) }),
    ).toBe('insufficient_balance');
    expect(harness.placeOrder('ann', { qty: contracts(2) }).status).toBe('resting');
    expect(balance(harness, 'ann')?.available).toBe(0);
    expect(
      harness.codeOf({ type: 'place', account: 'ann', order: orderOf({ qty: contracts(1), price: cents(1) }) }),
    ).toBe('insufficient_balance');
  });

  it('requires no cash to sell what is held', () => {
    const harness = new ExchangeHarness({ ...free, cash: 5 });
    harness.placeOrder('bob', { side: 'sell', price: cents(50) });
    harness.placeOrder('ann', { price: cents(50) });
    expect(balance(harness, 'ann')?.available).toBe(0);
    expect(harness.placeOrder('ann', { side: 'sell', price: cents(1) }).status).toBe('resting');
    harness.exchange.audit();
  });
});

describe('positions', () => {
  it('net: selling what is held returns its price', () => {
    const harness = new ExchangeHarness(free);
    harness.placeOrder('bob', { side: 'sell', price: cents(40) });
    harness.placeOrder('ann', { price: cents(40) });
    harness.placeOrder('cat', { price: cents(55), qty: contracts(4) });
    harness.placeOrder('ann', { side: 'sell', price: cents(55), qty: contracts(4) });
    expect(position(harness, 'ann')).toMatchObject({ qty: contracts(6), cost: 2_400_000, realized: 600_000 });
    expect(balance(harness, 'ann')?.cash).toBe(1_000_000_000 - 4_000_000 + 2_200_000);
    expect(harness.exchange.stats(A)?.openInterest).toBe(contracts(10));
  });

  it('reverse when more is sold than is held', () => {
    const harness = new ExchangeHarness(free);
    harness.placeOrder('bob', { side: 'sell', price: cents(40) });
    harness.placeOrder('ann', { price: cents(40) });
    harness.placeOrder('cat', { price: cents(60), qty: contracts(25) });
    harness.placeOrder('ann', { side: 'sell', price: cents(60), qty: contracts(25) });
    expect(position(harness, 'ann')).toMatchObject({ qty: -contracts(15), cost: 6_000_000, realized: 2_000_000 });
    harness.exchange.audit();
  });

  it('redeem pairs when both sides close, which frees the dollars', () => {
    const harness = new ExchangeHarness(free);
    harness.placeOrder('bob', { side: 'sell', price: cents(40) });
    harness.placeOrder('ann', { price: cents(40) });
    harness.placeOrder('ann', { side: 'sell', price: cents(30) });
    harness.placeOrder('bob', { price: cents(30) });
    expect(position(harness, 'ann')).toMatchObject({ qty: 0, cost: 0, realized: -1_000_000 });
    expect(position(harness, 'bob')).toMatchObject({ qty: 0, cost: 0, realized: 1_000_000 });
    expect(harness.exchange.ledger()).toMatchObject({ locked: 0, house: 0 });
  });

  it('carry their average cost, rounded down, so that it ends at zero', () => {
    const harness = new ExchangeHarness({ ...free, markets: [definitionOf('A', { qtyStep: qty(1) })] });
    harness.placeOrder('bob', { side: 'sell', price: cents(33), qty: qty(1) });
    harness.placeOrder('bob', { side: 'sell', price: cents(34), qty: qty(2) });
    harness.placeOrder('ann', { price: cents(34), qty: qty(3) });
    for (let i = 0; i < 3; i++) {
      harness.placeOrder('cat', { price: cents(50), qty: qty(1) });
      harness.placeOrder('ann', { side: 'sell', price: cents(50), qty: qty(1) });
    }
    expect(position(harness, 'ann')).toMatchObject({ qty: 0, cost: 0, realized: 3 * 5000 - 3300 - 2 * 3400 });
  });
});

describe('fees', () => {
  it('leave whole cents for an account that clears indirectly, its collateral accounts included, even after a restore', () => {
    const harness = new ExchangeHarness({ markets: [definitionOf('A', { qtyStep: qty(1) })] });
    harness.submit({ type: 'open-account', account: 'dee', keepsHistory: true, clearing: 'indirect' });
    harness.submit({ type: 'open-account', account: 'dee/1', keepsHistory: true });
    for (const account of ['dee', 'dee/1']) harness.submit({ type: 'deposit', account, amount: dollars(100) });
    const restored = restoreExchange(7, JSON.parse(JSON.stringify(harness.exchange.image())) as ExchangeImage);
    harness.placeOrder('bob', { side: 'sell', price: cents(52), qty: contracts(9) });
    const order = orderOf({ price: cents(52), qty: qty(101), timeInForce: 'ioc' });
    for (const account of ['ann', 'dee', 'dee/1']) harness.submit({ type: 'place', account, order });
    const feeOf = (account: string): number | undefined => harness.exchange.fills(account)[0]?.fee;
    // 0.07 · 1.01 · 0.52 · 0.48 is 1.7647 cents, and 1.01 at 52 cents costs 52.52.
    expect(['ann', 'dee', 'dee/1'].map(feeOf)).toEqual([17_700, 24_800, 24_800]);
    expect(balance(harness, 'dee')?.cash).toBe(dollars(100) - 550_000);
    harness.exchange.audit();
    const { accounts } = restored.image();
    expect(accounts.map(({ name, clearing }) => [name, clearing])).toContainEqual(['dee/1', 'indirect']);
    const { accounts: older, ...rest } = harness.exchange.image();
    const silent = older.map(({ clearing: _unsaid, ...account }) => account);
    const { accounts: again } = restoreExchange(7, { ...rest, accounts: silent }).image();
    expect(new Set(again.map(({ clearing }) => clearing))).toEqual(new Set(['direct']));
  });

  it('go to the house by liquidity, and are recorded on order, position and account alike', () => {
    const harness = new ExchangeHarness();
    const maker = harness.placeOrder('ann', { side: 'sell', qty: contracts(100) });
    const taker = harness.placeOrder('bob', { qty: contracts(100) });
    expect(taker).toMatchObject({ takerFees: 1_750_000, makerFees: 0, takerCost: 50_000_000 });
    expect(harness.orderOf('ann', maker.orderId)).toMatchObject({ makerFees: 437_500, takerFees: 0 });
    expect(harness.exchange.ledger().house).toBe(1_750_000 + 437_500);
    expect(balance(harness, 'bob')).toMatchObject({ fees: 1_750_000, cash: 1_000_000_000 - 50_000_000 - 1_750_000 });
    expect(position(harness, 'bob')?.fees).toBe(1_750_000);
  });

  it('gather rounding over the fills of one order and rebate whole cents once a fill allows it', () => {
    const harness = new ExchangeHarness({ markets: [definitionOf('A', { qtyStep: qty(1) })] });
    const order = harness.placeOrder('ann', { price: cents(51), qty: qty(1300) });
    for (let i = 0; i < 300; i++)
      harness.placeOrder('bob', { side: 'sell', price: cents(51), qty: qty(1), timeInForce: 'ioc' });
    harness.placeOrder('bob', { side: 'sell', price: cents(51), qty: qty(1000), timeInForce: 'ioc' });
    const fees = harness.exchange.fills('ann').map((fill) => fill.fee as number);
    // 0.0175 · 0.01 · 0.51 · 0.49 is 44 millionths; the balance is floored to a hundredth of a cent: 56 gather.
    expect(new Set(fees.slice(0, 300))).toEqual(new Set([100]));
    // 43 733 by the formula, 67 to the floor; of 300 · 56 + 67 gathered, one cent comes back.
    expect(fees[300]).toBe(33_800);
    expect(harness.orderOf('ann', order.orderId)).toMatchObject({ status: 'executed', makerFees: 300 * 100 + 33_800 });
    expect(balance(harness, 'ann')?.reserved).toBe(0);
    harness.exchange.audit();
  });
});
