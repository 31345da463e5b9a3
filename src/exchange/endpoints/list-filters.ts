// Filters for lists of markets, event groups and series. Must never ignore a member that the query's endpoint takes.
import type { SeriesTicker } from '../../domain/ids.ts';
import type { MarketStatus } from '../../domain/market.ts';
import { EPOCH, type Micros, NO_QTY, type Qty, addQty, micros } from '../../domain/units.ts';
import type { MarketStage, QueryRecord } from '../../venues/trade-api/wire/wire-records.ts';
import type { ExchangeReader } from '../machine/exchange-interface.ts';
import type { GroupDefinition, SeriesDefinition } from '../machine/exchange-input.ts';
import type { MarketView } from '../machine/exchange-output.ts';

const STATUSES: Readonly<Record<MarketStage, readonly MarketStatus[]>> = {
  unopened: ['initialized'],
  open: ['active'],
  paused: ['inactive'],
  closed: ['closed', 'determined', 'disputed', 'amended'],
  settled: ['finalized'],
};

/** True when a time is within bounds, both inclusive. A missing time is only within absent bounds. */
export const isBetween = (at: Micros | null, min: Micros | null, max: Micros | null): boolean =>
  (min === null && max === null) || (at !== null && (min === null || at >= min) && (max === null || at <= max));

const isOneOf = <Name>(wanted: readonly Name[] | null, name: Name): boolean => wanted === null || wanted.includes(name);

const isAtStage = ({ marketStatus }: QueryRecord, { status }: MarketView): boolean =>
  marketStatus === null || STATUSES[marketStatus].includes(status);

/**
 * Returns a filter: true for markets that match a query. This exchange has no combination markets, so `only` selects
 * none.
 */
export const marketFilter =
  (query: QueryRecord) =>
  (market: MarketView): boolean =>
    query.combos !== 'only' &&
    isAtStage(query, market) &&
    isOneOf(query.tickers, market.definition.ticker) &&
    (query.eventTicker === null || market.definition.eventTicker === query.eventTicker) &&
    (query.seriesTicker === null || market.seriesTicker === query.seriesTicker) &&
    isBetween(market.createdAt, query.minCreatedAt, query.maxCreatedAt) &&
    isBetween(market.closeAt, query.minCloseAt, query.maxCloseAt) &&
    isBetween(market.settledAt, query.minSettledAt, query.maxSettledAt) &&
    isBetween(market.updatedAt, query.minUpdatedAt, null);

/**
 * Returns a filter: true for event groups that match a query.
 * @param marketsIn returns a group's markets.
 */
export const eventFilter =
  (query: QueryRecord, marketsIn: (group: GroupDefinition) => readonly MarketView[]) =>
  (group: GroupDefinition): boolean => {
    const isSome = (isWanted: (market: MarketView) => boolean): boolean => marketsIn(group).some(isWanted);
    return (
      isOneOf(query.eventTickers, group.ticker) &&
      (query.seriesTicker === null || group.seriesTicker === query.seriesTicker) &&
      (query.marketStatus === null || isSome((market) => isAtStage(query, market))) &&
      (query.minCloseAt === null || isSome(({ closeAt }) => isBetween(closeAt, query.minCloseAt, null))) &&
      (query.minUpdatedAt === null || isSome(({ updatedAt }) => isBetween(updatedAt, query.minUpdatedAt, null)))
    );
  };

/** Returns a filter: true for series that match a query. */
export const seriesFilter =
  (query: QueryRecord, exchange: ExchangeReader) =>
  ({ ticker, category, tags = [] }: SeriesDefinition): boolean =>
    (query.category === null || category === query.category) &&
    (query.tags === null || query.tags.some((tag) => tags.includes(tag))) &&
    (query.minUpdatedAt === null || changedAt(exchange, ticker) >= query.minUpdatedAt);

function changedAt(exchange: ExchangeReader, series: SeriesTicker): Micros {
  const fees = exchange.feeChanges(series).map(({ at }) => at);
  const listed = marketsOfSeries(exchange, series).map(({ createdAt }) => createdAt);
  return micros(Math.max(EPOCH, ...fees.filter((at) => at <= exchange.now), ...listed));
}

/** Contracts traded in all markets of a series. */
export const volumeOf = (exchange: ExchangeReader, series: SeriesTicker): Qty =>
  marketsOfSeries(exchange, series).reduce<Qty>((sum, { stats }) => addQty(sum, stats.volume), NO_QTY);

const marketsOfSeries = (exchange: ExchangeReader, series: SeriesTicker): readonly MarketView[] =>
  exchange.markets().filter(({ seriesTicker }) => seriesTicker === series);
