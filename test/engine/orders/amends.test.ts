// Quotes that move by amends: one request in place of two, and the worse of both terms counts until it is answered.
import { describe, expect, it } from 'vitest';
import type { QuoteIntent, QuoteLevel } from '../../../src/domain/intent.ts';
import { tradeId } from '../../../src/domain/ids.ts';
import { countedLeaves, countedPrice } from '../../../src/domain/orders/order.ts';
import { cents, contracts, dollars, qty } from '../../../src/domain/units.ts';
import { must } from '../../../src/base/assert.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import { reservedIn } from '../../../src/state/account/equity.ts';
import { M0, wideLimits } from '../../support/engine/builders.ts';
import { EngineHarness, type EngineHarnessOptions, aQuote, aStrategy } from '../../support/engine/engine-harness.ts';

const level = (cent: number, size: number): QuoteLevel => ({ price: cents(cent), qty: contracts(size) });
const bid = (cent: number, size = 10): QuoteIntent => aQuote({ bid: level(cent, size), ask: null });
const NO_QUOTE = aQuote({ bid: null, ask: null });

interface Quoting {
  readonly harness: EngineHarness;
  /** Lets the strategy want another quote. */
  readonly quote: (to: QuoteIntent) => void;
}

/** A harness that quotes ten at 40 cents, and then the given quotes. */
function quoting(script: EngineHarness['venue']['script'] = {}, engine: EngineHarnessOptions['engine'] = {}): Quoting {
  let wanted = bid(40);
  const policy = { ...CAREFUL_POLICY, canShrink: true, canMove: true };
  const strategies = [aStrategy({ onPrint: () => [wanted] })];
  const harness = new EngineHarness({ strategies, engine: { policy, ...engine } }).startTrading();
  const quote = (to: QuoteIntent): void => {
    wanted = to;
    const terms = { side: 'buy', price: cents(50), qty: contracts(1) } as const;
    harness.step({ kind: 'print', at: harness.now, exchangeAt: null, market: M0, tradeId: tradeId('p'), ...terms });
  };
  quote(wanted);
  harness.run(10);
  harness.venue.script = script;
  return { harness, quote };
}
const shown = (harness: EngineHarness): (readonly [number, number])[] =>
  harness.venue.resting().map(({ report, leaves }) => [report.price / 100, leaves / 100] as const);
const counts = (harness: EngineHarness): number[] =>
  (['place', 'amend', 'cancel'] as const).map((type) => harness.commands(type).length);
const onlyOrder = (harness: EngineHarness) => harness.engine.state.orders.openIn(M0)[0]!;
/** The price and the quantity that count, in cents and contracts. */
const counted = (harness: EngineHarness): readonly [number, number] => {
  const order = onlyOrder(harness);
  return [countedPrice(order) / 100, countedLeaves(order) / 100];
};
function expectTruthAfterStop(harness: EngineHarness): void {
  harness.stop();
  expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  expect(harness.engine.state.portfolio.cash).toBe(harness.venue.cash);
  expect(harness.venue.resting()).toEqual([]);
}

