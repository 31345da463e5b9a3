// Money handed from one account to another, once per id.
// Must never move what is promised to an order.
import { dollarsText } from '../domain/amounts.ts';
import { money } from '../domain/units.ts';
import type { Floor } from './floor.ts';
import type { AccountOp } from './input.ts';
import type { Answer, TransferView } from './output.ts';
import { refused } from './placing.ts';
import type { Account } from './records.ts';

/** So many transfers are remembered; when twice as many, the older half goes. */
const REMEMBERED_MAX = 10_000;

/** Hands money over; an id that was used for the same is answered as it was then. */
export function transfer(floor: Floor, account: Account, op: AccountOp & { type: 'transfer' }): Answer {
  if (!floor.isActive) return refused('exchange_is_paused');
  const known = op.id === null ? undefined : account.transfers.get(op.id);
  if (known !== undefined) {
    const isSame = known.to === op.to && known.amount === op.amount;
    return isSame ? { type: 'transferred', transfer: known } : refused('already_exists', `transfer ${known.id}`);
  }
  const to = floor.ledger.account(op.to);
  if (to === undefined) return refused('user_not_found', `account ${op.to}`);
  if (to === account) return refused('invalid_parameters', 'transfer: expected another account');
  if (!Number.isSafeInteger(op.amount) || op.amount <= 0)
    return refused('invalid_parameters', `transfer: expected a positive amount, found ${op.amount}`);
  const missing = money(op.amount - (account.cash - account.reserved));
  if (missing > 0) return refused('insufficient_balance', `${dollarsText(missing)} more is needed`);
  floor.ledger.transfer(account, to, op.amount);
  floor.touchAccount(account);
  const { amount } = op;
  const view: TransferView = {
    id: op.id ?? floor.nextTransferId(),
    account: account.name,
    to: to.name,
    amount,
    at: floor.now,
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
