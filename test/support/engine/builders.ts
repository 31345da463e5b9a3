// Values for tests of the pure core: a market, an order, a fill, limits, each with sensible members to override. Must
// never read a clock or draw a random number: the same call gives the same value.
import type { PlaceCommand } from '../../../src/domain/venue-command.ts';
import type { FillReport, Levels, OrderReport } from '../../../src/domain/event.ts';
import {
  type MarketIndex,
  type Ticker,
  TickerTable,
  clientOrderId,
  eventTicker,
  strategyName,
  ticker,
  tradeId,
  venueOrderId,
} from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import type { Halt } from '../../../src/domain/operator-order.ts';
import { CENT_GRID } from '../../../src/domain/price-grid.ts';
import {
  type Micros,
  type Price,
  type Qty,
  cents,
  contracts,
  dollars,
  fromSeconds,
  micros,
  price,
  qty,
} from '../../../src/domain/units.ts';
import { NO_OPTIONAL_LIMITS, type RiskLimits } from '../../../src/risk/risk-limits.ts';

/** The start of every test: a thousand seconds after the epoch. */
export const BEGIN: Micros = fromSeconds(1000);
/** A time in milliseconds after `STAGE_START`. */
export const after = (milliseconds: number): Micros => micros(BEGIN + milliseconds * 1000);

/** A market index. */
export const index = (value: number): MarketIndex => value as MarketIndex;
export const M0: MarketIndex = index(0);
export const M1: MarketIndex = index(1);
export const MAKER = strategyName('maker');

/** The ticker of a test market. */
export const tickerOf = (market: number): Ticker => ticker(`M-${market}`);

/** A table with the tickers of a number of markets. */
export function tickerTable(count: number): TickerTable {
  const tickers = new TickerTable();
  for (let i = 0; i < count; i++) tickers.internTicker(tickerOf(i));
  return tickers;
}

/** An active whole-cent market that closes in an hour. */
export const aMarket = (number: number, over: Partial<Market> = {}): Market => ({
  ticker: tickerOf(number),
  index: index(number),
  eventTicker: eventTicker('EVENT'),
  title: `Market ${number}`,
  status: 'active',
  openAt: fromSeconds(0),
  closeAt: fromSeconds(4600),
  canCloseEarly: true,
  grid: CENT_GRID,
  result: null,
  settlementValue: null,
  ...over,
});

/** A place command: buy ten contracts at 40 cents. */
export const aPlace = (over: Partial<PlaceCommand> = {}): PlaceCommand => ({
  type: 'place',
  lane: 'new',
  id: 1,
  createdAt: BEGIN,
  validUntil: null,
  clientOrderId: clientOrderId('c-1'),
  strategy: MAKER,
  market: M0,
  ticker: tickerOf(0),
  side: 'buy',
  price: cents(40),
  qty: contracts(10),
  timeInForce: 'gtc',
  postOnly: false,
  reduceOnly: false,
  expiresAt: null,
  ...over,
});

/** A fill of the order that `aPlace` makes: four contracts at 40 cents for a fee of a cent. */
export const aFill = (over: Partial<FillReport> = {}): FillReport => ({
  tradeId: tradeId('t-1'),
  venueOrderId: venueOrderId('v-1'),
  clientOrderId: clientOrderId('c-1'),
  market: M0,
  side: 'buy',
  price: cents(40),
  qty: contracts(4),
  fee: dollars(0.01),
  liquidity: 'maker',
  exchangeAt: null,
  ...over,
});

/** The venue's description of the order that `aPlace` makes: working, nothing traded. */
export const aReport = (over: Partial<OrderReport> = {}): OrderReport => ({
  venueOrderId: venueOrderId('v-1'),
  clientOrderId: clientOrderId('c-1'),
  market: M0,
  side: 'buy',
  price: cents(40),
  status: 'working',
  filledQty: qty(0),
  leavesQty: contracts(10),
  createdAt: null,
  updatedAt: null,
  reason: null,
  ...over,
});

/** A halt of a strategy that failed. */
export const aHalt = (over: Partial<Halt> = {}): Halt => ({
  scope: { type: 'strategy', strategy: MAKER },
  by: 'fault',
  reason: 'Error: boom',
  since: BEGIN,
  ...over,
});

/** Limits that no test reaches by accident. */
export const wideLimits = (over: Partial<RiskLimits> = {}): RiskLimits => ({
  orderQtyMax: contracts(1000),
  orderCostMax: dollars(1000),
  positionQtyMax: contracts(10_000),
  marketCostMax: dollars(10_000),
  accountCostMax: dollars(100_000),
  workingOrdersMax: 1000,
  priceMin: cents(1),
  priceMax: cents(99),
  bookAgeMsMax: 60_000,
  closeGuardMs: 1000,
  groupCostMax: dollars(10_000),
  dailyLossMax: dollars(100_000),
  drawdownMax: dollars(100_000),
  ordersPerSecondMax: 10_000,
  priceDistanceMax: 9999,
  ...NO_OPTIONAL_LIMITS,
  ...over,
});

/** Book levels from (cents, contracts) pairs. */
export const levels = (...pairs: readonly (readonly [number, number])[]): Levels =>
  pairs.map(([at, size]): [Price, Qty] => [price(at * 100), qty(size * 100)]);