describe('a quote that moves by an amend', () => {
  it('back to an earlier price is not taken for done because of a list from before', () => {
    const { harness, quote } = quoting();
    const { askedAt, row } = { askedAt: harness.now, row: { ...must(harness.venue.resting()[0], 'an order').report } };
    harness.run(1);
    quote(bid(42, 13));
    harness.run(10);
    harness.venue.tradeOrder(must(harness.venue.resting()[0], 'an order'), 1200);
    harness.run(10);
    quote(bid(40, 2));
    harness.step({ kind: 'orders', at: harness.now, askedAt, commandId: 999_999, rows: [row], cursor: null });
    harness.run(5000);
    expect(shown(harness)).toEqual([[40, 2]]);
    expect(harness.engine.state.orders.openCount).toBe(1);
    expectTruthAfterStop(harness);
  });

  it('sends one request for a new price, and one for a larger quantity', () => {
    const { harness, quote } = quoting();
    quote(bid(41));
    harness.run(10);
    expect(shown(harness)).toEqual([[41, 10]]);
    quote(bid(41, 14));
    harness.run(10);
    expect(shown(harness)).toEqual([[41, 14]]);
    expect(counts(harness)).toEqual([1, 2, 0]);
    expect(onlyOrder(harness)).toMatchObject({ price: cents(41), qty: qty(1400), state: 'working', amend: null });
    expectTruthAfterStop(harness);
  });

  it('names the total quantity, with what has traded', () => {
    const { harness, quote } = quoting();
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 300);
    harness.run(10);
    quote(bid(41, 10));
    harness.run(10);
    expect(harness.commands('amend').map((command) => command.qty)).toEqual([1300]);
    expect(shown(harness)).toEqual([[41, 10]]);
    expectTruthAfterStop(harness);
  });

  it.each([
    { to: bid(45, 4), worse: [45, 10] },
    { to: bid(35, 14), worse: [40, 14] },
    { to: bid(45, 14), worse: [45, 14] },
    { to: bid(35, 4), worse: [40, 10] },
  ])('counts with the worse price and the larger quantity until the answer: $worse', ({ to, worse }) => {
    const { harness, quote } = quoting();
    harness.venue.answerDelay = 50_000;
    harness.venue.feedDelay = 50_000;
    quote(to);
    harness.run(40);
    expect(counted(harness)).toEqual(worse);
    const [cent, size] = worse as [number, number];
    expect(reservedIn(harness.engine.state, M0)).toBe(dollars((cent * size) / 100));
    harness.run(100);
    expect(counted(harness)).toEqual([to.bid!.price / 100, to.bid!.qty / 100]);
    expectTruthAfterStop(harness);
  });

  it('counts once against the limits: it moves although two orders would exceed them', () => {
    const limits = wideLimits({ positionQtyMax: contracts(10), workingOrdersMax: 1, marketCostMax: dollars(5) });
    const { harness, quote } = quoting({}, { limits });
    quote(bid(45));
    harness.run(10);
    expect(shown(harness)).toEqual([[45, 10]]);
    expect(counts(harness)).toEqual([1, 1, 0]);
  });

  it('becomes a cancel where the limits do not allow the new terms, and the new order is denied', () => {
    const { harness, quote } = quoting({}, { limits: wideLimits({ marketCostMax: dollars(4.3) }) });
    quote(bid(45));
    harness.run(10);
    expect(shown(harness)).toEqual([]);
    expect(counts(harness)).toEqual([1, 0, 1]);
    expect(harness.noticesOf('denied').map(({ denial }) => denial.code)).toEqual(['market-cost-above-limit']);
  });

  it('counts the whole quantity of an order against its limit, with what has traded', () => {
    const { harness, quote } = quoting({}, { limits: wideLimits({ orderQtyMax: contracts(12) }) });
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 300);
    harness.run(10);
    quote(bid(41));
    harness.run(10);
    expect(shown(harness)).toEqual([[41, 10]]);
    expect(counts(harness)).toEqual([2, 0, 1]);
  });

  it('is canceled at once when the budget has no room for an amend', () => {
    const limit = { model: 'rolling-window', count: 12, windowMs: 10_000 } as const;
    const budgets = { read: { limit, guardMs: 0 }, trade: { limit, guardMs: 0 } };
    const { harness, quote } = quoting({}, { budgets, careReserve: 0 });
    quote(bid(41));
    harness.run(10);
    quote(bid(42));
    harness.run(10);
    expect(counts(harness)).toEqual([1, 1, 1]);
    expect(shown(harness)).toEqual([]);
    harness.run(15_000);
    expect(shown(harness)).toEqual([]);
  });

  it('waits for the answer when it moves again, and ends as last wanted', () => {
    const { harness, quote } = quoting();
    harness.venue.answerDelay = 20_000;
    harness.venue.feedDelay = 20_000;
    quote(bid(41));
    quote(bid(42));
    quote(bid(43));
    harness.run(200);
    expect(shown(harness)).toEqual([[43, 10]]);
    expect(counts(harness)).toEqual([1, 2, 0]);
  });

  it('is canceled at once when it is no longer wanted before the answer', () => {
    const { harness, quote } = quoting();
    harness.venue.answerDelay = 20_000;
    harness.venue.feedDelay = 20_000;
    quote(bid(41));
    quote(NO_QUOTE);
    expect(counts(harness)).toEqual([1, 1, 1]);
    harness.run(200);
    expect(shown(harness)).toEqual([]);
    expect(harness.engine.state.orders.openCount).toBe(0);
    expectTruthAfterStop(harness);
  });

  it('is not amended once its order must end, even while the failed cancel waits for its next try', () => {
    const { harness, quote } = quoting({ cancel: () => 'vanish' });
    quote(NO_QUOTE);
    harness.run(100);
    expect(onlyOrder(harness).state).toBe('working');
    quote(bid(41));
    harness.run(100);
    expect(harness.commands('amend')).toEqual([]);
    harness.venue.script = {};
    harness.run(3000);
    expect(shown(harness)).toEqual([[41, 10]]);
    expect(harness.places()).toHaveLength(2);
  });

  it('is replaced by a cancel and a new order, once, after the venue has refused its amend', () => {
    const { harness, quote } = quoting({ amend: () => 'refuse' });
    quote(bid(41));
    harness.run(1000);
    expect(counts(harness)).toEqual([2, 1, 1]);
    expect(shown(harness)).toEqual([[41, 10]]);
    quote(bid(42));
    harness.run(1000);
    expect(counts(harness)).toEqual([3, 2, 2]);
    expectTruthAfterStop(harness);
  });

  it('is canceled, and placed again, after a rate refusal of its amend', () => {
    const { harness, quote } = quoting({ amend: () => 'limit' });
    quote(bid(41));
    harness.run(3000);
    expect(counts(harness)).toEqual([2, 1, 1]);
    expect(shown(harness)).toEqual([[41, 10]]);
    expectTruthAfterStop(harness);
  });

  it('moves each side only when it crosses no own order of the other side', () => {
    const { harness, quote } = quoting();
    quote(aQuote({ bid: level(40, 10), ask: level(42, 10) }));
    harness.run(10);
    harness.venue.answerDelay = 20_000;
    harness.venue.feedDelay = 20_000;
    quote(aQuote({ bid: level(43, 10), ask: level(45, 10) }));
    harness.run(1);
    expect(harness.commands('amend').map(({ side, price }) => [side, price])).toEqual([['sell', cents(45)]]);
    harness.run(200);
    expect(shown(harness)).toEqual([
      [43, 10],
      [45, 10],
    ]);
    expect(counts(harness)).toEqual([2, 2, 0]);
  });
});

