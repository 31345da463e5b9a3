// Changes the fee terms of event groups and recomputes the collateral of the orders resting there. Must never leave an
// account with more reserved than its cash, nor change a past fill.
import type { ExchangeState } from '../machine/exchange-state.ts';
import type { FeeTerms, OperatorOp } from '../machine/exchange-input.ts';
import type { Answer } from '../machine/exchange-output.ts';
import { refusedAnswer } from '../machine/order-placement.ts';
import type { Account, MarketRecord, OrderRecord } from '../machine/exchange-records.ts';
import { restingOrdersIn, cancelOrder } from '../machine/resting-orders.ts';

/** Bound on the multiplier. The collateral of orders requires fees that change more slowly than the price. */
const MULTIPLIER_PERCENT_MAX = 1000;

/** The error in fee terms; `null` when they are valid. */
export function feeTermsError({ feeMultiplierPercent: percent }: FeeTerms): string | null {
  const isValid = Number.isInteger(percent) && percent >= 0 && percent <= MULTIPLIER_PERCENT_MAX;
  return isValid ? null : `fee multiplier: expected 0 to ${MULTIPLIER_PERCENT_MAX} percent`;
}

/** Changes the fee terms of an event group. Orders that their accounts can no longer cover are canceled. */
export function setGroupFees(state: ExchangeState, { eventTicker, fees }: OperatorOp & { type: 'set-fees' }): Answer {
  const group = state.groups.get(eventTicker);
  if (group === undefined) return refusedAnswer('invalid_parameters', `no event group ${eventTicker}`);
  const error = fees === null ? null : feeTermsError(fees);
  if (error !== null) return refusedAnswer('invalid_parameters', error);
  state.groups.set(eventTicker, { ...group, fees });
  for (const market of state.marketsByGroup.get(eventTicker) ?? []) applyFeeSchedule(state, market);
  state.recordFeeChange({ seriesTicker: group.seriesTicker, eventTicker, fees, at: state.now });
  state.emitFact({ type: 'fees', at: state.now, eventTicker, fees });
  return { type: 'done' };
}

/** Applies the current fee schedule to a market. Orders that their accounts can no longer cover are canceled. */
export function applyFeeSchedule(state: ExchangeState, market: MarketRecord): void {
  market.schedule = state.feeScheduleOf(market.definition.eventTicker);
  const resting = restingOrdersIn(market);
  for (const order of resting) {
    state.ledger.updateReserve(order);
    state.markAccountChanged(order.holding.account);
  }
  const byAccount = new Map<Account, OrderRecord[]>();
  for (const order of resting)
    byAccount.set(order.holding.account, [...(byAccount.get(order.holding.account) ?? []), order]);
  for (const [account, orders] of byAccount) {
    const newestFirst = orders.toSorted((a, b) => b.createdAt - a.createdAt || (a.orderId < b.orderId ? 1 : -1));
    for (const order of newestFirst) {
      if (account.cash >= account.reserved) break;
      cancelOrder(state, order, 'HaltCancel');
    }
  }
}
