// A market from listing to payout: transitions by time and by the operator, their facts, and refusals.
import { describe, expect, it } from 'vitest';
import { eventTicker, seriesTicker, ticker } from '../../../src/domain/ids.ts';
import { cents, contracts, fromSeconds, price } from '../../../src/domain/units.ts';
import type { Op } from '../../../src/exchange/machine/exchange-input.ts';
import { ExchangeHarness, START, definitionOf, orderOf, seconds } from '../exchange-harness.ts';

const A = ticker('A');
const statusOf = (harness: ExchangeHarness) => harness.exchange.market(A)?.status;
const determine = (result: 'yes' | 'no' | 'scalar', value: number | null = null): Op => ({
  type: 'determine',
  ticker: A,
  result,
  settlementValue: value === null ? null : price(value),
});

/** ann holds 10 YES bought at 40 cents, bob 10 NO. */
function traded(): ExchangeHarness {
  const harness = new ExchangeHarness({ series: { feeType: 'free' } });
  harness.placeOrder('bob', { side: 'sell', price: cents(40) });
  harness.placeOrder('ann', { side: 'buy', price: cents(40) });
  return harness;
}

const cashOf = (harness: ExchangeHarness, account: string) => harness.exchange.balance(account)?.cash;

describe('time on the exchange', () => {
  it('opens and closes a market without a message, and cancels resting orders at the close', () => {
    const harness = new ExchangeHarness({
      markets: [definitionOf('A', { openAt: seconds(10), closeAt: seconds(20) })],
    });
    expect(statusOf(harness)).toBe('initialized');
    expect(harness.codeOf({ type: 'place', account: 'ann', order: orderOf() })).toBe('market_inactive');
    expect(harness.advance(10).facts).toMatchObject([
      { type: 'market', word: null, from: 'initialized', to: 'active' },
    ]);
    const order = harness.placeOrder('ann');
    const { facts } = harness.advance(10);
    expect(statusOf(harness)).toBe('closed');
    expect(facts).toContainEqual(expect.objectContaining({ type: 'order', reason: 'CloseCancel' }));
    expect(facts).toContainEqual(expect.objectContaining({ type: 'market', word: null, to: 'closed' }));
    expect(harness.orderOf('ann', order.orderId)?.status).toBe('canceled');
    expect(harness.exchange.balance('ann')?.reserved).toBe(0);
  });

  it('applies everything that came due before the operation', () => {
    const harness = new ExchangeHarness({ markets: [definitionOf('A', { closeAt: seconds(20) })] });
    harness.at = seconds(21);
    expect(harness.codeOf({ type: 'place', account: 'ann', order: orderOf() })).toBe('market_already_closed');
  });

  it('pays out when the settlement timer has elapsed', () => {
    const harness = traded();
    harness.submit({ type: 'close', ticker: A });
    harness.submit(determine('yes'));
    expect(harness.exchange.nextDue()).toBe(START + fromSeconds(10));
    harness.advance(9);
    expect(statusOf(harness)).toBe('determined');
    harness.advance(1);
    expect(statusOf(harness)).toBe('finalized');
    expect(cashOf(harness, 'ann')).toBe(1_006_000_000);
    expect(cashOf(harness, 'bob')).toBe(994_000_000);
    expect(harness.exchange.ledger().locked).toBe(0);
  });

  it('never goes back', () => {
    const harness = new ExchangeHarness();
    harness.advance(100);
    harness.at = START;
    harness.step({ type: 'tick' });
    expect(harness.exchange.now).toBe(seconds(100));
  });
});

