// Rules about positions and possible losses, fees included. Most apply to the account, and to a strategy with its own
// limit. A position can always be closed: an order that makes nothing worse passes an exceeded limit.
import { countedLeaves } from '../../domain/orders/order.ts';
import { addMoney, money, qty as quantity, subtractMoney } from '../../domain/units.ts';
import { reachablePosition } from '../../state/account/equity.ts';
import type { Proposal } from './proposal.ts';
import { type Rule, forEachSubject } from './rule.ts';

export const position: Rule = forEachSubject((proposal, { of, stakes, limits: { positionQtyMax } }) => {
  if (positionQtyMax === undefined) return null;
  const { market, side } = proposal;
  const added = addedQty(proposal);
  const reached = reachablePosition(stakes, market, side) + (side === 'buy' ? added : -added);
  const isOver = side === 'buy' ? reached > positionQtyMax : reached < -positionQtyMax;
  return isOver ? { code: 'position-above-limit', of, position: quantity(reached), positionQtyMax } : null;
});

/** An amended order counts already: only what it grows by is added. */
const addedQty = ({ qty, amended }: Proposal): number =>
  amended === undefined ? qty : Math.max(0, qty - countedLeaves(amended));

export const marketCost: Rule = forEachSubject((_, party) => {
  const { marketCostMax } = party.limits;
  if (marketCostMax === undefined || party.addedReserved === 0) return null;
  const cost = party.exposureAfter.market;
  return cost <= marketCostMax ? null : { code: 'market-cost-above-limit', of: party.of, cost, marketCostMax };
});

export const groupCost: Rule = forEachSubject((_, party, { market: { eventTicker } }) => {
  const { groupCostMax } = party.limits;
  if (groupCostMax === undefined) return null;
  const cost = party.exposureAfter.group;
  if (cost <= groupCostMax || cost <= party.exposureNow.group) return null;
  return { code: 'group-cost-above-limit', of: party.of, cost, groupCostMax, eventTicker };
});

export const accountCost: Rule = forEachSubject((_, party) => {
  const { accountCostMax } = party.limits;
  if (accountCostMax === undefined) return null;
  const cost = party.exposureAfter.account;
  if (cost <= accountCostMax || cost <= party.exposureNow.account) return null;
  return { code: 'account-cost-above-limit', of: party.of, cost, accountCostMax };
});

/** The possible loss from here is at most the rest of the strategy's capital. */
export const capital: Rule = (_, { own }) => {
  if (own === null || own.capital === null) return null;
  const cost = own.exposureAfter.account;
  const { allotted, left } = own.capital;
  if (cost <= left || cost <= own.exposureNow.account) return null;
  return { code: 'strategy-capital', cost, left, allotted };
};

export const cash: Rule = (_, { state, account, fee }) => {
  const { addedReserved } = account;
  if (addedReserved === 0) return null;
  const left = subtractMoney(state.portfolio.cash, account.exposureAfter.reserved);
  if (left >= 0) return null;
  const needed = addMoney(addedReserved, fee);
  return { code: 'cash-short', needed, available: money(left + needed) };
};
