// The risk guard: its halts, its alarms, its reports and its counts. It must let nothing through that the limits
// forbid.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LimitOverride } from '../../src/domain/operator-order.ts';
import { cents, contracts, dollars, money, qty } from '../../src/domain/units.ts';
import { BEGIN, M0, MAKER, aHalt, aPlace, after } from '../support/engine/builders.ts';
import { OTHER, READY, GuardScene } from './guard-scene.ts';
import { runCount } from '../support/runner/property-runs.ts';

describe('trading too often', () => {
  it('halts the market and restarts the count after a resume', () => {
    const scene = new GuardScene({ limits: { fillsPerMinuteMax: 3 } });
    const scope = { type: 'market', ticker: 'M-0' };
    for (let i = 0; i < 3; i++) scene.trade({}, i % 2 === 0 ? MAKER : OTHER);
    expect(scene.halted).toEqual([]);
    scene.trade();
    expect(scene.halted).toEqual([{ scope, reason: '4 fills within a minute are above fillsPerMinuteMax 3' }]);
    expect(scene.alarms()).toEqual(['repeated-execution: M-0: 4 fills within a minute are above fillsPerMinuteMax 3']);
    scene.halts.liftHalts(scene.halted[0]!.scope);
    scene.trade().trade().trade();
    expect(scene.halted).toHaveLength(1);
  });

  it('halts a strategy by its own limit, counting only its own fills', () => {
    const scene = new GuardScene({ own: { contractsPerMinuteMax: contracts(10) } });
    scene.trade({ qty: contracts(50) }, OTHER);
    scene.trade({ qty: contracts(10) });
    expect(scene.halted).toEqual([]);
    scene.trade({ qty: qty(1) });
    expect(scene.halted).toEqual([
      {
        scope: { type: 'strategy', strategy: MAKER },
        reason: '10.01 contracts within a minute are above contractsPerMinuteMax 10',
      },
    ]);
  });

  it('is not found while every minute stays within the limit', () => {
    const scene = new GuardScene({ limits: { fillsPerMinuteMax: 2 } });
    for (let i = 0; i < 20; i++) scene.at(after(i * 30_000)).trade();
    expect(scene.halted).toEqual([]);
  });
});

describe('an alarm', () => {
  it('is raised when too many orders are rejected within a minute', () => {
    const scene = new GuardScene({ limits: { rejectsPerMinuteMax: 2 } });
    scene.reject().reject();
    expect(scene.alarms()).toEqual([]);
    scene.reject();
    expect(scene.alarms()).toEqual([
      'rejects-per-minute: 3 orders rejected within a minute, rejectsPerMinuteMax is 2: the last for no: never',
    ]);
    expect(scene.halted).toEqual([]);
  });

  it('is raised when a fee differs from the schedule, once a minute', () => {
    const scene = new GuardScene({ feeType: 'quadratic' });
    // 0.07 · 4 · 0.4 · 0.6 = 0.0672 dollars
    scene.trade({ liquidity: 'taker', fee: money(67_200) });
    scene.trade({ liquidity: 'maker', fee: money(0) });
    expect(scene.alarms()).toEqual([]);
    scene.trade({ liquidity: 'maker', fee: money(16_800) });
    scene.trade({ liquidity: 'maker', fee: money(16_800) });
    expect(scene.alarms()).toEqual(['fee-unexpected: M-0: a fill of 4 at 40¢ as maker was charged $0.0168, not $0.00']);
  });

  it('is raised once when the feed is silent, and again only after a new message', () => {
    const scene = new GuardScene({ limits: { bookAgeMsMax: 1000 } });
    scene.at(after(1000));
    expect(scene.alarms()).toEqual([]);
    scene.at(after(1300)).at(after(9000));
    expect(scene.alarms()).toEqual(['feed-age: the last message of the feed was 1300 ms ago, bookAgeMsMax is 1000']);
    scene.state.applyEvent({ kind: 'feed-heard', at: after(9500) }, []);
    scene.at(after(9500)).at(after(12_000));
    expect(scene.alarms()).toHaveLength(2);
  });

  it('is raised when the touch jumps; resting orders are canceled and new ones denied', () => {
    const scene = new GuardScene({ limits: { touchJumpMax: 1000, jumpPauseMs: 2000 } });
    const delta = { kind: 'book-delta', at: after(1500), exchangeAt: null, market: M0, side: 'bid' } as const;
    scene.state.applyEvent({ ...delta, price: cents(45), change: contracts(-50) }, []);
    scene.guard.onTouchChange(M0);
    scene.state.applyEvent({ ...delta, price: cents(10), change: contracts(50) }, []);
    scene.guard.onTouchChange(M0);
    expect(scene.alarms()).toEqual([
      'touch-jump: M-0: the mid jumped by 0.1750 without a trade, touchJumpMax is 0.1000',
    ]);
    expect(scene.check()).toBe('book-jumped');
    scene.guard.endStep();
    scene.guard.endStep();
    expect(scene.canceledMarkets).toEqual([M0]);
    scene.guard.onPrint(M0, cents(30));
    expect(scene.check()).toBeNull();
  });
});

