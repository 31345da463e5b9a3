// A plugin's life in the whole engine: markets that join and leave it, what it keeps, and halts of one that is too slow.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { EngineEvent } from '../../src/domain/event.ts';
import { strategyName } from '../../src/domain/ids.ts';
import { NOTHING_CARRIED } from '../../src/domain/operator.ts';
import { type Micros, cents, contracts } from '../../src/domain/units.ts';
import { type BoundStrategy, type Handlers, type MarketSelector, defineStrategy } from '../../src/strategy/strategy.ts';
import { BEGIN, M0, M1, aMarket, after } from '../support/engine/builders.ts';
import { buy } from '../support/engine/intents.ts';
import { World, aQuote, aStrategy, quoter } from '../support/engine/world.ts';

const selecting = (selector: MarketSelector, handlers: Handlers, name = 'maker'): BoundStrategy => ({
  ...aStrategy(handlers, name),
  selector,
});

/** What a strategy is told of its markets, in words. */
function hearing(handlers: Handlers = {}): { readonly heard: string[]; readonly handlers: Handlers } {
  const heard: string[] = [];
  return {
    heard,
    handlers: {
      ...handlers,
      onMarket: ({ market, before }) => void heard.push(`${market.ticker} ${before ?? 'new'} to ${market.status}`),
      onLeave: ({ market, reason }) => void heard.push(`${market.ticker} leaves: ${reason}`),
      onBook: (event, view) => {
        heard.push(`book ${event.market}`);
        return handlers.onBook?.(event, view);
      },
    },
  };
}

const LEFT = 'the selector does not take it any more';

