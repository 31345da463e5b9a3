// Records of the wire as the house's own values. Pure.
// Must never invent what the venue did not say: where a value has no honest reading, there is none.
import type { FillReport, MarketChanged, OrderReport, PositionReport, SettlementReport } from '../../domain/event.ts';
import { type ClientOrderId, type SeriesTicker, type TickerTable, clientOrderId } from '../../domain/ids.ts';
import type { EventGroup, FeeChange, FeeTerms, Market, MarketResult, Series, Strike } from '../../domain/market.ts';
import { CENT_GRID, type PriceGrid, priceGrid } from '../../domain/price-grid.ts';
import { EPOCH, type Micros, PAYOUT, type Price } from '../../domain/units.ts';
import { gridNamed } from './normalize-grids.ts';
import type * as Wire from './wire/records.ts';

/** The grid of some ranges; whole cents where none are said; `null` when they hold no price. */
export function gridOf(ranges: readonly Wire.RangeRecord[] | null): PriceGrid | null {
  if (ranges === null || ranges.length === 0) return CENT_GRID;
  const isUsable = ranges.every(({ start, end, step }) => step > 0 && start <= end);
  return isUsable && ranges.some(hasPrice) ? priceGrid(ranges) : null;
}

const hasPrice = ({ start, end, step }: Wire.RangeRecord): boolean => {
  const first = start === 0 ? step : start;
  return first <= end && first < PAYOUT;
};

/** A market; `null` when its grid holds no price. */
export function marketOf(record: Wire.MarketRecord, tickers: TickerTable): Market | null {
  const grid = gridOf(record.ranges);
  if (grid === null) return null;
  return {
    ticker: record.ticker,
    index: tickers.intern(record.ticker),
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

/** What an event group's fees differ in from its series'; `null` where nothing is said. */
export function feesOf(said: Pick<Wire.EventRecord, 'feeType' | 'feeMultiplierPercent'>): Partial<FeeTerms> | null {
  const { feeType, feeMultiplierPercent } = said;
  if (feeType === null && feeMultiplierPercent === null) return null;
  return {
    ...(feeType === null ? {} : { feeType }),
    ...(feeMultiplierPercent === null ? {} : { feeMultiplierPercent }),
  };
}

type StrikeSaid = Pick<Wire.MarketRecord, 'strikeType' | 'floorStrike' | 'capStrike' | 'isStrikeCustom'>;

/** The part of the line that decides; `null` where no number alone does, or where what is said makes no part. */
export function strikeOf({ strikeType, floorStrike, capStrike, isStrikeCustom }: StrikeSaid): Strike | null {
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
    default:
      return null;
  }
}

/** What each YES pays: as said, else as the result has it. */
export function settlementValueOf(result: MarketResult | null, said: Price | null): Price | null {
  if (result === 'yes') return PAYOUT;
  if (result === 'no') return 0 as Price;
  return result === 'scalar' ? said : null;
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

/** What is planned for a series' fees after a time. What has begun is in the series' own terms. */
export const feeChangesOf = (
  records: readonly Wire.SeriesFeeChangeRecord[],
  { seriesTicker, at: now }: { readonly seriesTicker: SeriesTicker; readonly at: Micros },
): readonly FeeChange[] =>
  records
    .filter((record) => record.seriesTicker === seriesTicker && record.at > now)
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, feeType, feeMultiplierPercent }) => ({ at, terms: { feeType, feeMultiplierPercent } }));

const ourName = (said: string | null): ClientOrderId | null =>
  said === null || said === '' ? null : clientOrderId(said);

export const orderOf = (record: Wire.OrderRecord, tickers: TickerTable): OrderReport => ({
  venueOrderId: record.orderId,
  clientOrderId: ourName(record.clientOrderId),
  market: tickers.intern(record.ticker),
  side: record.side,
  price: record.price,
  status: record.status,
  filledQty: record.filledQty,
  leavesQty: record.leavesQty,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt,
  reason: record.reason,
});

export const fillOf = (record: Wire.FillRecord, tickers: TickerTable): FillReport => ({
  tradeId: record.tradeId,
  venueOrderId: record.orderId,
  clientOrderId: ourName(record.clientOrderId),
  market: tickers.intern(record.ticker),
  side: record.side,
  price: record.price,
  qty: record.qty,
  fee: record.fee,
  liquidity: record.isTaker ? 'taker' : 'maker',
  exchangeAt: record.at,
});

export const positionOf = (record: Wire.PositionRecord, tickers: TickerTable): PositionReport => ({
  market: tickers.intern(record.ticker),
  qty: record.qty,
  realized: record.realized,
  fees: record.fees,
  cost: record.cost,
});

/** A settlement; `null` when it does not say what a YES was paid. */
export function settlementOf(record: Wire.SettlementRecord, tickers: TickerTable): SettlementReport | null {
  const settlementValue = settlementValueOf(record.result, record.settlementValue);
  if (settlementValue === null) return null;
  const { result, revenue, at } = record;
  return { market: tickers.intern(record.ticker), result, settlementValue, revenue, settledAt: at };
}

/** A quote of zero or of a whole dollar is how an empty side is told. */
export const quoteOf = (said: Price | null): Price | null =>
  said === null || said <= 0 || said >= PAYOUT ? null : said;

/** What changed in a market's life; `null` when nothing that is followed did. */
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
      const grid = record.ranges === null ? gridNamed(record.gridName) : gridOf(record.ranges);
      return grid === null ? null : { grid };
    }
    case 'created':
    case 'described':
      return null;
  }
}

/** When the venue says that a change in a market's life happened. */
export const lifeAt = (record: Wire.MarketLifeRecord): Micros | null => {
  const said = record.change === 'determined' ? record.determinedAt : record.settledAt;
  return said === EPOCH ? null : said;
};
