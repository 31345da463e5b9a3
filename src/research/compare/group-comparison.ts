// Two runs compared: their figures over the event groups of both, the difference of each with its interval, and where
// they part. Must never call a difference real that luck explains.
import { UsageError } from '../../app/usage-error.ts';
import { countText } from '../../report/text/figure-text.ts';
import type { IntervalFigure } from '../statistics/figure-interval.ts';
import type { GroupPart } from '../statistics/group-figures.ts';
import { compareRatios, compareTotals, isTraded, pairGroups } from '../statistics/paired-groups.ts';
import type { SignFlipResult } from '../statistics/sign-flips.ts';
import type { GroupResult } from '../trial/study-trial.ts';
import type { ComparedRun } from './compared-run.ts';
import { type Parting, firstParting } from './first-parting.ts';

/** Probability below which a difference counts as real. */
export const DIFFERENCE_ALPHA = 0.05;

/** Names of the compared figures. Money is in millionths of a dollar, quantities are in hundredths of a contract. */
export type ComparedFigureName = 'profit' | 'fees' | 'qty' | 'fills' | 'perContract' | 'perLockedDollarDay';

/** A figure of both sides. Money for each contract, or for each dollar-day, is in dollars. */
export interface ComparedFigure {
  readonly name: ComparedFigureName;
  /** `null` when there is nothing to divide by. */
  readonly first: number | null;
  readonly second: number | null;
  /** First less second, with its interval; `null` for fewer than two groups, or when a side has no value. */
  readonly difference: IntervalFigure | null;
}

/** Profit of one event group on both sides. */
export interface ComparedGroup {
  readonly group: string;
  readonly first: number;
  readonly second: number;
  /** False while the group's result is unknown: its profit is at marks. */
  readonly isSettled: boolean;
  /** False for a group that neither side traded: it has no part in any interval. */
  readonly isTraded: boolean;
}

/** `same`: the same orders and denials, and the same profits. `first` or `second`: that side made more, and luck hardly explains it. `unclear`: luck may. */
export type ComparisonVerdict = 'same' | 'first' | 'second' | 'unclear';

/** A comparison of two runs. */
export interface RunComparison {
  readonly verdict: ComparisonVerdict;
  readonly first: ComparedFacts;
  readonly second: ComparedFacts;
  /** Permutation test of the difference in profit by event group. */
  readonly test: SignFlipResult;
  readonly figures: readonly ComparedFigure[];
  readonly groups: readonly ComparedGroup[];
  /** Groups of one side alone: they are in no figure. */
  readonly firstOnly: readonly string[];
  readonly secondOnly: readonly string[];
  /** Profit of each side in its own groups alone, millionths of a dollar. */
  readonly leftOut: { readonly first: number; readonly second: number };
  readonly parting: Parting | null;
}

/** Facts of one side. */
export type ComparedFacts = Omit<ComparedRun, 'groups' | 'steps' | 'fills' | 'hasDenials'>;

interface RatioParts {
  readonly name: Extract<ComparedFigureName, 'perContract' | 'perLockedDollarDay'>;
  readonly partOf: (result: GroupResult) => GroupPart;
}

const MONEY_PER_DOLLAR = 1_000_000;
const QTY_PER_CONTRACT = 100;
const TOTALS = ['profit', 'fees', 'qty', 'fills'] as const;
const RATIOS: readonly RatioParts[] = [
  {
    name: 'perContract',
    partOf: ({ profit, qty }) => ({ over: profit / MONEY_PER_DOLLAR, under: qty / QTY_PER_CONTRACT }),
  },
  {
    name: 'perLockedDollarDay',
    partOf: ({ profit, lockedDollarDays }) => ({ over: profit / MONEY_PER_DOLLAR, under: lockedDollarDays }),
  },
];

/**
 * Compares two runs. The same runs and seed always give the same comparison.
 * @throws {UsageError} when the runs have no event group in common.
 */
export function compareRuns(
  first: ComparedRun,
  second: ComparedRun,
  { seed }: { readonly seed: number },
): RunComparison {
  const paired = pairGroups(first.groups, second.groups);
  const { pairs, firstOnly, secondOnly } = paired;
  if (pairs.length === 0) throw new UsageError(nothingInCommon(first, second));
  const totals = TOTALS.map((name): ComparedFigure => {
    const [own, other] = [sumOf(pairs.map((pair) => pair.first[name])), sumOf(pairs.map((pair) => pair.second[name]))];
    const { interval } = compareTotals(paired, (result) => result[name], { seed });
    return { name, first: own, second: other, difference: interval };
  });
  const ratios = RATIOS.map(({ name, partOf }): ComparedFigure => {
    const sides = [pairs.map((pair) => partOf(pair.first)), pairs.map((pair) => partOf(pair.second))] as const;
    const difference = compareRatios(paired, partOf, { seed });
    return { name, first: ratioOf(sides[0]), second: ratioOf(sides[1]), difference };
  });
  const { test } = compareTotals(paired, ({ profit }) => profit, { seed });
  const parting = firstParting(first, second);
  const groups = pairs.map((pair) => ({
    group: pair.group,
    first: pair.first.profit,
    second: pair.second.profit,
    isSettled: pair.first.known !== null && pair.second.known !== null,
    isTraded: isTraded(pair),
  }));
  return {
    verdict: verdictOf({ parting, test, groups, unpaired: firstOnly.length + secondOnly.length }),
    first: factsOf(first),
    second: factsOf(second),
    test,
    figures: [...totals, ...ratios],
    groups,
    firstOnly,
    secondOnly,
    leftOut: { first: profitIn(first, firstOnly), second: profitIn(second, secondOnly) },
    parting,
  };
}

const nothingInCommon = (first: ComparedRun, second: ComparedRun): string =>
  `nothing to compare: expected event groups that both sides have, found ${groupNames(first)}, and ${groupNames(second)}`;

const GROUPS_SHOWN = 3;

function groupNames({ name, groups }: ComparedRun): string {
  if (groups.length === 0) return `none in ${name}`;
  const shown = groups.slice(0, GROUPS_SHOWN).map(({ group }) => group);
  const rest = groups.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` and ${countText(rest)} more` : ''} in ${name}`;
}

function profitIn({ groups }: ComparedRun, names: readonly string[]): number {
  const wanted = new Set(names);
  return sumOf(groups.filter(({ group }) => wanted.has(group)).map(({ profit }) => profit));
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function ratioOf(parts: readonly GroupPart[]): number | null {
  const under = sumOf(parts.map((part) => part.under));
  return under === 0 ? null : sumOf(parts.map((part) => part.over)) / under;
}

const factsOf = ({ name, kind, decisionHash, isPartial, seed, strategies }: ComparedRun): ComparedFacts => ({
  name,
  kind,
  decisionHash,
  isPartial,
  seed,
  strategies,
});

interface VerdictFacts {
  readonly parting: Parting | null;
  readonly test: SignFlipResult;
  readonly groups: readonly ComparedGroup[];
  readonly unpaired: number;
}

function verdictOf({ parting, test, groups, unpaired }: VerdictFacts): ComparisonVerdict {
  const isEqual = groups.every(({ first, second }) => first === second);
  if (parting === null && isEqual && unpaired === 0) return 'same';
  if (test.twoSided >= DIFFERENCE_ALPHA) return 'unclear';
  return test.sum > 0 ? 'first' : 'second';
}
