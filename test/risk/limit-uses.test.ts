// The use of each limit: the figure that its rule compares, for the account and for a strategy's own limits.
import { describe, expect, it } from 'vitest';
import { clientOrderId } from '../../src/domain/ids.ts';
import { cents, contracts, dollars, fromSeconds, qty } from '../../src/domain/units.ts';
import type { LimitUse } from '../../src/risk/limit-uses.ts';
import { RISK_LIMITS } from '../../src/risk/risk-limits.ts';
import { BEGIN, M0, MAKER, aPlace, after } from '../support/engine/builders.ts';
import { GuardScene, READY } from './guard-scene.ts';

/** The uses by limit: of the account, or of the strategy. */
const usesOf = ({ guard }: GuardScene, strategy: typeof MAKER | null = null): Record<string, LimitUse> =>
  Object.fromEntries(guard.limitUses().flatMap((use) => (use.strategy === strategy ? [[use.limit, use]] : [])));

/** Rests an order of the strategy. */
function rest(scene: GuardScene, over: Partial<Parameters<typeof aPlace>[0]> = {}): void {
  const place = aPlace({ clientOrderId: clientOrderId(`o-${scene.state.orders.openCount}`), ...over });
  scene.state.orders.addOrder(place, '');
  scene.guard.countOrder(place.strategy);
}

