// Distributions from samples: quantiles, the distance of two of them, and a table of quantiles for a config. Must never
// change the samples.
import { micros } from '../../domain/units.ts';
import type { DelayRow } from '../../config/simulation-config.ts';

/** Samples in ascending sequence. */
export type Sorted = readonly number[];

export const sorted = (samples: readonly number[]): Sorted => samples.toSorted((a, b) => a - b);

/** The quantile of a share between 0 and 1: linear between order statistics (definition 7 of Hyndman and Fan, 1996). */
export function quantile(samples: Sorted, share: number): number {
  const place = share * (samples.length - 1);
  const low = samples[Math.floor(place)] ?? 0;
  return low + ((samples[Math.ceil(place)] ?? low) - low) * (place - Math.floor(place));
}

/** Number of samples up to and including a value. */
function countUpTo(samples: Sorted, value: number): number {
  let [low, high] = [0, samples.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((samples[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The largest distance between the distribution functions of two samples (Kolmogorov and Smirnov), from 0 to 1. */
export function ksDistance(a: Sorted, b: Sorted): number {
  let most = 0;
  for (const value of new Set([...a, ...b]))
    most = Math.max(most, Math.abs(countUpTo(a, value) / a.length - countUpTo(b, value) / b.length));
  return most;
}

/** The distance that two samples of one distribution exceed in 5 of 100 cases (Smirnov, 1948; for large samples). */
export const ksByChance = (a: number, b: number): number => 1.3581 * Math.sqrt((a + b) / (a * b));

/** Percentages of a table: finer at both ends, where delays differ most. */
const PERCENTS: readonly number[] = [
  0,
  1,
  2.5,
  ...Array.from({ length: 19 }, (_, index) => 5 * (index + 1)),
  97.5,
  99,
  99.5,
  99.9,
  100,
];

/** The table of a sample: delays in whole microseconds by percentages. */
export function quantileTable(samples: Sorted): DelayRow['quantiles'] {
  return PERCENTS.map((percent) => [percent, micros(Math.max(0, Math.round(quantile(samples, percent / 100))))]);
}

/** The share of a table's distribution up to a value: the inverse of its lines. */
export function tableShare(table: DelayRow['quantiles'], value: number): number {
  const [first, last] = [table[0], table.at(-1)];
  if (first === undefined || last === undefined || value < first[1]) return 0;
  if (value >= last[1]) return 1;
  const upper = table.findIndex(([, delay]) => delay > value);
  const [from, to] = [table[upper - 1] ?? first, table[upper] ?? last];
  return (from[0] + ((to[0] - from[0]) * (value - from[1])) / (to[1] - from[1])) / 100;
}

/** The largest distance between a table and the distribution function of a sample. */
export function tableDistance(table: DelayRow['quantiles'], samples: Sorted): number {
  let most = 0;
  let below = 0;
  for (let index = 0; index < samples.length; index++) {
    const value = samples[index] ?? 0;
    if (samples[index + 1] === value) continue;
    const share = tableShare(table, value);
    const upTo = (index + 1) / samples.length;
    // Just below the value, a table without a step there has the same share.
    most = Math.max(most, Math.abs(share - upTo), Math.abs(tableShare(table, value - 1) - below));
    below = upTo;
  }
  return most;
}
