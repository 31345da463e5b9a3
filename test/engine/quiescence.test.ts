// The knowledge that the engine has nothing to do. It must never skip anything that was due, nor remember a wrong
// wake-up time.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../src/domain/event.ts';
import { type Money, type Price, cents, contracts, dollars, micros } from '../../src/domain/units.ts';
import { IDLE_STEP } from '../../src/engine.ts';
import { Quiescence } from '../../src/engine/quiescence.ts';
import { aMarket, wideLimits } from '../support/engine/builders.ts';
import { MARKETS, type Storm, aStorm, endFaults, runStorm } from '../support/engine/storm.ts';
import { EngineHarness, aQuote, aStrategy } from '../support/engine/engine-harness.ts';
import { runCount } from '../support/runner/property-runs.ts';

interface Setting {
  readonly storm: Storm;
  /**
   * The move of the mid, in ten-thousandths of a dollar, at which the strategy quotes again: most deltas get no answer.
   */
  readonly moved: number;
  readonly touchJumpMax: number | null;
  readonly dailyLossMax: Money;
  /** Requests per second; with few, orders wait. */
  readonly requests: number;
  readonly isFeedLossless: boolean;
}

const aSetting: fc.Arbitrary<Setting> = fc.record({
  storm: aStorm,
  moved: fc.constantFrom(1, 100, 300),
  touchJumpMax: fc.constantFrom(null, 50, 200),
  dailyLossMax: fc.constantFrom(0.05, 0.3, 1000).map((amount) => dollars(amount)),
  requests: fc.constantFrom(14, 1000),
  isFeedLossless: fc.boolean(),
});

/** A strategy that quotes around the mid when it has moved, and sets a timer to wake itself. */
function quiet(moved: number) {
  const middles = new Map<number, number>();
  return aStrategy({
    onBook({ market, at }, view) {
      const { bestBid, bestAsk } = view.book(market);
      if (bestBid === null || bestAsk === null) return undefined;
      const middle = bestBid + bestAsk;
      if (Math.abs(middle - (middles.get(market) ?? Infinity)) < moved) return undefined;
      middles.set(market, middle);
      const levelAt = (price: Price) => ({ price, qty: contracts(3) });
      const quote = aQuote({ market, bid: levelAt(bestBid), ask: levelAt(bestAsk) });
      return [quote, { type: 'timer', name: `${market}`, at: micros(at + 7000) }];
    },
  });
}

function worldOf({ moved, touchJumpMax, dailyLossMax, requests, isFeedLossless }: Setting): EngineHarness {
  const budget = { limit: { model: 'rolling-window', count: requests, windowMs: 1000 }, guardMs: 0 } as const;
  return new EngineHarness({
    strategies: [quiet(moved)],
    markets: Array.from({ length: MARKETS }, (_, number) => aMarket(number)),
    engine: {
      isFeedLossless,
      limits: wideLimits({ touchJumpMax, jumpPauseMs: 50, dailyLossMax, positionQtyMax: contracts(20) }),
      budgets: { read: { ...budget, limit: { ...budget.limit, count: 40 } }, trade: budget },
    },
  });
}

describe('the remembered wake-up time', () => {
  it('the remembered wake-up time equals the computed one, and nothing that could leave is left waiting', () => {
    let [steps, remembered] = [0, 0];
    fc.assert(
      fc.property(aSetting, (setting) => {
        const survivor = worldOf(setting);
        const { engine } = survivor;
        const step = engine.step.bind(engine);
        engine.step = (event) => {
          const before = engine.wakeAt();
          const out = step(event);
          const [wakeAt, now] = [engine.wakeAt(), engine.state.now];
          expect(wakeAt).toBe(engine.computeWakeAt());
          const stirsAt = engine.planner.wakeAt(now);
          if (engine.planner.isIdle(now) && stirsAt !== null) expect(stirsAt).toBeGreaterThan(now);
          steps += 1;
          if (event.kind === 'book-delta' && wakeAt !== null && wakeAt === before) remembered += 1;
          return out;
        };
        survivor.startTrading();
        runStorm(survivor, setting.storm);
        endFaults(survivor);
      }),
      { numRuns: runCount(30) },
    );
    expect(remembered).toBeGreaterThan(100);
    expect(steps).toBeGreaterThan(remembered * 2);
  });
});

describe('a book delta that requires no work', () => {
  it('a step that is declared idle would have sent nothing: an engine without idle steps gives the same commands', () => {
    let [changes, skipped] = [0, 0];
    fc.assert(
      fc.property(aSetting, (setting) => {
        const harness = worldOf(setting);
        const [events, commands]: [EngineEvent[], string[]] = [[], []];
        const step = harness.engine.step.bind(harness.engine);
        harness.engine.step = (event) => {
          events.push({ ...event });
          const before = harness.engine.wakeAt();
          const out = step(event);
          commands.push(JSON.stringify(out));
          if (event.kind === 'book-delta') changes += 1;
          if (out !== IDLE_STEP) return out;
          skipped += 1;
          expect(harness.engine.wakeAt()).toBe(before);
          expect(harness.engine.computeWakeAt()).toBe(before);
          return out;
        };
        harness.startTrading();
        runStorm(harness, setting.storm);
        endFaults(harness);
        // An engine whose `wakeAt` is never called never knows that nothing is due.
        const never = worldOf(setting).engine;
        const repeated = events.map((event) => {
          const out = never.step(event);
          expect(out).not.toBe(IDLE_STEP);
          return JSON.stringify(out);
        });
        expect(repeated).toEqual(commands);
      }),
      { numRuns: runCount(40) },
    );
    expect(skipped).toBeGreaterThan(100);
    expect(changes).toBeGreaterThan(skipped * 1.2);
  });
});

