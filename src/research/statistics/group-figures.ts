// Figures over event groups: totals, ratios, and differences of ratios, each a function of sums over groups. Must never
// divide group by group: a ratio of sums stays one when groups are resampled.
import { assert } from '../../base/assert.ts';

/** A figure that depends on the groups only through sums of columns. */
export interface GroupFigure {
  readonly groups: number;
  /** A value for each group, in the sequence in which the groups settled. */
  readonly columns: readonly Float64Array[];
  /** The figure of the sums of the columns. It is not finite when there is nothing to divide by. */
  readonly valueOf: (sums: ArrayLike<number>) => number;
  /** Derivatives of the figure by the sums. */
  readonly slopesOf: (sums: ArrayLike<number>) => number[];
}

/** One group's part of a ratio. */
export interface GroupPart {
  readonly over: number;
  readonly under: number;
}

/** Σ of the values, such as profit in millionths of a dollar. */
export const totalFigure = (values: ArrayLike<number>): GroupFigure => ({
  groups: values.length,
  columns: [Float64Array.from(values)],
  valueOf: (sums) => sums[0] ?? 0,
  slopesOf: () => [1],
});

const slopesOfRatio = (over: number, under: number): [number, number] => [1 / under, -over / (under * under)];

/** Σ over / Σ under. Groups with nothing in either column are left out: they have no part in the ratio. */
export function ratioFigure(parts: readonly GroupPart[]): GroupFigure {
  const present = parts.filter(({ over, under }) => over !== 0 || under !== 0);
  return {
    groups: present.length,
    columns: [Float64Array.from(present, ({ over }) => over), Float64Array.from(present, ({ under }) => under)],
    valueOf: (sums) => (sums[0] ?? 0) / (sums[1] ?? 0),
    slopesOf: (sums) => slopesOfRatio(sums[0] ?? 0, sums[1] ?? 0),
  };
}

/** Mean of the values. */
export const meanFigure = (values: ArrayLike<number>): GroupFigure => ({
  groups: values.length,
  columns: [Float64Array.from(values)],
  valueOf: (sums) => (sums[0] ?? 0) / values.length,
  slopesOf: () => [1 / values.length],
});

/**
 * Σ over / Σ under of one side less that of the other, both over the same groups. It is the difference of the ratios,
 * never a ratio of differences.
 * @throws {AssertionFault} when the sides have different numbers of groups.
 */
export function ratioDifference(first: readonly GroupPart[], second: readonly GroupPart[]): GroupFigure {
  assert(first.length === second.length, `${first.length} groups beside ${second.length}: both sides need the same`);
  const column = (parts: readonly GroupPart[], of: keyof GroupPart): Float64Array =>
    Float64Array.from(parts, (part) => part[of]);
  return {
    groups: first.length,
    columns: [column(first, 'over'), column(first, 'under'), column(second, 'over'), column(second, 'under')],
    valueOf: (sums) => (sums[0] ?? 0) / (sums[1] ?? 0) - (sums[2] ?? 0) / (sums[3] ?? 0),
    slopesOf: (sums) => [
      ...slopesOfRatio(sums[0] ?? 0, sums[1] ?? 0),
      ...slopesOfRatio(sums[2] ?? 0, sums[3] ?? 0).map((slope) => -slope),
    ],
  };
}

/** The sums of the columns over all groups. */
export const sumsOf = (figure: GroupFigure): Float64Array =>
  Float64Array.from(figure.columns, (column) => column.reduce((sum, value) => sum + value, 0));

/** The figure over all groups. */
export const figureValue = (figure: GroupFigure): number => figure.valueOf(sumsOf(figure));

/**
 * Each group's part of the figure's deviation, to first order: Σ of slope × value.
 * @see W. Cochran, Sampling Techniques, 1977, chapter 6, on linearized ratios.
 */
export function influencesOf(figure: GroupFigure): Float64Array {
  const slopes = figure.slopesOf(sumsOf(figure));
  return Float64Array.from({ length: figure.groups }, (_, group) =>
    figure.columns.reduce((sum, column, i) => sum + (slopes[i] ?? 0) * (column[group] ?? 0), 0),
  );
}

/**
 * Groups that move the figure. The others, such as those in which two sides made the same, say little about how far it
 * varies, however many there are.
 */
export const movingGroups = (figure: GroupFigure): number =>
  influencesOf(figure).reduce((count, influence) => count + (influence === 0 ? 0 : 1), 0);

/** Standard error of the figure over independent groups, linearized. It is not finite for fewer than two groups. */
export function standardError(figure: GroupFigure): number {
  const influences = influencesOf(figure);
  const mean = influences.reduce((sum, value) => sum + value, 0) / figure.groups;
  const squares = influences.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt((figure.groups / (figure.groups - 1)) * squares);
}
