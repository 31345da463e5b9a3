// Outcomes of intents as strategies receive them in the whole engine: in order, with the venue's own reasons.
import { describe, expect, it } from 'vitest';
import type { IntentOutcome } from '../../../src/domain/event.ts';
import type { Intent, PlaceIntent } from '../../../src/domain/intent.ts';
import type { ClientOrderId } from '../../../src/domain/ids.ts';
import { cents, contracts, fromSeconds, qty } from '../../../src/domain/units.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import type { StrategyView } from '../../../src/state/strategy-view.ts';
import { M0, wideLimits } from '../../support/engine/builders.ts';
import { buy, print } from '../../support/engine/intents.ts';
import type { EngineOptions } from '../../../src/engine.ts';
import { EngineHarness, aQuote, aStrategy } from '../../support/engine/engine-harness.ts';

/** A strategy that answers each public trade with given intents, and records their outcomes. */
function recording(
  answers: readonly ((view: StrategyView) => readonly Intent[])[],
  engine: Partial<EngineOptions> = {},
) {
  const outcomes: IntentOutcome[] = [];
  let turn = 0;
  const harness = new EngineHarness({
    strategies: [
      aStrategy({
        onPrint: (_, view) => answers[turn++]?.(view),
        onIntentOutcome: (outcome) => void outcomes.push(outcome),
      }),
    ],
    engine,
  }).startTrading();
  const kinds = (): string[] => outcomes.map(({ kind, intent }) => `${intent.type} ${kind}`);
  const next = (milliseconds = 10): void => {
    print(harness);
    harness.run(milliseconds);
  };
  return { harness, outcomes, kinds, next };
}
const ours = (view: StrategyView): ClientOrderId => view.orders(M0)[0]!.clientOrderId;

describe('intents to place an order', () => {
  const WANTED = buy({ reason: 'cheap' });

  it('an order that the venue takes is approved and accepted, each with its intent', () => {
    const { outcomes, kinds, next } = recording([() => [WANTED]]);
    next();
    expect(kinds()).toEqual(['place approved', 'place accepted']);
    expect(outcomes.map(({ intent }) => intent)).toEqual([WANTED, WANTED]);
    expect(outcomes[1]).toMatchObject({ strategy: 'maker', order: { state: 'working' } });
  });

  it("an order that the venue refuses is rejected with the venue's reason", () => {
    const { harness, outcomes, kinds, next } = recording([() => [WANTED]]);
    harness.venue.script = { place: () => 'reject' };
    next();
    expect(kinds()).toEqual(['place approved', 'place rejected']);
    expect(outcomes[1]).toMatchObject({ why: expect.stringContaining(':') });
  });

  it('an order that risk refuses is denied with the figures, and has no other outcome', () => {
    const { outcomes, kinds, next } = recording([() => [buy({ qty: contracts(5000) })]], { limits: wideLimits() });
    next();
    expect(kinds()).toEqual(['place denied']);
    expect(outcomes[0]).toMatchObject({ denial: { code: 'order-qty-above-limit', orderQtyMax: contracts(1000) } });
  });

  it('an order that could not leave is not sent', () => {
    const { harness, kinds, next } = recording([() => [WANTED]]);
    harness.venue.script = { place: () => 'not-sent' };
    next();
    expect(kinds()).toEqual(['place approved', 'place not-sent']);
  });

  it('an order beyond the most that may wait is approved first and then not sent', () => {
    const rate = { limit: { model: 'rolling-window', count: 12, windowMs: 60_000 }, guardMs: 0 } as const;
    const many = Array.from({ length: 1003 }, (_, i): PlaceIntent =>
      buy({ price: cents(1 + (i % 40)), qty: contracts(1) }),
    );
    const { kinds, next, outcomes } = recording([() => many], {
      budgets: { read: rate, trade: rate },
      careReserve: 1,
      limits: wideLimits({ workingOrdersMax: 5000 }),
    });
    next(1);
    expect(kinds().slice(-2)).toEqual(['place approved', 'place not-sent']);
    expect(outcomes.at(-1)).toMatchObject({ why: 'too many new orders wait to be sent' });
  });

  it.each([
    ['lose', ['place approved', 'place unknown', 'place accepted']],
    ['vanish', ['place approved', 'place unknown', 'place not-sent']],
  ] as const)('an order whose answer is lost is unknown until it is known: %s', (answer, expected) => {
    const { harness, kinds, next } = recording([() => [WANTED]]);
    harness.venue.script = { place: () => answer, reportsOrder: () => false };
    next(6000);
    expect(kinds()).toEqual(expected);
  });

  it('an order that lapses at its time is reported as expired', () => {
    const lasting = buy({ timeInForce: 'gtd', expiresAt: fromSeconds(1002) });
    const { harness, kinds, next } = recording([() => [lasting]]);
    next();
    harness.venue.emitEvent({
      kind: 'order-updated',
      order: { ...harness.venue.resting()[0]!.report, status: 'canceled', leavesQty: qty(0), reason: 'ExpiryCancel' },
    });
    harness.run(5);
    expect(kinds()).toEqual(['place approved', 'place accepted', 'place expired']);
  });

  it('an order that a quote led to is reported as an order', () => {
    const { outcomes, kinds, next } = recording([
      () => [aQuote({ ask: null })],
      () => [aQuote({ bid: null, ask: null })],
    ]);
    next();
    next();
    expect(kinds()).toEqual(['place approved', 'place accepted']);
    expect(outcomes[0]!.intent).toMatchObject({ side: 'buy', price: cents(40), postOnly: true });
  });
});

