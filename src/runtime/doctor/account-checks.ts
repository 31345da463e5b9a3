// Checks of the account: the rate limits, the money, and the money on each shard with markets of the config. A shard is
// a part of the exchange with cash of its own.
import { dollarsText } from '../../domain/amounts.ts';
import { type Money, NO_MONEY } from '../../domain/units.ts';
import type * as Wire from '../../venues/trade-api/wire/wire-records.ts';
import { type Check, warnCheck, okCheck, namesText, badCheck } from './check-result.ts';
import { type VenueRequests, type CheckSubject, isFailedRead } from './check-subject.ts';

/** The session's own rate budgets, in units per second. */
export interface SessionBudgets {
  readonly readPerSecond: number;
  readonly tradePerSecond: number;
}

/** Compares the account's rate limits with the session's budgets. */
export async function checkLimits(
  { profile }: CheckSubject,
  requests: VenueRequests,
  budgets: SessionBudgets,
): Promise<Check> {
  const limits = await requests.readRecord({ what: 'limits' }, profile.records.limits);
  if (isFailedRead(limits)) {
    const remedy = 'the budgets in the config apply meanwhile; make sure that they are not above the account’s limits';
    return warnCheck('limits', `the account’s limits cannot be read: ${limits.words}`, remedy);
  }
  const { tier, read, trade } = limits;
  const words = `${tier === null ? '' : `tier ${tier}: `}reads ${perSecond(read)}; writes ${perSecond(trade)}`;
  const over = [
    ...(budgets.readPerSecond > ratePerSecond(read) ? ['reads'] : []),
    ...(budgets.tradePerSecond > ratePerSecond(trade) ? ['writes'] : []),
  ];
  if (over.length === 0) return okCheck('limits', words);
  return warnCheck('limits', `${words}; the session’s budget for ${over.join(' and ')} is above this`, 'lower budgets');
}

function perSecond({ count, windowMs, refillPerSecond, capacity }: Wire.LimitRecord): string {
  if (refillPerSecond !== null) return `${refillPerSecond} tokens a second, ${capacity ?? refillPerSecond} at once`;
  return count === null || windowMs === null ? 'not stated' : `${count} in any ${windowMs} ms`;
}

/** A limit that the venue does not state counts as infinite. */
function ratePerSecond({ count, windowMs, refillPerSecond }: Wire.LimitRecord): number {
  if (refillPerSecond !== null) return refillPerSecond;
  return count === null || windowMs === null ? Number.POSITIVE_INFINITY : (count * 1000) / windowMs;
}

const MOVE = 'transfer some there: POST /portfolio/intra_exchange_instance_transfer, or on the venue’s site';

/** Checks that the account has money, also on each shard of the markets. */
export async function checkMoney(
  { profile }: CheckSubject,
  requests: VenueRequests,
  markets: readonly Wire.MarketRecord[],
): Promise<Check[]> {
  const balance = await requests.readRecord({ what: 'balance' }, profile.records.balance);
  if (isFailedRead(balance))
    return [badCheck('money', `the balance cannot be read: ${balance.words}`, 'see signature')];
  const { available, byShard } = balance;
  const money =
    available > NO_MONEY
      ? okCheck('money', `${dollarsText(available)} can be spent`)
      : warnCheck('money', 'there is no money in the account', 'deposit some: every order will be refused');
  const shards = shardsOf(markets);
  if (byShard === null || shards.size === 0) return [money];
  return [money, ...[...shards].map(([shard, tickers]) => checkShard({ shard, tickers, byShard }))];
}

function shardsOf(markets: readonly Wire.MarketRecord[]): Map<number, string[]> {
  const shards = new Map<number, string[]>();
  for (const { shard, ticker } of markets) {
    if (shard === null) continue;
    shards.set(shard, [...(shards.get(shard) ?? []), ticker]);
  }
  return shards;
}

interface Shard {
  readonly shard: number;
  readonly tickers: readonly string[];
  readonly byShard: readonly { readonly shard: number; readonly available: Money }[];
}

function checkShard({ shard, tickers, byShard }: Shard): Check {
  const name = `shard ${shard}`;
  const found = byShard.find((row) => row.shard === shard);
  const where = `${namesText(tickers)} ${tickers.length === 1 ? 'is' : 'are'} there`;
  if (found !== undefined && found.available > NO_MONEY)
    return okCheck(name, `${dollarsText(found.available)} can be spent; ${where}`);
  const what = found === undefined ? 'was never given money' : 'has no money';
  return badCheck(name, `shard ${shard} ${what}, and ${where}: orders would be refused`, MOVE);
}
