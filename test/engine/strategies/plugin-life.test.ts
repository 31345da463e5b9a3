// The life of a plugin in the whole engine: saved state, halts at fault, and the same results from the same events.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { strategyName } from '../../../src/domain/ids.ts';
import { NOTHING_RESTORED } from '../../../src/domain/operator-order.ts';
import type { Intent } from '../../../src/domain/intent.ts';
import { cents, contracts, micros } from '../../../src/domain/units.ts';
import { defineStrategy } from '../../../src/strategy/define-strategy.ts';
import type { BoundStrategy, Handlers } from '../../../src/strategy/strategy-definition.ts';
import { M0 } from '../../support/engine/builders.ts';
import { EngineHarness, aQuote, aStrategy, quoter } from '../../support/engine/engine-harness.ts';

const KEPT = z.strictObject({ fills: z.int(), books: z.int().default(0) });
type Kept = z.output<typeof KEPT>;

/** A strategy that counts its fills, saves the count, and quotes. */
const counting = (over: Partial<{ save: () => Kept; onBook: NonNullable<Handlers['onBook']> }> = {}) =>
  defineStrategy<object, Kept>({
    name: 'counting',
    params: z.strictObject({}),
    saved: KEPT,
    setup: () => {
      let kept: Kept = { fills: 0, books: 0 };
      return {
        ...quoter(),
        onFill: () => void (kept = { ...kept, fills: kept.fills + 1 }),
        save: () => kept,
        restore: (saved) => void (kept = saved),
        ...over,
      };
    },
  }).bind(strategyName('counting'), {});

const begin = (harness: EngineHarness, saved: Readonly<Record<string, unknown>>): EngineHarness => {
  harness.step({ kind: 'start', at: harness.now, session: 's', carried: { ...NOTHING_RESTORED, saved } });
  harness.venue.feedUp();
  return harness.run(50);
};
const kept = (harness: EngineHarness): unknown[] => harness.noticesOf('saved').map(({ json }) => JSON.parse(json));

