// The sections of the terminal page, each as lines: money, halts and alarms first, markets last. Pure.
import { scopeText } from '../../app/operate/halt-text.ts';
import { centsText, contractsText, dollarsText, signedContracts, signedDollars } from '../../domain/amounts.ts';
import { isPastClose, isSettled } from '../../domain/market.ts';
import type { Halt } from '../../domain/operator-order.ts';
import type { Micros, Money } from '../../domain/units.ts';
import type { MarketLine, QuoteLine, SessionSnapshot } from '../../report/account/session-snapshot.ts';
import { wrappedText } from '../../report/text/text-columns.ts';
import type { StrategyTally } from '../../runtime/session/session-tally.ts';
import { clockText } from '../output/text-format.ts';
import type { PageAlarm, PageContent, PageEvent } from './page-content.ts';
import { type PageLine, type Span, type Tone, alignedRows, joinedParts, pageLine, span } from './page-line.ts';
import type { PageView } from './page-view.ts';

/** The time of day in UTC: `14:03:22Z`. */
export const timeText = (at: Micros): string => `${new Date(at / 1000).toISOString().slice(11, 19)}Z`;

/** The first lines: phase, equity, profit, and the numbers of halts and alarms. */
export function headLines({ snapshot, alarms }: PageContent, width: number): PageLine[] {
  const { elapsedMs, phase, account, halts } = snapshot;
  const count = alarms.reduce((sum, alarm) => sum + alarm.count, 0);
  const parts: PageLine[] = [
    [
      span('presage  ', 'strong'),
      span(`${clockText(elapsedMs)}  `),
      span(phase, phase === 'trading' ? 'well' : 'warning'),
    ],
    ...(halts.length === 0 ? [] : [pageLine(`HALTS ${halts.length}`, 'alarm')]),
    ...(count === 0 ? [] : [pageLine(`alarms ${count}`, 'warning')]),
    ...(account.isOpen
      ? [
          [span('equity '), span(dollarsText(account.equity), 'strong')],
          [span('profit '), moneySpan(account.profit)],
        ]
      : [pageLine('account not read yet', 'muted')]),
    pageLine(timeText(snapshot.at), 'muted'),
  ];
  return joinedParts(parts, width);
}

const moneySpan = (amount: Money): Span =>
  span(signedDollars(amount), amount > 0 ? 'well' : amount < 0 ? 'alarm' : 'plain');

/** The halts in force, wrapped at the width. */
export const haltLines = ({ snapshot: { halts } }: PageContent, width: number): PageLine[] =>
  halts.flatMap((halt) => wrapped(haltLine(halt), 'alarm', width));

const haltLine = ({ scope, by, reason }: Halt): string => `!!! ${scopeText(scope)} is HALTED by ${by}: ${reason}`;

const wrapped = (text: string, tone: Tone, width: number): PageLine[] =>
  wrappedText(text, width).map((line) => pageLine(line, tone));

const ALARMS_SHOWN = 3;

/** The latest alarm of the newest codes, and the counts of the others. */
export function alarmLines({ alarms }: PageContent, width: number): PageLine[] {
  const others = alarms.slice(ALARMS_SHOWN).map(({ code, count }) => `${code} ${count}`);
  return [
    ...alarms.slice(0, ALARMS_SHOWN).flatMap((alarm) => wrapped(alarmLine(alarm), 'warning', width)),
    ...(others.length === 0 ? [] : wrapped(`! earlier alarms: ${others.join(', ')}`, 'warning', width)),
  ];
}

const alarmLine = ({ code, count, at, text }: PageAlarm): string =>
  `! ${timeText(at)} alarm ${code}${count === 1 ? '' : `, ${count} times`}: ${text}`;

/** Cash, reserves, positions, profit and its parts, and the comparison with the venue. */
export function moneyLines({ snapshot: { account, drift } }: PageContent, width: number): PageLine[] {
  return joinedParts(
    [
      pageLine(`money    cash ${dollarsText(account.cash)}`),
      pageLine(`reserved ${dollarsText(account.pledged)}`),
      pageLine(`positions ${dollarsText(account.positionsValue)}`),
      pageLine(`realized ${signedDollars(account.realized)}`),
      pageLine(`unrealized ${signedDollars(account.unrealized)}`),
      pageLine(`fees ${dollarsText(account.fees)}`),
      pageLine(`drift ${driftText(drift)}`, drift.isDrift ? 'alarm' : 'plain'),
    ],
    width,
  );
}

function driftText({ ageMs, qty, cash, isDrift }: SessionSnapshot['drift']): string {
  if (ageMs === null) return 'not compared yet';
  if (qty === 0 && cash === 0) return '0';
  return `${contractsText(qty)} contracts, ${dollarsText(cash)}${isDrift ? ': UNEXPLAINED' : ', being investigated'}`;
}

