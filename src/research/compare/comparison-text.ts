// A comparison in plain words and figures: the verdict first. Must never be shortened to look better.
import {
  NO_VALUE,
  countText,
  countedNoun,
  decimalText,
  priceText,
  shareText,
  signedCents,
  summedContracts,
} from '../../report/text/figure-text.ts';
import { type Micros, micros } from '../../domain/units.ts';
import { isoMicros } from '../../tape/format/iso-time.ts';
import type { IntervalFigure, IntervalMethod } from '../statistics/figure-interval.ts';
import type { RunFill, RunStep } from './compared-run.ts';
import type { Parting, PartingFact } from './first-parting.ts';
import {
  type ComparedFigure,
  type ComparedFigureName,
  DIFFERENCE_ALPHA,
  type RunComparison,
} from './group-comparison.ts';

const METHODS: Readonly<Record<IntervalMethod, string>> = {
  student: 'Student’s t over event groups',
  percentile: 'bootstrap by event group',
  bca: 'bootstrap by event group',
  stationary: 'bootstrap by blocks of event groups',
};

/** Names of the figures. */
export const FIGURE_TITLES: Readonly<Record<ComparedFigureName, string>> = {
  profit: 'profit after fees',
  fees: 'fees',
  qty: 'contracts',
  fills: 'trades',
  perContract: 'profit per contract',
  perLockedDollarDay: 'profit per locked dollar-day',
};

/** A probability that is not certain never shows as 1 or 0. */
const probabilityText = (p: number): string => (p < 0.001 ? 'below 0.001' : decimalText(p, 3));

/** The verdict in one sentence. */
export function comparisonHeadline({ verdict, test, groups, parting }: RunComparison): string {
  const over = countedNoun(groups.filter((group) => group.isTraded).length, 'event group');
  const amount = signedCents(Math.abs(test.sum)).replace('+', '');
  const p = probabilityText(test.twoSided);
  switch (verdict) {
    case 'same':
      return 'The same: A and B decided alike, and every event group has the same result.';
    case 'first':
      return `A made ${amount} more than B over ${over}; luck hardly explains it (p = ${p}).`;
    case 'second':
      return `B made ${amount} more than A over ${over}; luck hardly explains it (p = ${p}).`;
    case 'unclear':
      if (test.sum === 0)
        return `A and B made the same over ${countedNoun(groups.length, 'event group')}, by ${parting === null ? 'the same orders' : 'different decisions'}.`;
      return `Not shown to differ: ${test.sum > 0 ? 'A' : 'B'} made ${amount} more over ${over}, and luck may explain it (p = ${p}).`;
  }
}

/** The sentences after the verdict. */
export function comparisonSentences(comparison: RunComparison): string[] {
  const { verdict, test, figures, groups, firstOnly, secondOnly, leftOut, first, second } = comparison;
  const idle = groups.filter(({ isTraded }) => !isTraded).length;
  const unsettled = groups.filter(({ isSettled }) => !isSettled).length;
  const interval = figures.find(({ name }) => name === 'profit')?.difference ?? null;
  const found: string[] = [];
  if (verdict === 'same' && first.decisionHash !== '' && first.decisionHash === second.decisionHash)
    found.push('Their decision hashes are equal, too.');
  if (verdict !== 'same' && interval !== null)
    found.push(
      `Difference in profit, A less B, with 95% confidence: ${rangeText('profit', interval)} (${METHODS[interval.lead.method]}).`,
    );
  if (verdict === 'unclear' && test.sum !== 0 && test.smallest >= DIFFERENCE_ALPHA)
    found.push(
      `Too few event groups differ: no result over them could have had a p below ${probabilityText(test.smallest)}.`,
    );
  if (firstOnly.length + secondOnly.length > 0) {
    const ofA = `${countedNoun(firstOnly.length, 'event group')} of A alone${profitText(firstOnly, leftOut.first)}`;
    found.push(
      `${ofA} and ${countText(secondOnly.length)} of B alone${profitText(secondOnly, leftOut.second)}: left out.`,
    );
  }
  if (idle > 0 && verdict !== 'same')
    found.push(`${countedNoun(idle, 'event group')} that neither A nor B traded: in no interval.`);
  if (unsettled > 0) found.push(`${countedNoun(unsettled, 'event group')} without a result: profit at marks.`);
  for (const [name, { isPartial }] of [['A', first] as const, ['B', second] as const])
    if (isPartial) found.push(`${name} was stopped before the end of its tape.`);
  return found;
}

const profitText = (groups: readonly string[], profit: number): string =>
  groups.length === 0 ? '' : ` (${signedCents(profit)})`;

