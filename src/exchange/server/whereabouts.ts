// Routes a call to the caller's collateral accounts: by the subaccount and shard it gives, or by its market. Must never
// reach an account of another owner, nor open one.
import { must } from '../../domain/assert.ts';
import type { Ticker } from '../../domain/ids.ts';
import type { AccountName } from '../input.ts';
import { type PurseFilter, purseName, pursesOf } from '../purses.ts';
import type { Call } from './call.ts';
import { readQuery } from './query-reading.ts';
import { refuse, senseless } from './refusals.ts';

/** The routing information of a call. */
export interface Whereabouts {
  readonly ticker: Ticker | null;
  readonly subaccount: number | null;
  readonly shard: number | null;
}

/** Shard number that means the shard of the market. */
const MARKET_SHARD = -1;

/** The caller's account. Endpoints that need a key are not reached without one. */
export const accountOf = ({ account }: Call): AccountName => must(account, 'the account of a call with a key');

/** The routing information in the query of a write, or of a read of one object. */
export function whereaboutsOf(call: Call): Whereabouts {
  const { ticker, subaccount, shard } = readQuery(call);
  return { ticker, subaccount, shard };
}

/**
 * The shard of a call: the market's, or the one it gives, or 0.
 * @throws {RequestFault} when it gives another than the market's, or one that does not exist.
 */
export function shardFor(call: Call, { ticker, shard }: Whereabouts): number {
  const { shards } = call.premises;
  if (shard === MARKET_SHARD && ticker === null) throw senseless(call, 'exchange_index: expected a market beside -1');
  const given = shard === MARKET_SHARD ? null : shard;
  if (given !== null && !shards.includes(given)) throw refuse(call, { status: 404, code: 'market_not_found' });
  if (ticker === null || shards.length === 1) return given ?? 0;
  const marketShard = call.session.exchange.market(ticker)?.definition.shard ?? 0;
  if (given !== null && given !== marketShard) throw refuse(call, { status: 404, code: 'market_not_found' });
  return marketShard;
}

/**
 * The collateral account of a write.
 * @throws {RequestFault} when there is none: a shard on which the owner never had money.
 */
export function purseFor(call: Call, requested: Whereabouts): AccountName {
  const routing = { subaccount: requested.subaccount ?? 0, shard: shardFor(call, requested) };
  const name = purseName({ owner: accountOf(call), ...routing });
  if (!call.session.exchange.hasAccount(name)) throw refuse(call, { status: 404, code: 'user_not_found' });
  return name;
}

/** The caller's collateral accounts that a call selects. */
export const pursesFor = (call: Call, only: PurseFilter): AccountName[] =>
  pursesOf(call.exchange, accountOf(call), { shards: call.premises.shards, only });

const UNSCOPED: readonly number[] = [0];

/** The shards whose budgets a write is charged to: all of them when the market decides, otherwise the one given. */
export function shardsCharged({ premises: settings }: Call, { ticker, shard }: Whereabouts): readonly number[] {
  // A shard that does not exist has no budget of its own.
  if (shard !== null && shard !== MARKET_SHARD) return settings.shards.includes(shard) ? [shard] : UNSCOPED;
  return ticker === null && shard === null ? UNSCOPED : settings.shards;
}
