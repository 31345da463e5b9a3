// Renders the result of a session: the account, line by line, and its comparison with the venue. Pure text.
import { type SessionResult, isStrategyFault, strategyFaults } from '../../app/session/session-result.ts';
import { wrappedText } from '../../report/text/text-columns.ts';
import { scopeText } from '../../app/operate/halt-text.ts';
import { strategyFaultText } from '../../report/text/result-text.ts';
import type { SessionEnd } from '../../runtime/session/live-session.ts';
import type { SessionSnapshot } from '../../report/account/session-snapshot.ts';
import type { SessionTally } from '../../runtime/session/session-tally.ts';
import { timeMembers } from './notice-record.ts';
import { withDenials } from './session-display.ts';
import { contractsText, dollarsText, signedContracts, signedDollars } from '../../domain/amounts.ts';
import { clockText, columns } from '../output/text-format.ts';

/** Renders the result for people. Sentences are wrapped at the width. Lines to copy are not. */
export function renderEnding(ending: SessionResult, width = Number.POSITIVE_INFINITY): string[] {
  const { snapshot, tally, end, logFile, journal, recording = null, differences } = ending;
  const { account } = snapshot;
  const wrapped = (sentences: readonly string[]): string[] =>
    sentences.flatMap((sentence) => wrappedText(sentence, width));
  return [
    ...wrapped(strategyFaults(snapshot).map(stillHaltedText)),
    ...wrapped([`session of ${clockText(snapshot.elapsedMs)}, ${endText(end)}`]),
    '',
    ...(account.isOpen
      ? [...wrapped([ACCOUNT_HEAD]), ...accountLines(account)]
      : wrapped(['the account was not read: its cash, positions and profit are not known'])),
    '',
    ...wrapped([
      ...snapshot.halts.filter((halt) => !isStrategyFault(halt)).map(haltText),
      ...tally.strategies().map(strategyText),
      ...feesText(snapshot),
      ...surprisesText(snapshot),
      ...ledgerText(differences),
      `refused for rate: ${tally.rateLimited.read} reads, ${tally.rateLimited.trade} trades`,
    ]),
    `log: ${logFile}`,
    ...(journal === null ? [] : [`journal: ${journal}`]),
    ...(recording === null ? [] : [`recording: ${recording}`]),
  ];
}

const ACCOUNT_HEAD = 'the account, its profit and fees since its first trade at the exchange:';

const accountLines = (account: SessionSnapshot['account']): string[] => [
  ...columns([POSITION_HEAD, ...account.positions.map(positionRow), ...pastRows(account.past)]),
  '',
  ...columns([
    ['cash', dollarsText(account.cash)],
    ['positions at their marks', dollarsText(account.positionsValue)],
    ['equity', dollarsText(account.equity)],
    ['realized', signedDollars(account.realized)],
    ['unrealized', signedDollars(account.unrealized)],
    ['fees', dollarsText(account.fees)],
    ['profit', signedDollars(account.profit)],
  ]),
];

/** Empty when no fee could be predicted. */
const feesText = ({ fees: { fills, charged, expected } }: SessionSnapshot): string[] =>
  fills === 0
    ? []
    : [`fees of ${fills} fills: ${dollarsText(charged)} charged, ${dollarsText(expected)} by the venue's schedules`];

const POSITION_HEAD = ['market', 'status', 'held', 'cost', 'value', 'realized', 'fees'];

const positionRow = (line: SessionSnapshot['account']['positions'][number]): string[] => [
  line.ticker,
  line.status,
  signedContracts(line.qty),
  dollarsText(line.cost),
  dollarsText(line.value),
  signedDollars(line.realized),
  dollarsText(line.fees),
];

const pastRows = ({ markets, realized, fees }: SessionSnapshot['account']['past']): string[][] =>
  markets === 0
    ? []
    : [[`${markets} before these`, 'finalized', '', '', '', signedDollars(realized), dollarsText(fees)]];

function strategyText(tally: ReturnType<SessionTally['strategies']>[number]): string {
  const denied = [...tally.denials].map(([code, count]) => `${code} ${count}`).join(', ');
  const halted = tally.haltedBy === null ? '' : `; HALTED: ${tally.haltedBy}`;
  return `${tally.name}: ${tally.orders} orders, ${tally.fills} fills, ${contractsText(tally.filledQty)} contracts, ${tally.rejected} rejected; denied: ${denied || 'none'}${halted}`;
}

const haltText = ({ scope, by, reason }: SessionHalt): string =>
  `${scopeText(scope)} IS HALTED by ${by} until \`presage resume\`: ${reason}`;

function ledgerText(differences: SessionResult['differences']): string[] {
  if (differences === null) return [];
  if (differences.length === 0) return ['the exchange’s own ledger agrees: cash, every position, every fee'];
  return differences.map(({ what, ours, theirs }) => `LEDGER DIFFERS in ${what}: ours ${ours}, theirs ${theirs}`);
}

function surprisesText({ surprises }: SessionSnapshot): string[] {
  const counts = Object.entries(surprises).map(([what, count]) => `${what} ${count}`);
  return counts.length === 0 ? [] : [`surprises: ${counts.join(', ')}`];
}

function endText(end: SessionEnd): string {
  switch (end.type) {
    case 'stopped':
      if (!end.hadAccount)
        return end.isReconciled
          ? 'no account was opened, and nothing traded'
          : 'no account was opened; earlier orders MAY STILL REST: the list was not read';
      return end.isReconciled
        ? 'nothing of ours rests; cash and positions equal the exchange to the last millionth'
        : 'but cash or positions DIFFER from the exchange';
    case 'timed-out':
      return end.ordersLeft > 0
        ? `but ${end.ordersLeft} orders MAY STILL REST: stopping took too long`
        : 'but the last figures were NOT COMPARED with the exchange: stopping took too long';
    case 'refused':
      return `but it COULD NOT BEGIN: ${end.reason}`;
    case 'fault':
      return `ended by a FAULT${faultText(end.ordersLeft)}: ${String(end.fault)}`;
  }
}

function faultText(ordersLeft: number | null): string {
  if (ordersLeft === 0) return '; the exchange’s own list shows none of its orders';
  return `, after which ${ordersLeft === null ? '' : `${ordersLeft} `}orders MAY STILL REST`;
}

type SessionHalt = SessionSnapshot['halts'][number];

const stillHaltedText = ({ scope, reason, since }: SessionHalt): string =>
  `${strategyFaultText({ at: since, scope: scopeText(scope), reason })} It stays halted until \`presage resume\`.`;

/** Renders the result as data. */
export function endingRecord({ snapshot, tally, end, journal, recording = null, differences }: SessionResult): object {
  const strategies = tally.strategies().map(withDenials);
  const ended = end.type === 'fault' ? { ...end, fault: String(end.fault) } : end;
  const { account, fees, elapsedMs, surprises } = snapshot;
  return {
    type: 'end',
    ...timeMembers(snapshot.at),
    end: ended,
    halts: snapshot.halts,
    faults: strategyFaults(snapshot),
    ...(journal !== null && { journal }),
    ...(recording !== null && { recording }),
    elapsedMs,
    account,
    fees,
    strategies,
    rateLimited: tally.rateLimited,
    surprises,
    ledgerDifferences: differences,
  };
}
