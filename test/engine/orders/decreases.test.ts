// Decreased quotes keep their place in the queue: one request instead of two, and the larger size counts until
// answered.
import { describe, expect, it } from 'vitest';
import { must } from '../../../src/base/assert.ts';
import type { QuoteIntent } from '../../../src/domain/intent.ts';
import { cents, contracts, qty } from '../../../src/domain/units.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import { M0 } from '../../support/engine/builders.ts';
import { EngineHarness, aQuote, aStrategy } from '../../support/engine/engine-harness.ts';

const bid = (size: number, cent = 40): QuoteIntent =>
  aQuote({ bid: { price: cents(cent), qty: contracts(size) }, ask: null });

/** A harness that quotes a bid of ten, and then the given quotes. */
function quoting(
  script: EngineHarness['venue']['script'] = {},
  canShrink = true,
): { harness: EngineHarness; quote: (to: QuoteIntent) => void } {
  let wanted = bid(10);
  const engine = { policy: { ...CAREFUL_POLICY, canShrink } };
  const harness = new EngineHarness({ strategies: [aStrategy({ onPrint: () => [wanted] })], engine }).startTrading();
  const quote = (to: QuoteIntent): void => {
    wanted = to;
    harness.venue.emitEvent({
      kind: 'print',
      exchangeAt: null,
      market: M0,
      tradeId: 'p' as never,
      side: 'buy',
      price: cents(50),
      qty: contracts(1),
    });
    harness.run(1);
  };
  quote(wanted);
  harness.run(10);
  harness.venue.script = script;
  return { harness, quote };
}
const shown = (harness: EngineHarness): number[] => harness.venue.resting().map(({ leaves }) => leaves);
const ours = (harness: EngineHarness): number[] =>
  harness.engine.state.orders.openIn(M0).map(({ qty: all, filledQty }) => all - filledQty);
const counts = (harness: EngineHarness): number[] =>
  (['place', 'decrease', 'cancel'] as const).map((type) => harness.commands(type).length);

describe('a decreased quote', () => {
  it('a quote that shrinks is decreased in place', () => {
    const { harness, quote } = quoting();
    quote(bid(6));
    harness.run(10);
    expect(counts(harness)).toEqual([1, 1, 0]);
    expect(shown(harness)).toEqual([600]);
    expect(ours(harness)).toEqual([600]);
    harness.stop();
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });

  it('a decreased quote counts with its larger size until the venue has answered', () => {
    const { harness, quote } = quoting();
    harness.venue.answerDelay = 50_000;
    harness.venue.feedDelay = 50_000;
    quote(bid(6));
    harness.run(51);
    expect(ours(harness)).toEqual([1000]);
    harness.run(100);
    expect(ours(harness)).toEqual([600]);
  });

  it('a quote is replaced when its price moves, when it grows, or at a venue that cannot decrease', () => {
    const { harness, quote } = quoting();
    quote(bid(6, 41));
    harness.run(10);
    quote(bid(8, 41));
    harness.run(10);
    expect(counts(harness)).toEqual([3, 0, 2]);
    const other = quoting({}, false);
    other.quote(bid(6));
    other.harness.run(10);
    expect(counts(other.harness)).toEqual([2, 0, 1]);
    expect(shown(other.harness)).toEqual([600]);
  });

  it('a quote that changes again while its decrease is in flight ends as last wanted', () => {
    const { harness, quote } = quoting();
    harness.venue.answerDelay = 20_000;
    harness.venue.feedDelay = 20_000;
    quote(bid(6));
    quote(bid(3));
    quote(bid(4));
    harness.run(200);
    expect(shown(harness)).toEqual([400]);
    expect(harness.commands('cancel')).toEqual([]);
    quote(bid(2));
    quote(bid(2, 39));
    harness.run(200);
    expect(harness.venue.resting().map(({ report, leaves }) => [report.price, leaves])).toEqual([[cents(39), 200]]);
  });

  it.each(['lose', 'vanish'] as const)(
    'a decreased quote whose answer is lost (%s) is looked up, and ends as wanted',
    (answer) => {
      let count = 0;
      const { harness, quote } = quoting({
        reportsOrder: () => false,
        decrease: () => ((count += 1) === 1 ? answer : 'do'),
      });
      quote(bid(6));
      harness.run(3000);
      expect(shown(harness)).toEqual([600]);
      expect(ours(harness)).toEqual([600]);
      harness.stop();
      expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
    },
  );

  it('a quote that the venue refuses to decrease is replaced, once', () => {
    const { harness, quote } = quoting({ decrease: () => 'refuse' });
    quote(bid(6));
    harness.run(1000);
    expect(counts(harness)).toEqual([2, 1, 1]);
    expect(shown(harness)).toEqual([600]);
  });

  it('a decreased quote that trades meanwhile loses no fill, whichever report arrives first', () => {
    const { harness, quote } = quoting();
    harness.venue.answerDelay = 30_000;
    harness.venue.feedDelay = 60_000;
    const [order] = harness.venue.resting();
    harness.venue.tradeOrder(order!, 300);
    quote(bid(6));
    harness.run(2);
    harness.venue.tradeOrder(order!, 100);
    harness.run(300);
    const [open] = harness.engine.state.orders.openIn(M0);
    expect([open?.qty, open?.filledQty]).toEqual([qty(1000), qty(400)]);
    expect(shown(harness)).toEqual(ours(harness));
    expect(harness.engine.state.portfolio.position(M0)).toEqual(harness.venue.position(M0));
  });
});

