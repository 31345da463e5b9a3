// Cash transfers between accounts: once per id, and never more than the available cash.
import { describe, expect, it } from 'vitest';
import { type Money, contracts, dollars } from '../../../src/domain/units.ts';
import type { Op } from '../../../src/exchange/machine/exchange-input.ts';
import { ExchangeHarness } from '../exchange-harness.ts';

const transfer = (amount: number, changes: Partial<Op & { type: 'transfer' }> = {}): Op => ({
  type: 'transfer',
  account: 'ann',
  to: 'bob',
  // May be invalid: the exchange must check it.
  amount: amount as Money,
  id: null,
  ...changes,
});
const cashOf = (harness: ExchangeHarness, account: string) => harness.exchange.balance(account)?.cash;

describe('a transfer', () => {
  it('moves cash exactly, and does not change what was deposited', () => {
    const harness = new ExchangeHarness();
    const answer = harness.submit(transfer(250_000_001));
    expect(answer).toMatchObject({
      type: 'transferred',
      transfer: { account: 'ann', to: 'bob', amount: 250_000_001, at: harness.at },
    });
    expect([cashOf(harness, 'ann'), cashOf(harness, 'bob')]).toEqual([749_999_999, 1_250_000_001]);
    expect(harness.exchange.balance('bob')?.deposited).toBe(dollars(1000));
    expect(harness.exchange.transfers('ann')).toEqual([answer.type === 'transferred' ? answer.transfer : null]);
    expect(harness.exchange.transfers('bob')).toEqual([]);
    harness.exchange.audit();
  });

  it('is made once per id, however often it is repeated', () => {
    const harness = new ExchangeHarness();
    const first = harness.submit(transfer(5_000_000, { id: 'one' }));
    harness.advance(3);
    expect(harness.submit(transfer(5_000_000, { id: 'one' }))).toEqual(first);
    expect(cashOf(harness, 'ann')).toBe(995_000_000);
    expect(harness.codeOf(transfer(6_000_000, { id: 'one' }))).toBe('already_exists');
    expect(harness.codeOf(transfer(5_000_000, { id: 'one', to: 'cat' }))).toBe('already_exists');
    harness.submit(transfer(5_000_000, { id: 'one', account: 'bob', to: 'ann' }));
    expect(cashOf(harness, 'ann')).toBe(1_000_000_000);
  });

  it('leaves cash reserved for orders where it is', () => {
    const harness = new ExchangeHarness({ series: { feeType: 'free' } });
    harness.placeOrder('ann', { qty: contracts(100) });
    expect(harness.exchange.balance('ann')?.available).toBe(dollars(950));
    expect(harness.codeOf(transfer(950_000_001))).toBe('insufficient_balance');
    harness.submit(transfer(950_000_000));
    expect(harness.exchange.balance('ann')?.available).toBe(0);
    harness.exchange.audit();
  });

  it.each<[string, Op, string]>([
    ['of zero', transfer(0), 'invalid_parameters'],
    ['of a negative amount', transfer(-1), 'invalid_parameters'],
    ['of a fraction of a millionth', transfer(1.5), 'invalid_parameters'],
    ['to itself', transfer(1, { to: 'ann' }), 'invalid_parameters'],
    ['to an unknown account', transfer(1, { to: 'dan' }), 'user_not_found'],
    ['from an unknown account', transfer(1, { account: 'dan' }), 'user_not_found'],
    ['of more than is available', transfer(1_000_000_001), 'insufficient_balance'],
  ])('refuses a transfer %s', (_what, op, code) => {
    const harness = new ExchangeHarness();
    const before = harness.exchange.ledger();
    expect(harness.codeOf(op)).toBe(code);
    expect(harness.exchange.ledger()).toEqual(before);
  });

  it('is refused while the exchange is paused, but not while only trading is', () => {
    const harness = new ExchangeHarness();
    harness.submit({ type: 'set-exchange', isActive: false, isTrading: false });
    expect(harness.codeOf(transfer(1))).toBe('exchange_is_paused');
    harness.submit({ type: 'set-exchange', isActive: true, isTrading: false });
    expect(harness.codeOf(transfer(1))).toBe('transferred');
  });

  it('is remembered within bounds, the latest ones longest', () => {
    const harness = new ExchangeHarness();
    for (let count = 1; count <= 20_000; count++)
      harness.exchange.step({ at: harness.at, op: transfer(1, { id: `${count}` }) });
    const remembered = harness.exchange.transfers('ann').map(({ id }) => id);
    expect(remembered).toHaveLength(10_000);
    expect([remembered[0], remembered.at(-1)]).toEqual(['10001', '20000']);
  });
});