/** A harness whose strategy says nothing; and the result of a change of depth in its first book after some time. */
function atRest(handlers: Parameters<typeof aStrategy>[0] = {}, limits: Parameters<typeof wideLimits>[0] = {}) {
  const harness = new EngineHarness({
    strategies: [aStrategy(handlers)],
    engine: { limits: wideLimits(limits) },
  }).startTrading();
  return harness;
}

const depthAfter = (harness: EngineHarness, after: number, cent = 30) => {
  const at = micros(harness.now + after);
  const delta = {
    kind: 'book-delta',
    at,
    exchangeAt: null,
    market: aMarket(0).index,
    side: 'bid',
    price: cents(cent),
    change: contracts(1),
  } as const;
  return harness.engine.step(delta);
};

describe('an idle engine', () => {
  it('an idle engine knows for a while that nothing is due, after a call of `wakeAt`', () => {
    const harness = atRest();
    harness.step({ kind: 'timer', at: harness.now });
    expect(depthAfter(harness, 1)).not.toBe(IDLE_STEP);
    const wakeAt = harness.engine.wakeAt();
    expect(wakeAt).toBeGreaterThan(harness.now + 2);
    expect(depthAfter(harness, 2)).toBe(IDLE_STEP);
    // Losses are checked again after a quarter of a second, and nothing is found. Everything else is done when due.
    expect(depthAfter(harness, 250_001)).toBe(IDLE_STEP);
    expect(depthAfter(harness, (wakeAt ?? 0) - harness.now)).not.toBe(IDLE_STEP);
  });

  it('an idle engine cancels at once when a jump of the book puts quotes in doubt', () => {
    let isDone = false;
    const harness = atRest(
      {
        onBook({ market }, view) {
          isDone ||= view.orders(market).length > 0;
          return isDone ? undefined : [aQuote({ market, ask: null })];
        },
      },
      { touchJumpMax: cents(2), jumpPauseMs: 1000 },
    );
    harness.run(50);
    expect(harness.engine.state.orders.openCount).toBe(1);
    harness.engine.wakeAt();
    expect(depthAfter(harness, 1)).toBeDefined();
    harness.engine.wakeAt();
    expect(depthAfter(harness, 2, 52).map(({ type }) => type)).toEqual(['cancel']);
  });
});

/** Something that happens to an engine: it changes what is due, and reports as the engine does. */
type Act =
  | { readonly type: 'event'; readonly wakeIn: number | null; readonly isPlannerIdle: boolean; readonly workIn: number }
  | { readonly type: 'release'; readonly wakeIn: number | null }
  | { readonly type: 'delta' }
  | { readonly type: 'ask' }
  | { readonly type: 'pass'; readonly time: number };

const aTime = fc.integer({ min: 1, max: 40 });
const anAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    type: fc.constant('event' as const),
    wakeIn: fc.option(aTime),
    isPlannerIdle: fc.boolean(),
    workIn: aTime,
  }),
  fc.record({ type: fc.constant('release' as const), wakeIn: fc.option(aTime) }),
  fc.constant({ type: 'delta' as const }),
  fc.constant({ type: 'ask' as const }),
  fc.record({ type: fc.constant('pass' as const), time: aTime }),
);

describe('the knowledge that nothing is due', () => {
  it('never outlives the wake-up time, the check of risk or a planner that may send', () => {
    let idle = 0;
    fc.assert(
      fc.property(fc.array(anAct, { size: 'max', maxLength: 60 }), (acts) => {
        let [now, wakeAt, isPlannerIdle, isAllSent] = [micros(0), null as number | null, false, false];
        const risk = { workDueAt: 0 };
        const computeWakeAt = () => (wakeAt === null ? null : micros(Math.max(now, wakeAt)));
        const quiescence = new Quiescence({ planner: { isIdle: () => isPlannerIdle }, risk, computeWakeAt });
        const setWake = (wakeIn: number | null): void => void (wakeAt = wakeIn === null ? null : now + wakeIn);
        for (const act of acts) {
          if (act.type === 'pass') now = micros(now + act.time);
          if (act.type === 'ask') quiescence.wakeAt(now);
          if (act.type === 'event') {
            quiescence.discardAll();
            [isPlannerIdle, isAllSent, risk.workDueAt] = [act.isPlannerIdle, false, now + act.workIn];
            setWake(act.wakeIn);
          }
          if (act.type === 'release') {
            quiescence.onRelease();
            [isPlannerIdle, isAllSent] = [true, true];
            setWake(act.wakeIn);
          }
          if (act.type === 'delta' && !quiescence.isIdleAt(now)) {
            quiescence.endIdleness();
            if (quiescence.hasNothingToSend(now)) quiescence.onIdleStep();
          }
          expect(quiescence.hasNothingToSend(now)).toBe(isAllSent && isPlannerIdle);
          if (!quiescence.isIdleAt(now)) continue;
          idle += 1;
          expect(isAllSent && isPlannerIdle).toBe(true);
          expect(now).toBeLessThan(Math.min(wakeAt ?? Infinity, risk.workDueAt));
          expect(quiescence.wakeAt(now)).toBe(computeWakeAt());
        }
      }),
      { numRuns: runCount(200) },
    );
    expect(idle).toBeGreaterThan(100);
  });
});
