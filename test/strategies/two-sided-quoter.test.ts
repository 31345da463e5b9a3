// The quoter, through the real engine with a scripted venue: where it quotes, and when it does not.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { strategyName } from '../../src/domain/ids.ts';
import { type Price, cents, contracts, qty } from '../../src/domain/units.ts';
import type { BoundStrategy } from '../../src/strategy/strategy-definition.ts';
import strategy from '../../strategies/two-sided-quoter.ts';
import { M0 } from '../support/engine/builders.ts';
import { EngineHarness } from '../support/engine/engine-harness.ts';
import { runCount } from '../support/runner/property-runs.ts';

const PARAMS = {
  qtyContracts: 5,
  halfSpreadCents: 2,
  skewCentsPerContract: 1,
  inventoryMaxContracts: 20,
  toleranceCents: 0,
};

const bind = (params: Partial<typeof PARAMS> = {}): BoundStrategy =>
  strategy.bind(strategyName('quoter'), { ...PARAMS, ...params });

/** A market bid 45 and offered 55, ten contracts each, and the quoter in it. */
function start(params: Partial<typeof PARAMS> = {}): EngineHarness {
  const harness = new EngineHarness({ strategies: [bind(params)] }).startTrading();
  return touch(harness, 'bid', [45, 1]);
}

/** Changes a level of others and runs everything that follows. */
function touch(
  harness: EngineHarness,
  side: 'bid' | 'ask',
  [at, change]: readonly [cents: number, contracts: number],
): EngineHarness {
  harness.venue.changeLevel(M0, side, { price: cents(at), change: contracts(change) });
  return harness.run(50);
}

/** Our resting quotes, in cents: bids, then asks. */
function resting(harness: EngineHarness): { bids: number[]; asks: number[] } {
  const of = (side: 'buy' | 'sell'): number[] =>
    harness.venue
      .resting(M0)
      .filter(({ report }) => report.side === side)
      .map(({ report }) => report.price / 100);
  return { bids: of('buy'), asks: of('sell') };
}

/** Fills our bid or our ask completely. */
function fill(harness: EngineHarness, side: 'buy' | 'sell'): EngineHarness {
  const order = harness.venue.resting(M0).find(({ report }) => report.side === side)!;
  harness.venue.tradeOrder(order, order.leaves);
  return harness.run(50);
}

describe('the quoter', () => {
  it("quotes on both sides of the middle of others' best bid and ask", () => {
    const harness = start();
    expect(resting(harness)).toEqual({ bids: [48], asks: [52] });
    expect(harness.places().every(({ postOnly, qty: size }) => postOnly && size === contracts(5))).toBe(true);
  });

  it('moves when the others move', () => {
    const harness = touch(start(), 'bid', [49, 3]);
    expect(resting(harness)).toEqual({ bids: [50], asks: [54] });
  });

  it('is not moved by its own quote', () => {
    const harness = start();
    const placed = harness.places().length;
    touch(harness, 'bid', [48, 5]);
    expect(resting(harness)).toEqual({ bids: [48], asks: [52] });
    expect(harness.places()).toHaveLength(placed);
  });

  it('counts what others add to the price it quotes at', () => {
    const harness = touch(touch(start(), 'bid', [48, 5]), 'bid', [48, 1]);
    expect(resting(harness)).toEqual({ bids: [49], asks: [54] });
  });

  it('leaves a quote alone while it is within the tolerance', () => {
    const harness = start({ toleranceCents: 1 });
    touch(harness, 'bid', [46, 1]);
    expect(resting(harness)).toEqual({ bids: [48], asks: [52] });
    touch(harness, 'bid', [49, 1]);
    expect(resting(harness)).toEqual({ bids: [50], asks: [54] });
  });

  it('lowers both quotes when long, and raises both when short', () => {
    expect(resting(fill(start({ skewCentsPerContract: 0.4 }), 'buy'))).toEqual({ bids: [46], asks: [50] });
    expect(resting(fill(start({ skewCentsPerContract: 0.4 }), 'sell'))).toEqual({ bids: [50], asks: [54] });
  });

  it('returns to its first quotes when flat again', () => {
    const harness = fill(fill(start(), 'buy'), 'sell');
    expect(harness.venue.position(M0).qty).toBe(0);
    expect(resting(harness)).toEqual({ bids: [48], asks: [52] });
  });

  it('stops adding to a position at its limit, and keeps reducing it', () => {
    expect(resting(fill(start({ inventoryMaxContracts: 5 }), 'buy'))).toEqual({ bids: [], asks: [47] });
    expect(resting(fill(start({ inventoryMaxContracts: 5 }), 'sell'))).toEqual({ bids: [53], asks: [] });
  });

  it('does not offer below the best bid, however eager to sell', () => {
    expect(resting(fill(start({ skewCentsPerContract: 5 }), 'buy')).asks).toEqual([46]);
    expect(resting(fill(start({ skewCentsPerContract: 5 }), 'sell')).bids).toEqual([54]);
  });

  it('cancels both quotes when no one else bids', () => {
    const harness = touch(start(), 'bid', [48, 5]);
    touch(harness, 'bid', [45, -11]);
    expect(resting(harness)).toEqual({ bids: [], asks: [] });
    touch(harness, 'bid', [48, -5]);
    expect(resting(touch(harness, 'bid', [44, 2]))).toEqual({ bids: [47], asks: [52] });
  });

  it('cancels both quotes when no one else offers', () => {
    expect(resting(touch(start(), 'ask', [55, -10]))).toEqual({ bids: [], asks: [] });
  });

  it('has its quotes canceled when the book is not live, and quotes again once it is', () => {
    const harness = start();
    harness.step({ kind: 'feed-gap', at: harness.now, markets: [M0], reason: 'sequence' });
    expect(harness.commands('cancel')).toHaveLength(2);
    expect(harness.places()).toHaveLength(2);
    harness.run(500);
    expect(resting(harness)).toEqual({ bids: [48], asks: [52] });
    expect(harness.sent.every(({ wasLive, command }) => command.type !== 'place' || wasLive)).toBe(true);
  });
});

