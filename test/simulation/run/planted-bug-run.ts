// Plants every known bug in turn and runs seeds until the simulation fails, which it must within a bounded number of
// them. Must never count a failure that also occurs without the bug.
import { bundleChild } from './bundle.ts';
import { type PlantedBug, PLANTED_BUGS } from './planted-bugs.ts';
import { runSeeds } from './pool.ts';
import type { SimulationResult } from '../simulation.ts';

/** Bound on seeds: a planted bug that none of them shows is not found. */
const SEEDS_MAX = 300;

export interface PlantedBugRow {
  readonly plant: string;
  readonly breaks: string;
  /** Number of seeds until it was found; `null` when it was not. */
  readonly seeds: number | null;
  readonly invariant: string | null;
  readonly text: string | null;
}

export interface PlantedBugOptions {
  readonly jobs: number;
  readonly onProgress: (text: string) => void;
  /** Called for every planted bug when it is done. */
  readonly onRow?: (line: string) => void;
  readonly plants?: readonly PlantedBug[];
  readonly seedsMax?: number;
  /** The seed to begin with. */
  readonly firstSeed?: number;
}

/** Runs every planted bug. */
export async function runPlantedBugs(
  options: PlantedBugOptions,
): Promise<{ rows: PlantedBugRow[]; areAllFound: boolean }> {
  const { plants = PLANTED_BUGS } = options;
  const rows: PlantedBugRow[] = [];
  for (const plant of plants) {
    options.onProgress(`${rows.length}/${plants.length}: ${plant.name}`);
    const row = await runPlant(plant, options);
    rows.push(row);
    options.onRow?.(lineOf(row));
  }
  return { rows, areAllFound: rows.every(({ seeds }) => seeds !== null) };
}

async function runPlant(
  plant: PlantedBug,
  { jobs, seedsMax = SEEDS_MAX, firstSeed = 1 }: PlantedBugOptions,
): Promise<PlantedBugRow> {
  const bundle = await bundleChild(plant.patches);
  const failures: SimulationResult[] = [];
  let seeds = 0;
  try {
    await runSeeds(seedsFrom(firstSeed, seedsMax), {
      file: bundle.file,
      jobs,
      ...(plant.dialect !== undefined && { dialect: plant.dialect }),
      take: (outcome) => {
        seeds += 1;
        if (outcome.violation !== null) failures.push(outcome);
        return outcome.violation === null;
      },
    });
  } finally {
    bundle.remove();
  }
  const violation = failures[0]?.violation ?? null;
  const { name, breaks } = plant;
  return {
    plant: name,
    breaks,
    seeds: violation === null ? null : seeds,
    invariant: violation?.invariant ?? null,
    text: violation?.text.split('\n')[0] ?? null,
  };
}

function* seedsFrom(first: number, count: number): Iterable<number> {
  for (let seed = first; seed < first + count; seed++) yield seed;
}

/** Heading of the table of lines. */
export const HEAD = `${'planted bug'.padEnd(28)} ${'found in'.padEnd(10)} ${'by'.padEnd(6)} as`;

function lineOf({ plant, seeds, invariant, text }: PlantedBugRow): string {
  const found = seeds === null ? 'NOT FOUND' : `${seeds} ${seeds === 1 ? 'seed' : 'seeds'}`;
  return `${plant.padEnd(28)} ${found.padEnd(10)} ${(invariant ?? '').padEnd(6)} ${(text ?? '').slice(0, 110)}`;
}
