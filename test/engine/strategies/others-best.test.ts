// The handler for the best price of others, in the whole engine: what it is called for, and what it is spared.
import { describe, expect, it } from 'vitest';
import { cents, contracts } from '../../../src/domain/units.ts';
import type { Handlers } from '../../../src/strategy/strategy-definition.ts';
import type { HaltScope, OperatorOrder } from '../../../src/domain/operator-order.ts';
import { M0, aFill } from '../../support/engine/builders.ts';
import { EngineHarness, aQuote, aStrategy } from '../../support/engine/engine-harness.ts';

const ACCOUNT: HaltScope = { type: 'account' };

/** A strategy in a market that is bid 45 and offered 55, and its calls. */
class Scene {
  #calls = 0;
  readonly harness: EngineHarness;

  constructor(answer: Handlers['onOthersBest'] = () => undefined) {
    const handlers: Handlers = {
      onOthersBest: (event, view) => {
        this.#calls += 1;
        return answer(event, view);
      },
    };
    this.harness = new EngineHarness({ strategies: [aStrategy(handlers)] }).startTrading();
    // The first change after a book was shown counts, whatever it is.
    this.change('bid', 30, 1);
    this.#calls = 0;
  }

  change(side: 'bid' | 'ask', at: number, count: number): this {
    this.harness.venue.changeLevel(M0, side, { price: cents(at), change: contracts(count) });
    this.harness.run(100);
    return this;
  }

  /** The calls since the last time. */
  takeCalls(): number {
    const calls = this.#calls;
    this.#calls = 0;
    return calls;
  }
}

describe('onOthersBest', () => {
  it('is called when a best price moves, not for a quantity or for a level behind it', () => {
    const scene = new Scene();
    expect(scene.change('bid', 45, 5).change('ask', 55, 5).change('bid', 44, 5).change('ask', 56, 5).takeCalls()).toBe(
      0,
    );
    expect(scene.change('bid', 46, 1).takeCalls()).toBe(1);
    expect(scene.change('bid', 46, -1).takeCalls()).toBe(1);
    expect(scene.change('ask', 54, 1).takeCalls()).toBe(1);
    expect(scene.change('ask', 54, 1).takeCalls()).toBe(0);
  });

  it('takes out our own orders: a level of others behind ours counts, ours does not', () => {
    const bid = { price: cents(46), qty: contracts(5) };
    const scene = new Scene(({ market }) => [aQuote({ market, bid, ask: null })]);
    scene.change('ask', 54, 1);
    expect(scene.harness.venue.resting()).toHaveLength(1);
    // The changes after our order was sent and accepted count once each.
    scene.change('bid', 30, 1).change('bid', 30, 1).takeCalls();
    // The feed shows our order.
    expect(scene.change('bid', 46, 5).takeCalls()).toBe(0);
    expect(scene.change('bid', 45, -10).takeCalls()).toBe(1);
    // Others join us.
    expect(scene.change('bid', 46, 1).takeCalls()).toBe(1);
    expect(scene.change('bid', 46, 1).takeCalls()).toBe(0);
  });

  it('is called again after a denial, at any change of the book', () => {
    const ask = { price: cents(60), qty: contracts(100_000) };
    const scene = new Scene(({ market }) => [aQuote({ market, bid: null, ask })]);
    scene.change('bid', 46, 1);
    const denied = scene.harness.noticesOf('denied').length;
    expect(scene.change('bid', 30, 1).change('bid', 30, 1).takeCalls()).toBeGreaterThan(2);
    expect(scene.harness.noticesOf('denied').length).toBeGreaterThan(denied + 1);
  });

  it('quotes again once a halt has ended and any level changes', () => {
    const scene = new Scene(({ market }) => [aQuote({ market })]);
    scene.change('bid', 46, 1);
    const { harness } = scene;
    const order = (given: OperatorOrder): void => harness.step({ kind: 'operator', at: harness.now, order: given });
    order({ type: 'halt', scope: ACCOUNT, by: 'operator', reason: 'it looks odd' });
    harness.run(100);
    order({ type: 'resume', scope: ACCOUNT, reason: 'it is fine' });
    scene.takeCalls();
    expect(scene.change('bid', 30, 1).takeCalls()).toBeGreaterThan(0);
    expect(harness.venue.resting()).toHaveLength(2);
  });

  it('is called after a fill of an order that is not ours, which moves the position', () => {
    const scene = new Scene();
    const { harness } = scene;
    harness.step({ kind: 'fill', at: harness.now, fill: aFill({ clientOrderId: null }) });
    expect(scene.change('bid', 30, 1).takeCalls()).toBe(1);
    expect(scene.change('bid', 30, 1).takeCalls()).toBe(0);
  });

  it('is shown a book that is read again', () => {
    const scene = new Scene();
    scene.harness.venue.feedDown();
    scene.harness.run(100);
    scene.harness.venue.feedUp();
    scene.harness.run(1000);
    expect(scene.takeCalls()).toBeGreaterThan(0);
  });

  it('comes in the sequence of the strategies beside onBook', () => {
    const calls: string[] = [];
    const strategies = [
      aStrategy({ onOthersBest: () => void calls.push('first') }, 'first'),
      aStrategy(
        { onBook: () => void calls.push('second'), onOthersBest: () => void calls.push('second too') },
        'second',
      ),
      aStrategy({ onOthersBest: () => void calls.push('third') }, 'third'),
    ];
    const harness = new EngineHarness({ strategies }).startTrading();
    const change = (at: number): string => {
      calls.length = 0;
      harness.venue.changeLevel(M0, 'bid', { price: cents(at), change: contracts(1) });
      harness.run(10);
      return calls.join();
    };
    change(30);
    expect([change(46), change(30)]).toEqual(['first,second,second too,third', 'second']);
  });
});