describe('a market', () => {
  it('joins when its time has come, is told as new, and its book is shown at once', () => {
    const { heard, handlers } = hearing();
    const closeAt = (BEGIN + 100_000_000) as Micros;
    const strategies = [selecting({ timeLeftMsMax: 90_000 }, handlers)];
    const world = new World({ strategies, markets: [aMarket(0, { closeAt })] }).open();
    world.run(9500);
    expect(heard).toEqual([]);
    world.run(1000);
    expect(heard).toEqual(['M-0 new to active', 'book 0']);
    expect(world.engine.state.now).toBeLessThan(after(11_100));
  });

  it('leaves when it no longer fits: its quotes are withdrawn, and its book is not shown any more', () => {
    const { heard, handlers } = hearing(quoter());
    const closeAt = (BEGIN + 100_000_000) as Micros;
    const strategies = [
      selecting({ timeLeftMsMin: 95_000 }, handlers),
      selecting({}, { onBook: () => [aQuote({ bid: { price: cents(35), qty: contracts(2) }, ask: null })] }, 'other'),
    ];
    const world = new World({ strategies, markets: [aMarket(0, { closeAt })] }).open();
    world.run(3000);
    expect(world.venue.resting()).toHaveLength(3);
    world.run(4000);
    expect(heard.at(-1)).toBe(`M-0 leaves: ${LEFT}`);
    expect(world.venue.resting().map(({ report }) => report.price)).toEqual([cents(35)]);
    const told = heard.length;
    world.venue.level(M0, 'bid', { price: cents(44), change: 100 });
    world.run(1000);
    expect(heard).toHaveLength(told);
    expect(world.venue.resting()).toHaveLength(1);
  });

  it('joins and leaves by its spread, as often as that changes', () => {
    const { heard, handlers } = hearing();
    const world = new World({ strategies: [selecting({ spreadMax: 400 }, handlers)] }).open();
    const narrow = (change: number): void => {
      world.venue.level(M0, 'bid', { price: cents(52), change });
      world.run(1500);
    };
    for (const change of [100, -100, 200, -200]) narrow(change);
    expect(heard.filter((line) => !line.startsWith('book'))).toEqual([
      'M-0 new to active',
      `M-0 leaves: ${LEFT}`,
      'M-0 new to active',
      `M-0 leaves: ${LEFT}`,
    ]);
  });

  it('in which the strategy holds something stays, until it does not', () => {
    const { heard, handlers } = hearing({ onBook: (_, view) => (view.own(M0).qty === 0 ? [aQuote()] : undefined) });
    const closeAt = (BEGIN + 100_000_000) as Micros;
    const strategies = [selecting({ timeLeftMsMin: 95_000 }, handlers)];
    const world = new World({ strategies, markets: [aMarket(0, { closeAt })] }).open();
    world.run(500);
    const [bid] = world.venue.resting();
    world.venue.trade(bid!, 500);
    world.run(20_000);
    expect(heard.at(-1)).not.toContain('leaves');
    const [ask] = world.venue.resting();
    world.venue.trade(ask!, 500);
    world.run(2000);
    expect(heard.at(-1)).toBe(`M-0 leaves: ${LEFT}`);
    expect(world.venue.position(M0).qty).toBe(0);
  });

  it('in which an order is of unknown fate stays, until the venue has told', () => {
    let isDone = false;
    const onTimer: Handlers['onTimer'] = (_, view) => {
      isDone = true;
      return view.markets.map((market) => ({ ...buy(), market }));
    };
    const { heard, handlers } = hearing({ onStart: () => [{ type: 'timer', name: 't', at: after(5500) }], onTimer });
    const closeAt = (BEGIN + 100_000_000) as Micros;
    const strategies = [selecting({ timeLeftMsMin: 95_000 }, handlers)];
    const world = new World({ strategies, markets: [aMarket(0, { closeAt })] }).open();
    world.venue.script = { place: () => 'vanish' };
    world.run(6500);
    expect([isDone, world.engine.state.orders.allOpen().map(({ state }) => state)]).toEqual([true, ['unknown']]);
    expect(heard.at(-1)).not.toContain('leaves');
    world.run(5000);
    expect(heard.at(-1)).toBe(`M-0 leaves: ${LEFT}`);
    expect(world.engine.state.orders.openCount).toBe(0);
  });

  it('is back when an order fills that was being withdrawn from it', () => {
    const { heard, handlers } = hearing(quoter());
    const closeAt = (BEGIN + 100_000_000) as Micros;
    const strategies = [selecting({ timeLeftMsMin: 95_000 }, handlers)];
    const world = new World({ strategies, markets: [aMarket(0, { closeAt })] }).open();
    // Cancels never arrive, as over a line that was cut.
    world.venue.script = { cancel: () => 'vanish' };
    world.run(6500);
    expect(heard.at(-1)).toBe(`M-0 leaves: ${LEFT}`);
    const [bid] = world.venue.resting();
    world.venue.trade(bid!, 500);
    world.run(1500);
    expect(heard.slice(-2)).toEqual(['M-0 new to active', 'book 0']);
    expect(world.venue.position(M0).qty).toBe(contracts(5));
  });

  it('whose predicate throws halts its strategy alone, and says which part of it failed', () => {
    const { heard, handlers } = hearing();
    const where = (): boolean => {
      throw new RangeError('no such thing');
    };
    const world = new World({ strategies: [selecting({ where }, quoter(), 'bad'), selecting({}, handlers)] }).open();
    expect(world.told('halt').map(({ halt }) => [halt.scope, halt.reason])).toEqual([
      [{ type: 'strategy', strategy: 'bad' }, 'its selector: RangeError: no such thing'],
    ]);
    expect(heard).toContain('book 0');
  });

  it('that is settled is nobody’s to look at any more', () => {
    const { heard, handlers } = hearing();
    const looked: Micros[] = [];
    const where = (_: unknown, { now }: { readonly now: Micros }): boolean => looked.push(now) > 0;
    const world = new World({ strategies: [selecting({ where }, handlers)], markets: [aMarket(0), aMarket(1)] }).open();
    world.run(2000);
    world.venue.settle(M0, cents(100));
    world.venue.settle(M1, cents(0));
    world.run(500);
    const count = looked.length;
    world.run(5000);
    expect(looked).toHaveLength(count);
    expect(heard.filter((line) => line.includes('leaves'))).toEqual([]);
    expect(heard.filter((line) => line.includes('finalized'))).toHaveLength(2);
  });
});

const KEPT = z.strictObject({ fills: z.int(), books: z.int().default(0) });
type Kept = z.output<typeof KEPT>;

/** Counts its fills, keeps the count, and quotes. */
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

const begin = (world: World, saved: Readonly<Record<string, unknown>>): World => {
  world.step({ kind: 'start', at: world.now, session: 's', carried: { ...NOTHING_CARRIED, saved } });
  world.venue.feedUp();
  return world.run(50);
};
const kept = (world: World): unknown[] => world.told('saved').map(({ json }) => JSON.parse(json));

