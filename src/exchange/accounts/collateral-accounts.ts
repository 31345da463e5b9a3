// Collateral accounts: an owner's money and holdings by subaccount and shard. Formats and parses their names. Must
// never merge the accounts of two owners.
import type { ExchangeReader } from '../machine/exchange-interface.ts';
import type { AccountName } from '../machine/exchange-input.ts';

/** A collateral account. Subaccount and shard are 0 in an owner's main account. */
export interface CollateralAccount {
  readonly owner: AccountName;
  readonly subaccount: number;
  readonly shard: number;
}

/** Highest subaccount number. */
export const SUBACCOUNT_MAX = 63;

const PARTS = /^([^/@]+)(?:\/(\d+))?(?:@(\d+))?$/;

/**
 * The ledger's name of a collateral account: `demo`, `demo/1`, `demo@2`, `demo/1@2`. Names in a config contain no `/`
 * or `@`.
 */
export const collateralAccountName = ({ owner, subaccount, shard }: CollateralAccount): AccountName =>
  owner + (subaccount === 0 ? '' : `/${subaccount}`) + (shard === 0 ? '' : `@${shard}`);

/** Parses the ledger's name of a collateral account. */
export function parseCollateralAccount(name: AccountName): CollateralAccount {
  if (!name.includes('/') && !name.includes('@')) return { owner: name, subaccount: 0, shard: 0 };
  const [, owner = name, subaccount = '0', shard = '0'] = PARTS.exec(name) ?? [];
  return { owner, subaccount: Number(subaccount), shard: Number(shard) };
}

/** The owner in the name of a collateral account. */
export const ownerOf = (name: AccountName): AccountName => parseCollateralAccount(name).owner;

/** Selects some of an owner's collateral accounts; `null` selects any. */
export interface CollateralAccountFilter {
  readonly subaccount: number | null;
  readonly shard: number | null;
}

export const ALL_COLLATERAL_ACCOUNTS: CollateralAccountFilter = { subaccount: null, shard: null };

/** The existing collateral accounts of an owner, by subaccount, then by shard. */
export function collateralAccountsOf(
  exchange: Pick<ExchangeReader, 'hasAccount'>,
  owner: AccountName,
  {
    shards,
    only = ALL_COLLATERAL_ACCOUNTS,
  }: { readonly shards: readonly number[]; readonly only?: CollateralAccountFilter },
): AccountName[] {
  const found: AccountName[] = [];
  for (let subaccount = 0; subaccount <= SUBACCOUNT_MAX; subaccount++) {
    const names = shards
      .map((shard) => ({ shard, name: collateralAccountName({ owner, subaccount, shard }) }))
      .filter(({ name }) => exchange.hasAccount(name));
    // Subaccounts are numbered consecutively.
    if (names.length === 0 && subaccount > 0) break;
    if (only.subaccount !== null && only.subaccount !== subaccount) continue;
    for (const { shard, name } of names) if (only.shard === null || only.shard === shard) found.push(name);
  }
  return found;
}