describe('settlement', () => {
  it.each([
    { result: 'yes', value: null, ann: 1_006_000_000, bob: 994_000_000 },
    { result: 'no', value: null, ann: 996_000_000, bob: 1_004_000_000 },
    { result: 'scalar', value: 2537, ann: 998_537_000, bob: 1_001_463_000 },
    { result: 'scalar', value: 0, ann: 996_000_000, bob: 1_004_000_000 },
  ] as const)('of $result at $value pays each side exactly', ({ result, value, ann, bob }) => {
    const harness = traded();
    harness.submit({ type: 'close', ticker: A });
    harness.submit(determine(result, value));
    const { facts } = harness.step({ type: 'settle', ticker: A });
    expect([cashOf(harness, 'ann'), cashOf(harness, 'bob')]).toEqual([ann, bob]);
    expect(facts.map((fact) => ('account' in fact ? `${fact.type} ${fact.account}` : fact.type))).toEqual([
      'settlement bob',
      'settlement ann',
      'market',
      'ticker',
      'position bob',
      'position ann',
    ]);
    const [row] = harness.exchange.settlements('ann');
    expect(row).toMatchObject({ yesQty: contracts(10), yesCost: 4_000_000, noQty: 0, revenue: ann - 996_000_000 });
    expect(harness.exchange.position('ann', A)).toMatchObject({ qty: 0, cost: 0, realized: ann - 1_000_000_000 });
    harness.exchange.audit();
  });

  it('restarts its timer after a rejected dispute and after an amended result', () => {
    const harness = traded();
    harness.submit({ type: 'close', ticker: A });
    harness.submit(determine('yes'));
    harness.advance(5);
    harness.submit({ type: 'dispute', ticker: A });
    harness.advance(100);
    expect(statusOf(harness)).toBe('disputed');
    harness.submit({ type: 'uphold', ticker: A });
    harness.advance(5);
    harness.submit({ type: 'amend-result', ticker: A, result: 'no', settlementValue: null });
    harness.advance(9);
    expect(statusOf(harness)).toBe('amended');
    harness.advance(1);
    expect(statusOf(harness)).toBe('finalized');
    expect(cashOf(harness, 'bob')).toBe(1_004_000_000);
  });
});

