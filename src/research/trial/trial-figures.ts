// Figures of a trial, from its runs over the study's tapes, and its objectives and constraints. Money figures are whole
// millionths of a dollar. Must never give a figure to a trial that has none: without locked capital there is no return.
import { assert } from '../../base/assert.ts';
import type { Report } from '../../report/statement/report.ts';
import { type FigureUnit, isReportFigure, reportFigureOf, reportFigureUnit } from './report-figures.ts';
import type { GroupResult } from './study-trial.ts';

/** One run of a trial: its report, and its results by event group. */
export interface TrialRun {
  readonly report: Report;
  readonly groups: readonly GroupResult[];
}

interface Figure {
  readonly unit: FigureUnit;
  readonly valueOf: (runs: readonly TrialRun[]) => number | null;
}

const MONEY_PER_DOLLAR = 1_000_000;
const QTY_PER_CONTRACT = 100;

const ratio = (over: number, under: number): number | null => (under === 0 ? null : over / under + 0);
const drawdownOf = (runs: readonly TrialRun[]): number =>
  Math.max(0, ...runs.map(({ report }) => report.drawdown.drawdown?.depth ?? 0));

type Groups = readonly GroupResult[];
const sumOf = (groups: Groups, of: (group: GroupResult) => number): number =>
  groups.reduce((sum, group) => sum + of(group), 0);
const profitOf = (groups: Groups): number => sumOf(groups, ({ profit }) => profit);

/** A figure of event groups alone: it has a value on any part of a tape. */
const byGroups = (unit: FigureUnit, ofGroups: (groups: Groups) => number | null) => ({
  unit,
  ofGroups,
  valueOf: (runs: readonly TrialRun[]): number | null => ofGroups(runs.flatMap(({ groups }) => groups)),
});

/** Figures by name. Those of several tapes are taken over all of their event groups. */
export const TRIAL_FIGURES = {
  /** Profit after fees. */
  profit: byGroups('money', profitOf),
  fees: byGroups('money', (groups) => sumOf(groups, ({ fees }) => fees)),
  contracts: byGroups('qty', (groups) => sumOf(groups, ({ qty }) => qty)),
  fills: byGroups('number', (groups) => sumOf(groups, ({ fills }) => fills)),
  /** Event groups in which it traded. */
  groupsTraded: byGroups('number', (groups) => groups.filter(({ fills }) => fills > 0).length),
  lockedDollarDays: byGroups('number', (groups) => sumOf(groups, (group) => group.lockedDollarDays)),
  /** Dollars of profit for each dollar locked for a day: modified Dietz return (Dietz, 1966). */
  profitPerLockedDollarDay: byGroups('number', (groups) =>
    ratio(
      profitOf(groups) / MONEY_PER_DOLLAR,
      sumOf(groups, (group) => group.lockedDollarDays),
    ),
  ),
  /** Dollars of profit for each contract. */
  profitPerContract: byGroups('number', (groups) =>
    ratio(
      profitOf(groups) / MONEY_PER_DOLLAR,
      sumOf(groups, ({ qty }) => qty / QTY_PER_CONTRACT),
    ),
  ),
  /** The deepest fall of equity from a peak, of the tape where it is deepest. */
  maxDrawdown: { unit: 'money', valueOf: drawdownOf },
  /** Profit over the deepest fall of equity (Young, 1991: the Calmar ratio, without annual rates). */
  profitPerDrawdown: {
    unit: 'number',
    valueOf: (runs) => ratio(profitOf(runs.flatMap(({ groups }) => groups)), drawdownOf(runs)),
  },
  /** Mean −ln of the probability that forecasts gave to the outcome (Good, 1952): the lower the better. */
  logScore: { unit: 'number', valueOf: (runs) => forecastMean(runs, ({ logLoss }) => logLoss) },
  /** Mean squared error of forecasts (Brier, 1950): the lower the better. */
  brierScore: { unit: 'number', valueOf: (runs) => forecastMean(runs, ({ brier }) => brier) },
  /** Mean over standard deviation of the profits of groups with trades, not annualized (Sharpe, 1966). */
  sharpePerGroup: byGroups('number', (groups) => sharpeOf(groups.filter(({ fills }) => fills > 0))),
} as const satisfies Readonly<Record<string, Figure>>;

export type FigureName = keyof typeof TRIAL_FIGURES;

