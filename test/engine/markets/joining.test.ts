// Markets that join and leave a strategy in the whole engine: notices, books shown, cancels, and markets kept because
// of a position.
import { describe, expect, it } from 'vitest';
import { type Micros, cents, contracts } from '../../../src/domain/units.ts';
import type { BoundStrategy, Handlers, MarketSelector } from '../../../src/strategy/strategy-definition.ts';
import { BEGIN, M0, M1, aMarket, after } from '../../support/engine/builders.ts';
import { buy } from '../../support/engine/intents.ts';
import { EngineHarness, aQuote, aStrategy, quoter } from '../../support/engine/engine-harness.ts';

const selecting = (selector: MarketSelector, handlers: Handlers, name = 'maker'): BoundStrategy => ({
  ...aStrategy(handlers, name),
  selector,
});

/** The market callbacks of a strategy, as text. */
function logging(handlers: Handlers = {}): { readonly log: string[]; readonly handlers: Handlers } {
  const log: string[] = [];
  return {
    log,
    handlers: {
      ...handlers,
      onMarket: ({ market, before }) => void log.push(`${market.ticker} ${before ?? 'new'} to ${market.status}`),
      onLeave: ({ market, reason }) => void log.push(`${market.ticker} leaves: ${reason}`),
      onBook: (event, view) => {
        log.push(`book ${event.market}`);
        return handlers.onBook?.(event, view);
      },
    },
  };
}

const LEFT = 'the selector no longer takes it';

