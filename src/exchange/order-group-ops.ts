// What an account asks of its order groups: to make, change, trigger, reset and delete them.
// Must never reach another account's.
import { type Qty } from '../domain/units.ts';
import type { Floor } from './floor.ts';
import type { OrderGroupOp } from './input.ts';
import { tellOrderGroup, trigger, trip, withdrawAll } from './order-groups.ts';
import type { Answer } from './output.ts';
import { refused } from './placing.ts';
import type { Account, OrderGroupRecord } from './records.ts';
import { orderGroupView } from './views.ts';

const GROUPS_MAX = 100_000;

/** Carries out what an account asks of its order groups. */
export function changeOrderGroups(floor: Floor, account: Account, op: OrderGroupOp): Answer {
  if (!floor.isActive) return refused('exchange_is_paused');
  if ('limit' in op && !(Number.isSafeInteger(op.limit) && op.limit > 0))
    return refused('invalid_parameters', `contracts limit: expected a positive quantity, found ${op.limit} hundredths`);
  if (op.type === 'create-group') return create(floor, account, op.limit);
  const group = account.orderGroups.get(op.groupId);
  if (group === undefined) return refused('not_found', `order group ${op.groupId}`);
  change(floor, group, op);
  return { type: 'order-group', group: orderGroupView(group) };
}

function create(floor: Floor, account: Account, limit: Qty): Answer {
  if (account.orderGroups.size >= GROUPS_MAX)
    return refused('invalid_parameters', `expected no more than ${GROUPS_MAX} order groups`);
  const group: OrderGroupRecord = { groupId: floor.nextOrderGroupId(), account, limit, isArmed: true, traded: [] };
  account.orderGroups.set(group.groupId, group);
  tellOrderGroup(floor, group, 'created');
  return { type: 'order-group', group: orderGroupView(group) };
}

function change(floor: Floor, group: OrderGroupRecord, op: Exclude<OrderGroupOp, { type: 'create-group' }>): void {
  switch (op.type) {
    case 'delete-group':
      withdrawAll(floor, group, 'UserCancel');
      group.account.orderGroups.delete(group.groupId);
      return tellOrderGroup(floor, group, 'deleted');
    case 'reset-group':
      group.isArmed = true;
      group.traded = [];
      return tellOrderGroup(floor, group, 'reset');
    case 'trigger-group':
      return group.isArmed ? trigger(floor, group) : undefined;
    case 'limit-group':
      group.limit = op.limit;
      tellOrderGroup(floor, group, 'limit-changed');
      return trip(floor, group);
  }
}
