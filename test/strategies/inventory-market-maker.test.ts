// The inventory market maker, through the real engine with a scripted venue: where it quotes, and how it moves its
// quotes with its inventory.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { strategyName } from '../../src/domain/ids.ts';
import { cents, contracts, fromSeconds } from '../../src/domain/units.ts';
import strategy from '../../strategies/inventory-market-maker.ts';
import { BEGIN, M0, aMarket } from '../support/engine/builders.ts';
import { EngineHarness } from '../support/engine/engine-harness.ts';
import { runCount } from '../support/runner/property-runs.ts';

interface Setting {
  readonly touch?: readonly [bid: number, ask: number];
  readonly params?: Record<string, unknown>;
  readonly closesIn?: number;
}

/** A market bid 45 and offered 55, ten contracts each, and the maker in it. */
function start({ touch: [bid, ask] = [45, 55], params = {}, closesIn = 3600 }: Setting = {}): EngineHarness {
  const bound = strategy.bind(strategyName('maker'), { toleranceCents: 0, ...params });
  const closeAt = fromSeconds(BEGIN / 1_000_000 + closesIn);
  const harness = new EngineHarness({ strategies: [bound], markets: [aMarket(0, { closeAt })] });
  harness.venue.changeLevel(M0, 'bid', { price: cents(45), change: -1000 });
  harness.venue.changeLevel(M0, 'ask', { price: cents(55), change: -1000 });
  harness.venue.changeLevel(M0, 'bid', { price: cents(bid), change: 1000 });
  harness.venue.changeLevel(M0, 'ask', { price: cents(ask), change: 1000 });
  return trigger(harness.startTrading());
}

/** Changes a level behind the touch. */
function trigger(harness: EngineHarness): EngineHarness {
  harness.venue.changeLevel(M0, 'bid', { price: cents(1), change: 100 });
  return harness.run(50);
}

/** Our resting quotes, in cents and contracts: bids, then asks. */
function resting(harness: EngineHarness): { bids: number[]; asks: number[]; sizes: number[] } {
  const of = (side: 'buy' | 'sell') => harness.venue.resting(M0).filter(({ report }) => report.side === side);
  return {
    bids: of('buy').map(({ report }) => report.price / 100),
    asks: of('sell').map(({ report }) => report.price / 100),
    sizes: harness.venue.resting(M0).map(({ leaves }) => leaves / 100),
  };
}

/** Fills our bid or our ask completely. */
function fill(harness: EngineHarness, side: 'buy' | 'sell'): EngineHarness {
  const order = harness.venue.resting(M0).find(({ report }) => report.side === side)!;
  harness.venue.tradeOrder(order, order.leaves);
  return trigger(harness.run(50));
}

/** Parameters with volatility and risk aversion large enough to show on a grid of cents. */
const MOVING = { volatilityMin: 0.7, riskAversion: 0.5 };

