// A hundred fixed simulations in every test run, a few of them twice. Must never be loosened for a failing seed:
// `npm run simulate -- --seed N --verbose` shows what happened.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleChild } from './run/bundle.ts';
import { runSeeds } from './run/pool.ts';
import { describeFailure } from './run/summary.ts';
import type { SimulationResult } from './simulation.ts';

const SEEDS = 100;
/** Number of further seeds in the dialect of an exchange with late reads and token costs. */
const OTHER_SEEDS = 8;
/** Seeds of that dialect in which an invariant broke before. */
const REGRESSIONS = [8810211];
/** Number of seeds that run again in another process. */
const AGAIN = 3;
const JOBS = 2;
const PATIENCE_MS = 600_000;

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

const sumOf = (outcomes: readonly SimulationResult[], name: string): number =>
  outcomes.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0);

describe('simulations', () => {
  let bundle: Bundle;
  const outcomes: SimulationResult[] = [];

  beforeAll(async () => {
    bundle = await bundleChild();
    const take = (outcome: SimulationResult): boolean => outcomes.push(outcome) > 0;
    await runSeeds(upTo(SEEDS), { file: bundle.file, jobs: JOBS, twiceEvery: 20, take });
  }, PATIENCE_MS);

  afterAll(() => bundle.remove());

  it('every invariant holds in a hundred simulations, whatever goes wrong', () => {
    expect(outcomes).toHaveLength(SEEDS);
    const failures = outcomes.filter(({ violation }) => violation !== null);
    expect(failures.map(describeFailure).join('\n')).toBe('');
  });

  it('simulations contain the orders, fills, faults and deaths that the invariants are about', () => {
    const total = (name: string): number => sumOf(outcomes, name);
    for (const name of [
      'orders',
      'fills',
      'settlements',
      'amends',
      'batched',
      'continuity breaks',
      'replayed commands',
      'comparisons',
      'books compared',
    ])
      expect.soft(total(name), name).toBeGreaterThan(SEEDS / 2);
    for (const name of ['blow: kill', 'fault: request lost', 'fault: exchange crash', 'spell: partition'])
      expect.soft(total(name), name).toBeGreaterThan(0);
    expect(total('lives')).toBeGreaterThan(SEEDS);
  });

  it('the seed alone decides a simulation', async () => {
    const again: SimulationResult[] = [];
    await runSeeds(upTo(AGAIN), { file: bundle.file, jobs: JOBS, take: (outcome) => again.push(outcome) > 0 });
    const digests = (from: readonly SimulationResult[]): string[] =>
      from.filter(({ seed }) => seed <= AGAIN).map(({ seed, digest }) => `${seed} ${digest}`);
    expect(digests(again).sort()).toEqual(digests(outcomes).sort());
    expect(new Set(outcomes.map(({ digest }) => digest)).size).toBe(SEEDS);
  });
});

describe('simulations in another dialect', () => {
  it(
    'every invariant holds in the other dialect, and books are live and compared',
    async () => {
      const bundle = await bundleChild();
      const outcomes: SimulationResult[] = [];
      const take = (outcome: SimulationResult): boolean => outcomes.push(outcome) > 0;
      const options = { file: bundle.file, jobs: JOBS, dialect: 'kalshi', twiceEvery: 8, take };
      const seeds = [...upTo(OTHER_SEEDS), ...REGRESSIONS];
      await runSeeds(seeds, options).finally(() => bundle.remove());
      expect(outcomes.map(({ dialect }) => dialect)).toEqual(seeds.map(() => 'kalshi'));
      expect(outcomes.map(describeFailure).join('')).toBe('');
      for (const name of ['orders', 'fills', 'continuity breaks', 'books compared', 'replayed commands'])
        expect.soft(sumOf(outcomes, name), name).toBeGreaterThan(OTHER_SEEDS);
    },
    PATIENCE_MS,
  );
});
