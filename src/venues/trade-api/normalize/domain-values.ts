// Converts wire records to domain values. Must never invent a quantity, a fill price or a time that the venue did not
// send.
import type {
  FillReport,
  MarketChanged,
  OrderReport,
  PositionReport,
  SettlementReport,
} from '../../../domain/event.ts';
import { type ClientOrderId, type SeriesTicker, type TickerTable, clientOrderId } from '../../../domain/ids.ts';
import type { EventGroup, FeeChange, FeeTerms, Market, MarketResult, Series, Strike } from '../../../domain/market.ts';
import { CENT_GRID, type PriceGrid, priceGrid } from '../../../domain/price-grid.ts';
import { EPOCH, type Micros, NO_MONEY, PAYOUT, type Price } from '../../../domain/units.ts';
import { gridByName } from './grids-by-name.ts';
import type * as Wire from '../wire/wire-records.ts';

/** The grid of the given ranges; whole cents when there are none; `null` when the ranges are unusable. */
export function gridOf(ranges: readonly Wire.RangeRecord[] | null): PriceGrid | null {
  if (ranges === null || ranges.length === 0) return CENT_GRID;
  const isUsable = ranges.every(({ start, end, step }) => step > 0 && start <= end);
  return isUsable && ranges.some(hasPrice) ? priceGrid(ranges) : null;
}

const hasPrice = ({ start, end, step }: Wire.RangeRecord): boolean => {
  const first = start === 0 ? step : start;
  return first <= end && first < PAYOUT;
};

/** A market; `null` when its grid is unusable. */
export function marketOf(record: Wire.MarketRecord, tickers: TickerTable): Market | null {
  const grid = gridOf(record.ranges);
  if (grid === null) return null;
  return {
    ticker: record.ticker,
    index: tickers.internTicker(record.ticker),
    eventTicker: record.eventTicker,
    title: record.title ?? record.yesSubtitle ?? record.ticker,
    status: record.status,
    openAt: record.openAt,
    closeAt: record.closeAt,
    canCloseEarly: record.canCloseEarly ?? false,
    grid,
    result: record.result,
    settlementValue: settlementValueOf(record.result, record.settlementValue),
    strike: strikeOf(record),
    ...(record.feesWaivedUntil !== null && { feesWaivedUntil: record.feesWaivedUntil }),
  };
}

/** An event group's overrides of its series' fees; `null` when it has none. */
export function feesOf(given: Pick<Wire.EventRecord, 'feeType' | 'feeMultiplierPercent'>): Partial<FeeTerms> | null {
  const { feeType, feeMultiplierPercent } = given;
  if (feeType === null && feeMultiplierPercent === null) return null;
  return {
    ...(feeType === null ? {} : { feeType }),
    ...(feeMultiplierPercent === null ? {} : { feeMultiplierPercent }),
  };
}

type StrikeFields = Pick<Wire.MarketRecord, 'strikeType' | 'floorStrike' | 'capStrike' | 'isStrikeCustom'>;

/** The range of values that resolves the market to YES; `null` when there is none, or the record is inconsistent. */
export function strikeOf({ strikeType, floorStrike, capStrike, isStrikeCustom }: StrikeFields): Strike | null {
  if (isStrikeCustom === true) return null;
  switch (strikeType) {
    case 'greater':
    case 'greater_or_equal':
      return floorStrike === null ? null : { type: strikeType, floor: floorStrike, cap: null };
    case 'less':
    case 'less_or_equal':
      return capStrike === null ? null : { type: strikeType, floor: null, cap: capStrike };
    case 'between':
      if (floorStrike === null || capStrike === null || floorStrike > capStrike) return null;
      return { type: strikeType, floor: floorStrike, cap: capStrike };
    case null:
    default:
      return null;
  }
}

/** Payout of each YES: fixed for yes and no, the venue's for a scalar result; otherwise `null`. */
export function settlementValueOf(result: MarketResult | null, given: Price | null): Price | null {
  if (result === 'yes') return PAYOUT;
  if (result === 'no') return 0 as Price;
  return result === 'scalar' ? given : null;
}

export function groupOf({ event, markets }: Wire.EventAnswer): EventGroup {
  return {
    eventTicker: event.eventTicker,
    seriesTicker: event.seriesTicker,
    title: event.title,
    isExclusive: event.isExclusive,
    tickers: (event.markets ?? markets ?? []).map(({ ticker }) => ticker),
    fees: feesOf(event),
  };
}