describe('intents to change an order', () => {
  it.each(['cancel', 'decrease'] as const)(
    'a change is denied when the order belongs to no strategy or has ended: %s',
    (type) => {
      const change = (clientOrderId: ClientOrderId): Intent =>
        type === 'cancel' ? { type, clientOrderId } : { type, clientOrderId, leavesQty: contracts(1) };
      let id = 'nobody' as ClientOrderId;
      const { harness, outcomes, next } = recording([() => [change(id)], () => [buy()], () => [change(id)]]);
      next();
      next();
      id = harness.places()[0]!.clientOrderId;
      harness.venue.tradeOrder(harness.venue.resting()[0]!, 1000);
      harness.run(10);
      next();
      expect(outcomes.filter(({ kind }) => kind === 'denied')).toMatchObject([
        { denial: { code: 'order-not-open', order: 'nobody', state: null } },
        { denial: { code: 'order-not-open', order: id, state: 'filled' } },
      ]);
    },
  );

  it("a change of another strategy's order is denied", () => {
    const outcomes: IntentOutcome[] = [];
    const id = (): ClientOrderId => harness.places()[0]!.clientOrderId;
    const harness: EngineHarness = new EngineHarness({
      strategies: [
        aStrategy({ onPrint: () => [buy()] }, 'owner'),
        aStrategy({
          onTimer: () => [{ type: 'cancel', clientOrderId: id() }],
          onPrint: (_, { now }) => [{ type: 'timer', name: 't', at: (now + 5000) as typeof now }],
          onIntentOutcome: (outcome) => void outcomes.push(outcome),
        }),
      ],
    }).startTrading();
    print(harness);
    harness.run(20);
    expect(outcomes).toMatchObject([{ kind: 'denied', denial: { code: 'order-not-open', state: null } }]);
    expect(harness.venue.resting()).toHaveLength(1);
  });

  it('a cancel is approved, and accepted when the order is gone', () => {
    const { kinds, next } = recording([() => [buy()], (view) => [{ type: 'cancel', clientOrderId: ours(view) }]]);
    next();
    next();
    expect(kinds().slice(2)).toEqual(['cancel approved', 'cancel accepted']);
  });

  it('a cancel is rejected when the order trades first', () => {
    const { harness, kinds, next } = recording([
      () => [buy()],
      (view) => [{ type: 'cancel', clientOrderId: ours(view) }],
    ]);
    next();
    harness.venue.script = { reportsOrder: () => false, reportsFill: () => false };
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 1000);
    next(5000);
    expect(kinds().slice(2)).toEqual(['cancel approved', 'cancel unknown', 'cancel rejected']);
  });

  it.each([Number.NaN, -100, 50, 1000, 1100])(
    'a decrease to an invalid quantity is denied with the figures: %d',
    (size) => {
      const { harness, outcomes, next } = recording([
        () => [buy()],
        (view) => [{ type: 'decrease', clientOrderId: ours(view), leavesQty: size as never }],
      ]);
      next();
      next();
      expect(outcomes.at(-1)).toMatchObject({
        kind: 'denied',
        denial: { code: 'decrease-invalid', leavesQty: size, openQty: contracts(10), qtyStep: 100 },
      });
      expect(harness.commands('decrease')).toEqual([]);
      expect(harness.commands('cancel')).toEqual([]);
    },
  );
});

