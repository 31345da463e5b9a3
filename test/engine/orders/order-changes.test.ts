// The changes of an order as its strategy hears of them: each one, in the order in which they happened.
import { describe, expect, it } from 'vitest';
import { cents, contracts } from '../../../src/domain/units.ts';
import type { Handlers, Intents, OrderChanged } from '../../../src/strategy/strategy-definition.ts';
import { M0, aFill } from '../../support/engine/builders.ts';
import { EngineHarness, aQuote, aStrategy } from '../../support/engine/engine-harness.ts';
import { buy, once, print } from '../../support/engine/intents.ts';

interface Bench {
  readonly harness: EngineHarness;
  readonly changes: readonly string[];
}

/** A strategy that places one order, records its changes and answers them. The order is in flight. */
function recording(answer: (change: OrderChanged) => Intents = () => undefined, handlers: Handlers = {}): Bench {
  const changes: string[] = [];
  const onOrder = (change: OrderChanged): Intents => {
    changes.push(`${change.from} → ${change.to}`);
    return answer(change);
  };
  const harness = new EngineHarness({
    strategies: [aStrategy(once([buy()], { ...handlers, onOrder }))],
  }).startTrading();
  harness.venue.answerDelay = 100_000;
  print(harness);
  harness.venue.feedDelay = 100_000;
  harness.run(5);
  return { harness, changes };
}

const LIFE_OF_CANCELED = [
  'queued → in-flight',
  'in-flight → working',
  'working → pending-cancel',
  'pending-cancel → canceled',
];

describe('the changes of an order', () => {
  it.each(['answer', 'feed'] as const)(
    'a strategy hears that its order is accepted before it hears that the waiting cancel leaves: accepted by the %s',
    (way) => {
      const { harness, changes } = recording();
      if (way === 'answer') harness.venue.feedDelay = 10_000_000;
      else harness.venue.answerDelay = 400_000;
      harness.step({ kind: 'stop', at: harness.now, reason: 'test' });
      harness.run(3000);
      expect(changes).toEqual(LIFE_OF_CANCELED);
    },
  );

  it('a strategy that cancels at the first fill hears that the order is working before it hears of the cancel', () => {
    const onFill: Handlers['onFill'] = ({ order }) => [{ type: 'cancel', clientOrderId: order.clientOrderId }];
    const { harness, changes } = recording(undefined, { onFill });
    const { clientOrderId } = harness.places()[0]!;
    harness.step({ kind: 'fill', at: harness.now, fill: aFill({ clientOrderId }) });
    expect(changes).toEqual(LIFE_OF_CANCELED.slice(0, 3));
  });

  it('a strategy hears that a lost cancel left its order working before it hears of the next cancel', () => {
    const { harness, changes } = recording();
    let losses = 1;
    harness.venue.script = { cancel: () => (losses-- > 0 ? 'vanish' : 'do') };
    harness.step({ kind: 'stop', at: harness.now, reason: 'test' });
    harness.run(3000);
    expect(changes).toEqual([
      ...LIFE_OF_CANCELED.slice(0, 3),
      'pending-cancel → working',
      'working → pending-cancel',
      'pending-cancel → canceled',
    ]);
  });
});

describe('an answer to a change of an order', () => {
  it('a decrease asked for at the acceptance is not sent after the waiting cancel', () => {
    const { harness, changes } = recording(({ order: { clientOrderId }, to }) => {
      if (to === 'in-flight') return [{ type: 'cancel', clientOrderId }];
      return to === 'working' ? [{ type: 'decrease', clientOrderId, leavesQty: contracts(4) }] : undefined;
    });
    harness.run(1000);
    expect(changes).toEqual(LIFE_OF_CANCELED);
    expect(harness.commands('cancel')).toHaveLength(1);
    expect(harness.commands('decrease')).toEqual([]);
  });

  it('a decrease that the venue refuses is not repeated, though the strategy asks at each change', () => {
    const { harness } = recording(({ order: { clientOrderId }, to }) =>
      to === 'working' ? [{ type: 'decrease', clientOrderId, leavesQty: contracts(4) }] : undefined,
    );
    harness.venue.script = { decrease: () => 'refuse' };
    harness.run(3000);
    expect(harness.commands('decrease')).toHaveLength(1);
    expect(harness.commands('cancel')).toHaveLength(1);
  });

  it.each(['answer', 'feed'] as const)(
    'the answers to two changes at one moment are carried out in the order of the changes: accepted by the %s',
    (way) => {
      const bidAt = (price: number): Intents => [
        aQuote({ bid: { price: cents(price), qty: contracts(5) }, ask: null }),
      ];
      const { harness } = recording(({ to }) => {
        if (to === 'in-flight') return [{ type: 'cancel-all', market: M0 }];
        if (to === 'working' && harness.places().length === 1) return bidAt(31);
        return to === 'pending-cancel' && harness.places().length === 1 ? bidAt(32) : undefined;
      });
      if (way === 'answer') harness.venue.feedDelay = 10_000_000;
      else harness.venue.answerDelay = 400_000;
      harness.run(3000);
      expect(harness.places().at(-1)).toMatchObject({ price: cents(32) });
    },
  );
});
