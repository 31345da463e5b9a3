// The public surface: everything that a strategy author may import. docs/reference/versioning.md says how it may
// change, and `api/presage-trading.api.md` shows every change. Symbols that are missing here, or are marked
// `@internal`, may change at any time.
export { z } from 'zod';
export { AssertionFault } from './base/assert.ts';
export type { BudgetKind } from './domain/venue-command.ts';
export { type Denial, type DenialCode, type LimitHolder, describeDenial } from './domain/denial.ts';
export type { BookSide, FillReport, IntentOutcome, OrderOutcome, OutcomeOf, Print } from './domain/event.ts';
export {
  type Chargeable,
  FEE_RATES,
  type FeeRounding,
  type FeeSchedule,
  type FeeType,
  feeSchedule,
  modelFee,
} from './domain/fee-schedule.ts';
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
export type {
  EventGroup,
  FeeTerms,
  Market,
  MarketResult,
  MarketStatus,
  Outcome,
  Strike,
  StrikeType,
} from './domain/market.ts';
export type { HaltScope, HaltedBy } from './domain/operator-order.ts';
export {
  type AmendedTerms,
  type Liquidity,
  type Order,
  type OrderState,
  type Side,
  type TimeInForce,
  leavesQty,
  opposite,
} from './domain/orders/order.ts';
export type { OrderTerms, StatedTerms } from './domain/orders/order-terms.ts';
export { centsText, contractsText, dollarsText, signedContracts, signedDollars } from './domain/amounts.ts';
export { type Position, openingPrice, valueOf } from './domain/position.ts';
export { type PriceGrid, type PriceRange, ceilToGrid, cellOf, floorToGrid, priceOfCell } from './domain/price-grid.ts';
export {
  type Bare,
  type Duration,
  type Micros,
  type Money,
  type NoPrice,
  PAYOUT,
  type Price,
  type Probability,
  type Qty,
  addMoney,
  cents,
  complement,
  contracts,
  dollars,
  formatMoney,
  formatPrice,
  formatQty,
  micros,
  money,
  notional,
  price,
  probability,
  qty,
} from './domain/units.ts';
export {
  type Candle,
  type CandleOptions,
  Candles,
  type CandlesState,
  type Traded,
  candlesState,
} from './kit/print-candles.ts';
export {
  type DecayOptions,
  Ewma,
  type EwmaState,
  EwmaVariance,
  type EwmaVarianceState,
  ewmaState,
  ewmaVarianceState,
} from './kit/decaying-stats.ts';
export { fromMillis, fromSeconds, later } from './kit/durations.ts';
export {
  askOnGrid,
  bidOnGrid,
  impliedProbability,
  logistic,
  logit,
  nearestPrice,
  parityGap,
  worthOf,
} from './kit/fair-prices.ts';
export { type MarginMethod, fairProbabilities } from './kit/fair-probabilities.ts';
export { fileText, probabilityFile } from './kit/file-params.ts';
export { type GroupValueOptions, type GroupValues, groupFairValues } from './kit/group-values.ts';
export { MarketMemory, type MemoryOptions } from './kit/market-memory.ts';
export type { ProbabilityRow, ProbabilityTable } from './kit/probability-table.ts';
export { RollingStats, type WindowOptions, type WindowState, windowState } from './kit/rolling-stats.ts';
export { type KellyBet, type KellyOrder, type SizedOrder, type Touch, kellyFraction, kellyQty } from './kit/sizing.ts';
export type { BookView } from './state/books/book-view.ts';
export { type Take, type Taking, takeAt } from './kit/take-at-touch.ts';
export { Waits, type WaitsState, deniedMarket, waitsState } from './kit/waits.ts';
export type { BookTrust } from './state/books/order-books.ts';
export type { TickerFacts } from './state/books/ticker-facts.ts';
export type { BudgetRoom, Capital } from './state/view-sources.ts';
export type { StrategyView } from './state/strategy-view.ts';
export { defineStrategy } from './strategy/define-strategy.ts';
export type {
  BookChanged,
  BoundPersistence,
  BoundStrategy,
  BudgetMoved,
  HaltChanged,
  Handlers,
  HandlersOf,
  Intents,
  StatePersistence,
  MarketFacts,
  MarketLeft,
  MarketMoved,
  MarketSelector,
  OrderChanged,
  OwnFill,
  QueueMoved,
  Settled,
  Started,
  Stopping,
  Strategy,
  StrategyContext,
  StrategyDefinition,
  TimerDue,
  TrustChanged,
} from './strategy/strategy-definition.ts';
