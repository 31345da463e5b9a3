// Computes the results of a split, winner by winner, from the results of trials by event
// group: a trial runs once for all windows. Must never let a test part choose a winner.
import { assert } from '../../base/assert.ts';
import type { GroupResult } from '../trial/study-trial.ts';
import { type Objective, groupFigureOf } from '../trial/trial-figures.ts';
import { lookAheadIn } from './look-ahead.ts';
import { blocksOf, foldSplits, pathsOf } from './purged-folds.ts';
import type { StudySplit } from './split-shape.ts';
import { type SplitUnit, groupsOfUnits, splitUnits } from './split-unit.ts';
import { walkForwardWindows } from './walk-forward.ts';

/** A finished trial that keeps all constraints, with its results by event group. */
export interface SplitTrial {
  readonly n: number;
  readonly groups: readonly GroupResult[];
}

/** One training part and its test part. */
export interface WindowResult {
  /** End of the training part, microseconds; `null` for folds. */
  readonly cut: number | null;
  /** Numbers of the test blocks of folds; otherwise empty. */
  readonly testBlocks: readonly number[];
  readonly trainGroups: number;
  readonly testGroups: number;
  /** Number of the trial that is best on the training part; `null` when none has a value there, or it has no event group. */
  readonly winner: number | null;
  /** The winner's mean profit by event group, in millionths of a dollar, on the training part. */
  readonly inside: number | null;
  /** The same on the test part. */
  readonly outside: number | null;
  /** Place of the winner on the test part, 1 for the best. */
  readonly rank: number | null;
}

/** The winners' profit outside of their training parts, in the sequence of settlement. */
export interface CurvePoint {
  /** Time at which the result is known. Microseconds. */
  readonly at: number;
  readonly group: string;
  readonly winner: number;
  /** Profit of all event groups so far, in millionths of a dollar. */
  readonly profit: number;
}

/** The results of a study's split. */
export interface SplitResults {
  readonly kind: 'time' | 'walk-forward' | 'folds' | 'groups';
  readonly windows: readonly WindowResult[];
  /** Number of trials that were ranked. */
  readonly trials: number;
  /** Each event group once; empty for folds, which test a group several times. */
  readonly curve: readonly CurvePoint[];
  /** Profit along each path through folds, ascending, in millionths of a dollar. A path with a block that no winner tests is left out. */
  readonly paths: readonly number[];
  /** Mean profit by event group inside and outside of the training parts, over all windows. */
  readonly inside: number | null;
  readonly outside: number | null;
  /** How often the winner of a window is another than that of the window before. */
  readonly changes: number;
  /** Event groups that walk-forward windows do not test, besides the first training part. */
  readonly untested: readonly string[];
}

/** How to compute the results of a split. */
export interface SplitQuestion {
  readonly split: Pick<StudySplit, 'shape' | 'together' | 'search' | 'held'>;
  readonly trials: readonly SplitTrial[];
  /** The study's first objective: a figure of event groups. */
  readonly objective: Objective;
}

interface PlannedWindow {
  readonly cut: number | null;
  readonly testBlocks: readonly number[];
  readonly train: readonly SplitUnit[];
  readonly test: readonly SplitUnit[];
}

/** Computes the results of a study's split; `null` without a split, or before a trial has finished. */
export function splitResults(question: SplitQuestion): SplitResults | null {
  const { split, trials } = question;
  const { shape, together, search, held } = split;
  const [first] = trials;
  if (shape === null || first === undefined) return null;
  const units = splitUnits(first.groups, together);
  const unitsOf = (names: readonly string[]): SplitUnit[] =>
    units.flatMap((unit) => {
      const groups = unit.groups.filter((group) => names.includes(group));
      return groups.length === 0 ? [] : [{ ...unit, groups }];
    });
  const sides = { train: unitsOf(search), test: unitsOf(held) };
  switch (shape.kind) {
    case 'time':
      return resultsOf(question, { kind: shape.kind, planned: [{ cut: shape.cut, testBlocks: [], ...sides }] });
    case 'groups':
      return resultsOf(question, { kind: shape.kind, planned: [{ cut: null, testBlocks: [], ...sides }] });
    case 'walk-forward': {
      const { windows, untested } = walkForwardWindows(units, shape);
      const planned = windows.map((window) => ({ ...window, testBlocks: [] }));
      return { ...resultsOf(question, { kind: shape.kind, planned }), untested: groupsOfUnits(untested) };
    }
    case 'folds': {
      const open = unitsOf(search);
      const planned = foldSplits(open, shape).map((fold) => ({ ...fold, cut: null }));
      return resultsOf(question, { kind: shape.kind, planned, blocks: blocksOf(open, shape.blocks) });
    }
  }
}

interface PlannedSplit {
  readonly kind: SplitResults['kind'];
  readonly planned: readonly PlannedWindow[];
  /** Blocks of folds. */
  readonly blocks?: readonly (readonly SplitUnit[])[];
}