describe('the quoter, whatever the book and the position', () => {
  const level = fc.integer({ min: 1, max: 99 });
  const moves = fc.array(
    fc.record({
      side: fc.constantFrom('bid' as const, 'ask' as const),
      at: level,
      size: fc.integer({ min: 1, max: 20 }),
    }),
    { minLength: 1, maxLength: 12 },
  );
  const params = fc.record({
    halfSpreadCents: fc.constantFrom(0.1, 1, 2.5, 40),
    skewCentsPerContract: fc.constantFrom(0, 0.1, 3, 50),
    inventoryMaxContracts: fc.constantFrom(1, 5, 1000),
  });

  /** The strategy's quotes that would trade at once with others, by the book as it saw it. */
  function watch(bound: BoundStrategy, crossed: string[]): BoundStrategy {
    const handlers: BoundStrategy['handlers'] = {
      ...bound.handlers,
      onBook: (event, view) => {
        const intents = bound.handlers.onBook?.(event, view);
        const { bestBid, bestAsk } = view.book(event.market);
        for (const intent of intents ?? []) {
          if (intent.type !== 'quote') continue;
          if (crosses(intent.bid?.price, bestAsk) || crosses(bestBid, intent.ask?.price))
            crossed.push(`${intent.bid?.price} ${intent.ask?.price} in ${bestBid} ${bestAsk}`);
        }
        return intents;
      },
    };
    return { ...bound, handlers };
  }

  const crosses = (bid: Price | null | undefined, ask: Price | null | undefined): boolean =>
    bid !== null && bid !== undefined && ask !== null && ask !== undefined && bid >= ask;

  it('never crosses, never adds beyond its limit, never halts, and leaves nothing behind', () => {
    fc.assert(
      fc.property(params, moves, (own, steps) => {
        const crossed: string[] = [];
        const harness = new EngineHarness({ strategies: [watch(bind(own), crossed)] }).startTrading();
        for (const { side, at, size } of steps) {
          const best = harness.engine.state.books.levels(M0, side === 'bid' ? 'ask' : 'bid', 1)[0]?.[0];
          const isCrossed = best !== undefined && (side === 'bid' ? cents(at) >= best : cents(at) <= best);
          if (!isCrossed) touch(harness, side, [at, size]);
          const filled = harness.venue.resting(M0)[size % 2];
          if (filled) harness.venue.tradeOrder(filled, filled.leaves);
          harness.run(50);
        }
        const held = Math.abs(harness.engine.state.portfolio.position(M0).qty);
        harness.stop();
        expect(crossed).toEqual([]);
        expect(held).toBeLessThanOrEqual(qty(own.inventoryMaxContracts * 100 + 500));
        expect(harness.noticesOf('halt')).toEqual([]);
        expect(harness.venue.resting(M0)).toEqual([]);
      }),
      { numRuns: runCount(150) },
    );
  });

  it.each([
    { name: 'as it is', isCalledAlways: false },
    { name: 'called at every change of the book', isCalledAlways: true },
  ])('bids by the prices of others, although the feed shows our own ask late: $name', ({ isCalledAlways }) => {
    const bound = bind();
    const onBook = bound.handlers.onOthersBest?.bind(bound.handlers);
    const onFill = bound.handlers.onFill?.bind(bound.handlers);
    const handlers = isCalledAlways ? { ...(onBook && { onBook }), ...(onFill && { onFill }) } : bound.handlers;
    const harness = new EngineHarness({ strategies: [{ ...bound, handlers }] }).startTrading();
    touch(touch(harness, 'bid', [45, 1]), 'ask', [95, 10]);
    // Others leave 55, and the middle of others is 70. Our ask at 52 is being canceled when the feed first shows it.
    harness.venue.answerDelay = 400_000;
    harness.venue.script.reportsOrder = () => false;
    touch(touch(touch(harness, 'ask', [55, -10]), 'bid', [30, 1]), 'ask', [52, 5]);
    harness.run(10);
    harness.run(500);
    expect(
      harness
        .places()
        .slice(2)
        .map(({ side, price }) => [side, price / 100]),
    ).toEqual([
      ['buy', 68],
      ['sell', 72],
    ]);
  });
});
