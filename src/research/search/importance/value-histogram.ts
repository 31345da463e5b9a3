// The density of a parameter's values on a grid of at most 50 cells, smoothed. Must never be used to propose: its kernels are narrower
// than those of TPE.
import type { ParamValue } from '../../trial/study-trial.ts';
import type { Domain } from '../search-space.ts';
import { type NumericRange, countValues, optionIndex, stepOf } from '../space/param-values.ts';
import { logNormalMass } from '../tpe/normal-mass.ts';

const CELLS_MAX = 50;
/** A normal distribution of this width has 90 % of its mass in one cell. */
const NARROWEST = 0.5 / 1.64;

/** Kernels of one width around cells, with a weight each. */
interface CellKernel {
  readonly center: number;
  readonly width: number;
  readonly weight: number;
}

/** Number of cells of a domain. A logarithmic range of whole numbers has a cell for each doubling. */
function countCells(domain: Domain): number {
  if (domain.kind === 'choice') return domain.options.length;
  if (domain.kind === 'int' && domain.log === true)
    return Math.min(CELLS_MAX, Math.ceil(Math.log2(domain.high - domain.low + 1)) + 1);
  return stepOf(domain) === null ? CELLS_MAX : Math.min(CELLS_MAX, countValues(domain));
}

/** The cell of a value: the first whose center is not below the value less half a cell. */
function cellOf(range: NumericRange, value: number, cells: number): number {
  const scale = (x: number): number => (range.log === true ? Math.log(x) : x);
  const cell = (scale(range.high) - scale(range.low)) / (cells - 1);
  return Math.min(cells - 1, Math.max(0, Math.ceil((scale(value) - scale(range.low)) / cell - 0.5)));
}

function countByCell(domain: Domain, values: readonly ParamValue[]): readonly number[] {
  const cells = countCells(domain);
  const counts = Array.from({ length: cells }, () => 0);
  for (const value of values) {
    const cell = domain.kind === 'choice' ? optionIndex(domain, value) : cellOf(domain, Number(value), cells);
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
  return counts;
}

/** Returns the density of a parameter's values over its cells, with a prior of the weight of one value. Its sum is 1. */
export function valueDensity(domain: Domain, values: readonly ParamValue[]): readonly number[] {
  const counts = countByCell(domain, values);
  return domain.kind === 'choice' ? choiceDensity(counts) : numericDensity(counts);
}

/** Kernel of each observed option, weighted by its count: 1/K on every option and 1 more on its own, for K kernels. */
function choiceDensity(counts: readonly number[]): readonly number[] {
  const observed = counts.filter((count) => count > 0);
  const share = 1 / (observed.length + 1);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const spread = (total * share) / (counts.length * share + 1) + 1 / counts.length;
  return counts.map((count) => (count / (counts.length * share + 1) + spread) / (total + 1));
}

function numericDensity(counts: readonly number[]): readonly number[] {
  const cells = counts.length;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const width = Math.max(NARROWEST, scottWidth(counts, total));
  const kernels = counts.flatMap((count, center) =>
    count > 0 ? [{ center, width, weight: count / (total + 1) }] : [],
  );
  const prior = { center: (cells - 1) / 2, width: cells, weight: 1 / (total + 1) };
  return counts.map((_, cell) => [...kernels, prior].reduce((sum, kernel) => sum + massOf(kernel, cell, cells), 0));
}

function massOf({ center, width, weight }: CellKernel, cell: number, cells: number): number {
  const within = logNormalMass((-0.5 - center) / width, (cells - 0.5 - center) / width);
  return weight * Math.exp(logNormalMass((cell - 0.5 - center) / width, (cell + 0.5 - center) / width) - within);
}

/**
 * The width of kernels in cells. The source is Scott, Multivariate Density Estimation, 1992, with quartiles as in Optuna's
 * `importance/_ped_anova/scott_parzen_estimator.py`.
 */
function scottWidth(counts: readonly number[], total: number): number {
  const mean = counts.reduce((sum, count, cell) => sum + count * cell, 0) / total;
  const squares = counts.reduce((sum, count, cell) => sum + count * (cell - mean) * (cell - mean), 0);
  const deviation = Math.sqrt(squares / Math.max(1, total - 1));
  const between =
    quartileCell(counts, (sum) => sum > Math.floor((total * 3) / 4)) -
    quartileCell(counts, (sum) => sum >= Math.floor(total / 4));
  return 1.059 * Math.min(between / 1.34, deviation) * Math.exp(-0.2 * Math.log(total));
}

/** The first observed cell whose cumulated count passes a bound; the last observed one when none does. */
function quartileCell(counts: readonly number[], passes: (cumulated: number) => boolean): number {
  let cumulated = 0;
  let last = 0;
  for (const [cell, count] of counts.entries()) {
    if (count === 0) continue;
    last = cell;
    cumulated += count;
    if (passes(cumulated)) return cell;
  }
  return last;
}
