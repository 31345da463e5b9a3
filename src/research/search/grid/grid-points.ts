// The points of a grid in mixed radix: how many there are, and the point of an index. Must never list the points, nor the values
// of a parameter: both may be thousands of millions.
import type { ParamValue, TrialParams } from '../../trial/study-trial.ts';
import { countValues, valueAt } from '../space/param-values.ts';
import { isActive } from '../space/space-conditions.ts';
import { checkSpace } from '../space/space-check.ts';
import type { SearchSpace, SpaceParam } from '../search-space.ts';

/** A run of values of a parameter, each of which leaves the later parameters as many points. */
interface ValueRun {
  /** Index of the first value. */
  readonly first: number;
  /** Number of values. */
  readonly length: number;
  /** Points of the later parameters for each value. */
  readonly points: bigint;
}

/** A grid over a space. A parameter whose condition does not hold is left out, so no point occurs twice. */
export class PointGrid {
  readonly #space: SearchSpace;
  /** The values of each parameter that conditions name, as ascending indices. */
  readonly #named: readonly (readonly number[])[];
  readonly #counts = new Map<string, bigint>();
  /** Number of points. */
  readonly size: bigint;

  /** @throws RangeError when the space has a fault or a continuous parameter. */
  constructor(space: SearchSpace) {
    checkSpace(space);
    const continuous = space.find(({ domain }) => countValues(domain) === Infinity);
    if (continuous !== undefined)
      throw new RangeError(`space.${continuous.name}: expected a step for a grid, found a continuous range`);
    this.#space = space;
    this.#named = space.map((param) => namedIndices(param, space));
    this.size = this.#countFrom(0, {});
  }

  /** Returns the point of an index from 0 to `size` − 1. The last parameter changes first. */
  pointAt(index: bigint): TrialParams {
    const drawn: Record<string, ParamValue> = {};
    let rest = index;
    this.#space.forEach((param, i) => {
      if (!isActive(param, drawn)) return;
      for (const { first, length, points } of this.#runsOf(i, drawn)) {
        if (rest < BigInt(length) * points) {
          drawn[param.name] = valueAt(param.domain, first + Number(rest / points));
          rest %= points;
          return;
        }
        rest -= BigInt(length) * points;
      }
    });
    return drawn;
  }

  /** Counts the points of the parameters from `i` on. Only the values of conditions matter, so few counts are computed. */
  #countFrom(i: number, drawn: TrialParams): bigint {
    const param = this.#space[i];
    if (param === undefined) return 1n;
    const key = `${i} ${JSON.stringify(drawn)}`;
    const known = this.#counts.get(key);
    if (known !== undefined) return known;
    const count = isActive(param, drawn)
      ? this.#runsOf(i, drawn).reduce((sum, { length, points }) => sum + BigInt(length) * points, 0n)
      : this.#countFrom(i + 1, drawn);
    this.#counts.set(key, count);
    return count;
  }

  /** The runs of a parameter's values: each value that a condition names is a run, and so are those between. */
  #runsOf(i: number, drawn: TrialParams): ValueRun[] {
    const param = this.#space[i];
    if (param === undefined) return [];
    const seen = this.#seenByConditions(i, drawn);
    const others = this.#countFrom(i + 1, seen);
    const runs: ValueRun[] = [];
    let first = 0;
    for (const index of this.#named[i] ?? []) {
      if (index > first) runs.push({ first, length: index - first, points: others });
      const value = valueAt(param.domain, index);
      runs.push({ first: index, length: 1, points: this.#countFrom(i + 1, { ...seen, [param.name]: value }) });
      first = index + 1;
    }
    const length = countValues(param.domain) - first;
    return length > 0 ? [...runs, { first, length, points: others }] : runs;
  }

  /** The values before parameter `i` that its successors' conditions, or its own, may read. */
  #seenByConditions(i: number, drawn: TrialParams): TrialParams {
    const read = new Set(this.#space.slice(i).flatMap(({ when = {} }) => Object.keys(when)));
    return Object.fromEntries(
      this.#space.slice(0, i).flatMap(({ name, domain }, earlier) => {
        const value = drawn[name];
        const matters = value !== undefined && read.has(name) && isNamed(domain, value, this.#named[earlier] ?? []);
        return matters ? [[name, value]] : [];
      }),
    );
  }
}

const isNamed = (domain: SpaceParam['domain'], value: ParamValue, named: readonly number[]): boolean =>
  named.some((index) => valueAt(domain, index) === value);

function namedIndices({ name, domain }: SpaceParam, space: SearchSpace): number[] {
  const values = new Set(space.flatMap(({ when = {} }) => when[name] ?? []));
  return [...values].map((value) => indexOfValue(domain, value)).sort((a, b) => a - b);
}

function indexOfValue(domain: SpaceParam['domain'], value: ParamValue): number {
  if (domain.kind === 'choice') return domain.options.indexOf(value);
  return Math.round((Number(value) - domain.low) / (domain.step ?? 1));
}
