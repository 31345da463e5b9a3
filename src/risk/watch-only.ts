// The limits of a session that runs no strategy: no order is allowed.
import { NO_MONEY, NO_QTY, PAYOUT, price } from '../domain/units.ts';
import { NO_OPTIONAL_LIMITS, type RiskLimits } from './limits.ts';

export const WATCH_ONLY: RiskLimits = {
  orderQtyMax: NO_QTY,
  orderCostMax: NO_MONEY,
  positionQtyMax: NO_QTY,
  marketCostMax: NO_MONEY,
  accountCostMax: NO_MONEY,
  workingOrdersMax: 0,
  priceMin: PAYOUT,
  priceMax: price(0),
  bookAgeMsMax: 0,
  closeGuardMs: 0,
  groupCostMax: NO_MONEY,
  dailyLossMax: NO_MONEY,
  drawdownMax: NO_MONEY,
  ordersPerSecondMax: 0,
  priceDistanceMax: 0,
  ...NO_OPTIONAL_LIMITS,
};
