// Rules about money and contracts: the position that may be reached and the loss that may follow, fees included. Each
// applies to the account, and to a strategy that has its own limit. An order that makes nothing worse passes even when
// a limit is exceeded, so that a position can always be closed.
import { addMoney, money, qty as quantity, subtractMoney } from '../domain/units.ts';
import { reachable } from '../state/equity.ts';
import { type Rule, ofEach } from './rule.ts';

export const position: Rule = ofEach(({ market, side, qty }, { of, stakes, limits: { positionQtyMax } }) => {
  if (positionQtyMax === undefined) return null;
  const reached = reachable(stakes, market, side) + (side === 'buy' ? qty : -qty);
  const isOver = side === 'buy' ? reached > positionQtyMax : reached < -positionQtyMax;
  return isOver ? { code: 'position-above-limit', of, position: quantity(reached), positionQtyMax } : null;
});

export const marketCost: Rule = ofEach((_, party) => {
  const { marketCostMax } = party.limits;
  if (marketCostMax === undefined || party.addedPledge === 0) return null;
  const cost = party.exposed.market;
  return cost <= marketCostMax ? null : { code: 'market-cost-above-limit', of: party.of, cost, marketCostMax };
});

export const groupCost: Rule = ofEach((_, party, { market: { eventTicker } }) => {
  const { groupCostMax } = party.limits;
  if (groupCostMax === undefined) return null;
  const cost = party.exposed.group;
  if (cost <= groupCostMax || cost <= party.exposedBefore.group) return null;
  return { code: 'group-cost-above-limit', of: party.of, cost, groupCostMax, eventTicker };
});

export const accountCost: Rule = ofEach((_, party) => {
  const { accountCostMax } = party.limits;
  if (accountCostMax === undefined) return null;
  const cost = party.exposed.account;
  if (cost <= accountCostMax || cost <= party.exposedBefore.account) return null;
  return { code: 'account-cost-above-limit', of: party.of, cost, accountCostMax };
});

/** A strategy may not lose more from here than what is left of its capital. */
export const capital: Rule = (_, { own }) => {
  if (own === null || own.capital === null) return null;
  const cost = own.exposed.account;
  const { allotted, left } = own.capital;
  if (cost <= left || cost <= own.exposedBefore.account) return null;
  return { code: 'strategy-capital', cost, left, allotted };
};

export const cash: Rule = (_, { state, account, fee }) => {
  const { addedPledge } = account;
  if (addedPledge === 0) return null;
  const left = subtractMoney(state.portfolio.cash, account.exposed.pledged);
  if (left >= 0) return null;
  const needed = addMoney(addedPledge, fee);
  return { code: 'cash-short', needed, available: money(left + needed) };
};
