// The result in a few sentences: the profit, and whether it proves anything.
import { plainText } from './text-columns.ts';
import {
  NO_VALUE,
  centsEach,
  countedNoun,
  decimalText,
  roundedDollars,
  signedRounded,
  signedShare,
  timeText,
} from './figure-text.ts';
import type { SessionPhase } from '../../execution/session/session-phase.ts';
import { explainedProfit } from '../statement/profit-parts.ts';
import type { Expectancy, Report } from '../statement/report.ts';
import type { HaltNote } from '../record/run-record.ts';

type ResultParts = Pick<Report, 'run' | 'split' | 'fillCount' | 'halts' | 'faults' | 'neverReady'>;

/** Describes the result. Faults and an early end of the run come first, a halt of the account last. */
export function resultText(report: ResultParts): string {
  const sentences = [
    ...report.faults.map(strategyFaultText),
    partialText(report),
    readyText(report),
    haltedText(report),
  ];
  return sentences.filter((text) => text !== '').join(' ');
}

/** Describes when and why trading was halted by a fault. */
export const strategyFaultText = ({ at, scope, reason }: Pick<HaltNote, 'at' | 'scope' | 'reason'>): string =>
  sentence(`${scope.charAt(0).toUpperCase()}${scope.slice(1)} was halted at ${timeText(at)}: ${plainText(reason)}`);

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const partialText = ({ run }: ResultParts): string => (run.isPartial ? 'The run ended before its tape.' : '');

function haltedText({ halts }: ResultParts): string {
  const first = halts.find(({ scope }) => scope === 'the account');
  return first === undefined
    ? ''
    : sentence(`The account was halted at ${timeText(first.at)}: ${plainText(first.reason)}`);
}

const BEFORE_READY: Partial<Readonly<Record<SessionPhase, string>>> = {
  discovering: 'looking up its markets',
  clearing: 'looking for orders of an earlier session',
  loading: 'reading the account',
};

function readyText(report: ResultParts): string {
  const { neverReady, run } = report;
  if (neverReady === null) return earnedText(report);
  const { phase, failedRead } = neverReady;
  const when = run.kind === 'backtest' && !run.isPartial ? 'the tape ended' : 'it ended';
  const failed = failedRead === null ? '' : `; the last failed read: ${plainText(failedRead)}`;
  return `The session never became ready to trade: it was still ${BEFORE_READY[phase] ?? phase} when ${when}${failed}.`;
}

function earnedText(report: ResultParts): string {
  const { unexplained } = report.split;
  const besides =
    unexplained === 0
      ? ''
      : ` Besides, the account changed by ${signedRounded(unexplained)}, which no trade, fee or settlement explains.`;
  return `${explainedText(report)}${besides}`;
}

function explainedText(report: ResultParts): string {
  const profit = explainedProfit(report);
  const size = roundedDollars(Math.abs(profit));
  if (report.fillCount === 0)
    return profit === 0
      ? 'Nothing was traded.'
      : `Nothing was traded; the account ${profit > 0 ? 'gained' : 'lost'} ${size}.`;
  if (profit === 0) return 'Neither gained nor lost.';
  return `${profit > 0 ? 'Gained' : 'Lost'} ${size}.`;
}

/** Says whether the result proves anything. */
export function proofText({ expectancy, fillCount, neverReady }: Report): string {
  if (neverReady !== null) return 'Nothing here says anything about the strategy.';
  if (fillCount === 0)
    return 'A run without trades says nothing about the strategy; the denials and the fill ratio may show why.';
  const { settledMarkets, groups, interval, perContract } = expectancy;
  const basis = `${countedNoun(settledMarkets, 'settled market')} in ${countedNoun(groups, 'event group')}`;
  if (expectancy.verdict === 'proves-nothing') return `${basis}: this proves nothing. ${leastText(expectancy)}`;
  const range = interval === null ? '' : ` (95%: ${centsEach(interval.low)} to ${centsEach(interval.high)})`;
  const result = `${centsEach(perContract)} a contract${range} over ${basis}`;
  if (expectancy.verdict === 'not-distinguishable') return `${result}: not distinguishable from zero.`;
  return `${result}: ${expectancy.verdict === 'gain' ? 'a gain' : 'a loss'} that is unlikely by chance alone.`;
}

const leastText = ({ settledMarkets, marketsMin }: Expectancy): string =>
  settledMarkets < marketsMin
    ? `At least ${marketsMin} settled markets are needed.`
    : 'They are of one event group, and their outcomes depend on each other.';

/** Shortest runs for which a return per day or per year is shown. Microseconds. */
const DAY_FROM = 86_400_000_000;
const YEAR_FROM = 7 * DAY_FROM;

const lengthOf = ({ run }: Report): number => run.to - run.from;

/** Returns the return on locked capital per day, or a dash for a short run. */
export const lockedReturnText = (report: Report): string =>
  lengthOf(report) < DAY_FROM ? NO_VALUE : signedShare(report.capital.returnPerDay, 2);

/** Returns the basis of the return per day. A long run also has a return per year. */
export function yearText(report: Report): string {
  const { returnPerYear, lockedDollarDays } = report.capital;
  if (returnPerYear === null) return 'nothing was locked';
  if (lengthOf(report) < DAY_FROM) return 'less than a day is too short to say';
  const basis = `over ${decimalText(lockedDollarDays, 2)} dollar-days`;
  return lengthOf(report) < YEAR_FROM ? basis : `${basis}; ${signedShare(returnPerYear, 0)} a year, not compounded`;
}
