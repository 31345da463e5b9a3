// The report in a sentence or two, first of all that is shown: what was earned, and whether it proves anything.
import { plainText } from './columns.ts';
import { NOTHING, centsEach, countOf, decimalText, roundedDollars, signedShare, timeText } from './figures.ts';
import type { Phase } from '../execution/phase.ts';
import type { Expectancy, Report } from './report.ts';
import type { HaltNote } from './run-record.ts';

/** The parts of a report that the result sentence needs. */
type Told = Pick<Report, 'run' | 'account' | 'fillCount' | 'halts' | 'faults' | 'neverReady'>;

/**
 * What was earned, in words. What failed comes first: a strategy's fault, a session that never became ready, a run that was
 * ended early. Figures are of the time before.
 */
export function resultText(report: Told): string {
  const said = [...report.faults.map(strategyFaultText), partialText(report), readyText(report), haltedText(report)];
  return said.filter((text) => text !== '').join(' ');
}

/** That trading was stopped by a fault, when and why: a sentence. */
export const strategyFaultText = ({ at, scope, reason }: Pick<HaltNote, 'at' | 'scope' | 'reason'>): string =>
  sentence(`${scope.charAt(0).toUpperCase()}${scope.slice(1)} was halted at ${timeText(at)}: ${plainText(reason)}`);

/** With a stop at its end, unless it has one. */
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const partialText = ({ run }: Told): string => (run.isPartial ? 'The run was ended before its tape was.' : '');

function haltedText({ halts }: Told): string {
  const first = halts.find(({ scope }) => scope === 'the account');
  return first === undefined
    ? ''
    : sentence(`The account was halted at ${timeText(first.at)}: ${plainText(first.reason)}`);
}

/** What a session does before it is ready, in words. */
const BEFORE_READY: Partial<Readonly<Record<Phase, string>>> = {
  discovering: 'looking up its markets',
  clearing: 'looking for orders of an earlier session',
  loading: 'reading the account',
};

function readyText(report: Told): string {
  const { neverReady, run } = report;
  if (neverReady === null) return earnedText(report);
  const { phase, failedRead } = neverReady;
  const when = run.kind === 'backtest' && !run.isPartial ? 'the tape ended' : 'it ended';
  const failed = failedRead === null ? '' : `; the last read that failed was of ${plainText(failedRead)}`;
  return `The session never became ready to trade: it was still ${BEFORE_READY[phase] ?? phase} when ${when}${failed}.`;
}

function earnedText({ account, fillCount }: Told): string {
  if (fillCount === 0) return 'Nothing was traded.';
  const { profit } = account;
  if (profit === 0) return 'Neither gained nor lost.';
  return profit > 0 ? `Gained ${roundedDollars(profit)}.` : `Lost ${roundedDollars(-profit)}.`;
}

/** Whether that proves anything, in words. */
export function proofText({ expectancy, fillCount, neverReady }: Report): string {
  if (neverReady !== null) return 'Nothing here says anything about the strategy.';
  if (fillCount === 0)
    return 'A run without trades says nothing about the strategy; the denials and the fill ratio may say why.';
  const { settledMarkets, groups, interval, perContract } = expectancy;
  const basis = `${countOf(settledMarkets, 'settled market')} in ${countOf(groups, 'event group')}`;
  if (expectancy.verdict === 'proves-nothing') return `${basis}: this proves nothing. ${leastText(expectancy)}`;
  const range = interval === null ? '' : ` (95%: ${centsEach(interval.low)} to ${centsEach(interval.high)})`;
  const said = `${centsEach(perContract)} a contract${range} over ${basis}`;
  if (expectancy.verdict === 'not-distinguishable') return `${said}: not to be told from nothing.`;
  return `${said}: ${expectancy.verdict === 'gain' ? 'a gain' : 'a loss'} that chance alone seldom makes.`;
}

const leastText = ({ settledMarkets, marketsMin }: Expectancy): string =>
  settledMarkets < marketsMin
    ? `${marketsMin} settled markets are the least.`
    : 'They are of one event group, and stood and fell together.';

/** A shorter run says nothing of a day, and one shorter than a week nothing of a year. Microseconds. */
const DAY_FROM = 86_400_000_000;
const YEAR_FROM = 7 * DAY_FROM;

const lengthOf = ({ run }: Report): number => run.to - run.from;

/** The return on locked capital, for a day; nothing of a run that was too short to tell. */
export const lockedReturnText = (report: Report): string =>
  lengthOf(report) < DAY_FROM ? NOTHING : signedShare(report.capital.returnPerDay, 2);

/** What it rests on, and what it would be in a year, where that can be said. */
export function yearText(report: Report): string {
  const { returnPerYear, lockedDollarDays } = report.capital;
  if (returnPerYear === null) return 'nothing was locked';
  if (lengthOf(report) < DAY_FROM) return 'less than a day does not tell';
  const basis = `over ${decimalText(lockedDollarDays, 2)} dollar-days`;
  return lengthOf(report) < YEAR_FROM ? basis : `${basis}; ${signedShare(returnPerYear, 0)} a year, not compounded`;
}
