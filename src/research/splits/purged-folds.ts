// Purged cross-validation: k folds, and every combination of blocks as a test. Must never train on a unit whose time overlaps
// that of a test block.
import { assert } from '../../base/assert.ts';
import type { SplitUnit } from './split-unit.ts';

/** How to fold. */
export interface FoldShape {
  /** Number of blocks. */
  readonly blocks: number;
  /** Number of test blocks of a split: 1 gives k folds. */
  readonly test: number;
  /** Time after a run of test blocks in which no training unit may begin. Microseconds. */
  readonly embargo: number;
}

/** One split. */
export interface FoldSplit {
  /** Numbers of its test blocks, ascending. */
  readonly testBlocks: readonly number[];
  readonly train: readonly SplitUnit[];
  readonly test: readonly SplitUnit[];
}

/**
 * Returns the blocks of settled units in the sequence of their results. Earlier blocks have one unit more where the number
 * does not divide.
 */
export function blocksOf(units: readonly SplitUnit[], count: number): SplitUnit[][] {
  const settled = units.filter(({ known }) => known !== null);
  assert(count >= 2 && count <= settled.length, `blocks: expected 2 to ${settled.length}, found ${count}`);
  const least = Math.floor(settled.length / count);
  const longer = settled.length % count;
  return Array.from({ length: count }, (_, block) => {
    const from = block * least + Math.min(block, longer);
    return settled.slice(from, from + least + (block < longer ? 1 : 0));
  });
}

/** Every choice of `size` numbers below `count`, ascending, in lexicographic sequence. */
export function combinations(count: number, size: number): number[][] {
  if (size === 0) return [[]];
  return Array.from({ length: Math.max(0, count - size + 1) }, (_, first) =>
    combinations(count - first - 1, size - 1).map((rest) => [first, ...rest.map((each) => each + first + 1)]),
  ).flat();
}

/**
 * Returns every split of the blocks, with purged training parts. A training unit ends before each run of adjacent test blocks
 * begins, or begins after the run and the embargo.
 * @throws {AssertionFault} when there are fewer units than blocks, or no block is left to train.
 * @see M. López de Prado, Advances in Financial Machine Learning, 2018, chapters 7 and 12.
 */
export function foldSplits(
  units: readonly SplitUnit[],
  { blocks: count, test: size, embargo }: FoldShape,
): FoldSplit[] {
  assert(size >= 1 && size < count, `test blocks: expected 1 to ${count - 1}, found ${size}`);
  const blocks = blocksOf(units, count);
  return combinations(count, size).map((testBlocks) => {
    const hulls = adjacentRuns(testBlocks).map((run) => hullOf(run.flatMap((block) => blocks[block] ?? [])));
    const others = blocks.filter((_, block) => !testBlocks.includes(block)).flat();
    const isApart = ({ from, known }: SplitUnit): boolean =>
      hulls.every(([start, end]) => (known ?? end) < start || from > end + embargo);
    return {
      testBlocks,
      train: others.filter(isApart),
      test: testBlocks.flatMap((block) => blocks[block] ?? []),
    };
  });
}

function adjacentRuns(numbers: readonly number[]): number[][] {
  const runs: number[][] = [];
  for (const each of numbers) {
    const last = runs.at(-1);
    if (last?.at(-1) === each - 1) last.push(each);
    else runs.push([each]);
  }
  return runs;
}

const hullOf = (units: readonly SplitUnit[]): readonly [number, number] => [
  Math.min(...units.map(({ from }) => from)),
  Math.max(...units.map(({ from, known }) => known ?? from)),
];

/**
 * Returns the paths through the splits: for each path and each block, the number of the split that tests the block. With N
 * blocks and k test blocks there are C(N − 1, k − 1) paths, and each path tests every block once.
 */
export function pathsOf(splits: readonly Pick<FoldSplit, 'testBlocks'>[]): number[][] {
  const count = 1 + Math.max(...splits.flatMap(({ testBlocks }) => testBlocks));
  const splitsByBlock = Array.from({ length: count }, (_, block) =>
    splits.flatMap(({ testBlocks }, split) => (testBlocks.includes(block) ? [split] : [])),
  );
  const paths = splitsByBlock[0]?.length ?? 0;
  return Array.from({ length: paths }, (_, path) => splitsByBlock.map((found) => found[path] ?? 0));
}