export const seriesOf = (record: Wire.SeriesRecord): Series => ({
  ticker: record.ticker,
  title: record.title,
  category: record.category ?? '',
  frequency: record.frequency ?? '',
  feeType: record.feeType,
  feeMultiplierPercent: record.feeMultiplierPercent,
});

/** Scheduled changes of a series' fees after `at`. */
export const feeChangesOf = (
  records: readonly Wire.SeriesFeeChangeRecord[],
  { seriesTicker, at: now }: { readonly seriesTicker: SeriesTicker; readonly at: Micros },
): readonly FeeChange[] =>
  records
    .filter((record) => record.seriesTicker === seriesTicker && record.at > now)
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, feeType, feeMultiplierPercent }) => ({ at, terms: { feeType, feeMultiplierPercent } }));

const clientOrderIdOf = (given: string | null): ClientOrderId | null =>
  given === null || given === '' ? null : clientOrderId(given);

export const orderOf = (record: Wire.OrderRecord, tickers: TickerTable): OrderReport => ({
  venueOrderId: record.orderId,
  clientOrderId: clientOrderIdOf(record.clientOrderId),
  market: tickers.internTicker(record.ticker),
  side: record.side,
  price: record.price,
  status: record.status ?? statusByQuantities(record),
  filledQty: record.filledQty,
  leavesQty: record.leavesQty,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt,
  reason: record.reason,
});

/** An order rests while some of it is left, and has filled when all of it was traded. */
const statusByQuantities = ({ initialQty, filledQty, leavesQty }: Wire.OrderRecord): Wire.OrderStatus => {
  if (leavesQty > 0) return 'working';
  return filledQty > 0 && filledQty === initialQty ? 'filled' : 'canceled';
};

export const fillOf = (record: Wire.FillRecord, tickers: TickerTable): FillReport => ({
  tradeId: record.tradeId,
  venueOrderId: record.orderId,
  clientOrderId: clientOrderIdOf(record.clientOrderId),
  market: tickers.internTicker(record.ticker),
  side: record.side,
  price: record.price,
  qty: record.qty,
  fee: record.fee,
  liquidity: record.isTaker ? 'taker' : 'maker',
  exchangeAt: record.at,
});

/** A position. One that is flat has no cost, whatever rest of its rounding the venue still shows. */
export const positionOf = (record: Wire.PositionRecord, tickers: TickerTable): PositionReport => ({
  market: tickers.internTicker(record.ticker),
  qty: record.qty,
  realized: record.realized,
  fees: record.fees,
  cost: record.qty === 0 ? NO_MONEY : record.cost,
});

/** A settlement; `null` when the payout of a YES is missing. */
export function settlementOf(record: Wire.SettlementRecord, tickers: TickerTable): SettlementReport | null {
  const settlementValue = settlementValueOf(record.result, record.settlementValue);
  if (settlementValue === null) return null;
  const { result, revenue, at } = record;
  return { market: tickers.internTicker(record.ticker), result, settlementValue, revenue, settledAt: at };
}

/** A quote; `null` for zero and for a whole dollar, with which the venue marks an empty side. */
export const quoteOf = (given: Price | null): Price | null =>
  given === null || given <= 0 || given >= PAYOUT ? null : given;

/**
 * The change that a market-life message makes; `null` when it changes nothing that we track, or lacks the new value.
 */
export function lifeOf(record: Wire.MarketLifeRecord): Partial<MarketChanged> | null {
  switch (record.change) {
    case 'activated':
      return { status: 'active' };
    case 'deactivated':
      return { status: 'inactive' };
    case 'close-moved':
      return record.closeAt === null ? null : { closeAt: record.closeAt };
    case 'determined':
      return {
        status: 'determined',
        result: record.result,
        settlementValue: settlementValueOf(record.result, record.settlementValue),
      };
    case 'settled':
      return { status: 'finalized' };
    case 'grid-changed': {
      const grid = record.ranges === null ? gridByName(record.gridName) : gridOf(record.ranges);
      return grid === null ? null : { grid };
    }
    case 'created':
    case 'described':
      return null;
  }
}

/** The venue's time of a change in a market's life; `null` when the message has none. */
export const lifeAt = (record: Wire.MarketLifeRecord): Micros | null => {
  const given = record.change === 'determined' ? record.determinedAt : record.settledAt;
  return given === EPOCH ? null : given;
};
