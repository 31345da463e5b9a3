// Order groups at work: when as many contracts of a group have traded in fifteen seconds as its limit says, its orders are
// withdrawn and it takes no new ones until it is reset. Must never refuse an order that names no group.
import { type Micros, type Qty, fromSeconds, qty } from '../domain/units.ts';
import type { Floor } from './floor.ts';
import type { OrderGroupChange, OrderUpdateReason } from './output.ts';
import type { Account, OrderGroupRecord } from './records.ts';
import { type Refusal, refusal } from './refusal.ts';
import { withdraw } from './resting.ts';
import { orderGroupView } from './views.ts';

const WINDOW_US = fromSeconds(15);

/** Whether an order may name a group; `null` when it may. */
export function checkOrderGroup(account: Account, groupId: string | null): Refusal | null {
  if (groupId === null) return null;
  const group = account.orderGroups.get(groupId);
  if (group === undefined) return refusal('not_found', `order group ${groupId}`);
  return group.isArmed ? null : refusal('order_group_triggered');
}

/** Triggers the groups that a step's trades have brought to their limits. To be called when the trading is done. */
export function tripTradedGroups(floor: Floor): void {
  for (const group of floor.takeTradedGroups()) trip(floor, group);
}

/** Triggers a group if as much has traded as its limit says. */
export function trip(floor: Floor, group: OrderGroupRecord): void {
  if (group.isArmed && tradedQty(group, floor.now) >= group.limit) trigger(floor, group);
}

/** Withdraws a group's orders and takes no new ones. */
export function trigger(floor: Floor, group: OrderGroupRecord): void {
  group.isArmed = false;
  withdrawAll(floor, group, 'HaltCancel');
  tellOrderGroup(floor, group, 'triggered');
}

/** Withdraws what rests of a group. */
export function withdrawAll(floor: Floor, group: OrderGroupRecord, reason: OrderUpdateReason): void {
  for (const order of group.account.resting.values())
    if (order.groupId === group.groupId) withdraw(floor, order, reason);
}

/** Tells an account what became of its group. Accounts without history hear nothing. */
export function tellOrderGroup(floor: Floor, group: OrderGroupRecord, change: OrderGroupChange): void {
  const { account } = group;
  if (!account.keepsHistory) return;
  floor.tell({ type: 'order-group', at: floor.now, account: account.name, change, group: orderGroupView(group) });
}

/** What traded of a group in the last fifteen seconds; what is older is forgotten. */
function tradedQty(group: OrderGroupRecord, now: Micros): Qty {
  group.traded = group.traded.filter(({ at }) => at > now - WINDOW_US);
  return qty(group.traded.reduce((sum, part) => sum + part.qty, 0));
}
