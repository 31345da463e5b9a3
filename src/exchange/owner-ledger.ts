// What one owner has in the ledger, over all purses: as the owner sees it by a key. Pure.
// Must never count what is another's.
import type { Ticker } from '../domain/ids.ts';
import { type Money, NO_MONEY, NO_QTY, type Qty, addMoney, addQty } from '../domain/units.ts';
import type { AccountName } from './input.ts';
import type { LedgerAccount } from './output.ts';
import { purseOf } from './purses.ts';

/** What is held in one market. */
interface Held {
  readonly ticker: Ticker;
  readonly qty: Qty;
  readonly fees: Money;
}

/** Money and holdings of an owner; those of a market on several purses are one. */
export interface OwnerLedger {
  readonly cash: Money;
  /** Set aside for resting orders. */
  readonly reserved: Money;
  readonly fees: Money;
  readonly positions: readonly Held[];
}

/** Joins the purses of an owner; of one subaccount alone where it is not `null`. No purse: nothing at all. */
export function ownerLedger(
  accounts: readonly LedgerAccount[],
  owner: AccountName,
  subaccount: number | null = null,
): OwnerLedger {
  const purses = accounts.filter(({ account }) => {
    const purse = purseOf(account);
    return purse.owner === owner && (subaccount === null || purse.subaccount === subaccount);
  });
  const sum = (of: (purse: LedgerAccount) => Money): Money =>
    purses.reduce((total, purse) => addMoney(total, of(purse)), NO_MONEY);
  return {
    cash: sum(({ cash }) => cash),
    reserved: sum(({ reserved }) => reserved),
    fees: sum(({ fees }) => fees),
    positions: joined(purses.flatMap(({ positions }) => positions)),
  };
}

function joined(positions: readonly Held[]): Held[] {
  const held = new Map<Ticker, Held>();
  for (const { ticker, qty, fees } of positions) {
    const before = held.get(ticker) ?? { qty: NO_QTY, fees: NO_MONEY };
    held.set(ticker, { ticker, qty: addQty(before.qty, qty), fees: addMoney(before.fees, fees) });
  }
  return [...held.values()];
}
