// One owner's money and holdings over all collateral accounts, as the owner sees them through the API. Must never count
// another owner's accounts.
import type { Ticker } from '../../domain/ids.ts';
import { type Money, NO_MONEY, NO_QTY, type Qty, addMoney, addQty } from '../../domain/units.ts';
import type { AccountName } from '../machine/exchange-input.ts';
import type { LedgerAccount } from '../machine/exchange-output.ts';
import { parseCollateralAccount } from './collateral-accounts.ts';

interface HeldPosition {
  readonly ticker: Ticker;
  readonly qty: Qty;
  readonly fees: Money;
}

/** Money and holdings of an owner; positions in the same market are added up. */
export interface OwnerLedger {
  readonly cash: Money;
  readonly reserved: Money;
  readonly fees: Money;
  readonly positions: readonly HeldPosition[];
}

/** Adds up an owner's collateral accounts, or only those of one subaccount. */
export function ownerLedger(
  accounts: readonly LedgerAccount[],
  owner: AccountName,
  subaccount: number | null = null,
): OwnerLedger {
  const accountsOfOwner = accounts.filter(({ account }) => {
    const parsed = parseCollateralAccount(account);
    return parsed.owner === owner && (subaccount === null || parsed.subaccount === subaccount);
  });
  const sum = (field: (account: LedgerAccount) => Money): Money =>
    accountsOfOwner.reduce((total, account) => addMoney(total, field(account)), NO_MONEY);
  return {
    cash: sum(({ cash }) => cash),
    reserved: sum(({ reserved }) => reserved),
    fees: sum(({ fees }) => fees),
    positions: addedByMarket(accountsOfOwner.flatMap(({ positions }) => positions)),
  };
}

function addedByMarket(positions: readonly HeldPosition[]): HeldPosition[] {
  const held = new Map<Ticker, HeldPosition>();
  for (const { ticker, qty, fees } of positions) {
    const before = held.get(ticker) ?? { qty: NO_QTY, fees: NO_MONEY };
    held.set(ticker, { ticker, qty: addQty(before.qty, qty), fees: addMoney(before.fees, fees) });
  }
  return [...held.values()];
}
