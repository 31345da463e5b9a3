// Test functions for searches, and a search over one of them. Must never give a sampler a trial that its lag hides.
import type { Sampler } from '../../../src/research/search/sampler.ts';
import type { SearchSpace } from '../../../src/research/search/search-space.ts';
import type { EndedTrial, TrialParams } from '../../../src/research/trial/study-trial.ts';

/** A function to minimize. */
export interface TestFunction {
  readonly space: SearchSpace;
  readonly valueOf: (params: TrialParams) => number;
}

const numberOf = (params: TrialParams, name: string): number => Number(params[name]);

/** Branin, Widely Convergent Method, 1972. Minimum 0.397887. */
export const BRANIN: TestFunction = {
  space: [
    { name: 'x', domain: { kind: 'float', low: -5, high: 10 } },
    { name: 'y', domain: { kind: 'float', low: 0, high: 15 } },
  ],
  valueOf: (params) => {
    const [x, y] = [numberOf(params, 'x'), numberOf(params, 'y')];
    const curve = y - (5.1 / (4 * Math.PI ** 2)) * x * x + (5 / Math.PI) * x - 6;
    return curve * curve + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x) + 10;
  },
};

const HEIGHTS = [1, 1.2, 3, 3.2];
const WIDTHS = [
  [10, 3, 17, 3.5, 1.7, 8],
  [0.05, 10, 17, 0.1, 8, 14],
  [3, 3.5, 1.7, 10, 17, 8],
  [17, 8, 0.05, 10, 0.1, 14],
];
const CENTERS = [
  [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
  [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
  [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.665],
  [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
];

/** Hartmann's function of six dimensions (Dixon, Szegö 1978). Minimum −3.32237. */
export const HARTMANN: TestFunction = {
  space: Array.from({ length: 6 }, (_, d) => ({ name: `x${d}`, domain: { kind: 'float', low: 0, high: 1 } as const })),
  valueOf: (params) =>
    -HEIGHTS.reduce((total, height, i) => {
      const distance = (WIDTHS[i] ?? []).reduce((sum, width, d) => {
        const off = numberOf(params, `x${d}`) - (CENTERS[i]?.[d] ?? 0);
        return sum + width * off * off;
      }, 0);
      return total + height * Math.exp(-distance);
    }, 0),
};

/** A trial that finished with one value. */
export const finishedTrial = (n: number, params: TrialParams, value: number): EndedTrial => ({
  n,
  params,
  end: 'finished',
  values: [value],
  violations: [],
  intermediate: [],
});

/** How a search runs. */
export interface SearchOptions {
  readonly trials: number;
  /** Proposals that may be open at once. @default 1 */
  readonly lag?: number;
}

/** Searches: returns the trials in ascending number. A sampler with a count of its own sees as many. */
export function searchTrials(
  sampler: Sampler,
  valueOf: (params: TrialParams, n: number) => number,
  { trials, lag = 1 }: SearchOptions,
): readonly EndedTrial[] {
  const all: EndedTrial[] = [];
  for (let n = 0; n < trials; n++) {
    const seen = sampler.countSeen?.(n) ?? Math.max(0, n - lag + 1);
    const params = sampler.propose({ n, ended: all.slice(0, seen), open: all.slice(seen).map((each) => each.params) });
    if (params === null) break;
    all.push(finishedTrial(n, params, valueOf(params, n)));
  }
  return all;
}

/** The lowest value of the first trials. */
export const lowestOf = (trials: readonly EndedTrial[], count: number = trials.length): number =>
  Math.min(...trials.slice(0, count).map(({ values }) => values[0] ?? Infinity));

/** The value below which a share of the values lies; the median is the mean of the middle two. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
}