/** Names of the figures. */
// tidy: as (the object's own keys)
export const FIGURE_NAMES = Object.keys(TRIAL_FIGURES) as readonly FigureName[];

export const isFigureName = (name: string): name is FigureName => Object.hasOwn(TRIAL_FIGURES, name);

/** Names of the figures that event groups alone decide: they have a value on any part of a tape. */
export const GROUP_FIGURE_NAMES = FIGURE_NAMES.filter((name) => 'ofGroups' in TRIAL_FIGURES[name]);

/**
 * A figure over some event groups; `null` when they have none.
 * @throws {AssertionFault} when more than event groups decide the figure.
 */
export function groupFigureOf(name: string, groups: readonly GroupResult[]): number | null {
  const figure = isFigureName(name) ? TRIAL_FIGURES[name] : null;
  assert(figure !== null && 'ofGroups' in figure, `expected a figure of event groups, found ${name}`);
  return figure.ofGroups(groups);
}

type Score = Report['forecasts'][number];

/** Mean of a score over all markets with forecasts; `null` when there is none. */
function forecastMean(runs: readonly TrialRun[], of: (score: Score) => number | null): number | null {
  let sum = 0;
  let markets = 0;
  for (const score of runs.flatMap(({ report }) => report.forecasts)) {
    const value = of(score);
    if (value === null) continue;
    sum += value * score.markets;
    markets += score.markets;
  }
  return ratio(sum, markets);
}

function sharpeOf(groups: readonly GroupResult[]): number | null {
  const count = groups.length;
  if (count < 2) return null;
  const mean = groups.reduce((sum, { profit }) => sum + profit, 0) / count;
  const squares = groups.reduce((sum, { profit }) => sum + (profit - mean) ** 2, 0);
  return ratio(mean, Math.sqrt(squares / (count - 1)));
}

/** True for the name of a figure, or the path of one in the report. */
export const isFigure = (name: string): boolean => isFigureName(name) || isReportFigure(name);

/** The unit in which a figure is shown. */
export const unitOf = (name: string): FigureUnit =>
  isFigureName(name) ? TRIAL_FIGURES[name].unit : isReportFigure(name) ? reportFigureUnit(name) : 'number';

/** A figure of a trial; `null` when the trial has none. A figure of the report is its mean over the tapes. */
export function figureOf(name: string, runs: readonly TrialRun[]): number | null {
  if (isFigureName(name)) return TRIAL_FIGURES[name].valueOf(runs);
  assert(isReportFigure(name), `expected a figure of a trial, found ${name}`);
  const values = runs.map(({ report }) => reportFigureOf(report, name));
  const sum = values.reduce<number>((total, value) => total + (value ?? 0), 0);
  return values.includes(null) ? null : ratio(sum, runs.length);
}

/** An objective of a study. */
export interface Objective {
  readonly figure: string;
  readonly isMaximized: boolean;
}

/** A constraint of a study: a figure's bound, in the figure's unit. */
export interface Constraint {
  readonly figure: string;
  readonly atMost: number | null;
  readonly atLeast: number | null;
}

/** Values of objectives, to be minimized; `null` when a figure has no value. */
export function objectiveValues(objectives: readonly Objective[], runs: readonly TrialRun[]): number[] | null {
  const values = objectives.map(({ figure, isMaximized }) => {
    const value = figureOf(figure, runs);
    return value === null ? null : isMaximized ? 0 - value : value;
  });
  return values.every((value) => value !== null) ? values : null;
}

/** Turns values to be minimized back into figures, each with its own sign. */
export const objectiveFigures = (objectives: readonly Objective[], values: readonly number[]): number[] =>
  values.map((value, at) => (objectives[at]?.isMaximized === true ? 0 - value : value));

/** By how much each constraint is violated; 0 or less when it holds. A figure without a value violates its bounds. */
export const violations = (constraints: readonly Constraint[], runs: readonly TrialRun[]): number[] =>
  constraints.map(({ figure, atMost, atLeast }) => {
    const value = figureOf(figure, runs);
    if (value === null) return Number.MAX_VALUE;
    const above = atMost === null ? Number.NEGATIVE_INFINITY : value - atMost;
    const below = atLeast === null ? Number.NEGATIVE_INFINITY : atLeast - value;
    return Math.max(above, below);
  });
