// A market from listing to payout: transitions by time and by the operator, their facts, and refusals.
import { describe, expect, it } from 'vitest';
import { eventTicker, seriesTicker, ticker } from '../../src/domain/ids.ts';
import { cents, contracts, fromSeconds, price } from '../../src/domain/units.ts';
import type { Op } from '../../src/exchange/input.ts';
import { Hall, START, definitionOf, orderOf, seconds } from './hall.ts';

const A = ticker('A');
const statusOf = (hall: Hall) => hall.exchange.market(A)?.status;
const determine = (result: 'yes' | 'no' | 'scalar', value: number | null = null): Op => ({
  type: 'determine',
  ticker: A,
  result,
  settlementValue: value === null ? null : price(value),
});

/** ann holds 10 YES bought at 40 cents, bob 10 NO. */
function traded(): Hall {
  const hall = new Hall({ series: { feeType: 'free' } });
  hall.place('bob', { side: 'sell', price: cents(40) });
  hall.place('ann', { side: 'buy', price: cents(40) });
  return hall;
}

const cashOf = (hall: Hall, account: string) => hall.exchange.balance(account)?.cash;

describe('time on the exchange', () => {
  it('opens and closes a market without a message, and cancels resting orders at the close', () => {
    const hall = new Hall({ markets: [definitionOf('A', { openAt: seconds(10), closeAt: seconds(20) })] });
    expect(statusOf(hall)).toBe('initialized');
    expect(hall.codeOf({ type: 'place', account: 'ann', order: orderOf() })).toBe('market_inactive');
    expect(hall.wait(10).facts).toMatchObject([{ type: 'market', word: null, from: 'initialized', to: 'active' }]);
    const order = hall.place('ann');
    const { facts } = hall.wait(10);
    expect(statusOf(hall)).toBe('closed');
    expect(facts).toContainEqual(expect.objectContaining({ type: 'order', reason: 'CloseCancel' }));
    expect(facts).toContainEqual(expect.objectContaining({ type: 'market', word: null, to: 'closed' }));
    expect(hall.orderOf('ann', order.orderId)?.status).toBe('canceled');
    expect(hall.exchange.balance('ann')?.reserved).toBe(0);
  });

  it('applies everything that came due before the operation', () => {
    const hall = new Hall({ markets: [definitionOf('A', { closeAt: seconds(20) })] });
    hall.at = seconds(21);
    expect(hall.codeOf({ type: 'place', account: 'ann', order: orderOf() })).toBe('market_already_closed');
  });

  it('pays out when the settlement timer has elapsed', () => {
    const hall = traded();
    hall.ask({ type: 'close', ticker: A });
    hall.ask(determine('yes'));
    expect(hall.exchange.nextDue()).toBe(START + fromSeconds(10));
    hall.wait(9);
    expect(statusOf(hall)).toBe('determined');
    hall.wait(1);
    expect(statusOf(hall)).toBe('finalized');
    expect(cashOf(hall, 'ann')).toBe(1_006_000_000);
    expect(cashOf(hall, 'bob')).toBe(994_000_000);
    expect(hall.exchange.ledger().locked).toBe(0);
  });

  it('never goes back', () => {
    const hall = new Hall();
    hall.wait(100);
    hall.at = START;
    hall.step({ type: 'tick' });
    expect(hall.exchange.now).toBe(seconds(100));
  });
});

describe('settlement', () => {
  it.each([
    { result: 'yes', value: null, ann: 1_006_000_000, bob: 994_000_000 },
    { result: 'no', value: null, ann: 996_000_000, bob: 1_004_000_000 },
    { result: 'scalar', value: 2537, ann: 998_537_000, bob: 1_001_463_000 },
    { result: 'scalar', value: 0, ann: 996_000_000, bob: 1_004_000_000 },
  ] as const)('of $result at $value pays each side exactly', ({ result, value, ann, bob }) => {
    const hall = traded();
    hall.ask({ type: 'close', ticker: A });
    hall.ask(determine(result, value));
    const { facts } = hall.step({ type: 'settle', ticker: A });
    expect([cashOf(hall, 'ann'), cashOf(hall, 'bob')]).toEqual([ann, bob]);
    expect(facts.map((fact) => ('account' in fact ? `${fact.type} ${fact.account}` : fact.type))).toEqual([
      'settlement bob',
      'settlement ann',
      'market',
      'ticker',
      'position bob',
      'position ann',
    ]);
    const [row] = hall.exchange.settlements('ann');
    expect(row).toMatchObject({ yesQty: contracts(10), yesCost: 4_000_000, noQty: 0, revenue: ann - 996_000_000 });
    expect(hall.exchange.position('ann', A)).toMatchObject({ qty: 0, cost: 0, realized: ann - 1_000_000_000 });
    hall.exchange.audit();
  });

  it('restarts its timer after a rejected dispute and after an amended result', () => {
    const hall = traded();
    hall.ask({ type: 'close', ticker: A });
    hall.ask(determine('yes'));
    hall.wait(5);
    hall.ask({ type: 'dispute', ticker: A });
    hall.wait(100);
    expect(statusOf(hall)).toBe('disputed');
    hall.ask({ type: 'uphold', ticker: A });
    hall.wait(5);
    hall.ask({ type: 'amend-result', ticker: A, result: 'no', settlementValue: null });
    hall.wait(9);
    expect(statusOf(hall)).toBe('amended');
    hall.wait(1);
    expect(statusOf(hall)).toBe('finalized');
    expect(cashOf(hall, 'bob')).toBe(1_004_000_000);
  });
});

