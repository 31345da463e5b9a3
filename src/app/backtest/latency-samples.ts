// Where a simulated venue's delays come from when they are to be as a live session's were: its journal.
// Must never guess without saying so: a journal tells how long a request took there and back, and halves are assumed.
import type { DelayConfig, SimulationConfig } from '../../config/simulation-config.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { type RoundTrips, roundTrips } from '../../tape/tools/round-trips.ts';
import type { LatencySamples } from '../../venues/simulated/models/latency-models.ts';
import { UsageError } from '../../cli/output/exit-code.ts';

/** Delays of each way, half a round trip of an order each. */
export function halfRoundTrips({ trades }: RoundTrips): LatencySamples {
  const each = trades.map((trip) => Math.round(trip / 2));
  return { order: each, answer: each, feed: each };
}

/**
 * The samples that a simulation's models ask for.
 * @throws {UsageError} when a journal shows no order that was answered.
 * @throws {TapeFault} when a journal cannot be read.
 */
export function latencySamples({ latency }: Pick<SimulationConfig, 'latency'>): LatencySamples {
  const samples: { feed?: readonly number[]; order?: readonly number[]; answer?: readonly number[] } = {};
  for (const leg of ['feed', 'order', 'answer'] as const) {
    const folder = folderOf(latency[leg]);
    if (folder === null) continue;
    const found = halfRoundTrips(roundTrips(fileStorage(folder)))[leg] ?? [];
    if (found.length === 0)
      throw new UsageError(
        `simulation.latency.${leg}: expected a journal with answered orders in ${folder}, found none`,
      );
    samples[leg] = found;
  }
  return samples;
}

const folderOf = (delay: DelayConfig | 'recorded'): string | null =>
  delay !== 'recorded' && delay.model === 'journal' ? delay.folder : null;
