// A session's activity, counted from its notices by strategy and by reason.
import { describe, expect, it } from 'vitest';
import { strategyName } from '../../../src/domain/ids.ts';
import { FLAT } from '../../../src/domain/position.ts';
import { cents, contracts, dollars, money, qty } from '../../../src/domain/units.ts';
import { SessionTally } from '../../../src/runtime/session/session-tally.ts';
import { Orders } from '../../../src/state/account/orders.ts';
import { M0, MAKER, aFill, aHalt, aMarket, aPlace } from '../../support/engine/builders.ts';

const TAKER = strategyName('taker');
const intent = { type: 'place', market: M0, side: 'buy', price: cents(40), qty: contracts(10) } as const;
const order = { ...new Orders().addOrder(aPlace(), 'test') };

describe('the tally', () => {
  it('has every strategy of the session from the beginning', () => {
    expect(new SessionTally([MAKER, TAKER]).strategies().map(({ name, orders }) => [name, orders])).toEqual([
      ['maker', 0],
      ['taker', 0],
    ]);
  });

  it('counts orders, fills, contracts and fees for their strategy, exactly', () => {
    const tally = new SessionTally([MAKER, TAKER]);
    tally.countNotice({ type: 'approved', strategy: MAKER, intent, clientOrderId: order.clientOrderId });
    for (let i = 0; i < 3; i++)
      tally.countNotice({ type: 'fill', fill: aFill({ qty: qty(133), fee: money(333_333) }), order, position: FLAT });
    expect(tally.strategyTally(MAKER)).toMatchObject({ orders: 1, fills: 3, filledQty: 399, fees: 999_999 });
    expect(tally.strategyTally(TAKER)).toMatchObject({ orders: 0, fills: 0, filledQty: 0, fees: 0 });
  });

  it('attributes a fill of an unknown order to no strategy', () => {
    const tally = new SessionTally([MAKER]);
    tally.countNotice({ type: 'fill', fill: aFill(), order: null, position: FLAT });
    expect(tally.strategyTally(MAKER).fills).toBe(0);
  });

  it('counts denials by code', () => {
    const tally = new SessionTally([MAKER]);
    const short = { code: 'cash-short', needed: dollars(2), available: dollars(1) } as const;
    for (const denial of [short, { code: 'stopping' } as const, short])
      tally.countNotice({ type: 'denied', strategy: MAKER, intent, denial });
    expect([...tally.strategyTally(MAKER).denials]).toEqual([
      ['cash-short', 2],
      ['stopping', 1],
    ]);
  });

  it.each(['canceled', 'rejected', 'unknown'] as const)('counts an order that is %s', (state) => {
    const tally = new SessionTally([MAKER]);
    tally.countNotice({ type: 'order', order: { ...order, state }, from: 'working', to: state, why: 'test' });
    // Notices arrive after the fact: an order that one answer moves twice has its final state in the first notice.
    tally.countNotice({ type: 'order', order: { ...order, state }, from: 'in-flight', to: 'working', why: 'test' });
    const none = { canceled: 0, rejected: 0, unknown: 0 };
    expect(tally.strategyTally(MAKER)).toMatchObject({ ...none, [state]: 1 });
  });

  it('records what halted a strategy', () => {
    const tally = new SessionTally([MAKER, TAKER]);
    const scope = { type: 'strategy', strategy: TAKER } as const;
    tally.countNotice({ type: 'halt', halt: aHalt({ scope }), isCarried: false });
    expect(tally.strategies().map(({ haltedBy }) => haltedBy)).toEqual([null, 'Error: boom']);
    tally.countNotice({ type: 'resumed', scope, reason: 'mended', lifted: [aHalt({ scope })] });
    expect(tally.strategies().map(({ haltedBy }) => haltedBy)).toEqual([null, null]);
  });

  it('counts what belongs to no strategy for the whole session', () => {
    const tally = new SessionTally([MAKER]);
    tally.countNotice({ type: 'rate-limited', budget: 'trade', retryAfter: null });
    tally.countNotice({ type: 'rate-limited', budget: 'read', retryAfter: null });
    tally.countNotice({ type: 'rate-limited', budget: 'trade', retryAfter: null });
    tally.countNotice({ type: 'read-failed', what: 'orders', reason: 'status 500', isRefused: false });
    tally.countNotice({ type: 'settled', market: aMarket(0), held: contracts(1), paid: dollars(1) });
    tally.countNotice({ type: 'settled', market: aMarket(1), held: contracts(2), paid: money(1_500_000) });
    tally.countNotice({ type: 'cash-drift', ours: dollars(1), theirs: dollars(2) });
    tally.countNotice({ type: 'position-drift', market: M0, ours: qty(1), theirs: qty(2) });
    expect(tally).toMatchObject({
      rateLimited: { read: 1, trade: 2 },
      readFailures: 1,
      settlements: 2,
      settledMoney: 2_500_000,
      drifts: 2,
    });
  });
});