describe('the operator', () => {
  it('halts a market, where orders may be canceled but not placed, and resumes it empty', () => {
    const hall = new Hall();
    const kept = hall.place('ann', { price: cents(40) });
    const dropped = hall.place('ann', { price: cents(41) });
    expect(hall.facts({ type: 'halt', ticker: A }, 'market')).toMatchObject([{ word: 'deactivated' }]);
    expect(hall.codeOf({ type: 'place', account: 'ann', order: orderOf() })).toBe('market_inactive');
    expect(hall.codeOf({ type: 'cancel', account: 'ann', orderId: dropped.orderId })).toBe('canceled');
    const { facts } = hall.step({ type: 'resume', ticker: A });
    expect(facts).toContainEqual(expect.objectContaining({ type: 'order', reason: 'HaltCancel' }));
    expect(facts).toContainEqual(expect.objectContaining({ type: 'market', word: 'activated' }));
    expect(hall.orderOf('ann', kept.orderId)?.status).toBe('canceled');
    expect(hall.place('ann').status).toBe('resting');
  });

  it('moves the close to a later time, which reopens a closed market', () => {
    const hall = new Hall({ markets: [definitionOf('A', { closeAt: seconds(20) })] });
    hall.wait(20);
    const { facts } = hall.step({ type: 'move-close', ticker: A, closeAt: seconds(60) });
    expect(facts.map((fact) => (fact.type === 'market' ? fact.word : fact.type))).toEqual([
      'close_date_updated',
      'activated',
    ]);
    hall.wait(39);
    expect(statusOf(hall)).toBe('active');
    hall.wait(1);
    expect(statusOf(hall)).toBe('closed');
  });

  it('closes early, which cancels the scheduled close', () => {
    const hall = new Hall();
    hall.ask({ type: 'move-close', ticker: A, closeAt: seconds(5) });
    hall.wait(5);
    expect(statusOf(hall)).toBe('closed');
    hall.ask(determine('no'));
    hall.wait(10_000);
    expect(statusOf(hall)).toBe('finalized');
  });

  it('pauses trading, which allows cancels, or the exchange, which allows nothing', () => {
    const hall = new Hall();
    const kept = hall.place('ann', { price: cents(40) });
    const fickle = hall.place('ann', { price: cents(41), cancelOnPause: true });
    hall.ask({ type: 'set-exchange', isActive: true, isTrading: false });
    expect(hall.orderOf('ann', fickle.orderId)?.status).toBe('canceled');
    expect(hall.codeOf({ type: 'place', account: 'ann', order: orderOf() })).toBe('trading_is_paused');
    hall.ask({ type: 'set-exchange', isActive: false, isTrading: false });
    expect(hall.codeOf({ type: 'cancel', account: 'ann', orderId: kept.orderId })).toBe('exchange_is_paused');
    expect(hall.codeOf({ type: 'cancel-all', account: 'ann', ticker: null })).toBe('exchange_is_paused');
    hall.ask({ type: 'set-exchange', isActive: true, isTrading: true });
    expect(hall.codeOf({ type: 'cancel', account: 'ann', orderId: kept.orderId })).toBe('canceled');
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
    const hall = new Hall();
    const codes = ops.map((op) => hall.codeOf(op));
    expect(codes.at(-1)).toBe(code);
    expect(codes.slice(0, -1).every((each) => each === 'done')).toBe(true);
    hall.exchange.audit();
  });

  it('resolves only one market of an exclusive group YES', () => {
    const hall = new Hall({ markets: [] });
    const group = eventTicker('CUP-26');
    hall.ask({
      type: 'define-group',
      group: { ticker: group, seriesTicker: seriesTicker('RAIN'), title: 'Cup', subtitle: '', isExclusive: true },
    });
    for (const name of ['A', 'B'])
      hall.ask({ type: 'define-market', market: definitionOf(name, { eventTicker: group }) });
    for (const name of ['A', 'B']) hall.ask({ type: 'close', ticker: ticker(name) });
    hall.ask(determine('yes'));
    const second: Op = { type: 'determine', ticker: ticker('B'), result: 'yes', settlementValue: null };
    expect(hall.codeOf(second)).toBe('invalid_parameters');
    expect(hall.codeOf({ ...second, result: 'no' })).toBe('done');
  });
});