/** A figure of one side. */
export function figureText(name: ComparedFigureName, value: number | null): string {
  if (value === null) return NO_VALUE;
  switch (name) {
    case 'profit':
      return signedCents(value);
    case 'fees':
      return signedCents(value).replace('+', '');
    case 'qty':
      return summedContracts(value);
    case 'fills':
      return countText(value);
    case 'perContract':
      return `${decimalText(value * 100, 2)}¢`;
    case 'perLockedDollarDay':
      return shareText(value, 2);
  }
}

/** The difference of the sides with its sign. It needs no interval: there is none for a single event group. */
export function differenceText({ name, first, second }: ComparedFigure): string {
  if (first === null || second === null) return NO_VALUE;
  return signed(first - second, figureText(name, first - second));
}

/** A value that is shown as zero has no sign. */
const signed = (value: number, text: string): string =>
  value > 0 && /[1-9]/.test(text) && !text.startsWith('+') ? `+${text}` : text;

/** Ends of intervals are shown in whole trades and contracts. */
const STEPS: Readonly<Partial<Record<ComparedFigureName, number>>> = { fills: 1, qty: 100 };
const roundedTo = (step: number | undefined, value: number): number =>
  step === undefined ? value : Math.round(value / step) * step;

/** The interval of a difference. */
export function rangeText(name: ComparedFigureName, difference: IntervalFigure | null): string {
  if (difference === null) return NO_VALUE;
  const { low, high } = difference.lead;
  const [from, to] = [roundedTo(STEPS[name], low), roundedTo(STEPS[name], high)];
  return `${signed(from, figureText(name, from))} to ${signed(to, figureText(name, to))}`;
}

/** Rows of the table of figures: name, A, B, difference, interval. */
export const figureRows = (figures: readonly ComparedFigure[]): string[][] => [
  ['', 'A', 'B', 'A less B', '95%'],
  ...figures.map((figure) => [
    FIGURE_TITLES[figure.name],
    figureText(figure.name, figure.first),
    figureText(figure.name, figure.second),
    differenceText(figure),
    rangeText(figure.name, figure.difference),
  ]),
];

/** Says if denials count among the equal orders. */
export const denialsText = ({ hasDenials }: Parting): string => (hasDenials ? 'denials included' : 'denials left out');

/** The first difference in decisions, line by line. */
export function partingLines(parting: Parting | null): string[] {
  if (parting === null) return [];
  const { index, first, second, before } = parting;
  const equal = index === 0 ? 'They part at the first order' : `They part after ${countedNoun(index, 'equal order')}`;
  return [
    `${equal} (${denialsText(parting)}):`,
    `  A  ${stepText(first)}`,
    `  B  ${stepText(second)}`,
    ...(before.length === 0
      ? [
          parting.hasDenials
            ? 'No fill, denial, parameter or seed differs before: tapes, limits, the venue’s models or the code of a strategy may.'
            : 'No fill or parameter differs before: denials, tapes, limits, the venue’s models or the code of a strategy may.',
        ]
      : before.map((fact) => factText(fact))),
  ];
}

const timeText = (at: number): string => isoMicros(micros(at) satisfies Micros);
const contracts = (count: number): string => {
  const text = summedContracts(count);
  return `${text} ${text === '1' ? 'contract' : 'contracts'}`;
};

/** One order or denial. */
export function stepText(step: RunStep | null): string {
  if (step === null) return 'no further order';
  const { at, strategy, market, terms, reason } = step;
  const why = reason === '' ? '' : `: ${reason}`;
  if (terms === null) return `${timeText(at)}  ${strategy} was denied${market === null ? '' : ` in ${market}`}${why}`;
  const order = `${terms.side} ${contracts(terms.qty)} of ${market ?? ''} at ${priceText(terms.price)}`;
  return `${timeText(at)}  ${strategy} ordered: ${order}${reason === '' ? '' : ` (${reason})`}`;
}

const fillText = (fill: RunFill | null): string =>
  fill === null
    ? 'no fill'
    : `${fill.side} ${contracts(fill.qty)} of ${fill.market} at ${priceText(fill.price)}, ${timeText(fill.at)}`;

const valueText = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value));

/** A fact that differs before the parting. */
export function factText(fact: PartingFact): string {
  switch (fact.type) {
    case 'strategy':
      return `Strategies differ: A runs ${fact.first}, B runs ${fact.second}.`;
    case 'file':
      return `Files of strategy ${fact.strategy} differ: A runs ${fact.first}, B runs ${fact.second}.`;
    case 'parameter':
      return `Parameter ${fact.name} of ${fact.strategy} differs: A has ${valueText(fact.first)}, B has ${valueText(fact.second)}.`;
    case 'seed':
      return `Seeds differ: A has ${fact.first}, B has ${fact.second}.`;
    case 'fill':
      return `A fill before that differs: A has ${fillText(fact.first)}; B has ${fillText(fact.second)}.`;
    case 'denial':
      return `Risk denied only ${fact.side === 'first' ? 'A' : 'B'}: ${fact.reason}`;
  }
}
