// Latency models: the delays they draw, and the figures they refuse.
import * as fc from 'fast-check';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { describe, expect, it } from 'vitest';
import { simulationSchema } from '../../../../src/config/simulation-config.ts';
import { micros } from '../../../../src/domain/units.ts';
import { LatencyFault, latencyModel } from '../../../../src/venues/simulated/models/latency-models.ts';
import type { UniformDraw } from '../../../../src/venues/simulated/simulator-interfaces.ts';

const NOW = micros(5_000_000);
const latencyOf = (latency: unknown) => simulationSchema.parse({ latency }).latency;

function seeded(seed: number): UniformDraw {
  const generator = xoroshiro128plus(seed);
  return () => (generator.next() >>> 0) / 2 ** 32;
}

describe('latency', () => {
  it('a constant model has its configured delay, each leg its own', () => {
    const model = latencyModel(
      latencyOf({
        feed: { model: 'constant', delay: '20ms' },
        order: { model: 'constant', delay: '30ms' },
        answer: { model: 'constant', delay: '40ms' },
      }),
    );
    const draw = seeded(1);
    expect((['feed', 'order', 'answer'] as const).map((leg) => model.drawDelay(leg, { at: NOW }, draw))).toEqual([
      20_000, 30_000, 40_000,
    ]);
    expect(model.name).toBe('feed constant 20000 us, order constant 30000 us, answer constant 40000 us');
  });

  it('a log-normal model has the configured median and 99th percentile', () => {
    const model = latencyModel(latencyOf({ order: { model: 'log-normal', median: '100ms', p99: '900ms' } }));
    const draw = seeded(7);
    const drawn = Array.from({ length: 40_000 }, () => model.drawDelay('order', { at: NOW }, draw)).sort(
      (a, b) => a - b,
    );
    expect(drawn[20_000]! / 100_000).toBeCloseTo(1, 1);
    expect(drawn[39_600]! / 900_000).toBeCloseTo(1, 1);
    expect(drawn[0]).toBeGreaterThan(0);
    expect(drawn.every(Number.isSafeInteger)).toBe(true);
  });

  it('a log-normal model without width draws the median exactly', () => {
    const model = latencyModel(latencyOf({ order: { model: 'log-normal', median: '100ms', p99: '100ms' } }));
    expect(model.drawDelay('order', { at: NOW }, seeded(3))).toBe(100_000);
  });

  it('the same seed draws the same delays', () => {
    const config = latencyOf({ order: { model: 'log-normal', median: '100ms', p99: '900ms' } });
    const series = (seed: number): number[] => {
      const [model, draw] = [latencyModel(config), seeded(seed)];
      return Array.from({ length: 50 }, () => model.drawDelay('order', { at: NOW }, draw));
    };
    expect(series(11)).toEqual(series(11));
    expect(series(11)).not.toEqual(series(12));
  });

  it('a journal model draws every delay of the journal and no other', () => {
    const samples = fc.array(fc.nat({ max: 1_000_000 }), { minLength: 1, maxLength: 20 });
    const config = latencyOf({ answer: { model: 'journal', folder: 'runs/live' } });
    fc.assert(
      fc.property(samples, (unsorted) => {
        const answer = unsorted.toSorted((a, b) => a - b);
        const model = latencyModel(config, { answer });
        const drawn = answer.map((_, i) => model.drawDelay('answer', { at: NOW }, () => i / answer.length));
        expect(drawn).toEqual(answer);
        expect(model.drawDelay('answer', { at: NOW }, () => 1 - Number.EPSILON)).toBe(answer.at(-1));
      }),
    );
  });

  it('a leg without delays in the journal, and unsorted samples, are refused', () => {
    const config = latencyOf({ answer: { model: 'journal', folder: 'runs/live' } });
    expect(() => latencyModel(config)).toThrow(LatencyFault);
    expect(() => latencyModel(config, { answer: [3, 2] })).toThrow('found 2 at 1');
    expect(() => latencyModel(config, { answer: [-1, 2] })).toThrow('found -1 at 0');
  });

  it('a log-normal model whose 99th percentile is below its median is refused', () => {
    const order = { model: 'log-normal', median: '2s', p99: '1s' };
    expect(simulationSchema.safeParse({ latency: { order } }).success).toBe(false);
    expect(simulationSchema.safeParse({ latency: { order: { ...order, median: '0s' } } }).success).toBe(false);
  });

  it('the recorded feed is as late as the row before, and as an answer until a row has a delay', () => {
    const model = latencyModel(latencyOf({}));
    const draw = seeded(1);
    expect(model.drawDelay('feed', { at: NOW }, draw)).toBe(100_000);
    model.onRecordedDelay!(31_000);
    expect(model.drawDelay('feed', { at: NOW }, draw)).toBe(31_000);
    model.onRecordedDelay!(-5);
    expect(model.drawDelay('feed', { at: NOW }, draw)).toBe(0);
    expect(model.drawDelay('order', { at: NOW }, draw)).toBe(150_000);
  });
});
