// Cash transfers from one account to another, once per id. Must never move cash that is reserved for an order.
import { dollarsText } from '../../domain/amounts.ts';
import { money } from '../../domain/units.ts';
import type { ExchangeState } from '../machine/exchange-state.ts';
import type { AccountOp } from '../machine/exchange-input.ts';
import type { Answer, TransferView } from '../machine/exchange-output.ts';
import { refusedAnswer } from '../machine/order-placement.ts';
import type { Account } from '../machine/exchange-records.ts';

/** Transfers remembered per account. At twice that number the older half is dropped. */
const REMEMBERED_MAX = 10_000;

/** Transfers cash. A repeated id with the same terms returns the earlier answer; with other terms it is refused. */
export function applyTransfer(state: ExchangeState, account: Account, op: AccountOp & { type: 'transfer' }): Answer {
  if (!state.isActive) return refusedAnswer('exchange_is_paused');
  const known = op.id === null ? undefined : account.transfers.get(op.id);
  if (known !== undefined) {
    const isSame = known.to === op.to && known.amount === op.amount;
    return isSame ? { type: 'transferred', transfer: known } : refusedAnswer('already_exists', `transfer ${known.id}`);
  }
  const to = state.ledger.account(op.to);
  if (to === undefined && op.opensTarget !== true) return refusedAnswer('user_not_found', `account ${op.to}`);
  if (to === account) return refusedAnswer('invalid_parameters', 'transfer: expected another account');
  if (!Number.isSafeInteger(op.amount) || op.amount <= 0)
    return refusedAnswer('invalid_parameters', `transfer: expected a positive amount, found ${op.amount}`);
  const missing = money(op.amount - (account.cash - account.reserved));
  if (missing > 0) return refusedAnswer('insufficient_balance', `${dollarsText(missing)} more is needed`);
  const target = to ?? state.ledger.openAccount(op.to, { keepsHistory: true, clearing: account.clearing });
  state.ledger.transferCash(account, target, op.amount);
  state.markAccountChanged(account);
  const { amount } = op;
  const view: TransferView = {
    id: op.id ?? state.nextTransferId(),
    account: account.name,
    to: target.name,
    amount,
    at: state.now,
  };
  remember(account, view);
  return { type: 'transferred', transfer: view };
}

function remember({ transfers }: Account, view: TransferView): void {
  transfers.set(view.id, view);
  if (transfers.size < 2 * REMEMBERED_MAX) return;
  let excess = REMEMBERED_MAX;
  for (const id of transfers.keys()) if (excess-- > 0) transfers.delete(id);
}