describe('intents to decrease an order', () => {
  const decrease =
    (left: number) =>
    (view: StrategyView): Intent[] => [{ type: 'decrease', clientOrderId: ours(view), leavesQty: contracts(left) }];

  it('a decrease makes an order smaller in place', () => {
    const { harness, kinds, next } = recording([() => [buy()], decrease(4)]);
    next();
    next();
    expect(kinds().slice(2)).toEqual(['decrease approved', 'decrease accepted']);
    expect(harness.venue.resting().map(({ leaves }) => leaves)).toEqual([400]);
    expect(harness.commands('cancel')).toEqual([]);
  });

  it('a decrease to nothing, or at a venue that cannot decrease, cancels the order', () => {
    const policy = { ...CAREFUL_POLICY, canShrink: false };
    for (const { harness, kinds, next } of [
      recording([() => [buy()], decrease(0)]),
      recording([() => [buy()], decrease(4)], { policy }),
    ]) {
      next();
      next();
      expect(kinds().slice(2)).toEqual(['decrease approved', 'decrease accepted']);
      expect(harness.commands('decrease')).toEqual([]);
      expect(harness.venue.resting()).toEqual([]);
    }
  });

  it("a decrease that the venue refuses is rejected with the venue's reason, and the next one cancels", () => {
    const { harness, outcomes, kinds, next } = recording([() => [buy()], decrease(4), decrease(2)]);
    harness.venue.script = { decrease: () => 'refuse' };
    next();
    next();
    expect(kinds().slice(2)).toEqual(['decrease approved', 'decrease rejected']);
    expect(outcomes.at(-1)).toMatchObject({ order: { state: 'working', qty: contracts(10) } });
    next();
    expect(harness.venue.resting()).toEqual([]);
    expect(kinds().slice(4)).toEqual(['decrease approved', 'decrease accepted']);
  });

  it('a decrease requested while the order is in flight waits for the answer', () => {
    const { harness, kinds, next } = recording([() => [buy()], decrease(6), decrease(4)]);
    harness.venue.answerDelay = 20_000;
    harness.venue.script = { reportsOrder: () => false };
    next(1);
    next(1);
    next(100);
    expect(kinds()).toEqual([
      'place approved',
      'decrease approved',
      'decrease not-sent',
      'decrease approved',
      'place accepted',
      'decrease accepted',
    ]);
    expect(harness.venue.resting().map(({ leaves }) => leaves)).toEqual([400]);
  });

  it('a decrease that could not leave in time is not sent', () => {
    const { harness, kinds, next } = recording([() => [buy()], decrease(4)]);
    next();
    // Only cancels may leave for a while.
    harness.venue.script = { read: () => 'do', decrease: () => 'limit' };
    harness.engine.planner.budgets.trade.pauseUntil((harness.now + 10_000_000) as typeof harness.now);
    next(5000);
    expect(kinds().slice(2)).toEqual(['decrease approved', 'decrease not-sent']);
  });

  it('a decrease of a quoted order holds until the strategy quotes again', () => {
    const { harness, next } = recording([() => [aQuote({ ask: null })], decrease(2), () => [aQuote({ ask: null })]]);
    next();
    next();
    expect(harness.venue.resting().map(({ leaves }) => leaves)).toEqual([200]);
    next();
    harness.run(20);
    expect(harness.venue.resting().map(({ leaves }) => leaves)).toEqual([500]);
  });
});

describe('the cancel of a quoted order', () => {
  it('the cancel of a quoted order is not undone by the quote', () => {
    const { harness, next } = recording([() => [aQuote()], (view) => [{ type: 'cancel', clientOrderId: ours(view) }]]);
    next();
    next();
    harness.run(50);
    expect(harness.venue.resting().map(({ report }) => report.side)).toEqual(['sell']);
  });
});
