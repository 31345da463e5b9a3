// The public surface: all that a strategy author may import. What is here is kept; what is not may change.
export { z } from 'zod';
export { AssertionFault } from './domain/assert.ts';
export { type Denial, type DenialCode, describeDenial } from './domain/denial.ts';
export type { BookSide, FillReport, IntentOutcome, Print } from './domain/event.ts';
export { FEE_RATES, type FeeSchedule, type FeeType, feeSchedule, modelFee } from './domain/fees.ts';
export type {
  ClientOrderId,
  EventTicker,
  MarketIndex,
  SeriesTicker,
  StrategyName,
  Ticker,
  TradeId,
  VenueOrderId,
} from './domain/ids.ts';
export type {
  CancelAllIntent,
  CancelIntent,
  DecreaseIntent,
  ForecastIntent,
  Intent,
  PlaceIntent,
  QuoteIntent,
  QuoteLevel,
  TimerIntent,
} from './domain/intent.ts';
export type { EventGroup, Market, MarketResult, MarketStatus, Outcome } from './domain/market.ts';
export {
  type Liquidity,
  type Order,
  type OrderState,
  type Side,
  type TimeInForce,
  leavesQty,
  opposite,
} from './domain/order.ts';
export { type Position, openingPrice, valueOf } from './domain/position.ts';
export { type PriceGrid, ceilToGrid, cellOf, floorToGrid, priceOfCell } from './domain/price-grid.ts';
export {
  type Micros,
  type Money,
  PAYOUT,
  type Price,
  type Qty,
  addMoney,
  cents,
  complement,
  contracts,
  dollars,
  formatMoney,
  formatPrice,
  formatQty,
  fromMillis,
  fromSeconds,
  micros,
  money,
  notional,
  price,
  qty,
} from './domain/units.ts';
export type { BookView } from './state/book-view.ts';
export type { BookTrust } from './state/books.ts';
export type { StrategyView } from './state/view.ts';
export {
  type BookChanged,
  type BudgetMoved,
  type HaltChanged,
  type Handlers,
  type Intents,
  type Keeping,
  type MarketFacts,
  type MarketLeft,
  type MarketMoved,
  type MarketSelector,
  type OrderChanged,
  type OwnFill,
  type QueueMoved,
  type Settled,
  type Strategy,
  type StrategyContext,
  type StrategyDefinition,
  type TrustChanged,
  defineStrategy,
} from './strategy/strategy.ts';
