// Rules about money and contracts: what may come to be held, and what may be lost by it, fees included.
// An order that makes nothing worse passes although a limit is exceeded: it must always be possible to get out.
import { addMoney, money, qty as quantity, subtractMoney } from '../domain/units.ts';
import { reachable } from '../state/equity.ts';
import type { Rule } from './rule.ts';

export const position: Rule = ({ market, side, qty }, { state, limits: { positionQtyMax } }) => {
  const reached = reachable(state, market, side) + (side === 'buy' ? qty : -qty);
  const isOver = side === 'buy' ? reached > positionQtyMax : reached < -positionQtyMax;
  return isOver ? { code: 'position-above-limit', position: quantity(reached), positionQtyMax } : null;
};

export const marketCost: Rule = (_, { limits: { marketCostMax }, addedPledge, exposed }) => {
  if (addedPledge === 0) return null;
  const cost = exposed.market;
  return cost <= marketCostMax ? null : { code: 'market-cost-above-limit', cost, marketCostMax };
};

export const groupCost: Rule = (proposal, { limits: { groupCostMax }, market, exposure, exposed }) => {
  const cost = exposed.group;
  if (cost <= groupCostMax || cost <= exposure.measure(proposal, false).group) return null;
  return { code: 'group-cost-above-limit', cost, groupCostMax, eventTicker: market.eventTicker };
};

export const accountCost: Rule = (proposal, { limits: { accountCostMax }, exposure, exposed }) => {
  const cost = exposed.account;
  if (cost <= accountCostMax || cost <= exposure.measure(proposal, false).account) return null;
  return { code: 'account-cost-above-limit', cost, accountCostMax };
};

export const cash: Rule = (_, { state, addedPledge, fee, exposed }) => {
  if (addedPledge === 0) return null;
  const left = subtractMoney(state.portfolio.cash, exposed.pledged);
  if (left >= 0) return null;
  const needed = addMoney(addedPledge, fee);
  return { code: 'cash-short', needed, available: money(left + needed) };
};