describe('the inventory market maker', () => {
  it("quotes both sides of the middle of others' best bid and ask", () => {
    expect(resting(start())).toEqual({ bids: [47], asks: [53], sizes: [5, 5] });
  });

  it('quotes wider the more the market moves, and the fewer fills that costs', () => {
    const width = (params: Record<string, unknown>): number => {
      const { bids, asks } = resting(start({ touch: [30, 70], params }));
      return (asks[0] ?? 0) - (bids[0] ?? 0);
    };
    expect(width({ volatilityMin: 4, riskAversion: 1 })).toBeGreaterThan(width({ riskAversion: 1 }));
    expect(width({ fillDecay: 10 })).toBeGreaterThan(width({ fillDecay: 100 }));
  });

  it('lowers both quotes when long, and raises both when short', () => {
    const flat = resting(start({ params: MOVING }));
    const long = resting(fill(start({ params: MOVING }), 'buy'));
    const short = resting(fill(start({ params: MOVING }), 'sell'));
    expect(long.bids[0]).toBeLessThan(flat.bids[0]!);
    expect(long.asks[0]).toBeLessThan(flat.asks[0]!);
    expect(short.bids[0]).toBeGreaterThan(flat.bids[0]!);
    expect(short.asks[0]).toBeGreaterThan(flat.asks[0]!);
  });

  it('moves its quotes less with less time left to hold the inventory', () => {
    const lean = (closesIn: number): number => {
      const harness = start({ params: { ...MOVING, withdrawMs: 0 }, closesIn });
      const before = resting(harness).asks[0] ?? 0;
      return before - (resting(fill(harness, 'buy')).asks[0] ?? 0);
    };
    expect(lean(3600)).toBeGreaterThan(lean(5));
  });

  it('holds at most its limit: the room left bounds its quotes, and it keeps reducing', () => {
    const harness = start({ params: { inventoryMaxContracts: 8 } });
    expect(resting(fill(harness, 'buy')).sizes).toEqual([5, 3]);
    const full = fill(harness, 'buy');
    expect(harness.venue.position(M0).qty).toBe(contracts(8));
    expect(resting(full).bids).toEqual([]);
    expect(resting(full).asks).toHaveLength(1);
  });

  it('stays within a dollar, however certain the market is', () => {
    const { bids, asks } = resting(start({ touch: [97, 99], params: { fillDecay: 10 } }));
    expect([bids.every((bid) => bid >= 1 && bid < 99), asks.every((ask) => ask > 97 && ask <= 99)]).toEqual([
      true,
      true,
    ]);
  });

  it('cancels both quotes before the close, though the book does not change, and where no one else quotes', () => {
    const harness = start({ closesIn: 20 });
    expect(resting(harness).sizes).toHaveLength(2);
    harness.run(11_000);
    expect(resting(harness).sizes).toEqual([]);
    const lonely = start();
    lonely.venue.changeLevel(M0, 'ask', { price: cents(55), change: -1000 });
    expect(resting(lonely.run(50)).sizes).toEqual([]);
  });

  it('never crosses the touch of others, never holds more than its limit, and leaves nothing behind', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 2, max: 96 }), fc.integer({ min: 1, max: 6 }), fc.boolean()), {
      maxLength: 10,
    });
    fc.assert(
      fc.property(steps, fc.constantFrom(0.1, 3), (moves, riskAversion) => {
        const harness = start({ params: { riskAversion, volatilityMin: 1 } });
        let [bid, ask] = [45, 55];
        for (const [at, width, isFilled] of moves) {
          const [nextBid, nextAsk] = [at, Math.min(99, at + width)];
          // First moves away from the other side, because a book is never crossed.
          const sides = nextBid > bid ? (['ask', 'bid'] as const) : (['bid', 'ask'] as const);
          for (const side of sides) {
            harness.venue.changeLevel(M0, side, { price: cents(side === 'bid' ? bid : ask), change: -1000 });
            harness.venue.changeLevel(M0, side, { price: cents(side === 'bid' ? nextBid : nextAsk), change: 1000 });
          }
          [bid, ask] = [nextBid, nextAsk];
          harness.run(50);
          const order = harness.venue.resting(M0)[at % 2];
          if (isFilled && order) harness.venue.tradeOrder(order, order.leaves);
          harness.run(50);
          expect(Math.abs(harness.venue.position(M0).qty)).toBeLessThanOrEqual(contracts(30));
        }
        for (const place of harness.places()) expect(place.postOnly).toBe(true);
        expect(harness.noticesOf('halt')).toEqual([]);
        harness.stop();
        expect(harness.venue.resting(M0)).toEqual([]);
      }),
      { numRuns: runCount(25) },
    );
  });

  it('continues from its saved measurements', () => {
    const moves = [['M-0', { at: 5_000_000, last: 0.2, squares: 0.4, time: 9_000_000 }]];
    const bound = strategy.bind(strategyName('maker'), {});
    bound.persistence?.restore({ moves }, {} as never);
    expect(bound.persistence?.save()).toEqual({ moves });
  });
});
