// Purses: an account's money and holdings by subaccount and shard. Each is an account of the machine of its own, so that the
// same ledger keeps them apart; here their names are made and read. Pure. Must never join what two accounts own.
import type { ExchangeReader } from './exchange.ts';
import type { AccountName } from './input.ts';

/** One purse: whose it is, of which subaccount, on which shard. Both are 0 where an account has no such parts. */
export interface Purse {
  readonly owner: AccountName;
  readonly subaccount: number;
  readonly shard: number;
}

/** Subaccounts are numbered so far. */
export const SUBACCOUNT_MAX = 63;

const PARTS = /^([^/@]+)(?:\/(\d+))?(?:@(\d+))?$/;

/** The machine's name for a purse: `demo`, `demo/1`, `demo@2`, `demo/1@2`. No name of a config has such signs. */
export const purseName = ({ owner, subaccount, shard }: Purse): AccountName =>
  owner + (subaccount === 0 ? '' : `/${subaccount}`) + (shard === 0 ? '' : `@${shard}`);

/** The purse that a name of the machine stands for. */
export function purseOf(name: AccountName): Purse {
  if (!name.includes('/') && !name.includes('@')) return { owner: name, subaccount: 0, shard: 0 };
  const [, owner = name, subaccount = '0', shard = '0'] = PARTS.exec(name) ?? [];
  return { owner, subaccount: Number(subaccount), shard: Number(shard) };
}

/** Whose purse it is. */
export const ownerOf = (name: AccountName): AccountName => purseOf(name).owner;

/** Which of an owner's purses are meant; `null` for whichever. */
export interface PurseFilter {
  readonly subaccount: number | null;
  readonly shard: number | null;
}

export const EVERY_PURSE: PurseFilter = { subaccount: null, shard: null };

/** The purses of an owner that there are, by subaccount and then by shard. */
export function pursesOf(
  exchange: Pick<ExchangeReader, 'hasAccount'>,
  owner: AccountName,
  { shards, only = EVERY_PURSE }: { readonly shards: readonly number[]; readonly only?: PurseFilter },
): AccountName[] {
  const found: AccountName[] = [];
  for (let subaccount = 0; subaccount <= SUBACCOUNT_MAX; subaccount++) {
    const names = shards
      .map((shard) => ({ shard, name: purseName({ owner, subaccount, shard }) }))
      .filter(({ name }) => exchange.hasAccount(name));
    // They are numbered one after the other.
    if (names.length === 0 && subaccount > 0) break;
    if (only.subaccount !== null && only.subaccount !== subaccount) continue;
    for (const { shard, name } of names) if (only.shard === null || only.shard === shard) found.push(name);
  }
  return found;
}
