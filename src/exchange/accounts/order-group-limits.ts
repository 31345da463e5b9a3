// Order group limits. A group's orders are canceled when they have traded its limit of contracts within fifteen
// seconds. The group then takes no new orders until its reset. Must never refuse an order that names no group.
import { type Micros, type Qty, fromSeconds, qty } from '../../domain/units.ts';
import type { ExchangeState } from '../machine/exchange-state.ts';
import type { OrderGroupChange, OrderUpdateReason } from '../machine/exchange-output.ts';
import type { Account, OrderGroupRecord } from '../machine/exchange-records.ts';
import { type Refusal, refusal } from '../machine/exchange-refusal.ts';
import { cancelOrder } from '../machine/resting-orders.ts';
import { orderGroupView } from '../machine/exchange-views.ts';

const WINDOW_US = fromSeconds(15);

/** Checks that an order may name a group; `null` when it may. */
export function checkOrderGroup(account: Account, groupId: string | null): Refusal | null {
  if (groupId === null) return null;
  const group = account.orderGroups.get(groupId);
  if (group === undefined) return refusal('not_found', `order group ${groupId}`);
  return group.isArmed ? null : refusal('order_group_triggered');
}

/**
 * Triggers the groups whose trades since the last call have reached their limits. Must be called once an order has
 * finished trading.
 */
export function triggerReachedGroups(state: ExchangeState): void {
  for (const group of state.drainTradedGroups()) triggerIfReached(state, group);
}

/** Triggers a group when its traded quantity has reached its limit. */
export function triggerIfReached(state: ExchangeState, group: OrderGroupRecord): void {
  if (group.isArmed && tradedQty(group, state.now) >= group.limit) triggerGroup(state, group);
}

/** Triggers a group: cancels its orders and disarms it. */
export function triggerGroup(state: ExchangeState, group: OrderGroupRecord): void {
  group.isArmed = false;
  cancelGroupOrders(state, group, 'HaltCancel');
  emitOrderGroup(state, group, 'triggered');
}

/** Cancels the resting orders of a group. */
export function cancelGroupOrders(state: ExchangeState, group: OrderGroupRecord, reason: OrderUpdateReason): void {
  for (const order of group.account.resting.values())
    if (order.groupId === group.groupId) cancelOrder(state, order, reason);
}

/** Emits a change of an order group to its account. Accounts without history get no fact. */
export function emitOrderGroup(state: ExchangeState, group: OrderGroupRecord, change: OrderGroupChange): void {
  const { account } = group;
  if (!account.keepsHistory) return;
  state.emitFact({ type: 'order-group', at: state.now, account: account.name, change, group: orderGroupView(group) });
}

function tradedQty(group: OrderGroupRecord, now: Micros): Qty {
  group.traded = group.traded.filter(({ at }) => at > now - WINDOW_US);
  return qty(group.traded.reduce((sum, part) => sum + part.qty, 0));
}
