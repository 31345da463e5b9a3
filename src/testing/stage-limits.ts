// Limits of a stage, unless a test gives others. Must never deny an order that a venue would take.

/** Limits so wide that only invalid orders are denied. */
export const WIDE_LIMITS = {
  orderQtyMax: 100_000,
  orderCostMax: 100_000,
  positionQtyMax: 1_000_000,
  marketCostMax: 1_000_000,
  groupCostMax: 1_000_000,
  accountCostMax: 1_000_000,
  dailyLossMax: 1_000_000,
  drawdownMax: 1_000_000,
  workingOrdersMax: 10_000,
  ordersPerSecondMax: 10_000,
  priceMin: 0.01,
  priceMax: 0.99,
  priceDistanceMax: 0.99,
  bookAgeMax: '1m',
  closeGuard: '0s',
};