/** Feed, clock, budgets and orders. */
export function healthLines({ snapshot }: PageContent, width: number): PageLine[] {
  const { feed, budgets, orders } = snapshot;
  const { read, trade } = budgets;
  const waiting = orders.waiting === 0 ? '' : `, ${orders.waiting} waiting`;
  return joinedParts(
    [
      [span('health   '), feedSpan(feed)],
      ...clockParts(snapshot.clock),
      pageLine(`budget left reads ${read.available}/${read.capacity}, trades ${trade.available}/${trade.capacity}`),
      pageLine(`orders ${orders.working}${waiting}`),
    ],
    width,
  );
}

function feedSpan({ isUp, ageMs, lagMs, privateFault }: SessionSnapshot['feed']): Span {
  if (!isUp) return span('feed DOWN', 'alarm');
  const late = lagMs > 0 ? `, ${lagMs} ms late` : '';
  const isPrivateDown = privateFault !== null;
  return span(
    `feed up, ${ageMs} ms old${late}${isPrivateDown ? ', PRIVATE DOWN' : ''}`,
    isPrivateDown ? 'alarm' : 'plain',
  );
}

/** A delay of our own timers is shown from this length on, milliseconds. */
const LATE_MS = 100;

function clockParts({ offsetMs, boundMs, loopLateMs }: SessionSnapshot['clock']): PageLine[] {
  const offset = offsetMs === null ? [] : [pageLine(`clock ${offsetMs < 0 ? '' : '+'}${offsetMs} ± ${boundMs} ms`)];
  return loopLateMs < LATE_MS ? offset : [...offset, pageLine(`OUR LOOP ${loopLateMs} ms late`, 'warning')];
}

const headRow = (names: readonly string[]): Span[] => names.map((name) => span(name, 'muted'));
const STRATEGY_HEAD = headRow(['strategy', 'state', 'orders', 'fills', 'contracts', 'fees', 'canceled', 'denied']);

/** The strategies, halted ones first. */
export function strategyLines({ snapshot: { strategies } }: PageContent): PageLine[] {
  if (strategies.length === 0) return [];
  const sorted = strategies.toSorted((one, other) => Number(one.haltedBy === null) - Number(other.haltedBy === null));
  return alignedRows([STRATEGY_HEAD, ...sorted.map(strategyRow)]);
}

const strategyRow = (tally: StrategyTally): Span[] => [
  span(tally.name),
  tally.haltedBy === null ? span('running') : span('HALTED', 'alarm'),
  span(String(tally.orders)),
  span(String(tally.fills)),
  span(contractsText(tally.filledQty)),
  span(dollarsText(tally.fees)),
  span(String(tally.canceled)),
  span(String([...tally.denials.values()].reduce((sum, count) => sum + count, 0))),
];

/** The events that pass the filter. */
export function shownEvents({ events }: PageContent, { filter }: PageView): PageEvent[] {
  const wanted = filter.toLowerCase();
  return events.filter(({ text }) => text.toLowerCase().includes(wanted));
}

export const eventLine = ({ at, text, tone }: PageEvent): PageLine => [
  span(`${timeText(at)}  `, 'muted'),
  span(text, tone),
];

/** The markets that pass the filter: ours first, then untrusted books, then the others, settled ones last. */
export function shownMarkets({ snapshot: { markets } }: PageContent, { filter, isOursOnly }: PageView): MarketLine[] {
  const wanted = filter.toLowerCase();
  return markets
    .filter((market) => market.ticker.toLowerCase().includes(wanted) && (!isOursOnly || isOurs(market)))
    .toSorted((one, other) => rankOf(one) - rankOf(other));
}

const isOurs = ({ ownBid, ownAsk, position }: MarketLine): boolean =>
  ownBid !== null || ownAsk !== null || position !== 0;

function rankOf(market: MarketLine): number {
  if (isOurs(market)) return 0;
  if (isSettled(market.status)) return 3;
  return market.status === 'active' && market.trust !== 'live' ? 1 : 2;
}

const MARKET_HEAD = headRow(['market', 'status', 'book', 'bid', 'ask', 'our bid', 'our ask', 'position']);

/** Renders markets as a table with a head. */
export const marketLines = (markets: readonly MarketLine[]): PageLine[] =>
  alignedRows([MARKET_HEAD, ...markets.map(marketRow)]);

function marketRow(line: MarketLine): Span[] {
  const isOver = isPastClose(line.status);
  const isTrusted = isOver || line.trust === 'live';
  return [
    span(line.ticker, isOurs(line) ? 'strong' : isSettled(line.status) ? 'muted' : 'plain'),
    span(line.status, line.status === 'active' ? 'plain' : 'muted'),
    span(isOver ? '-' : line.trust, isTrusted ? 'plain' : 'warning'),
    span(levelText(line.bid)),
    span(levelText(line.ask)),
    span(levelText(line.ownBid), 'bid'),
    span(levelText(line.ownAsk), 'ask'),
    span(signedContracts(line.position), line.position === 0 ? 'muted' : 'strong'),
  ];
}

const levelText = (level: QuoteLine | null): string =>
  level === null ? '-' : `${centsText(level.price)} × ${contractsText(level.qty)}`;
