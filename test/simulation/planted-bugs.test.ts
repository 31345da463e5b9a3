// A few planted bugs, which the simulation must find. They run one after the other on one processor, so that other tests
// can run beside them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, applyPatch } from './run/bundle.ts';
import { runPlantedBugs } from './run/planted-bug-run.ts';
import { PLANTED_BUGS } from './run/planted-bugs.ts';

const PATIENCE_MS = 600_000;
/** Bugs of different kinds that a few seeds find, each with the seed to begin with: the first that finds it. */
const QUICK: ReadonlyMap<string, number> = new Map([
  ['fills counted', 1],
  ['unknown is rejected', 3],
  ['journal after sending', 1],
  ['client ids used again', 1],
  ['late list trusted', 2],
  ['cancel reserve shared', 1],
]);

describe('planted bugs', () => {
  it('planted bugs match the sources as they are', () => {
    expect(PLANTED_BUGS.length).toBeGreaterThanOrEqual(12);
    for (const { patches } of PLANTED_BUGS)
      for (const patch of patches) {
        const source = readFileSync(join(ROOT, patch.file), 'utf8');
        expect(applyPatch(source, patch)).not.toBe(source);
      }
  });

  it('a planted bug is refused when the source lacks its text', () => {
    const patch = { file: 'src/engine.ts', find: 'no such text', replace: '' };
    expect(() => applyPatch('something else', patch)).toThrow('src/engine.ts: expected once, found 0 times');
    expect(() => applyPatch('no such text, no such text', patch)).toThrow('found 2 times');
  });

  it(
    'planted bugs are found',
    async () => {
      let count = 0;
      for (const [name, firstSeed] of QUICK) {
        const plants = PLANTED_BUGS.filter((plant) => plant.name === name);
        const bounds = { firstSeed, seedsMax: 60, jobs: 1 };
        const { rows } = await runPlantedBugs({ ...bounds, plants, onProgress: () => undefined });
        for (const { plant, seeds } of rows) expect.soft(seeds, plant).not.toBeNull();
        count += rows.length;
      }
      expect(count).toBe(QUICK.size);
    },
    PATIENCE_MS,
  );
});