describe('the operator', () => {
  it('halts a market, where orders may be canceled but not placed, and resumes it empty', () => {
    const harness = new ExchangeHarness();
    const resting = harness.placeOrder('ann', { price: cents(40) });
    const dropped = harness.placeOrder('ann', { price: cents(41) });
    expect(harness.facts({ type: 'halt', ticker: A }, 'market')).toMatchObject([{ word: 'deactivated' }]);
    expect(harness.codeOf({ type: 'place', account: 'ann', order: orderOf() })).toBe('market_inactive');
    expect(harness.codeOf({ type: 'cancel', account: 'ann', orderId: dropped.orderId })).toBe('canceled');
    const { facts } = harness.step({ type: 'resume', ticker: A });
    expect(facts).toContainEqual(expect.objectContaining({ type: 'order', reason: 'HaltCancel' }));
    expect(facts).toContainEqual(expect.objectContaining({ type: 'market', word: 'activated' }));
    expect(harness.orderOf('ann', resting.orderId)?.status).toBe('canceled');
    expect(harness.placeOrder('ann').status).toBe('resting');
  });

  it('moves the close to a later time, which reopens a closed market', () => {
    const harness = new ExchangeHarness({ markets: [definitionOf('A', { closeAt: seconds(20) })] });
    harness.advance(20);
    const { facts } = harness.step({ type: 'move-close', ticker: A, closeAt: seconds(60) });
    expect(facts.map((fact) => (fact.type === 'market' ? fact.word : fact.type))).toEqual([
      'close_date_updated',
      'activated',
    ]);
    harness.advance(39);
    expect(statusOf(harness)).toBe('active');
    harness.advance(1);
    expect(statusOf(harness)).toBe('closed');
  });

  it('closes early, which cancels the scheduled close', () => {
    const harness = new ExchangeHarness();
    harness.submit({ type: 'move-close', ticker: A, closeAt: seconds(5) });
    harness.advance(5);
    expect(statusOf(harness)).toBe('closed');
    harness.submit(determine('no'));
    harness.advance(10_000);
    expect(statusOf(harness)).toBe('finalized');
  });

  it('pauses trading, which allows cancels, or the exchange, which allows nothing', () => {
    const harness = new ExchangeHarness();
    const resting = harness.placeOrder('ann', { price: cents(40) });
    const fickle = harness.placeOrder('ann', { price: cents(41), cancelOnPause: true });
    harness.submit({ type: 'set-exchange', isActive: true, isTrading: false });
    expect(harness.orderOf('ann', fickle.orderId)?.status).toBe('canceled');
    expect(harness.codeOf({ type: 'place', account: 'ann', order: orderOf() })).toBe('trading_is_paused');
    harness.submit({ type: 'set-exchange', isActive: false, isTrading: false });
    expect(harness.codeOf({ type: 'cancel', account: 'ann', orderId: resting.orderId })).toBe('exchange_is_paused');
    expect(harness.codeOf({ type: 'cancel-all', account: 'ann', ticker: null })).toBe('exchange_is_paused');
    harness.submit({ type: 'set-exchange', isActive: true, isTrading: true });
    expect(harness.codeOf({ type: 'cancel', account: 'ann', orderId: resting.orderId })).toBe('canceled');
  });

  it.each([
    { name: 'determine an open market', ops: [determine('yes')], code: 'wrong_status' },
    { name: 'settle an open market', ops: [{ type: 'settle', ticker: A }], code: 'wrong_status' },
    { name: 'resume what was not halted', ops: [{ type: 'resume', ticker: A }], code: 'wrong_status' },
    { name: 'dispute before the result', ops: [{ type: 'dispute', ticker: A }], code: 'wrong_status' },
    { name: 'uphold without a dispute', ops: [{ type: 'uphold', ticker: A }], code: 'wrong_status' },
    {
      name: 'give a scalar result no value',
      ops: [{ type: 'close', ticker: A }, determine('scalar')],
      code: 'invalid_parameters',
    },
    {
      name: 'give a plain result a value',
      ops: [{ type: 'close', ticker: A }, determine('yes', 5000)],
      code: 'invalid_parameters',
    },
    {
      name: 'move the close into the past',
      ops: [{ type: 'move-close', ticker: A, closeAt: START }],
      code: 'invalid_parameters',
    },
    {
      name: 'settle twice',
      ops: [
        { type: 'close', ticker: A },
        determine('no'),
        { type: 'settle', ticker: A },
        { type: 'settle', ticker: A },
      ],
      code: 'wrong_status',
    },
    { name: 'halt an unknown market', ops: [{ type: 'halt', ticker: ticker('Z') }], code: 'market_not_found' },
    {
      name: 'list a market twice',
      ops: [{ type: 'define-market', market: definitionOf('A') }],
      code: 'already_exists',
    },
    {
      name: 'list a market that closes before it opens',
      ops: [{ type: 'define-market', market: definitionOf('B', { closeAt: START }) }],
      code: 'invalid_parameters',
    },
    {
      name: 'list a market of no event group',
      ops: [{ type: 'define-market', market: definitionOf('B', { eventTicker: eventTicker('NONE') }) }],
      code: 'invalid_parameters',
    },
    {
      name: 'list a market on no grid',
      ops: [
        {
          type: 'define-market',
          market: definitionOf('B', { gridRanges: [{ start: price(0), end: price(10_000), step: 0 }] }),
        },
      ],
      code: 'invalid_parameters',
    },
    {
      name: 'open an account twice',
      ops: [{ type: 'open-account', account: 'ann', keepsHistory: true }],
      code: 'already_exists',
    },
  ] as { name: string; ops: Op[]; code: string }[])('cannot $name', ({ ops, code }) => {
    const harness = new ExchangeHarness();
    const codes = ops.map((op) => harness.codeOf(op));
    expect(codes.at(-1)).toBe(code);
    expect(codes.slice(0, -1).every((each) => each === 'done')).toBe(true);
    harness.exchange.audit();
  });

  it('resolves only one market of an exclusive group YES', () => {
    const harness = new ExchangeHarness({ markets: [] });
    const group = eventTicker('CUP-26');
    harness.submit({
      type: 'define-group',
      group: { ticker: group, seriesTicker: seriesTicker('RAIN'), title: 'Cup', subtitle: '', isExclusive: true },
    });
    for (const name of ['A', 'B'])
      harness.submit({ type: 'define-market', market: definitionOf(name, { eventTicker: group }) });
    for (const name of ['A', 'B']) harness.submit({ type: 'close', ticker: ticker(name) });
    harness.submit(determine('yes'));
    const second: Op = { type: 'determine', ticker: ticker('B'), result: 'yes', settlementValue: null };
    expect(harness.codeOf(second)).toBe('invalid_parameters');
    expect(harness.codeOf({ ...second, result: 'no' })).toBe('done');
  });
});