describe('an amend that races with fills', () => {
  it('that comes too late is refused: the order is filled, and no fill is lost or counted twice', () => {
    const { harness, quote } = quoting();
    harness.venue.answerDelay = 30_000;
    harness.venue.feedDelay = 60_000;
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 1000);
    quote(bid(41));
    harness.run(500);
    expect(harness.engine.state.portfolio.position(M0)).toEqual(harness.venue.position(M0));
    expect(harness.engine.state.orders.openCount).toBe(0);
    expectTruthAfterStop(harness);
  });

  it.each([
    { answer: 5000, feed: 60_000 },
    { answer: 60_000, feed: 5000 },
  ])('keeps its total: what traded meanwhile leaves less (answer $answer µs, feed $feed µs)', ({ answer, feed }) => {
    const { harness, quote } = quoting();
    harness.venue.answerDelay = answer;
    harness.venue.feedDelay = feed;
    const [order] = harness.venue.resting();
    harness.venue.tradeOrder(order!, 300);
    quote(bid(41, 8));
    quote(NO_QUOTE);
    harness.run(500);
    expect(harness.engine.state.portfolio.position(M0)).toEqual(harness.venue.position(M0));
    expectTruthAfterStop(harness);
  });

  it('stays open for the rest of a larger quantity while its fills arrive before its answer', () => {
    const { harness, quote } = quoting();
    harness.venue.answerDelay = 50_000;
    quote(bid(40, 30));
    harness.run(1);
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 1000);
    harness.run(5);
    expect(onlyOrder(harness)).toMatchObject({ filledQty: qty(1000), state: 'pending-amend' });
    expect(countedLeaves(onlyOrder(harness))).toBe(2000);
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 500);
    harness.run(5);
    expect(onlyOrder(harness)).toMatchObject({ filledQty: qty(1500), qty: qty(3000) });
    harness.run(100);
    expect(harness.engine.state.portfolio.position(M0)).toEqual(harness.venue.position(M0));
    expectTruthAfterStop(harness);
  });

  it('ends the order when its old quantity has traded and the larger one is refused', () => {
    const { harness, quote } = quoting({ amend: () => 'refuse', reportsOrder: () => false });
    harness.venue.answerDelay = 50_000;
    quote(bid(40, 30));
    harness.run(1);
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 1000);
    harness.run(5);
    expect(onlyOrder(harness).state).toBe('pending-amend');
    harness.run(60);
    expect(harness.engine.state.orders.openCount).toBe(0);
    expectTruthAfterStop(harness);
  });
});

describe('an amend without a known outcome', () => {
  it.each(['lose', 'vanish'] as const)(
    '(%s) is looked up, counts as the worse until then, and ends as wanted',
    (lost) => {
      let count = 0;
      const { harness, quote } = quoting({
        reportsOrder: () => false,
        amend: () => ((count += 1) === 1 ? lost : 'do'),
        read: () => 'fail',
      });
      quote(bid(35, 14));
      harness.run(500);
      expect(onlyOrder(harness).state).toBe('unknown');
      expect(counted(harness)).toEqual([40, 14]);
      delete harness.venue.script.read;
      harness.run(5000);
      expect(shown(harness)).toEqual([[35, 14]]);
      expect(counted(harness)).toEqual([35, 14]);
      expectTruthAfterStop(harness);
    },
  );

  it('that still may arrive after a lookup ends with a cancel: the late amend finds no order', () => {
    const { harness, quote } = quoting({ amend: () => 'vanish', cancel: () => 'vanish' });
    const [order] = harness.venue.resting();
    quote(bid(45, 14));
    harness.run(2500);
    expect(harness.commands('cancel').length).toBeGreaterThan(0);
    expect(counted(harness)).toEqual([45, 14]);
    harness.venue.giveTerms(order!, harness.commands('amend')[0]!);
    harness.run(10);
    expect(counted(harness)).toEqual([45, 14]);
    expect(onlyOrder(harness).amend).toBeNull();
    harness.venue.script = {};
    harness.run(5000);
    expect(shown(harness)).toEqual([[45, 14]]);
    expect(harness.venue.resting()).toHaveLength(1);
    expectTruthAfterStop(harness);
  });
});