describe('a market of a strategy', () => {
  it('a market joins when its time has come: the strategy is notified, and its book is shown at once', () => {
    const { log, handlers } = logging();
    const closeAt = (BEGIN + 100_000_000) as Micros;
    const strategies = [selecting({ timeLeftMsMax: 90_000 }, handlers)];
    const harness = new EngineHarness({ strategies, markets: [aMarket(0, { closeAt })] }).startTrading();
    harness.run(9500);
    expect(log).toEqual([]);
    harness.run(1000);
    expect(log).toEqual(['M-0 new to active', 'book 0']);
    expect(harness.engine.state.now).toBeLessThan(after(11_100));
  });

  it('a market leaves when it no longer fits: its quotes are canceled, and its book is no longer shown', () => {
    const { log, handlers } = logging(quoter());
    const closeAt = (BEGIN + 100_000_000) as Micros;
    const strategies = [
      selecting({ timeLeftMsMin: 95_000 }, handlers),
      selecting({}, { onBook: () => [aQuote({ bid: { price: cents(35), qty: contracts(2) }, ask: null })] }, 'other'),
    ];
    const harness = new EngineHarness({ strategies, markets: [aMarket(0, { closeAt })] }).startTrading();
    harness.run(3000);
    expect(harness.venue.resting()).toHaveLength(3);
    harness.run(4000);
    expect(log.at(-1)).toBe(`M-0 leaves: ${LEFT}`);
    expect(harness.venue.resting().map(({ report }) => report.price)).toEqual([cents(35)]);
    const countBefore = log.length;
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(1000);
    expect(log).toHaveLength(countBefore);
    expect(harness.venue.resting()).toHaveLength(1);
  });

  it('a market joins and leaves by its spread, whenever that changes', () => {
    const { log, handlers } = logging();
    const harness = new EngineHarness({ strategies: [selecting({ spreadMax: 400 }, handlers)] }).startTrading();
    const narrow = (change: number): void => {
      harness.venue.changeLevel(M0, 'bid', { price: cents(52), change });
      harness.run(1500);
    };
    for (const change of [100, -100, 200, -200]) narrow(change);
    expect(log.filter((line) => !line.startsWith('book'))).toEqual([
      'M-0 new to active',
      `M-0 leaves: ${LEFT}`,
      'M-0 new to active',
      `M-0 leaves: ${LEFT}`,
    ]);
  });

  it('a market does not leave because the strategy itself has narrowed its spread', () => {
    const own = { bid: { price: cents(48), qty: contracts(5) }, ask: { price: cents(52), qty: contracts(5) } };
    const { log, handlers } = logging({ onBook: () => [aQuote(own)] });
    const harness = new EngineHarness({ strategies: [selecting({ spreadMin: 600 }, handlers)] }).startTrading();
    harness.run(1500);
    // The feed shows what rests, including our orders.
    harness.venue.changeLevel(M0, 'bid', { price: cents(48), change: contracts(5) });
    harness.venue.changeLevel(M0, 'ask', { price: cents(52), change: contracts(5) });
    harness.run(3000);
    expect(log.filter((line) => !line.startsWith('book'))).toEqual(['M-0 new to active']);
    // Another party quotes there, too, so the strategy is not the cause.
    harness.venue.changeLevel(M0, 'bid', { price: cents(48), change: contracts(1) });
    harness.venue.changeLevel(M0, 'ask', { price: cents(52), change: contracts(1) });
    harness.run(1500);
    expect(log.at(-1)).toBe(`M-0 leaves: ${LEFT}`);
  });

  it('a market stays while the strategy holds a position in it', () => {
    const { log, handlers } = logging({ onBook: (_, view) => (view.own(M0).qty === 0 ? [aQuote()] : undefined) });
    const closeAt = (BEGIN + 100_000_000) as Micros;
    const strategies = [selecting({ timeLeftMsMin: 95_000 }, handlers)];
    const harness = new EngineHarness({ strategies, markets: [aMarket(0, { closeAt })] }).startTrading();
    harness.run(500);
    const [bid] = harness.venue.resting();
    harness.venue.tradeOrder(bid!, 500);
    harness.run(20_000);
    expect(log.at(-1)).not.toContain('leaves');
    const [ask] = harness.venue.resting();
    harness.venue.tradeOrder(ask!, 500);
    harness.run(2000);
    expect(log.at(-1)).toBe(`M-0 leaves: ${LEFT}`);
    expect(harness.venue.position(M0).qty).toBe(0);
  });

  it('a market stays while an order in it is unknown', () => {
    let isDone = false;
    const onTimer: Handlers['onTimer'] = (_, view) => {
      isDone = true;
      return view.markets.map((market) => ({ ...buy(), market }));
    };
    const { log, handlers } = logging({ onStart: () => [{ type: 'timer', name: 't', at: after(5500) }], onTimer });
    const closeAt = (BEGIN + 100_000_000) as Micros;
    const strategies = [selecting({ timeLeftMsMin: 95_000 }, handlers)];
    const harness = new EngineHarness({ strategies, markets: [aMarket(0, { closeAt })] }).startTrading();
    harness.venue.script = { place: () => 'vanish' };
    harness.run(6500);
    expect([isDone, harness.engine.state.orders.allOpen().map(({ state }) => state)]).toEqual([true, ['unknown']]);
    expect(log.at(-1)).not.toContain('leaves');
    harness.run(5000);
    expect(log.at(-1)).toBe(`M-0 leaves: ${LEFT}`);
    expect(harness.engine.state.orders.openCount).toBe(0);
  });

  it('a market is back when an order fills that was being canceled', () => {
    const { log, handlers } = logging(quoter());
    const closeAt = (BEGIN + 100_000_000) as Micros;
    const strategies = [selecting({ timeLeftMsMin: 95_000 }, handlers)];
    const harness = new EngineHarness({ strategies, markets: [aMarket(0, { closeAt })] }).startTrading();
    // Cancels never arrive, as on a broken connection.
    harness.venue.script = { cancel: () => 'vanish' };
    harness.run(6500);
    expect(log.at(-1)).toBe(`M-0 leaves: ${LEFT}`);
    const [bid] = harness.venue.resting();
    harness.venue.tradeOrder(bid!, 500);
    harness.run(1500);
    expect(log.slice(-2)).toEqual(['M-0 new to active', 'book 0']);
    expect(harness.venue.position(M0).qty).toBe(contracts(5));
  });

  it('a predicate that throws halts only its strategy, and the reason names the part that failed', () => {
    const { log, handlers } = logging();
    const where = (): boolean => {
      throw new RangeError('no such thing');
    };
    const harness = new EngineHarness({
      strategies: [selecting({ where }, quoter(), 'bad'), selecting({}, handlers)],
    }).startTrading();
    expect(harness.noticesOf('halt').map(({ halt }) => [halt.scope, halt.reason])).toEqual([
      [
        { type: 'strategy', strategy: 'bad' },
        expect.stringMatching(/^its selector: RangeError: no such thing \(joining\.test\.ts:\d+\)$/),
      ],
    ]);
    expect(log).toContain('book 0');
  });

  it('a settled market is no longer evaluated', () => {
    const { log, handlers } = logging();
    const looked: Micros[] = [];
    const where = (_: unknown, { now }: { readonly now: Micros }): boolean => looked.push(now) > 0;
    const harness = new EngineHarness({
      strategies: [selecting({ where }, handlers)],
      markets: [aMarket(0), aMarket(1)],
    }).startTrading();
    harness.run(2000);
    harness.venue.settleMarket(M0, cents(100));
    harness.venue.settleMarket(M1, cents(0));
    harness.run(500);
    const count = looked.length;
    harness.run(5000);
    expect(looked).toHaveLength(count);
    expect(log.filter((line) => line.includes('leaves'))).toEqual([]);
    expect(log.filter((line) => line.includes('finalized'))).toHaveLength(2);
  });
});
