// Compares our account with the exchange's own ledger: cash, every position, every fee. Equal means equal to the last
// millionth.
import { contractsText, dollarsText } from '../../domain/amounts.ts';
import type { Money, Qty } from '../../domain/units.ts';
import type { AccountSummary } from './account-summary.ts';

/** An account as the exchange records it. */
export interface ExchangeLedger {
  readonly cash: Money;
  /** Reserved for resting orders. */
  readonly reserved: Money;
  readonly fees: Money;
  readonly positions: readonly { readonly ticker: string; readonly qty: Qty; readonly fees: Money }[];
}

/** One figure that differs. */
export interface LedgerDifference {
  readonly what: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Returns every difference. */
export function compareWithLedger(account: AccountSummary, ledger: ExchangeLedger): LedgerDifference[] {
  const differences = [
    ...moneyDifference('cash', account.cash, ledger.cash),
    ...moneyDifference('pledged', account.pledged, ledger.reserved),
    ...moneyDifference('fees', account.fees, ledger.fees),
  ];
  const ours = new Map(account.positions.map((line) => [line.ticker, line]));
  const theirs = new Map(ledger.positions.map((position) => [position.ticker, position]));
  for (const ticker of new Set([...ours.keys(), ...theirs.keys()])) {
    differences.push(...qtyDifference(`position in ${ticker}`, ours.get(ticker)?.qty, theirs.get(ticker)?.qty));
    // Positions of markets settled long ago are dropped, by us and by the exchange at different times.
    const [kept, own] = [theirs.get(ticker), ours.get(ticker)];
    if (kept && own) differences.push(...moneyDifference(`fees in ${ticker}`, own.fees, kept.fees));
  }
  return differences;
}

const NONE = 0;

function moneyDifference(what: string, ours: Money | undefined, theirs: Money | undefined): LedgerDifference[] {
  const [a, b] = [ours ?? (NONE as Money), theirs ?? (NONE as Money)];
  return a === b ? [] : [{ what, ours: dollarsText(a), theirs: dollarsText(b) }];
}

function qtyDifference(what: string, ours: Qty | undefined, theirs: Qty | undefined): LedgerDifference[] {
  const [a, b] = [ours ?? (NONE as Qty), theirs ?? (NONE as Qty)];
  return a === b ? [] : [{ what, ours: contractsText(a), theirs: contractsText(b) }];
}