describe('what a strategy keeps', () => {
  it('is told after a fill, only when it is another, and given back to the next session before it starts', () => {
    const world = new World({ strategies: [counting()] }).open();
    world.run(3000);
    expect(kept(world)).toEqual([{ fills: 0, books: 0 }]);
    const [bid] = world.venue.resting();
    world.venue.trade(bid!, 200);
    world.run(1);
    expect(kept(world).at(-1)).toEqual({ fills: 1, books: 0 });
    world.run(3000).stop();
    expect(kept(world)).toHaveLength(2);

    const next = begin(new World({ strategies: [counting()] }), { counting: kept(world).at(-1), nobody: 3 });
    const [again] = next.venue.resting();
    next.venue.trade(again!, 200);
    next.run(1);
    expect(kept(next).at(-1)).toEqual({ fills: 2, books: 0 });
  });

  it('is given back before anything else is asked, and only where something was kept', () => {
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
    const one = (): World => new World({ strategies: [{ ...aStrategy(handlers, 'one'), keeping }] });
    begin(one(), { one: { fills: 3 }, two: 4 });
    expect(asked).toEqual(['restore {"fills":3}', 'start', 'market']);
    asked.length = 0;
    begin(one(), { two: 4, constructor: 5 });
    expect(asked).toEqual(['start', 'market']);
  });

  it('is asked for after a settlement', () => {
    const strategy = counting();
    let settled = 0;
    const handlers = { ...strategy.handlers, onSettled: () => void (settled += 1) };
    const keeping = { ...strategy.keeping!, save: () => ({ fills: 0, books: settled }) };
    const world = new World({ strategies: [{ ...strategy, handlers, keeping }] }).open();
    world.venue.trade(world.venue.resting()[0]!, 200);
    world.run(500);
    world.venue.settle(M0, cents(100));
    world.run(2);
    expect(kept(world).at(-1)).toEqual({ fills: 0, books: 1 });
  });

  it('is asked for at the stop, whatever was asked of it before', () => {
    let books = 0;
    const world = new World({ strategies: [counting({ save: () => ({ fills: 0, books: (books += 1) }) })] }).open();
    const told = kept(world).length;
    world.step({ kind: 'stop', at: world.now, reason: 'test' });
    expect(kept(world)).toHaveLength(told + 1);
  });

  it('is asked for each second, and not where nothing was asked of it since', () => {
    let saves = 0;
    const save = (): Kept => ({ fills: (saves += 1), books: 0 });
    const world = new World({ strategies: [counting({ save, onBook: () => undefined })] }).open();
    world.run(1500);
    const asked = saves;
    world.run(5000);
    expect(saves).toBe(asked);
    world.venue.level(M0, 'bid', { price: cents(44), change: 100 });
    world.run(1500);
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
  ])('and %s halts it alone, with its orders withdrawn', (_, save, reason) => {
    const other = { bid: { price: cents(35), qty: contracts(2) }, ask: null };
    let isBad = false;
    const saving = (): Kept => (isBad ? save() : { fills: 0, books: 0 });
    const world = new World({ strategies: [counting({ save: saving }), aStrategy(quoter(other), 'sound')] }).open();
    world.run(1500);
    expect(world.venue.resting()).toHaveLength(3);
    isBad = true;
    world.venue.level(M0, 'bid', { price: cents(44), change: 100 });
    world.run(1500);
    const [halt] = world.told('halt');
    expect(halt?.halt).toMatchObject({ scope: { type: 'strategy', strategy: 'counting' }, by: 'fault' });
    expect(halt?.halt.reason).toContain('its state cannot be kept: ');
    expect(halt?.halt.reason).toContain(reason);
    expect(world.venue.resting().map(({ report }) => report.price)).toEqual([cents(35)]);
    expect(kept(world)).toEqual([{ fills: 0, books: 0 }]);
  });

  it('and would not come back as it is, or is too long, is not kept', () => {
    const loose = (saved: unknown): World => {
      const definition = defineStrategy<object, unknown>({
        name: 'loose',
        params: z.strictObject({}),
        saved: z.custom((value) => value instanceof Date || typeof value === 'string'),
        setup: () => ({ save: () => saved, restore: () => undefined }),
      });
      return new World({ strategies: [definition.bind(strategyName('loose'), {})] }).open().run(1500);
    };
    const reasons = (world: World): string[] => world.told('halt').map(({ halt }) => halt.reason);
    expect(reasons(loose('x'.repeat(999_998)))).toEqual([]);
    expect(reasons(loose('x'.repeat(999_999)))).toEqual([
      'its state cannot be kept: expected at most 1000000 characters of JSON, found 1000001',
    ]);
    expect(reasons(loose({ toJSON: () => 3 }))[0]).toContain('its state cannot be kept: ');
  });

  it('and cannot be given back halts it, and is never replaced by what it is without it', () => {
    const strategy = counting();
    const restore = (): void => {
      throw new Error('made by another version');
    };
    const keeping = { ...strategy.keeping!, restore };
    const world = begin(new World({ strategies: [{ ...strategy, keeping }, aStrategy(quoter(), 'sound')] }), {
      counting: { fills: 3, books: 0 },
    });
    expect(world.told('halt').map(({ halt }) => halt.reason)).toEqual([
      'what it kept cannot be given back: Error: made by another version',
    ]);
    world.step({
      kind: 'operator',
      at: world.now,
      order: { type: 'resume', scope: { type: 'strategy', strategy: strategy.name }, reason: 'looked at' },
    });
    world.run(3000).stop();
    expect(kept(world)).toEqual([]);
    expect(world.engine.state.orders.allOpen()).toEqual([]);
  });
});