describe('a smaller quote whose order has ended at the venue', () => {
  it('an order that only lacks fills is not decreased, and the quote is placed again after them', () => {
    const { harness, quote } = quoting();
    const order = must(harness.venue.resting()[0], 'an order at the venue');
    const ended = { ...order.report, status: 'canceled', filledQty: contracts(6), leavesQty: qty(0) } as const;
    harness.step({ kind: 'order-updated', at: harness.now, order: ended });
    expect(ours(harness)).toEqual([600]);
    quote(bid(3));
    harness.run(10);
    expect(counts(harness)).toEqual([1, 0, 0]);
    order.leaves = 600;
    harness.venue.tradeOrder(order, 600);
    harness.run(10);
    expect(counts(harness)).toEqual([2, 0, 0]);
    expect(ours(harness)).toEqual([300]);
  });
});

describe('a decreased quote where the answer reports only what remains', () => {
  const half = { reportsTraded: () => false };

  it.each([
    [20_000, 60_000],
    [60_000, 20_000],
  ])(
    'a decreased quote counts in full until a report gives the rest: answered after %d µs, reported after %d',
    (answerDelay, feedDelay) => {
      const { harness, quote } = quoting(half);
      Object.assign(harness.venue, { answerDelay, feedDelay });
      const [order] = harness.venue.resting();
      quote(bid(6));
      harness.venue.tradeOrder(order!, 300);
      harness.run(59);
      expect(ours(harness)[0]).toBeGreaterThanOrEqual(700);
      harness.run(300);
      expect(counts(harness)).toEqual([1, 1, 0]);
      expect(ours(harness)).toEqual(shown(harness));
      expect(harness.engine.state.portfolio.position(M0)).toEqual(harness.venue.position(M0));
      harness.stop();
      expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
    },
  );

  it('a decreased quote is looked up when no report arrives, and ends as wanted', () => {
    const { harness, quote } = quoting({ ...half, reportsOrder: () => false });
    quote(bid(6));
    harness.run(100);
    expect([shown(harness), ours(harness)]).toEqual([[600], [1000]]);
    harness.run(60_000);
    expect([shown(harness), ours(harness)]).toEqual([[600], [600]]);
  });

  it('a decreased quote is canceled entirely when it is no longer wanted', () => {
    const { harness, quote } = quoting({ ...half, reportsOrder: () => false });
    quote(bid(6));
    harness.run(100);
    quote(aQuote({ bid: null, ask: null }));
    harness.run(3000);
    expect([shown(harness), ours(harness)]).toEqual([[], []]);
    expect(harness.engine.state.orders.openCount).toBe(0);
  });
});
