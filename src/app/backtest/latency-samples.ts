// Delays for a simulated venue, taken from the journal of a live session. A journal holds round trips only, so each
// direction is assumed to take half.
import type { DelayConfig, SimulationConfig } from '../../config/simulation-config.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { type RoundTrips, roundTrips } from '../../tape/tools/round-trips.ts';
import { quantileFunction } from '../../venues/simulated/models/delay-tables.ts';
import type { LatencySamples } from '../../venues/simulated/models/latency-models.ts';
import { ConfigValueFault } from '../../base/config-value-fault.ts';

/** Returns half of each round trip of an order, amend or cancel, microseconds. The feed is assumed to be as slow. */
export function halfRoundTrips({ trades }: RoundTrips): LatencySamples {
  const delays = trades.map((trip) => Math.round(trip / 2));
  return { order: delays, answer: delays, feed: delays };
}

/**
 * Reads the delays for the models that name a journal.
 * @param place Place of the models in their config, for messages.
 * @throws {ConfigValueFault} when a journal holds no answered order.
 * @throws {TapeFault} when a journal cannot be read.
 */
export function latencySamples(
  { latency }: Pick<SimulationConfig, 'latency'>,
  place = 'simulation.latency',
): LatencySamples {
  const samples: { feed?: readonly number[]; order?: readonly number[]; answer?: readonly number[] } = {};
  for (const leg of ['feed', 'order', 'answer'] as const) {
    const folder = folderOf(latency[leg]);
    if (folder === null) continue;
    const found = halfRoundTrips(roundTrips(fileStorage(folder)))[leg] ?? [];
    if (found.length === 0)
      throw new ConfigValueFault(
        { place: `${place}.${leg}.folder`, value: folder },
        'the folder of a journal with answered orders',
      );
    samples[leg] = found;
  }
  return samples;
}

const folderOf = (delay: DelayConfig | 'recorded'): string | null =>
  delay !== 'recorded' && delay.model === 'journal' ? delay.folder : null;

const SLOW = 0.99;

/** Returns the 99th percentile of an order's delay, microseconds; with tables, that of the slowest one for orders. */
export function slowOrderDelay(delay: DelayConfig, { order: samples = [] }: LatencySamples): number {
  switch (delay.model) {
    case 'constant':
      return delay.delay;
    case 'log-normal':
      return delay.p99;
    case 'journal':
      return samples[Math.floor(samples.length * SLOW)] ?? 0;
    case 'quantiles': {
      const tables = delay.rows.filter(({ way = 'order' }) => way === 'order');
      return Math.max(...tables.map(({ quantiles }) => quantileFunction(quantiles)(SLOW)));
    }
  }
}
