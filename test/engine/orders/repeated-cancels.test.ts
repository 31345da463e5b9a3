// Cancels without a certain answer: when they are repeated, and that a strategy which asks at each change sends no more.
import { describe, expect, it } from 'vitest';
import { cents } from '../../../src/domain/units.ts';
import type { Handlers } from '../../../src/strategy/strategy-definition.ts';
import { M0 } from '../../support/engine/builders.ts';
import { EngineHarness, aQuote, aStrategy } from '../../support/engine/engine-harness.ts';
import { buy, once, print } from '../../support/engine/intents.ts';

const stateOf = (harness: EngineHarness): string | undefined =>
  harness.engine.state.orders.get(harness.places()[0]!.clientOrderId)?.state;

/** A strategy that cancels its one order at each change of a book. The venue has the order, and finds it for no request. */
function cancelingAtEachChange(way: 'cancel' | 'cancel-all' | 'quote'): {
  harness: EngineHarness;
  changeBook: () => void;
} {
  const onBook: Handlers['onBook'] = ({ market }, view) => {
    const [order] = view.orders(market);
    if (!order || order.state === 'queued' || order.state === 'in-flight') return undefined;
    if (way === 'quote') return [aQuote({ bid: null, ask: null })];
    return [
      way === 'cancel' ? { type: 'cancel', clientOrderId: order.clientOrderId } : { type: 'cancel-all', market: M0 },
    ];
  };
  const harness = new EngineHarness({ strategies: [aStrategy(once([buy()], { onBook }))] }).startTrading();
  harness.venue.script = { read: () => 'fail', cancel: () => 'refuse' };
  print(harness);
  harness.run(20);
  harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
  harness.run(20);
  expect(harness.commands('cancel').length).toBeGreaterThan(0);
  return { harness, changeBook: () => harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 }) };
}

describe('a cancel without a certain answer', () => {
  it.each(['cancel', 'cancel-all', 'quote'] as const)(
    'a strategy that cancels again at each change of a book sends few cancels of an order that stays unknown: %s',
    (way) => {
      const { harness, changeBook } = cancelingAtEachChange(way);
      for (let change = 0; change < 1000; change++) {
        changeBook();
        harness.run(20);
      }
      expect(stateOf(harness)).toBe('unknown');
      const sent = harness.commands('cancel').map(({ createdAt }) => createdAt);
      expect(sent.length).toBeGreaterThan(3);
      expect(sent.length).toBeLessThan(10);
      const pauses = sent.slice(1).map((at, index) => at - sent[index]!);
      expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
      expect(Math.max(...pauses)).toBeLessThan(5_000_000);
    },
  );

  it('a halt cancels an order at once, although the last cancel of a strategy failed a moment ago', () => {
    const { harness, changeBook } = cancelingAtEachChange('cancel');
    for (let change = 0; change < 400; change++) {
      changeBook();
      harness.run(20);
    }
    const before = harness.commands('cancel').length;
    const scope = { type: 'account' } as const;
    harness.step({ kind: 'operator', at: harness.now, order: { type: 'halt', scope, reason: 'test', by: 'operator' } });
    expect(harness.commands('cancel')).toHaveLength(before + 1);
  });

  it('a cancel of an order that no look-up finds is repeated without a request of a strategy', () => {
    const { harness } = cancelingAtEachChange('cancel');
    harness.step({ kind: 'stop', at: harness.now, reason: 'test' });
    harness.run(20_000);
    expect(harness.commands('cancel').length).toBeGreaterThan(3);
    expect(harness.commands('cancel').length).toBeLessThan(10);
  });
});
