// A quoter that is called when the best price of others has moved sends the same commands as one that is called at every
// change of a book: on random tapes, with orders that fill, expire and are denied, and a feed that is interrupted.
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { MarketIndex } from '../../src/domain/ids.ts';
import type { Intent } from '../../src/domain/intent.ts';
import { type Price, contracts } from '../../src/domain/units.ts';
import type { StrategyView } from '../../src/state/strategy-view.ts';
import { OthersBestWatch } from '../../src/strategy/others-best-watch.ts';
import type { Handlers } from '../../src/strategy/strategy-definition.ts';
import { runCount } from '../support/runner/property-runs.ts';
import { type WildCase, runOutcome, runWildCase, wildCases, wildRun } from '../support/tapes/wild-run.ts';

/** Terms of a quoter. */
interface Terms {
  /** Distance of each quote from the best price of others, in ten-thousandths of a dollar. Below 0, it improves the price. */
  readonly away: number;
  /** Contracts on each side: many are denied by the limits. */
  readonly count: number;
}

const terms: fc.Arbitrary<Terms> = fc.record({
  away: fc.constantFrom(-100, 0, 100, 300),
  count: fc.constantFrom(2, 7, 90),
});

/** A quote that depends on the best prices of others, the position and the number of own orders, and on nothing else. */
function quoteFor(market: MarketIndex, view: StrategyView, { away, count }: Terms): Intent[] {
  const bid = view.othersBest(market, 'bid');
  const ask = view.othersBest(market, 'ask');
  if (!view.book(market).isLive || bid === null || ask === null) return [];
  const lean = Math.sign(view.position(market).qty) * 100;
  const qty = contracts(view.orders(market).length > 2 ? 1 : count);
  const below = { price: (bid - away - lean) as Price, qty };
  const above = { price: (ask + away - lean) as Price, qty };
  return [{ type: 'quote', market, bid: below, ask: above, priceTolerance: 100, qtyTolerance: qty - 1 }];
}

/** Runs a quoter by one of the two handlers. */
function runBy(handler: 'onBook' | 'onOthersBest', wild: WildCase, drawn: Terms) {
  let calls = 0;
  const handlers: Handlers = {
    [handler]: ({ market }: { market: MarketIndex }, view: StrategyView) => {
      calls += 1;
      return quoteFor(market, view, drawn);
    },
  };
  const run = wildRun(wild, handlers);
  runWildCase(run, wild);
  return { outcome: runOutcome(run), calls };
}

const slow = { model: 'log-normal', median: '50ms', p99: '2s' };
const latencies = [{}, { order: { model: 'constant', delay: '2ms' } }, { feed: slow, order: slow, answer: slow }];

const cases = fc.tuple(wildCases(latencies), terms);

describe('a quoter that follows the best price of others', () => {
  it('sends the same commands as one that sees every change of a book, with fewer calls', () => {
    const calls = { every: 0, selective: 0 };
    fc.assert(
      fc.property(cases, ([wild, drawn]) => {
        const every = runBy('onBook', wild, drawn);
        const selective = runBy('onOthersBest', wild, drawn);
        calls.every += every.calls;
        calls.selective += selective.calls;
        expect(selective.outcome).toEqual(every.outcome);
      }),
      { numRuns: runCount(200) },
    );
    expect(calls.selective).toBeGreaterThan(0);
    expect(calls.selective).toBeLessThan(calls.every);
  });

  it('sends other commands when a denial does not make it due', () => {
    const isEqual = ([wild, drawn]: [WildCase, Terms]): boolean =>
      runBy('onBook', wild, drawn).outcome.join() === runBy('onOthersBest', wild, drawn).outcome.join();
    // The fifth case of this seed differs.
    const drawn = fc.sample(cases, { numRuns: 300, seed: 4 });
    const spy = vi.spyOn(OthersBestWatch.prototype, 'markDue').mockReturnValue();
    expect(drawn.every(isEqual)).toBe(false);
    spy.mockRestore();
  });
});
