// Markets that join and leave a strategy in the whole engine: told, shown, withdrawn from, and kept while something is there.
import { describe, expect, it } from 'vitest';
import { type Micros, cents, contracts } from '../../src/domain/units.ts';
import type { BoundStrategy, Handlers, MarketSelector } from '../../src/strategy/strategy.ts';
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

const LEFT = 'the selector no longer takes it';

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

  it('does not leave because the strategy itself has made its spread narrower', () => {
    const own = { bid: { price: cents(48), qty: contracts(5) }, ask: { price: cents(52), qty: contracts(5) } };
    const { heard, handlers } = hearing({ onBook: () => [aQuote(own)] });
    const world = new World({ strategies: [selecting({ spreadMin: 600 }, handlers)] }).open();
    world.run(1500);
    // The feed shows what rests, ours among it.
    world.venue.level(M0, 'bid', { price: cents(48), change: contracts(5) });
    world.venue.level(M0, 'ask', { price: cents(52), change: contracts(5) });
    world.run(3000);
    expect(heard.filter((line) => !line.startsWith('book'))).toEqual(['M-0 new to active']);
    // Somebody else as well: now it is not the strategy's doing.
    world.venue.level(M0, 'bid', { price: cents(48), change: contracts(1) });
    world.venue.level(M0, 'ask', { price: cents(52), change: contracts(1) });
    world.run(1500);
    expect(heard.at(-1)).toBe(`M-0 leaves: ${LEFT}`);
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
      [
        { type: 'strategy', strategy: 'bad' },
        expect.stringMatching(/^its selector: RangeError: no such thing \(joining\.test\.ts:\d+\)$/),
      ],
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
