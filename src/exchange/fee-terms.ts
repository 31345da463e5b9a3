// How an event group is charged, and what a change of it means for the orders that rest: what they need is reckoned anew.
// Must never leave an account with more promised than it has, nor touch a fill that was.
import type { Floor } from './floor.ts';
import type { FeeTerms, OperatorOp } from './input.ts';
import type { Answer } from './output.ts';
import { refused } from './placing.ts';
import type { Account, MarketRecord, OrderRecord } from './records.ts';
import { restingIn, withdraw } from './resting.ts';

/** Beyond ten times the schedule, a fee could outgrow what a better price saves. */
const MULTIPLIER_PERCENT_MAX = 1000;

/** What is wrong with fee terms, in words; `null` when nothing is. */
export function wrongFees({ feeMultiplierPercent: percent }: FeeTerms): string | null {
  const isRight = Number.isInteger(percent) && percent >= 0 && percent <= MULTIPLIER_PERCENT_MAX;
  return isRight ? null : `fee multiplier: expected 0 to ${MULTIPLIER_PERCENT_MAX} percent`;
}

/** Changes how an event group is charged. Orders that their accounts cannot stand behind any more are withdrawn. */
export function setFees(floor: Floor, { eventTicker, fees }: OperatorOp & { type: 'set-fees' }): Answer {
  const group = floor.groups.get(eventTicker);
  if (group === undefined) return refused('invalid_parameters', `no event group ${eventTicker}`);
  const wrong = fees === null ? null : wrongFees(fees);
  if (wrong !== null) return refused('invalid_parameters', wrong);
  floor.groups.set(eventTicker, { ...group, fees });
  for (const market of floor.marketsByGroup.get(eventTicker) ?? []) recharge(floor, market);
  floor.noteFeeChange({ seriesTicker: group.seriesTicker, eventTicker, fees, at: floor.now });
  floor.tell({ type: 'fees', at: floor.now, eventTicker, fees });
  return { type: 'done' };
}

/** A market is charged by other terms: what its orders need is reckoned anew. */
export function recharge(floor: Floor, market: MarketRecord): void {
  market.schedule = floor.scheduleOf(market.definition.eventTicker);
  const resting = restingIn(market);
  for (const order of resting) {
    floor.ledger.repledge(order);
    floor.touchAccount(order.holding.account);
  }
  const byAccount = new Map<Account, OrderRecord[]>();
  for (const order of resting)
    byAccount.set(order.holding.account, [...(byAccount.get(order.holding.account) ?? []), order]);
  for (const [account, orders] of byAccount) {
    // The last to come is the first to go.
    const newestFirst = orders.toSorted((a, b) => b.createdAt - a.createdAt || (a.orderId < b.orderId ? 1 : -1));
    for (const order of newestFirst) {
      if (account.cash >= account.reserved) break;
      withdraw(floor, order, 'HaltCancel');
    }
  }
}