describe('saved state of a strategy', () => {
  it('saved state is reported after a fill, only when it changed, and is restored before the next session starts', () => {
    const harness = new EngineHarness({ strategies: [counting()] }).startTrading();
    harness.run(3000);
    expect(kept(harness)).toEqual([{ fills: 0, books: 0 }]);
    const [bid] = harness.venue.resting();
    harness.venue.tradeOrder(bid!, 200);
    harness.run(1);
    expect(kept(harness).at(-1)).toEqual({ fills: 1, books: 0 });
    harness.run(3000).stop();
    expect(kept(harness)).toHaveLength(2);

    const next = begin(new EngineHarness({ strategies: [counting()] }), { counting: kept(harness).at(-1), nobody: 3 });
    const [again] = next.venue.resting();
    next.venue.tradeOrder(again!, 200);
    next.run(1);
    expect(kept(next).at(-1)).toEqual({ fills: 2, books: 0 });
  });

  it('saved state is restored before any other callback, and only where there is some', () => {
    const asked: string[] = [];
    const handlers: Handlers = {
      onStart: () => void asked.push('start'),
      onMarket: ({ before }) => void (before ?? asked.push('market')),
    };
    const keeping = {
      schema: KEPT,
      save: () => ({ fills: 0, books: 0 }),
      restore: (saved: unknown) => void asked.push(`restore ${JSON.stringify(saved)}`),
    };
    const one = (): EngineHarness =>
      new EngineHarness({ strategies: [{ ...aStrategy(handlers, 'one'), persistence: keeping }] });
    begin(one(), { one: { fills: 3 }, two: 4 });
    expect(asked).toEqual(['restore {"fills":3}', 'start', 'market']);
    asked.length = 0;
    begin(one(), { two: 4, constructor: 5 });
    expect(asked).toEqual(['start', 'market']);
  });

  it('state is saved after a settlement', () => {
    const strategy = counting();
    let settled = 0;
    const handlers = { ...strategy.handlers, onSettled: () => void (settled += 1) };
    const keeping = { ...strategy.persistence!, save: () => ({ fills: 0, books: settled }) };
    const harness = new EngineHarness({ strategies: [{ ...strategy, handlers, persistence: keeping }] }).startTrading();
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 200);
    harness.run(500);
    harness.venue.settleMarket(M0, cents(100));
    harness.run(2);
    expect(kept(harness).at(-1)).toEqual({ fills: 0, books: 1 });
  });

  it('state is saved at the stop, whatever was called before', () => {
    let books = 0;
    const harness = new EngineHarness({
      strategies: [counting({ save: () => ({ fills: 0, books: (books += 1) }) })],
    }).startTrading();
    const countBefore = kept(harness).length;
    harness.step({ kind: 'stop', at: harness.now, reason: 'test' });
    expect(kept(harness)).toHaveLength(countBefore + 1);
  });

  it('state is saved each second, and not when no callback ran since', () => {
    let saves = 0;
    const save = (): Kept => ({ fills: (saves += 1), books: 0 });
    const harness = new EngineHarness({ strategies: [counting({ save, onBook: () => undefined })] }).startTrading();
    harness.run(1500);
    const asked = saves;
    harness.run(5000);
    expect(saves).toBe(asked);
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(1500);
    expect(saves).toBe(asked + 1);
  });

  it.each([
    [
      'does not fit',
      () => ({ fills: 'many' }) as unknown as Kept,
      'fills: Invalid input: expected number, received string',
    ],
    ['throws', (): Kept => JSON.parse('{'), 'SyntaxError'],
    ['is no JSON', () => ({ fills: Number.NaN }) as Kept, 'fills: Invalid input'],
  ])('state that %s halts the strategy alone, and its orders are canceled', (_, save, reason) => {
    const other = { bid: { price: cents(35), qty: contracts(2) }, ask: null };
    let isBad = false;
    const saving = (): Kept => (isBad ? save() : { fills: 0, books: 0 });
    const harness = new EngineHarness({
      strategies: [counting({ save: saving }), aStrategy(quoter(other), 'sound')],
    }).startTrading();
    harness.run(1500);
    expect(harness.venue.resting()).toHaveLength(3);
    isBad = true;
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(1500);
    const [halt] = harness.noticesOf('halt');
    expect(halt?.halt).toMatchObject({ scope: { type: 'strategy', strategy: 'counting' }, by: 'fault' });
    expect(halt?.halt.reason).toContain('its state cannot be saved: ');
    expect(halt?.halt.reason).toContain(reason);
    expect(harness.venue.resting().map(({ report }) => report.price)).toEqual([cents(35)]);
    expect(kept(harness)).toEqual([{ fills: 0, books: 0 }]);
  });

  it('state that would not be restored equal, or is too long, is not saved', () => {
    const loose = (saved: unknown): EngineHarness => {
      const definition = defineStrategy<object, unknown>({
        name: 'loose',
        params: z.strictObject({}),
        saved: z.custom((value) => value instanceof Date || typeof value === 'string'),
        setup: () => ({ save: () => saved, restore: () => undefined }),
      });
      return new EngineHarness({ strategies: [definition.bind(strategyName('loose'), {})] }).startTrading().run(1500);
    };
    const reasons = (harness: EngineHarness): string[] => harness.noticesOf('halt').map(({ halt }) => halt.reason);
    expect(reasons(loose('x'.repeat(999_998)))).toEqual([]);
    expect(reasons(loose('x'.repeat(999_999)))).toEqual([
      'its state cannot be saved: expected at most 1000000 characters of JSON, found 1000001',
    ]);
    expect(reasons(loose({ toJSON: () => 3 }))[0]).toContain('its state cannot be saved: ');
  });

  it('state that cannot be restored halts the strategy, and is never overwritten', () => {
    const strategy = counting();
    const restore = (): void => {
      throw new Error('made by another version');
    };
    const keeping = { ...strategy.persistence!, restore };
    const harness = begin(
      new EngineHarness({ strategies: [{ ...strategy, persistence: keeping }, aStrategy(quoter(), 'sound')] }),
      {
        counting: { fills: 3, books: 0 },
      },
    );
    expect(harness.noticesOf('halt').map(({ halt }) => halt.reason)).toEqual([
      expect.stringMatching(
        /^its saved state cannot be restored: Error: made by another version \(plugin-life\.test\.ts:\d+\)$/,
      ),
    ]);
    harness.step({
      kind: 'operator',
      at: harness.now,
      order: { type: 'resume', scope: { type: 'strategy', strategy: strategy.name }, reason: 'looked at' },
    });
    harness.run(3000).stop();
    expect(kept(harness)).toEqual([]);
    expect(harness.engine.state.orders.allOpen()).toEqual([]);
  });
});

/** A harness that records the events that enter its engine and the commands that leave it. */
class Remembering extends EngineHarness {
  readonly events: EngineEvent[] = [];
  readonly left: string[] = [];

  override step(event: EngineEvent): void {
    this.events.push(event);
    const before = this.sent.length;
    super.step(event);
    this.left.push(JSON.stringify(this.sent.slice(before).map(({ command }) => command)));
  }
}

