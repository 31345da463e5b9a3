// Operations on an account's order groups: create, change, trigger, reset and delete. Must never reach another
// account's groups.
import type { Qty } from '../../domain/units.ts';
import type { ExchangeState } from '../machine/exchange-state.ts';
import type { OrderGroupOp } from '../machine/exchange-input.ts';
import { emitOrderGroup, triggerGroup, triggerIfReached, cancelGroupOrders } from './order-group-limits.ts';
import type { Answer } from '../machine/exchange-output.ts';
import { refusedAnswer } from '../machine/order-placement.ts';
import type { Account, OrderGroupRecord } from '../machine/exchange-records.ts';
import { orderGroupView } from '../machine/exchange-views.ts';

const GROUPS_MAX = 100_000;

/** Applies an operation on an account's order groups. */
export function applyOrderGroupOp(state: ExchangeState, account: Account, op: OrderGroupOp): Answer {
  if (!state.isActive) return refusedAnswer('exchange_is_paused');
  if ('limit' in op && !(Number.isSafeInteger(op.limit) && op.limit > 0))
    return refusedAnswer(
      'invalid_parameters',
      `contracts limit: expected a positive quantity, found ${op.limit} hundredths`,
    );
  if (op.type === 'create-group') return create(state, account, op.limit);
  const group = account.orderGroups.get(op.groupId);
  if (group === undefined) return refusedAnswer('not_found', `order group ${op.groupId}`);
  change(state, group, op);
  return { type: 'order-group', group: orderGroupView(group) };
}

function create(state: ExchangeState, account: Account, limit: Qty): Answer {
  if (account.orderGroups.size >= GROUPS_MAX)
    return refusedAnswer('invalid_parameters', `expected no more than ${GROUPS_MAX} order groups`);
  const group: OrderGroupRecord = { groupId: state.nextOrderGroupId(), account, limit, isArmed: true, traded: [] };
  account.orderGroups.set(group.groupId, group);
  emitOrderGroup(state, group, 'created');
  return { type: 'order-group', group: orderGroupView(group) };
}

function change(
  state: ExchangeState,
  group: OrderGroupRecord,
  op: Exclude<OrderGroupOp, { type: 'create-group' }>,
): void {
  switch (op.type) {
    case 'delete-group':
      cancelGroupOrders(state, group, 'UserCancel');
      group.account.orderGroups.delete(group.groupId);
      return emitOrderGroup(state, group, 'deleted');
    case 'reset-group':
      group.isArmed = true;
      group.traded = [];
      return emitOrderGroup(state, group, 'reset');
    case 'trigger-group':
      return group.isArmed ? triggerGroup(state, group) : undefined;
    case 'limit-group':
      group.limit = op.limit;
      emitOrderGroup(state, group, 'limit-changed');
      return triggerIfReached(state, group);
  }
}
