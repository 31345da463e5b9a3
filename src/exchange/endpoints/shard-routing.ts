// Routes a call to the caller's collateral accounts, by subaccount and shard or by market. Must never reach another
// owner's account, nor open an account.
import { must } from '../../base/assert.ts';
import type { Ticker } from '../../domain/ids.ts';
import type { AccountName } from '../machine/exchange-input.ts';
import {
  type CollateralAccountFilter,
  collateralAccountName,
  collateralAccountsOf,
} from '../accounts/collateral-accounts.ts';
import type { EndpointCall } from '../api/endpoint-call.ts';
import { readQuery } from './query-reading.ts';
import { refuseCall, invalidParameters } from '../api/api-errors.ts';

/** The market, subaccount and shard in a call; `null` where it names none. */
export interface ShardRouting {
  readonly ticker: Ticker | null;
  readonly subaccount: number | null;
  readonly shard: number | null;
}

/** Shard number that means the shard of the market. */
const MARKET_SHARD = -1;

/** The caller's account. Endpoints that need a key are not reached without a key. */
export const callerAccount = ({ account }: EndpointCall): AccountName =>
  must(account, 'the account of a call with a key');

/** The market, subaccount and shard in the query of a call. */
export function routingOf(call: EndpointCall): ShardRouting {
  const { ticker, subaccount, shard } = readQuery(call);
  return { ticker, subaccount, shard };
}

/**
 * The shard of a call: the shard of its market, else the given shard, else 0.
 * @throws {RequestFault} when the given shard is not the market's, does not exist, or is -1 without a market.
 */
export function shardFor(call: EndpointCall, { ticker, shard }: ShardRouting): number {
  const { shards } = call.settings;
  if (shard === MARKET_SHARD && ticker === null)
    throw invalidParameters(call, 'exchange_index: expected a market beside -1');
  const given = shard === MARKET_SHARD ? null : shard;
  if (given !== null && !shards.includes(given)) throw refuseCall(call, { status: 404, code: 'market_not_found' });
  if (ticker === null || shards.length === 1) return given ?? 0;
  const marketShard = call.session.exchange.market(ticker)?.definition.shard ?? 0;
  if (given !== null && given !== marketShard) throw refuseCall(call, { status: 404, code: 'market_not_found' });
  return marketShard;
}

/**
 * The collateral account of a write.
 * @throws {RequestFault} when `shardFor` throws, or when the owner has no such account.
 */
export function collateralAccountFor(call: EndpointCall, requested: ShardRouting): AccountName {
  const routing = { subaccount: requested.subaccount ?? 0, shard: shardFor(call, requested) };
  const name = collateralAccountName({ owner: callerAccount(call), ...routing });
  if (!call.session.exchange.hasAccount(name)) throw refuseCall(call, { status: 404, code: 'user_not_found' });
  return name;
}

/** The caller's collateral accounts that a call selects. */
export const collateralAccountsFor = (call: EndpointCall, only: CollateralAccountFilter): AccountName[] =>
  collateralAccountsOf(call.exchange, callerAccount(call), { shards: call.settings.shards, only });

const UNSCOPED: readonly number[] = [0];

/**
 * The shards whose budgets a write is charged to: the given shard, all shards when the market decides, else shard 0.
 */
export function chargedShards({ settings }: EndpointCall, { ticker, shard }: ShardRouting): readonly number[] {
  // A shard that does not exist has no budget of its own: shard 0 pays.
  if (shard !== null && shard !== MARKET_SHARD) return settings.shards.includes(shard) ? [shard] : UNSCOPED;
  return ticker === null && shard === null ? UNSCOPED : settings.shards;
}
