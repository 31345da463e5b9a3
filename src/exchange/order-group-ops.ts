// Operations on an account's order groups: create, change, trigger, reset and delete. Must never reach another
// account's groups.
import { type Qty } from '../domain/units.ts';
import type { Floor } from './floor.ts';
import type { OrderGroupOp } from './input.ts';
import { tellOrderGroup, trigger, trip, withdrawAll } from './order-groups.ts';
import type { Answer } from './output.ts';
import { refused } from './placing.ts';
import type { Account, OrderGroupRecord } from './records.ts';
import { orderGroupView } from './views.ts';

const GROUPS_MAX = 100_000;

/** Applies an operation on an account's order groups. */
export function changeOrderGroups(state: Floor, account: Account, op: OrderGroupOp): Answer {
  if (!state.isActive) return refused('exchange_is_paused');
  if ('limit' in op && !(Number.isSafeInteger(op.limit) && op.limit > 0))
    return refused('invalid_parameters', `contracts limit: expected a positive quantity, found ${op.limit} hundredths`);
  if (op.type === 'create-group') return create(state, account, op.limit);
  const group = account.orderGroups.get(op.groupId);
  if (group === undefined) return refused('not_found', `order group ${op.groupId}`);
  change(state, group, op);
  return { type: 'order-group', group: orderGroupView(group) };
}

function create(state: Floor, account: Account, limit: Qty): Answer {
  if (account.orderGroups.size >= GROUPS_MAX)
    return refused('invalid_parameters', `expected no more than ${GROUPS_MAX} order groups`);
  const group: OrderGroupRecord = { groupId: state.nextOrderGroupId(), account, limit, isArmed: true, traded: [] };
  account.orderGroups.set(group.groupId, group);
  tellOrderGroup(state, group, 'created');
  return { type: 'order-group', group: orderGroupView(group) };
}

function change(state: Floor, group: OrderGroupRecord, op: Exclude<OrderGroupOp, { type: 'create-group' }>): void {
  switch (op.type) {
    case 'delete-group':
      withdrawAll(state, group, 'UserCancel');
      group.account.orderGroups.delete(group.groupId);
      return tellOrderGroup(state, group, 'deleted');
    case 'reset-group':
      group.isArmed = true;
      group.traded = [];
      return tellOrderGroup(state, group, 'reset');
    case 'trigger-group':
      return group.isArmed ? trigger(state, group) : undefined;
    case 'limit-group':
      group.limit = op.limit;
      tellOrderGroup(state, group, 'limit-changed');
      return trip(state, group);
  }
}
