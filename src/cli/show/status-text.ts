// The status of a session in lines for people. Pure text.
import type { DiskUse } from '../../app/operate/disk-use.ts';
import type { StatusRecord } from '../../app/session/status-record.ts';
import { contractsText, dollarsText } from '../../domain/amounts.ts';
import { bytesText } from '../output/text-format.ts';
import { MONEY_DECIMALS, QTY_DECIMALS, money, parseScaled, qty } from '../../domain/units.ts';

/** Renders a status as lines. */
export function statusLines(status: StatusRecord): string[] {
  const { orders, feed, clock, budgets, account, losses } = status;
  const budgetText = ({ available, capacity }: { available: number; capacity: number }): string =>
    `${available}/${capacity}`;
  const alarms = Object.entries(status.alarms).map(([code, count]) => `${code} ${count}`);
  return [
    `session ${status.session}: ${status.phase}, for ${Math.round(status.elapsedMs / 1000)} s`,
    ...(status.halts.length === 0 ? ['not halted'] : []),
    ...status.halts.map(({ scope, by, reason, since }) => `${scope} is HALTED by ${by} since ${since}: ${reason}`),
    ...status.overrides.map(overrideLine),
    `orders   ${orders.working} working, ${orders.waiting} waiting, ${orders.inFlight} in flight`,
    `feed     ${feed.isUp ? `up, ${feed.ageMs} ms old` : 'DOWN'}${feed.fault === null ? '' : `; ${feed.fault}`}`,
    `clock    ${clock.offsetMs === null ? 'not compared yet' : `${clock.offsetMs} ms off, give or take ${clock.boundMs}`}; the loop is ${clock.loopLateMs} ms late`,
    `budgets  reads ${budgetText(budgets.read)}, trades ${budgetText(budgets.trade)}`,
    `account  ${accountText(account)}`,
    ...status.positions.map(({ ticker, qty }) => `holds    ${contracts(qty)} ${ticker}`),
    ...(losses === null
      ? []
      : [`today    ${dollars(losses.sinceDayBegan)} at marks, from the peak ${dollars(losses.sincePeak)} if sold now`]),
    `drift    ${driftText(status.drift)}`,
    ...status.unclosed.map((line) => `closing  ${line}`),
    ...(alarms.length === 0 ? [] : [`alarms   ${alarms.join(', ')}`]),
    ...status.remarks.map((remark) => `remark   ${remark}`),
  ];
}

const overrideLine = ({ limit, strategy, value, until, reason }: StatusRecord['overrides'][number]): string =>
  `override ${limit}${strategy === null ? '' : ` of strategy ${strategy}`} is ${value} until ${until}: ${reason}`;

const accountText = ({ isOpen, equity, cash, pledged, profit }: StatusRecord['account']): string =>
  isOpen
    ? `equity ${dollars(equity)}, cash ${dollars(cash)}, reserved ${dollars(pledged)}, profit ${dollars(profit)}`
    : 'not read yet';

/** Renders the disk that a bot uses. */
export function diskLine({ journalBytes, journalBytesPerDay, freeBytes }: DiskUse): string {
  const growth = journalBytesPerDay === null ? 'too young for a rate' : `${bytesText(journalBytesPerDay)} a day`;
  const left = freeBytes === null ? 'the disk’s free space is not known' : `${bytesText(freeBytes)} left on the disk`;
  return `disk     journal ${bytesText(journalBytes)}, ${growth}; ${left}`;
}

function driftText({ ageMs, contracts: held, cash, isDrift }: StatusRecord['drift']): string {
  if (ageMs === null) return 'not compared yet';
  const state = isDrift ? 'UNEXPLAINED' : 'as compared';
  return `${contracts(held)} contracts, ${dollars(cash)}: ${state} ${Math.round(ageMs / 1000)} s ago`;
}

/** The record holds amounts as plain decimals. */
const dollars = (text: string): string => dollarsText(money(parseScaled(text, MONEY_DECIMALS) ?? 0));
const contracts = (text: string): string => contractsText(qty(parseScaled(text, QTY_DECIMALS) ?? 0));
