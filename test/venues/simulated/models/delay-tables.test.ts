// Delays by tables of quantiles: which table counts, and what it draws.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { simulationSchema } from '../../../../src/config/simulation-config.ts';
import { micros } from '../../../../src/domain/units.ts';
import { latencyModel } from '../../../../src/venues/simulated/models/latency-models.ts';

const HOUR = 3_600_000_000;
const steady = (delay: string) => ({ 0: delay, 100: delay });
const modelOf = (rows: unknown) =>
  latencyModel(simulationSchema.parse({ latency: { order: { model: 'quantiles', rows } } }).latency);

describe('tables of quantiles', () => {
  const model = modelOf([
    { quantiles: steady('10ms') },
    { hour: 13, quantiles: steady('20ms') },
    { way: 'cancel', quantiles: steady('30ms') },
    { way: 'cancel', hour: 13, quantiles: steady('40ms') },
    { way: 'order', quantiles: steady('50ms') },
  ]);

  it.each([
    ['all', 'amend', 12, 10_000],
    ['the hour', 'amend', 13, 20_000],
    ['the way', 'cancel', 12, 30_000],
    ['the way and the hour', 'cancel', 13, 40_000],
    ['the way, before that for the hour', 'order', 13, 50_000],
  ] as const)('a request has the table for %s', (_name, way, hour, delay) => {
    expect(model.drawDelay('order', { at: micros(hour * HOUR), way }, () => 0.5)).toBe(delay);
    expect(model.differsByWay).toBe(true);
  });

  it('a table draws along straight lines between its quantiles', () => {
    const lines = modelOf([{ quantiles: { 100: '100ms', 0: '10ms', 50: '20ms', 99: '60ms' } }]);
    const at = (share: number): number => lines.drawDelay('order', { at: micros(0) }, () => share);
    expect([0, 0.25, 0.5, 0.745, 0.99, 0.995].map(at)).toEqual([10_000, 15_000, 20_000, 40_000, 60_000, 80_000]);
    expect(lines.differsByWay).toBe(false);
  });

  it('a table never draws outside its bounds, and a greater draw never gives a shorter delay', () => {
    const delays = fc.array(fc.nat({ max: 5000 }), { minLength: 2, maxLength: 12 });
    const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(delays, share, share, (unsorted, a, b) => {
        const ms = unsorted.toSorted((x, y) => x - y);
        const quantiles = Object.fromEntries(ms.map((each, index) => [(100 * index) / (ms.length - 1), `${each}ms`]));
        const drawn = modelOf([{ quantiles }]);
        const [low, high] = [Math.min(a, b), Math.max(a, b)].map((each) =>
          drawn.drawDelay('order', { at: micros(0) }, () => each),
        );
        expect(low).toBeLessThanOrEqual(high!);
        expect(low).toBeGreaterThanOrEqual(ms[0]! * 1000);
        expect(high).toBeLessThanOrEqual(ms.at(-1)! * 1000);
      }),
    );
  });

  it.each([
    ['no row for all', [{ way: 'cancel', quantiles: steady('1ms') }], 'one row without way and hour'],
    ['two rows for one way', [{ quantiles: steady('1ms') }, { quantiles: steady('2ms') }], 'no two rows'],
    ['a table without its end', [{ quantiles: { 0: '1ms', 99: '2ms' } }], 'percentages from 0 to 100'],
    ['delays that fall', [{ quantiles: { 0: '2ms', 100: '1ms' } }], 'delays that never fall'],
    ['a word as a percentage', [{ quantiles: { 0: '1ms', half: '1ms', 100: '2ms' } }], 'percentages from 0 to 100'],
    ['an unknown way', [{ way: 'fill', quantiles: steady('1ms') }], 'way'],
  ])('tables are refused with %s', (_name, rows, message) => {
    expect(() => modelOf(rows)).toThrow(message);
  });
});
