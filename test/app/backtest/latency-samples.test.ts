// The delay after which quantity that a session took disappears from its tape: a simulated order that is slow can take it
// first, by any model.
import { expect, it } from 'vitest';
import { slowOrderDelay } from '../../../src/app/backtest/latency-samples.ts';
import { simulationSchema } from '../../../src/config/simulation-config.ts';

const slow = (order: object, samples: readonly number[] = []) =>
  slowOrderDelay(simulationSchema.parse({ latency: { order } }).latency.order, { order: samples });

it('is the 99th percentile of an order’s delay by the model, in microseconds', () => {
  expect(slow({ model: 'constant', delay: '900ms' })).toBe(900_000);
  expect(slow({ model: 'log-normal', median: '20ms', p99: '300ms' })).toBe(300_000);
  const samples = Array.from({ length: 200 }, (_, i) => i * 1000);
  expect(slow({ model: 'journal', folder: '.' }, samples)).toBe(198_000);
});

it('is that of the slowest table for orders, not of one for cancels', () => {
  const table = (delay: string) => ({ 0: '1ms', 99: delay, 100: '9s' });
  const rows = [
    { quantiles: table('20ms') },
    { way: 'order', hour: 3, quantiles: table('80ms') },
    { way: 'cancel', quantiles: table('700ms') },
  ];
  expect(slow({ model: 'quantiles', rows })).toBe(80_000);
});
