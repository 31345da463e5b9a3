// A strategy's memory of markets, and decaying figures: bounded, and equal after they were saved and restored.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { micros } from '../../src/domain/units.ts';
import { Ewma, EwmaVariance, ewmaState, ewmaVarianceState } from '../../src/kit/decaying-stats.ts';
import { MarketMemory } from '../../src/kit/market-memory.ts';
import { aMarket } from '../support/engine/builders.ts';
import { runCount } from '../support/runner/property-runs.ts';

const memoryOf = (capacity = 2) => new MarketMemory({ begin: (market) => ({ of: market.ticker, seen: 0 }), capacity });

describe('a memory of markets', () => {
  it('starts a new value for an unknown market and returns the same one later', () => {
    const memory = memoryOf();
    memory.of(aMarket(0)).seen += 1;
    expect(memory.of(aMarket(0))).toEqual({ of: 'M-0', seen: 1 });
    expect(memory.size).toBe(1);
  });

  it('holds at most its capacity: the entry used longest ago makes room', () => {
    const memory = memoryOf();
    for (const number of [0, 1, 0, 2]) memory.of(aMarket(number)).seen += 1;
    expect(memory.save((each) => each.seen)).toEqual([
      ['M-0', 2],
      ['M-2', 1],
    ]);
  });

  it('drops a market with everything about it', () => {
    const memory = memoryOf();
    memory.of(aMarket(0)).seen = 5;
    memory.forget(aMarket(0));
    expect([memory.size, memory.of(aMarket(0)).seen]).toEqual([0, 0]);
  });

  it('is equal after a restore, in its entries and in their order of use', () => {
    const memory = memoryOf();
    for (const number of [0, 1, 0]) memory.of(aMarket(number)).seen += 1;
    const other = memoryOf();
    other.of(aMarket(7));
    const saved = JSON.parse(JSON.stringify(memory.save((each) => each))) as [string, { of: never; seen: number }][];
    other.restore(saved, (each) => each);
    for (const each of [memory, other]) each.of(aMarket(9));
    expect(other.save((each) => each)).toEqual(memory.save((each) => each));
  });

  it('restores at most its capacity, the newest entries', () => {
    const memory = memoryOf(1);
    memory.restore([['M-0', 1] as const, ['M-1', 2] as const], (seen) => ({ of: aMarket(1).ticker, seen }));
    expect(memory.save(({ seen }) => seen)).toEqual([['M-1', 2]]);
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses a capacity of %d', (capacity) => {
    expect(() => memoryOf(capacity)).toThrow(/cannot hold/);
  });
});

describe('decaying figures', () => {
  const series = fc.array(fc.tuple(fc.integer({ min: 0, max: 5_000_000 }), fc.integer({ min: 0, max: 10_000 })), {
    maxLength: 40,
  });
  const options = { halfLifeMs: 700 };

  it('continue from their saved state without any difference, to the last bit', () => {
    fc.assert(
      fc.property(series, fc.nat(40), (steps, cut) => {
        let [mean, variance] = [new Ewma(options), new EwmaVariance(options)];
        const whole = { mean: new Ewma(options), variance: new EwmaVariance(options) };
        let at = 0;
        steps.forEach(([wait, value], place) => {
          at += wait;
          if (place === cut) {
            const saved = JSON.parse(JSON.stringify([mean.state, variance.state])) as [unknown, unknown];
            mean = new Ewma(options, ewmaState.parse(saved[0]));
            variance = new EwmaVariance(options, ewmaVarianceState.parse(saved[1]));
          }
          for (const each of [mean, variance, whole.mean, whole.variance]) each.add(micros(at), value);
        });
        expect([mean.state, variance.state]).toEqual([whole.mean.state, whole.variance.state]);
        expect([mean.mean, mean.deviation]).toEqual([whole.mean.mean, whole.mean.deviation]);
        expect(variance.perSecond).toBe(whole.variance.perSecond);
      }),
      { numRuns: runCount(50) },
    );
  });

  it('still refuse a time before that of the saved state', () => {
    const left = new Ewma(options);
    left.add(micros(1000), 1);
    expect(() => new Ewma(options, left.state).add(micros(999), 1)).toThrow(/is refused/);
  });
});
