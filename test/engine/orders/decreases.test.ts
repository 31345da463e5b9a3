// Decreased quotes keep their place in the queue: one request instead of two, and the larger size counts until
// answered.
import { describe, expect, it } from 'vitest';
import type { QuoteIntent } from '../../../src/domain/intent.ts';
import { cents, contracts, qty } from '../../../src/domain/units.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import { M0 } from '../../support/engine/builders.ts';
import { World, aQuote, aStrategy } from '../../support/engine/world.ts';

const bid = (size: number, cent = 40): QuoteIntent =>
  aQuote({ bid: { price: cents(cent), qty: contracts(size) }, ask: null });

/** A world that quotes a bid of ten, and then the given quotes. */
function quoting(
  script: World['venue']['script'] = {},
  canShrink = true,
): { world: World; quote: (to: QuoteIntent) => void } {
  let wanted = bid(10);
  const engine = { policy: { ...CAREFUL_POLICY, canShrink } };
  const world = new World({ strategies: [aStrategy({ onPrint: () => [wanted] })], engine }).startTrading();
  const quote = (to: QuoteIntent): void => {
    wanted = to;
    world.venue.emitEvent({
      kind: 'print',
      exchangeAt: null,
      market: M0,
      tradeId: 'p' as never,
      side: 'buy',
      price: cents(50),
      qty: contracts(1),
    });
    world.run(1);
  };
  quote(wanted);
  world.run(10);
  world.venue.script = script;
  return { world, quote };
}
const shown = (world: World): number[] => world.venue.resting().map(({ leaves }) => leaves);
const ours = (world: World): number[] =>
  world.engine.state.orders.openIn(M0).map(({ qty: all, filledQty }) => all - filledQty);
const counts = (world: World): number[] =>
  (['place', 'decrease', 'cancel'] as const).map((type) => world.commands(type).length);

describe('a decreased quote', () => {
  it('a quote that shrinks is decreased in place', () => {
    const { world, quote } = quoting();
    quote(bid(6));
    world.run(10);
    expect(counts(world)).toEqual([1, 1, 0]);
    expect(shown(world)).toEqual([600]);
    expect(ours(world)).toEqual([600]);
    world.stop();
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });

  it('a decreased quote counts with its larger size until the venue has answered', () => {
    const { world, quote } = quoting();
    world.venue.answerDelay = 50_000;
    world.venue.feedDelay = 50_000;
    quote(bid(6));
    world.run(51);
    expect(ours(world)).toEqual([1000]);
    world.run(100);
    expect(ours(world)).toEqual([600]);
  });

  it('a quote is replaced when its price moves, when it grows, or at a venue that cannot decrease', () => {
    const { world, quote } = quoting();
    quote(bid(6, 41));
    world.run(10);
    quote(bid(8, 41));
    world.run(10);
    expect(counts(world)).toEqual([3, 0, 2]);
    const other = quoting({}, false);
    other.quote(bid(6));
    other.world.run(10);
    expect(counts(other.world)).toEqual([2, 0, 1]);
    expect(shown(other.world)).toEqual([600]);
  });

  it('a quote that changes again while its decrease is in flight ends as last wanted', () => {
    const { world, quote } = quoting();
    world.venue.answerDelay = 20_000;
    world.venue.feedDelay = 20_000;
    quote(bid(6));
    quote(bid(3));
    quote(bid(4));
    world.run(200);
    expect(shown(world)).toEqual([400]);
    expect(world.commands('cancel')).toEqual([]);
    quote(bid(2));
    quote(bid(2, 39));
    world.run(200);
    expect(world.venue.resting().map(({ report, leaves }) => [report.price, leaves])).toEqual([[cents(39), 200]]);
  });

  it.each(['lose', 'vanish'] as const)(
    'a decreased quote whose answer is lost (%s) is looked up, and ends as wanted',
    (answer) => {
      let count = 0;
      const { world, quote } = quoting({
        reportsOrder: () => false,
        decrease: () => ((count += 1) === 1 ? answer : 'do'),
      });
      quote(bid(6));
      world.run(3000);
      expect(shown(world)).toEqual([600]);
      expect(ours(world)).toEqual([600]);
      world.stop();
      expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
    },
  );

  it('a quote that the venue refuses to decrease is replaced, once', () => {
    const { world, quote } = quoting({ decrease: () => 'refuse' });
    quote(bid(6));
    world.run(1000);
    expect(counts(world)).toEqual([2, 1, 1]);
    expect(shown(world)).toEqual([600]);
  });

  it('a decreased quote that trades meanwhile loses no fill, whichever report arrives first', () => {
    const { world, quote } = quoting();
    world.venue.answerDelay = 30_000;
    world.venue.feedDelay = 60_000;
    const [order] = world.venue.resting();
    world.venue.tradeOrder(order!, 300);
    quote(bid(6));
    world.run(2);
    world.venue.tradeOrder(order!, 100);
    world.run(300);
    const [open] = world.engine.state.orders.openIn(M0);
    expect([open?.qty, open?.filledQty]).toEqual([qty(1000), qty(400)]);
    expect(shown(world)).toEqual(ours(world));
    expect(world.engine.state.portfolio.position(M0)).toEqual(world.venue.position(M0));
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
      const { world, quote } = quoting(half);
      Object.assign(world.venue, { answerDelay, feedDelay });
      const [order] = world.venue.resting();
      quote(bid(6));
      world.venue.tradeOrder(order!, 300);
      world.run(59);
      expect(ours(world)[0]).toBeGreaterThanOrEqual(700);
      world.run(300);
      expect(counts(world)).toEqual([1, 1, 0]);
      expect(ours(world)).toEqual(shown(world));
      expect(world.engine.state.portfolio.position(M0)).toEqual(world.venue.position(M0));
      world.stop();
      expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
    },
  );

  it('a decreased quote is looked up when no report arrives, and ends as wanted', () => {
    const { world, quote } = quoting({ ...half, reportsOrder: () => false });
    quote(bid(6));
    world.run(100);
    expect([shown(world), ours(world)]).toEqual([[600], [1000]]);
    world.run(60_000);
    expect([shown(world), ours(world)]).toEqual([[600], [600]]);
  });

  it('a decreased quote is canceled entirely when it is no longer wanted', () => {
    const { world, quote } = quoting({ ...half, reportsOrder: () => false });
    quote(bid(6));
    world.run(100);
    quote(aQuote({ bid: null, ask: null }));
    world.run(3000);
    expect([shown(world), ours(world)]).toEqual([[], []]);
    expect(world.engine.state.orders.openCount).toBe(0);
  });
});
