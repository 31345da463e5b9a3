// A fault of a raw intent is described with its figure; a valid intent passes.
import { describe, expect, it } from 'vitest';
import { faultOfAnswer } from '../../../src/certify/runs/intent-faults.ts';
import { CENT_GRID } from '../../../src/domain/price-grid.ts';
import type { StrategyView } from '../../../src/state/strategy-view.ts';
import type { Intents } from '../../../src/strategy/strategy-definition.ts';

const view = {
  market(index: number) {
    if (index !== 0) throw new Error('no such market');
    return { grid: CENT_GRID };
  },
} as unknown as StrategyView;

const faultOf = (...intents: unknown[]): string | null =>
  faultOfAnswer(intents as unknown as Intents, { view, announcedMarkets: new Set([5]), qtyStep: 100 });

const place = { type: 'place', market: 0, side: 'buy', price: 4200, qty: 100 };

describe('an intent', () => {
  it.each([
    [place],
    [{ type: 'quote', market: 0, bid: { price: 4200, qty: 100 }, ask: null, qtyTolerance: 99 }],
    [{ type: 'cancel', clientOrderId: 'b1-0-1' }],
    [{ type: 'decrease', clientOrderId: 'b1-0-1', leavesQty: 0 }],
    [{ type: 'cancel-all' }],
    [{ type: 'timer', name: 'look', at: 5 }],
    [{ type: 'forecast', market: 0, probability: 10_000 }],
    // Announced once and gone now: left to another check.
    [{ ...place, market: 5 }],
  ])('passes when every figure is valid: %j', (intent) => {
    expect(faultOf(intent)).toBeNull();
  });

  it.each([
    [{ ...place, price: Number.NaN }, 'place: order of price NaN, which is not a whole number'],
    [{ ...place, price: 4250 }, "place: order of price 4250, which is not on the market's grid"],
    [{ ...place, price: 10_000 }, 'place: order of price 10000, which is not between 0 and 10000'],
    [{ ...place, qty: 0.5 }, 'place: order of qty 0.5, which is not a whole number'],
    [{ ...place, qty: -100 }, 'place: order of qty -100, which is negative'],
    [{ ...place, qty: 150 }, 'place: order of qty 150, not a multiple of 1 contracts'],
    [{ ...place, qty: 0 }, 'place: order of qty 0'],
    [{ ...place, market: 7 }, 'place: market 7, which does not exist'],
    [{ ...place, side: 'up' }, 'place: side "up"'],
    [{ ...place, timeInForce: 'day' }, 'place: timeInForce "day"'],
    [{ ...place, reason: 7 }, 'place: reason 7'],
    [
      { type: 'quote', market: 0, bid: { price: 4300, qty: 100 }, ask: { price: 4300, qty: 100 } },
      'quote: a bid of 4300 that crosses its own ask of 4300',
    ],
    [{ type: 'quote', market: 0, bid: null, ask: null, priceTolerance: -1 }, 'quote: priceTolerance -1'],
    [{ type: 'timer', name: 'look', at: Number.NaN }, 'timer: at NaN, which is not a time'],
    [{ type: 'forecast', market: 0, probability: 0.5 }, 'forecast: probability 0.5, which is not a whole number'],
    [{ type: 'cancel' }, 'cancel: clientOrderId undefined'],
    [{ type: 'hold' }, 'an intent of type "hold"'],
    [null, 'an intent that is null'],
  ])('is described by its fault: %j', (intent, words) => {
    expect(faultOf(intent)).toMatch(new RegExp(`^${words.replaceAll('.', '\\.')}`));
  });

  it('must be in a list', () => {
    const answer = place as unknown as Intents;
    expect(faultOfAnswer(answer, { view, announcedMarkets: new Set(), qtyStep: 100 })).toMatch(
      /^an answer that is not a list/,
    );
    const promised = Promise.resolve([]) as unknown as Intents;
    expect(faultOfAnswer(promised, { view, announcedMarkets: new Set(), qtyStep: 100 })).toMatch(
      /a promise: a handler must not be async/,
    );
  });
});