/** A world that remembers what entered its engine, and what left it. */
class Remembering extends World {
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
  it('have the same markets join and leave, the same state kept, and the same commands', () => {
    const make = (): BoundStrategy[] => [
      { ...counting(), selector: { spreadMax: 1000, timeLeftMsMin: 3_585_000 } },
      selecting({ where: (_, { book }) => book.bestBidQty > contracts(12) }, quoter(), 'other'),
    ];
    const world = new Remembering({ strategies: make() });
    begin(world, { counting: { fills: 7, books: 2 } });
    for (let round = 0; round < 20; round++) {
      const change = round % 3 === 0 ? -500 : 300;
      world.venue.level(M0, 'bid', { price: cents(45), change: round % 7 === 6 ? 200 : change });
      const [order] = world.venue.resting();
      if (order && round % 5 === 4) world.venue.trade(order, 100);
      world.run(900);
    }
    const scope = { type: 'strategy', strategy: strategyName('other') } as const;
    world.step({ kind: 'operator', at: world.now, order: { type: 'halt', scope, by: 'fault', reason: 'too slow' } });
    world.run(1000).stop();
    expect(kept(world).length).toBeGreaterThan(3);

    const again = new World({ strategies: make() });
    const got = world.events.map((event) => JSON.stringify([...again.engine.step(event)]));
    expect(got).toEqual(world.left);
    expect(kept(again)).toEqual(kept(world));
    expect(got.filter((commands) => commands.includes('"place"')).length).toBeGreaterThan(3);
  });
});

describe('a strategy that is halted at fault by an order', () => {
  it('is asked nothing more, its orders are withdrawn, others go on, and a resume has it asked again', () => {
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
    const world = new World({ strategies }).open();
    expect(world.venue.resting()).toHaveLength(4);
    const scope = { type: 'strategy', strategy: strategyName('slow') } as const;
    const order = { type: 'halt', scope, by: 'fault', reason: 'too slow: onBook took 2100 ms' } as const;
    world.step({ kind: 'operator', at: world.now, order });
    world.venue.level(M0, 'bid', { price: cents(44), change: 100 });
    world.run(100);
    const heard = calls;
    world.venue.level(M0, 'bid', { price: cents(44), change: 100 });
    world.run(100);
    expect(calls).toBe(heard);
    expect(world.told('halt').map(({ halt }) => halt.reason)).toEqual([order.reason, 'Error: bad luck']);
    expect(world.venue.resting().map(({ report }) => report.price)).toEqual([cents(35)]);
    world.step({ kind: 'operator', at: world.now, order: { type: 'resume', scope, reason: 'mended' } });
    world.venue.level(M0, 'bid', { price: cents(44), change: 100 });
    world.run(100);
    expect(calls).toBe(heard + 1);
    expect(world.venue.resting()).toHaveLength(3);
  });
});