describe('the same events', () => {
  it('the same events have the same markets join and leave, the same state saved, and the same commands', () => {
    const make = (): BoundStrategy[] => [
      { ...counting(), selector: { spreadMax: 1000, timeLeftMsMin: 3_585_000 } },
      { ...aStrategy(quoter(), 'other'), selector: { where: (_, { book }) => book.bestBidQty > contracts(12) } },
    ];
    const harness = new Remembering({ strategies: make() });
    begin(harness, { counting: { fills: 7, books: 2 } });
    for (let round = 0; round < 20; round++) {
      const change = round % 3 === 0 ? -500 : 300;
      harness.venue.changeLevel(M0, 'bid', { price: cents(45), change: round % 7 === 6 ? 200 : change });
      const [order] = harness.venue.resting();
      if (order && round % 5 === 4) harness.venue.tradeOrder(order, 100);
      harness.run(900);
    }
    const scope = { type: 'strategy', strategy: strategyName('other') } as const;
    harness.step({
      kind: 'operator',
      at: harness.now,
      order: { type: 'halt', scope, by: 'fault', reason: 'too slow' },
    });
    harness.run(1000).stop();
    expect(kept(harness).length).toBeGreaterThan(3);

    const again = new EngineHarness({ strategies: make() });
    const got = harness.events.map((event) => JSON.stringify([...again.engine.step(event)]));
    expect(got).toEqual(harness.left);
    expect(kept(again)).toEqual(kept(harness));
    expect(got.filter((commands) => commands.includes('"place"')).length).toBeGreaterThan(3);
  });
});

describe('a strategy halted at fault by a command', () => {
  it('a strategy halted at fault is no longer called, its orders are canceled, others go on, and a resume has it called again', () => {
    let calls = 0;
    const slow: Handlers = {
      onBook: (event) => {
        calls += 1;
        return [aQuote({ market: event.market })];
      },
    };
    const throwing: Handlers = {
      onBook: ({ isTouch }) => {
        if (!isTouch) throw new Error('bad luck');
        return [aQuote({ bid: { price: cents(36), qty: contracts(1) }, ask: null })];
      },
    };
    const sound = quoter({ bid: { price: cents(35), qty: contracts(2) }, ask: null });
    const strategies = [aStrategy(slow, 'slow'), aStrategy(throwing, 'throwing'), aStrategy(sound, 'sound')];
    const harness = new EngineHarness({ strategies }).startTrading();
    expect(harness.venue.resting()).toHaveLength(4);
    const scope = { type: 'strategy', strategy: strategyName('slow') } as const;
    const order = { type: 'halt', scope, by: 'fault', reason: 'too slow: onBook took 2100 ms' } as const;
    harness.step({ kind: 'operator', at: harness.now, order });
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(100);
    const callsBefore = calls;
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(100);
    expect(calls).toBe(callsBefore);
    expect(harness.noticesOf('halt').map(({ halt }) => halt.reason)).toEqual([
      order.reason,
      expect.stringMatching(/^Error: bad luck \(plugin-life\.test\.ts:\d+\)$/),
    ]);
    expect(harness.venue.resting().map(({ report }) => report.price)).toEqual([cents(35)]);
    harness.step({ kind: 'operator', at: harness.now, order: { type: 'resume', scope, reason: 'mended' } });
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(100);
    expect(calls).toBe(callsBefore + 1);
    expect(harness.venue.resting()).toHaveLength(3);
  });
});

describe('the timers of a strategy halted at fault', () => {
  const SECOND = 1_000_000;
  const scope = { type: 'strategy', strategy: strategyName('looking') } as const;

  /** Sets a timer every second, and another once, four seconds after the start. Fails while `isFaulty`. */
  function startLooking() {
    const looks = { every: 0, once: 0, isFaulty: false };
    const timerAt = (name: 'every' | 'once', at: number): Intent => ({ type: 'timer', name, at: micros(at) });
    const strategy = aStrategy(
      {
        onStart: ({ at }) => [timerAt('every', at + SECOND), timerAt('once', at + 4 * SECOND)],
        onTimer: ({ name }, { now }) => {
          if (looks.isFaulty) throw new Error('bad luck');
          looks[name === 'once' ? 'once' : 'every'] += 1;
          return name === 'once' ? undefined : [timerAt('every', now + SECOND)];
        },
      },
      'looking',
    );
    return { looks, harness: new EngineHarness({ strategies: [strategy] }).startTrading() };
  }

  const resume = (harness: EngineHarness): void =>
    harness.step({ kind: 'operator', at: harness.now, order: { type: 'resume', scope, reason: 'mended' } });

  it('wait until it is resumed, the one at which it failed included', () => {
    const { looks, harness } = startLooking();
    harness.run(1500);
    const before = looks.every;
    looks.isFaulty = true;
    harness.run(6000);
    expect(looks).toMatchObject({ every: before, once: 0 });
    expect(harness.noticesOf('halt')).toHaveLength(1);
    looks.isFaulty = false;
    resume(harness);
    harness.run(10);
    expect(looks).toMatchObject({ every: before + 1, once: 1 });
    harness.run(3000);
    expect(looks).toMatchObject({ every: before + 4, once: 1 });
  });

  it('do not wake the engine while it is halted, and fail it again when it is resumed unmended', () => {
    const { looks, harness } = startLooking();
    looks.isFaulty = true;
    harness.run(6000);
    expect(harness.engine.wakeAt()).toBeGreaterThan(harness.now);
    resume(harness);
    harness.run(10);
    expect(harness.noticesOf('halt')).toHaveLength(2);
  });
});