describe('the uses of limits', () => {
  it('of orders are the largest order, its cost, the position it may reach, and its distance from the mid', () => {
    const scene = new GuardScene();
    rest(scene, { qty: contracts(4), price: cents(52) });
    rest(scene, { qty: contracts(10), price: cents(30) });
    const uses = usesOf(scene);
    expect(uses['orderQtyMax']).toMatchObject({ used: contracts(10), subject: M0, unit: 'contracts' });
    expect(uses['orderCostMax']).toMatchObject({ used: dollars(3), subject: M0, unit: 'dollars' });
    expect(uses['positionQtyMax']).toMatchObject({ used: contracts(14), subject: M0 });
    expect(uses['priceDistanceMax']).toMatchObject({ used: 200, subject: M0, unit: 'distance' });
    expect(uses['marketCostMax']).toMatchObject({ used: dollars(5.08), subject: M0 });
    expect(uses['groupCostMax']).toMatchObject({ used: dollars(5.08), subject: 'EVENT' });
    expect(uses['accountCostMax']).toMatchObject({ used: dollars(5.08), subject: null });
    expect(uses['workingOrdersMax']).toMatchObject({ used: 2 });
    expect(uses['ordersPerSecondMax']).toMatchObject({ used: 2 });
  });

  it('of losses are those of the day and from the peak; a profit uses nothing', () => {
    const scene = new GuardScene({ limits: { dailyLossMax: dollars(50), drawdownMax: dollars(60), lossStreakMax: 5 } });
    scene.trade({ qty: contracts(10), price: cents(55) }).at(after(300));
    expect(usesOf(scene)['dailyLossMax']).toMatchObject({ used: dollars(1), allowed: dollars(50) });
    scene.book(70, 72, after(600)).at(after(900));
    expect(usesOf(scene)['dailyLossMax']).toMatchObject({ used: 0 });
    scene.book(50, 52, after(1200)).at(after(1500));
    expect(usesOf(scene)).toMatchObject({ dailyLossMax: { used: dollars(0.5) }, drawdownMax: { used: dollars(2) } });
    scene.trade({ side: 'sell', qty: contracts(10), price: cents(50) }).at(after(1800));
    expect(usesOf(scene)['lossStreakMax']).toMatchObject({ used: 1, allowed: 5 });
  });

  it('of fills and rejects are those of the last minute', () => {
    const limits = { fillsPerMinuteMax: 9, contractsPerMinuteMax: contracts(90), rejectsPerMinuteMax: 9 };
    const scene = new GuardScene({ limits });
    scene
      .trade()
      .trade({ qty: contracts(5) })
      .reject();
    expect(usesOf(scene)).toMatchObject({
      fillsPerMinuteMax: { used: 2, subject: M0 },
      contractsPerMinuteMax: { used: contracts(9), subject: M0 },
      rejectsPerMinuteMax: { used: 1 },
    });
    scene.at(after(61_000));
    expect(usesOf(scene)).toMatchObject({ fillsPerMinuteMax: { used: 0 }, rejectsPerMinuteMax: { used: 0 } });
  });

  it('of a strategy are its own limits alone, and what is left of its capital', () => {
    const scene = new GuardScene({
      own: { workingOrdersMax: 3, groupCostMax: dollars(7), drawdownMax: dollars(3) },
      capital: dollars(20),
    });
    rest(scene, { qty: contracts(10), price: cents(40) });
    scene.trade({ qty: contracts(10), price: cents(55) }).at(after(300));
    expect(usesOf(scene, MAKER)).toEqual({
      groupCostMax: expect.objectContaining({ used: dollars(9.5), subject: 'EVENT', allowed: dollars(7) }),
      drawdownMax: expect.objectContaining({ used: dollars(1), allowed: dollars(3) }),
      workingOrdersMax: expect.objectContaining({ used: 1, allowed: 3, isOverridden: false }),
      capital: expect.objectContaining({ used: dollars(9.5), allowed: dollars(20) }),
    });
  });

  it('show an override while it is in force', () => {
    const scene = new GuardScene({ limits: { workingOrdersMax: 5 } });
    const until = fromSeconds(1060);
    scene.guard.applyOverride({ limit: 'workingOrdersMax', value: 9, strategy: null, until, reason: 'test' }, BEGIN);
    expect(usesOf(scene)['workingOrdersMax']).toMatchObject({ allowed: 9, isOverridden: true });
    scene.at(after(61_000));
    expect(usesOf(scene)['workingOrdersMax']).toMatchObject({ allowed: 5, isOverridden: false });
  });

  it('are exact: one order more is denied where the use has reached what is allowed', () => {
    const scene = new GuardScene({ limits: { positionQtyMax: contracts(14) } });
    rest(scene, { qty: contracts(14), price: cents(30) });
    const use = usesOf(scene)['positionQtyMax'];
    expect(use?.used).toBe(use?.allowed);
    expect(scene.guard.check(aPlace({ qty: contracts(1), price: cents(30) }), READY)?.code).toBe(
      'position-above-limit',
    );
    expect(scene.check({ qty: qty(0) })).toBe('order-qty-invalid');
  });

  it('leave what a rule decides as it was', () => {
    const [read, unread] = [new GuardScene(), new GuardScene()];
    for (const scene of [read, unread]) {
      scene.trade({ qty: contracts(10), price: cents(55) });
      scene.book(20, 80, after(100));
      if (scene === read) usesOf(scene);
      scene.state.books.distrust(M0);
      scene.at(after(600));
    }
    expect(read.guard.lossFigures).toEqual(unread.guard.lossFigures);
    expect(read.guard.checkedEquity).toBe(unread.guard.checkedEquity);
  });

  it('name every limit that can be used up, in the order of the table', () => {
    const limits = { spreadMax: 500, touchJumpMax: 500, messagesPerMinuteMax: 9, rejectsPerMinuteMax: 9 };
    const optional = { fillsPerMinuteMax: 9, contractsPerMinuteMax: contracts(9), lossStreakMax: 9 };
    const scene = new GuardScene({ limits: { ...limits, ...optional } });
    const bounds = ['priceMin', 'priceMax', 'bookAgeMsMax', 'closeGuardMs', 'jumpPauseMs', 'duplicateWindowMs'];
    const usable = RISK_LIMITS.map(({ name }) => name).filter((name) => !bounds.includes(name));
    expect(Object.keys(usesOf(scene))).toEqual(usable);
  });
});
