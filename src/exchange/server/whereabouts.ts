// Which of an account's purses a call is about: by the subaccount and the shard it says, or by the market it names.
// Must never reach a purse of another account, nor make one.
import { must } from '../../domain/assert.ts';
import type { Ticker } from '../../domain/ids.ts';
import type { AccountName } from '../input.ts';
import { type PurseFilter, purseName, pursesOf } from '../purses.ts';
import type { Call } from './call.ts';
import { readQuery } from './query-reading.ts';
import { refuse, senseless } from './refusals.ts';

/** Where a call is to go, as far as it says. */
export interface Whereabouts {
  readonly ticker: Ticker | null;
  readonly subaccount: number | null;
  readonly shard: number | null;
}

/** Said for a shard: the market's, whichever that is. */
const AUTO = -1;

/** Whose call it is. Endpoints that need a key are not reached without one. */
export const accountOf = ({ account }: Call): AccountName => must(account, 'the account of a call with a key');

/** What the query of a write, or of a read of one thing, says of where that is. */
export function whereaboutsOf(call: Call): Whereabouts {
  const { ticker, subaccount, shard } = readQuery(call);
  return { ticker, subaccount, shard };
}

/**
 * The shard of a call: the market's, or the one it says, or the first.
 * @throws {RequestFault} when it says another than the market's, or one there is not.
 */
export function shardFor(call: Call, { ticker, shard }: Whereabouts): number {
  const { shards } = call.premises;
  if (shard === AUTO && ticker === null) throw senseless(call, 'exchange_index: expected a market beside -1');
  const said = shard === AUTO ? null : shard;
  if (said !== null && !shards.includes(said)) throw refuse(call, { status: 404, code: 'market_not_found' });
  if (ticker === null || shards.length === 1) return said ?? 0;
  const own = call.session.exchange.market(ticker)?.definition.shard ?? 0;
  if (said !== null && said !== own) throw refuse(call, { status: 404, code: 'market_not_found' });
  return own;
}

/**
 * The purse that a write goes to.
 * @throws {RequestFault} when there is none: a shard on which the account never had money.
 */
export function purseFor(call: Call, whereabouts: Whereabouts): AccountName {
  const place = { subaccount: whereabouts.subaccount ?? 0, shard: shardFor(call, whereabouts) };
  const name = purseName({ owner: accountOf(call), ...place });
  if (!call.session.exchange.hasAccount(name)) throw refuse(call, { status: 404, code: 'user_not_found' });
  return name;
}

/** The caller's purses that a call is about. */
export const pursesFor = (call: Call, only: PurseFilter): AccountName[] =>
  pursesOf(call.exchange, accountOf(call), { shards: call.premises.shards, only });

const UNSCOPED: readonly number[] = [0];

/** Which shards' budgets a write draws on: all of them where the market is to decide, else the one it says. */
export function shardsCharged({ premises }: Call, { ticker, shard }: Whereabouts): readonly number[] {
  // One there is not has no budget of its own.
  if (shard !== null && shard !== AUTO) return premises.shards.includes(shard) ? [shard] : UNSCOPED;
  return ticker === null && shard === null ? UNSCOPED : premises.shards;
}