function resultsOf(question: SplitQuestion, { kind, planned, blocks = [] }: PlannedSplit): SplitResults {
  for (const window of planned) assert(lookAheadIn(window) === null, 'a window never trains on what it tests');
  const tables = question.trials.map(({ n, groups }) => ({
    n,
    byGroup: new Map(groups.map((each) => [each.group, each])),
  }));
  const windows = planned.map((window) => windowResult(window, tables, question.objective));
  const winners = windows.flatMap(({ winner }) => winner ?? []);
  return {
    kind,
    windows,
    trials: tables.length,
    curve: blocks.length > 0 ? [] : curveOf({ planned, windows, tables }),
    paths: blocks.length > 0 ? pathProfits({ planned, windows, tables }, blocks) : [],
    inside: weightedMean(windows.map(({ inside, trainGroups }) => [inside, trainGroups])),
    outside: weightedMean(windows.map(({ outside, testGroups }) => [outside, testGroups])),
    changes: winners.filter((winner, index) => index > 0 && winner !== winners[index - 1]).length,
    untested: [],
  };
}

interface TrialTable {
  readonly n: number;
  readonly byGroup: ReadonlyMap<string, GroupResult>;
}

function windowResult(window: PlannedWindow, tables: readonly TrialTable[], objective: Objective): WindowResult {
  const { cut, testBlocks } = window;
  const [trained, tested] = [groupsOfUnits(window.train), groupsOfUnits(window.test)];
  const winner = trained.length === 0 ? null : bestOf(tables, trained, objective);
  const known = { cut, testBlocks, trainGroups: trained.length, testGroups: tested.length };
  if (winner === null) return { ...known, winner: null, inside: null, outside: null, rank: null };
  const own = valueOn(winner, tested, objective);
  const better = tables.filter((table) => valueOn(table, tested, objective) > own).length;
  return {
    ...known,
    winner: winner.n,
    inside: meanProfit(winner, trained),
    outside: meanProfit(winner, tested),
    rank: better + 1,
  };
}

/** The trial with the best value on some event groups; the earliest of equal ones. */
function bestOf(tables: readonly TrialTable[], groups: readonly string[], objective: Objective): TrialTable | null {
  let best: TrialTable | null = null;
  let most = Number.NEGATIVE_INFINITY;
  for (const table of tables) {
    const value = valueOn(table, groups, objective);
    if (value > most) [best, most] = [table, value];
  }
  return best;
}

const rowsOn = ({ byGroup }: TrialTable, groups: readonly string[]): GroupResult[] =>
  groups.flatMap((group) => byGroup.get(group) ?? []);

/** The objective on some event groups, so that more is better; without a value it is the worst. */
function valueOn(table: TrialTable, groups: readonly string[], { figure, isMaximized }: Objective): number {
  const value = groupFigureOf(figure, rowsOn(table, groups));
  return value === null ? Number.NEGATIVE_INFINITY : isMaximized ? value : -value;
}

const profitOn = (table: TrialTable, groups: readonly string[]): number =>
  rowsOn(table, groups).reduce((sum, { profit }) => sum + profit, 0);

const meanProfit = (table: TrialTable, groups: readonly string[]): number | null =>
  groups.length === 0 ? null : profitOn(table, groups) / groups.length;

function weightedMean(values: readonly (readonly [number | null, number])[]): number | null {
  let [sum, weights] = [0, 0];
  for (const [value, weight] of values) {
    if (value === null) continue;
    sum += value * weight;
    weights += weight;
  }
  return weights === 0 ? null : sum / weights;
}

interface Ranking {
  readonly planned: readonly PlannedWindow[];
  readonly windows: readonly WindowResult[];
  readonly tables: readonly TrialTable[];
}

function curveOf({ planned, windows, tables }: Ranking): CurvePoint[] {
  const rows = planned.flatMap(({ test }, index) => {
    const winner = tables.find(({ n }) => n === windows[index]?.winner);
    return winner === undefined ? [] : rowsOn(winner, groupsOfUnits(test)).map((row) => ({ row, winner: winner.n }));
  });
  assert(new Set(rows.map(({ row }) => row.group)).size === rows.length, 'windows test each event group once');
  let profit = 0;
  return rows
    .toSorted((a, b) => (a.row.known ?? 0) - (b.row.known ?? 0) || (a.row.group < b.row.group ? -1 : 1))
    .map(({ row, winner }) => ({ at: row.known ?? 0, group: row.group, winner, profit: (profit += row.profit) }));
}

/**
 * The profit along each path, ascending: for each block, that of the winner of the split that tests the block. A path of
 * fewer blocks than the others could not be compared with them, so it is left out.
 */
function pathProfits({ planned, windows, tables }: Ranking, blocks: readonly (readonly SplitUnit[])[]): number[] {
  const profitsOf = (path: readonly number[]): number[] =>
    path.flatMap((split, block) => {
      const winner = tables.find(({ n }) => n === windows[split]?.winner);
      return winner === undefined ? [] : [profitOn(winner, groupsOfUnits(blocks[block] ?? []))];
    });
  return pathsOf(planned)
    .map(profitsOf)
    .filter((profits) => profits.length === blocks.length)
    .map((profits) => profits.reduce((sum, profit) => sum + profit, 0))
    .sort((a, b) => a - b);
}