describe('an override', () => {
  const raised = (over: Partial<LimitOverride> = {}): LimitOverride => ({
    limit: 'orderQtyMax',
    value: contracts(50),
    strategy: null,
    until: after(5000),
    reason: 'a big day',
    ...over,
  });
  const changes = (scene: GuardScene): string[] =>
    scene.notices.flatMap((notice) => (notice.type === 'override' ? [`${notice.change}: ${notice.why}`] : []));

  it('is reported when it begins and when it ends by itself at its time', () => {
    const scene = new GuardScene({ limits: { orderQtyMax: contracts(5) } });
    expect(scene.check()).toBe('order-qty-above-limit');
    scene.guard.applyOverride(raised(), BEGIN);
    expect(scene.guard.wakeAt()).toBe(after(5000));
    expect(scene.check()).toBeNull();
    scene.at(after(5000));
    expect(scene.check()).toBe('order-qty-above-limit');
    expect(scene.guard.wakeAt()).toBeNull();
    expect(changes(scene)).toEqual(['begun: a big day', 'ended: its time is over']);
  });

  it('is reported as ended when the operator sets the config’s own value again', () => {
    const scene = new GuardScene({ limits: { orderQtyMax: contracts(5) } });
    scene.guard.applyOverride(raised(), BEGIN);
    scene.guard.applyOverride(raised({ value: contracts(5), until: after(1000), reason: 'enough' }), BEGIN);
    expect(changes(scene)).toEqual(['begun: a big day', 'ended: enough']);
    expect(scene.notices.at(-1)).toMatchObject({ override: raised() });
    expect(scene.check()).toBe('order-qty-above-limit');
    expect(scene.guard.wakeAt()).toBeNull();
  });

  it('that is invalid is reported as refused and changes nothing', () => {
    const scene = new GuardScene({ limits: { orderQtyMax: contracts(5) } });
    scene.guard.applyOverride(raised({ limit: 'luck' }), BEGIN);
    expect(changes(scene)).toEqual(['refused: there is no limit "luck"']);
    expect(scene.check()).toBe('order-qty-above-limit');
  });

  it('continues after a restart for the time that is left', () => {
    const overrides = [raised(), raised({ limit: 'closeGuardMs', until: BEGIN })];
    const scene = new GuardScene({ limits: { orderQtyMax: contracts(5) }, carried: { overrides } });
    expect(changes(scene)).toEqual(['begun: a big day']);
    expect(scene.check()).toBeNull();
  });
});

describe('closing for the operator', () => {
  const flatten = (scene: GuardScene, over: Parameters<typeof aPlace>[0]) =>
    scene.guard.checkFlatten(aPlace({ timeInForce: 'ioc', reduceOnly: true, ...over }), READY)?.code ?? null;

  it('passes halts, rates and exposure limits, and may only close', () => {
    const scene = new GuardScene({ limits: { groupCostMax: dollars(0), ordersPerSecondMax: 0, workingOrdersMax: 0 } });
    scene.trade({ qty: contracts(10) });
    scene.halts.addHalt(aHalt({ scope: { type: 'account' } }));
    expect(scene.check({ side: 'sell', price: cents(45) })).toBe('halted');
    expect(flatten(scene, { side: 'sell', price: cents(45), qty: contracts(10) })).toBeNull();
    expect(flatten(scene, { side: 'sell', price: cents(45), qty: contracts(11) })).toBe('not-closing');
    expect(flatten(scene, { side: 'buy', price: cents(55), qty: contracts(1) })).toBe('not-closing');
  });

  it('needs a live book and a price near the market’s', () => {
    const scene = new GuardScene({ limits: { priceDistanceMax: 1000 } });
    scene.trade({ qty: contracts(10) });
    expect(flatten(scene, { side: 'sell', price: cents(39), qty: contracts(10) })).toBe('price-too-far');
    const small = new GuardScene({ limits: { orderQtyMax: contracts(5) } }).trade({ qty: contracts(10) });
    expect(flatten(small, { side: 'sell', price: cents(45), qty: contracts(6) })).toBe('order-qty-above-limit');
    scene.state.books.distrust(M0);
    expect(flatten(scene, { side: 'sell', price: cents(45), qty: contracts(10) })).toBe('book-not-live');
  });
});

describe('any stream of intents', () => {
  const aStep = fc.record({
    waitMs: fc.oneof(fc.nat(30), fc.nat(900)),
    strategy: fc.constantFrom(MAKER, OTHER),
    isCancel: fc.boolean(),
  });
  const MAX = { account: 5, own: 3, messages: 40 };

  it('keeps to the rate limits in every window, by account and by strategy, and counts no denied order', () => {
    let denied = 0;
    fc.assert(
      fc.property(fc.array(aStep, { minLength: 20, maxLength: 150, size: 'max' }), (steps) => {
        const scene = new GuardScene({
          limits: { ordersPerSecondMax: MAX.account, messagesPerMinuteMax: MAX.messages },
          own: { ordersPerSecondMax: MAX.own },
        });
        const orders: { readonly at: number; readonly strategy: string }[] = [];
        const cancels: number[] = [];
        let now = 0;
        for (const { waitMs, strategy, isCancel } of steps) {
          now += waitMs;
          scene.at(after(now));
          if (isCancel) {
            scene.guard.countCancel(strategy);
            cancels.push(now);
            continue;
          }
          const within = (windowMs: number) => orders.filter(({ at }) => at > now - windowMs);
          const mayGo =
            within(1000).length < MAX.account &&
            (strategy === OTHER || within(1000).filter((order) => order.strategy === MAKER).length < MAX.own) &&
            within(60_000).length + cancels.filter((at) => at > now - 60_000).length < MAX.messages;
          const code = scene.check({ strategy });
          expect(code === null).toBe(mayGo);
          denied += code === null ? 0 : 1;
          if (code !== null) continue;
          scene.guard.countOrder(strategy);
          orders.push({ at: now, strategy });
        }
      }),
      { numRuns: runCount(40) },
    );
    expect(denied).toBeGreaterThan(100);
  });
});
